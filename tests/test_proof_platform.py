"""Answers of the platform's ``GET /v1/anchors/leaves/:seal`` as proof files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import FIXTURES

from verifier.core.schemes import RFC9162
from verifier.core.steps import inclusion_steps
from verifier.errors import EvidenceError
from verifier.findings import Verdict
from verifier.policy import load_policy
from verifier.proof import check_proof

if TYPE_CHECKING:
    from collections.abc import Callable

Answer = dict[str, Any]

POLICY: Final = load_policy(FIXTURES / "policy.toml")
ARCANA: Final = FIXTURES / "arcana-demo/arcana"
RECORD, INCLUSION, ANCHOR = "proof/record", "proof/inclusion", "proof/anchor"


def answer() -> Answer:
    """Write what the platform would say about the third leaf of the season's largest anchor."""
    anchors = map(json.loads, (ARCANA / "anchors.jsonl").read_text("utf-8").splitlines())
    anchor = max(anchors, key=lambda each: each["leaf_count"])
    chain = json.loads((ARCANA / "chain" / f"{anchor['tx_hash']}.json").read_text("utf-8"))
    leaves = anchor.pop("leaves")
    hashes = [RFC9162.leaf(bytes.fromhex(leaf["commitment"])) for leaf in leaves]
    steps = inclusion_steps(hashes, 2)
    return {
        "seal": leaves[2]["commitment"],
        "kind": leaves[2]["kind"],
        "status": "anchored",
        "anchor": {**anchor, "id": int(anchor["id"])},
        "leaf_index": 2,
        "leaf_count": len(leaves),
        "proof": [{"sibling": step.sibling.hex(), "position": step.position} for step in steps],
        "expected_input": chain["transaction"]["input"],
        "checks": [{"name": "the platform's own word", "ok": True}],
        "on_chain": {"reachable": True, "block_number": anchor["block_number"], "reason": None},
    }


def verdicts(value: Answer) -> dict[str, set[Verdict]]:
    """Check an answer, and list what each check said."""
    data = json.dumps(value).encode()
    report = check_proof(data, name="answer.json", policy=POLICY, keep="all")
    said: dict[str, set[Verdict]] = {}
    for finding in report.findings:
        said.setdefault(finding.check, set()).add(finding.verdict)
    return said


def test_an_answer_proves_inclusion_alone() -> None:
    """It holds neither the record nor the chain's answers, and its own checks count for nothing."""
    assert verdicts(answer()) == {
        RECORD: {Verdict.UNPROVEN},
        INCLUSION: {Verdict.PASS},
        ANCHOR: {Verdict.UNPROVEN},
    }


def other_side(value: Answer) -> None:
    """Say that the first sibling stands on the other side."""
    step = value["proof"][0]
    step["position"] = "left" if step["position"] == "right" else "right"


def another_input(value: Answer) -> None:
    """Name an input that would carry another root."""
    value["expected_input"] = value["expected_input"][:-2] + "00"


DAMAGES: Final[dict[str, Callable[[Answer], None]]] = {
    "another seal": lambda value: value.update(seal="0" * 64),
    "another index": lambda value: value.update(leaf_index=1),
    "another count": lambda value: value.update(leaf_count=value["leaf_count"] * 2),
    "another root": lambda value: value["anchor"].update(root="0" * 64),
    "another side": other_side,
    "another input": another_input,
    "a step less": lambda value: value["proof"].pop(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage(damage: Callable[[Answer], None]) -> None:
    """Whatever is changed in the path from the seal to the root fails there."""
    value = answer()
    damage(value)
    assert Verdict.FAIL in verdicts(value)[INCLUSION]


def test_a_seal_that_waits_is_unproven() -> None:
    """A score is sealed before it is anchored: nothing is wrong, and nothing is proved."""
    members = ("anchor", "leaf_index", "leaf_count", "proof", "expected_input", "on_chain")
    said = verdicts({**answer(), "status": "pending", **dict.fromkeys(members)})
    assert said == {check: {Verdict.UNPROVEN} for check in (RECORD, INCLUSION, ANCHOR)}


def test_a_side_that_is_none_is_an_error() -> None:
    """The reader names the file and the place."""
    value = answer()
    value["proof"][0]["position"] = "up"
    with pytest.raises(EvidenceError, match=r"answer\.json \(at /proof/0/position\)"):
        verdicts(value)
