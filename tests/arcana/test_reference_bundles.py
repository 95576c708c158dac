"""The bundles that the platform's real engine made of one agent each."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

import pytest
from platform_bundle import evidence_files
from shared import SHARED, needs_shared

from verifier.arcana.with_evidence import audit_score
from verifier.bundle import open_bundle
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy

if TYPE_CHECKING:
    from pathlib import Path

BUNDLES: Final = SHARED / "reference" / "arcana" / "bundles"
SIGNER: Final = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
POLICY: Final = Policy(arcana=ArcanaPolicy(senders=(SIGNER,), participation="engine"))


@needs_shared
@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("bundle-one", set[str]()),
        ("bundle-two", set[str]()),
        # The reference's reason is anchored_before_input, of the first score.
        ("bad-bundle-anchored-with-inputs", {"arcana/inputs-anchored"}),
    ],
)
def test_scores_of_the_engine(name: str, failing: set[str], tmp_path: Path) -> None:
    """Every score passes with its inputs and anchors, but the one anchored with its inputs."""
    value = json.loads((BUNDLES / f"{name}.json").read_bytes())
    for path, data in evidence_files(value).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    with open_bundle(tmp_path) as bundle:
        assert bundle.problems == ()
        reports = [
            audit_score(
                item["body"].encode(),
                name=hashlib.sha256(item["body"].encode()).hexdigest(),
                bundle=bundle,
                policy=POLICY,
            )
            for item in value["scores"]
        ]
    found = {
        finding.check
        for report in reports
        for finding in report.findings
        if finding.verdict is not Verdict.EXEMPT
    }
    assert found == failing
    assert reports[-1].verdict is Verdict.PASS
