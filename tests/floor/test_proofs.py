"""Inclusion proofs of ledger entries: good ones hold, and each kind of damage fails at its step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import FIXTURES

from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError, UsageError
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.proof import PROOF_CHECKS, check_proof, prove

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.report import Report

DEMO: Final = FIXTURES / "floor-demo"
LEDGER: Final = [
    json.loads(line) for line in (DEMO / "floor/ledger.jsonl").read_bytes().split(b"\n")[:-1]
]
ROOTS: Final = [
    json.loads(line) for line in (DEMO / "floor/roots.jsonl").read_bytes().split(b"\n")[:-1]
]
ENTRY: Final = LEDGER[5]
ROOT: Final[str] = next(
    row["root"] for row in ROOTS if row["entries"] and row["first"] <= 5 <= row["last"]
)

Proof = dict[str, Any]


@pytest.fixture(scope="module")
def proof() -> bytes:
    """Write the proof of one entry of the demo, third leaf of nine."""
    with open_bundle(DEMO) as bundle:
        return prove(bundle, ENTRY["hash"], policy=Policy())


def check(data: bytes, root: str | None = ROOT) -> Report:
    """Check a proof, and keep everything that is said."""
    return check_proof(data, name="proof.json", policy=Policy(), root=root, keep="all")


def failing(report: Report) -> set[str]:
    """Name the checks that fail."""
    return {finding.check for finding in report.findings if finding.verdict is Verdict.FAIL}


def test_a_proof_passes_under_the_root_that_the_caller_trusts(proof: bytes) -> None:
    """Each step passes once, and the file is canonical JSON."""
    report = check(proof)
    assert [finding.verdict for finding in report.findings] == ["pass"] * len(PROOF_CHECKS)
    assert canonical_bytes(json.loads(proof)) + b"\n" == proof


def test_without_a_root_the_last_step_is_unproven(proof: bytes) -> None:
    """The Floor's roots are in no chain, so the file alone proves no more than its inclusion."""
    report = check(proof, root=None)
    assert report.verdict is Verdict.UNPROVEN
    assert [
        finding.check for finding in report.findings if finding.verdict is Verdict.UNPROVEN
    ] == ["proof/anchor"]


def test_a_call_is_proved_by_its_entry(proof: bytes) -> None:
    """The seal of a settled call leads to the same file as the hash of its entry."""
    with open_bundle(DEMO) as bundle:
        assert prove(bundle, ENTRY["body"]["call"], policy=Policy()) == proof


def test_every_entry_can_be_proved() -> None:
    """Except those of an hour that is not over: no root covers them yet."""
    last = ROOTS[-1]["hour"]
    with open_bundle(DEMO) as bundle:
        for line in LEDGER[::37]:
            data = prove(bundle, line["hash"], policy=Policy())
            root = json.loads(data)["tree"]["root"]
            assert root in {row["root"] for row in ROOTS}
            assert check(data, root=root).verdict is Verdict.PASS
        open_hour = [line for line in LEDGER if line["body"]["settled_at"][:13] > last[:13]]
        for line in open_hour:
            with pytest.raises(UsageError):
                prove(bundle, line["hash"], policy=Policy())


def other(digits: str) -> str:
    """Change the last digit of a hash."""
    return digits[:-1] + ("0" if digits[-1] != "0" else "1")


DAMAGE: Final[dict[str, tuple[Callable[[Proof], object], set[str]]]] = {
    "points": (lambda p: p["record"]["body"].update(points=99), {"proof/record"}),
    "seal": (
        lambda p: p["record"].update(seal=other(p["record"]["seal"])),
        {"proof/record", "proof/inclusion"},
    ),
    "sibling": (
        lambda p: p["tree"].update(proof=[other(p["tree"]["proof"][0]), *p["tree"]["proof"][1:]]),
        {"proof/inclusion"},
    ),
    "sibling-gone": (lambda p: p["tree"]["proof"].pop(), {"proof/inclusion"}),
    "sibling-more": (lambda p: p["tree"]["proof"].append("0" * 64), {"proof/inclusion"}),
    "index": (lambda p: p["tree"].update(leaf_index=3), {"proof/inclusion"}),
    "index-past-the-end": (lambda p: p["tree"].update(leaf_index=9), {"proof/inclusion"}),
    "count": (lambda p: p["tree"].update(leaf_count=2**53 - 1), {"proof/inclusion"}),
    "scheme": (lambda p: p["tree"].update(scheme="openzeppelin"), {"proof/inclusion"}),
    "root": (
        lambda p: p["tree"].update(root=other(p["tree"]["root"])),
        {"proof/inclusion", "proof/anchor"},
    ),
    "hour": (lambda p: p.update(hour="2026-11-02T10:00:00Z"), {"proof/anchor"}),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage(proof: bytes, name: str) -> None:
    """Each kind of damage fails at the steps that it breaks, and at no other."""
    damaged = json.loads(proof)
    damage, expected = DAMAGE[name]
    damage(damaged)
    assert failing(check(canonical_bytes(damaged))) == expected


REFUSED: Final[dict[str, Callable[[Proof], object]]] = {
    "member-more": lambda p: p.update(extra=1),
    "member-gone": lambda p: p.pop("hour"),
    "body-more": lambda p: p["record"]["body"].update(extra=1),
    "kind": lambda p: p["record"].update(kind="call"),
    "format": lambda p: p.update(format="tallyproof-proof/2"),
    "hour-with-offset": lambda p: p.update(hour="2026-11-02T09:00:00+00:00"),
    "seal-upper": lambda p: p["record"].update(seal=p["record"]["seal"].upper()),
    "proof-no-list": lambda p: p["tree"].update(proof={}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_proof_of_another_shape_is_refused(proof: bytes, name: str) -> None:
    """The error names the file."""
    damaged = json.loads(proof)
    REFUSED[name](damaged)
    with pytest.raises(EvidenceError, match=r"proof\.json"):
        check(canonical_bytes(damaged))


def test_a_root_must_be_one(proof: bytes) -> None:
    """What the caller names as a root is looked at before it is used."""
    with pytest.raises(UsageError):
        check(proof, root="8aa4")
