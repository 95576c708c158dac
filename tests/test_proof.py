"""One-file inclusion proofs: good ones pass, and each kind of damage fails at its check."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import FIXTURES

from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError, UsageError
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy, load_policy
from verifier.proof import PROOF_CHECKS, check_proof, prove

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from verifier.report import Report

DEMO: Final = FIXTURES / "arcana-demo"
POLICY: Final = load_policy(FIXTURES / "policy.toml")
SEAL: Final = "27cb2256090bfc2dd8842957504557faf44e5ef2a9ca69c6b30e0b979dc43b97"

Proof = dict[str, Any]


@pytest.fixture(scope="module")
def proof() -> bytes:
    """Write the proof of one sealed score of the demo, second leaf of five."""
    with open_bundle(DEMO) as bundle:
        return prove(bundle, SEAL, policy=POLICY)


def check(data: bytes, policy: Policy = POLICY) -> Report:
    """Check a proof, and keep everything that is said."""
    return check_proof(data, name="proof.json", policy=policy, keep="all")


def verdicts(report: Report) -> dict[str, set[Verdict]]:
    """List what each check said."""
    said: dict[str, set[Verdict]] = {item.id: set() for item in PROOF_CHECKS}
    for finding in report.findings:
        said[finding.check].add(finding.verdict)
    return said


def test_a_proof_passes(proof: bytes) -> None:
    """Record, inclusion and anchor each pass once, and the file is canonical JSON."""
    report = check(proof)
    assert report.verdict is Verdict.PASS
    assert verdicts(report) == {item.id: {Verdict.PASS} for item in PROOF_CHECKS}
    assert canonical_bytes(json.loads(proof)) + b"\n" == proof


def test_every_kind_of_record_is_proved() -> None:
    """A decision, a snapshot and a score each pass, wherever in their tree they stand."""
    proved = set()
    with open_bundle(DEMO) as bundle:
        for _, line in bundle.lines("arcana/anchors.jsonl"):
            anchor = json.loads(line)
            for leaf in (anchor["leaves"][0], anchor["leaves"][-1]):
                if anchor["status"] == "mined" and leaf["kind"] not in proved:
                    report = check(prove(bundle, leaf["commitment"], policy=POLICY))
                    assert report.verdict is Verdict.PASS, leaf
                    proved.add(leaf["kind"])
    assert proved == {"decision", "portfolio_snapshot", "score"}


def other(text: str) -> str:
    """Change the last hex digit."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def set_at(*path: str, to: Any = None) -> Callable[[Proof], None]:
    """Make a damage that sets one member, or changes the last digit of what it holds."""

    def damage(value: Proof) -> None:
        for name in path[:-1]:
            value = value[name]
        value[path[-1]] = other(value[path[-1]]) if to is None else to

    return damage


def damage_record(change: Callable[[str], str], *, reseal: bool) -> Callable[[Proof], None]:
    """Make a damage of the record's bytes, with its seal and leaf redone or not."""

    def damage(value: Proof) -> None:
        text = change(value["record"]["manifest"])
        value["record"]["manifest"] = text
        if reseal:
            seal = sha256(text.encode()).hexdigest()
            value["record"]["seal"] = value["anchor"]["leaf"]["commitment"] = seal

    return damage


def proof_item(change: Callable[[list[str]], list[str]]) -> Callable[[Proof], None]:
    """Make a damage of the list of hashes."""

    def damage(value: Proof) -> None:
        value["tree"]["proof"] = change(value["tree"]["proof"])

    return damage


def block_input(value: Proof) -> None:
    """Give the transaction the input of another root."""
    value["chain"]["transaction"]["input"] = other(value["chain"]["transaction"]["input"])


def index_shift(value: Proof) -> None:
    """Claim another leaf of the same tree, in proof and anchor."""
    for leaf in (value["tree"], value["anchor"]["leaf"]):
        leaf["leaf_index"] = 1 if leaf["leaf_index"] == 0 else 0


DAMAGES: Final[dict[str, tuple[str, Callable[[Proof], None]]]] = {
    "record changed": ("proof/record", damage_record(lambda x: x + "\n", reseal=False)),
    "record crlf, sealed anew": (
        "proof/record",
        damage_record(lambda x: x.replace("\n", "\r\n"), reseal=True),
    ),
    "record of another seal": ("proof/record", set_at("record", "seal")),
    "output off, sealed anew": (
        "proof/inclusion",
        damage_record(lambda x: x.replace('"regime":50', '"regime":51'), reseal=True),
    ),
    "another agent's leaf": ("proof/record", set_at("anchor", "leaf", "agent_id")),
    "leaf of another time": ("proof/record", set_at("anchor", "leaf", "ts", to="2026-09-19")),
    "leaf of another season": ("proof/record", set_at("anchor", "leaf", "season_id")),
    "another kind": ("proof/record", set_at("record", "kind", to="decision")),
    "root changed": ("proof/inclusion", set_at("tree", "root")),
    "hash changed": ("proof/inclusion", proof_item(lambda x: [other(x[0]), *x[1:]])),
    "hash left out": ("proof/inclusion", proof_item(lambda x: x[:-1])),
    "hash added": ("proof/inclusion", proof_item(lambda x: [*x, x[0]])),
    "hashes turned around": ("proof/inclusion", proof_item(lambda x: x[::-1])),
    "another index": ("proof/inclusion", index_shift),
    "index outside": ("proof/inclusion", set_at("tree", "leaf_index", to=1000)),
    "another tree": ("proof/inclusion", set_at("tree", "scheme", to="keccak256-merkly")),
    "another leaf": ("proof/anchor", set_at("anchor", "leaf", "commitment")),
    "leaf index of the anchor": ("proof/anchor", set_at("anchor", "leaf", "leaf_index", to=1000)),
    "another chain": ("proof/anchor", set_at("anchor", "chain_id", to=1)),
    "another sender": ("proof/anchor", set_at("anchor", "sender")),
    "another transaction": ("proof/anchor", set_at("anchor", "tx_hash")),
    "another block": ("proof/anchor", set_at("anchor", "block_number", to=1)),
    "reverted": ("proof/anchor", set_at("chain", "receipt", "status", to="0x0")),
    "another signature": ("proof/anchor", set_at("chain", "transaction", "s")),
    "another input": ("proof/anchor", block_input),
}


@pytest.mark.parametrize(("aims_at", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_damage(proof: bytes, aims_at: str, damage: Callable[[Proof], None]) -> None:
    """Each damage fails, and the check that it aims at says so."""
    value = json.loads(proof)
    damage(value)
    report = check(canonical_bytes(value))
    assert report.verdict is Verdict.FAIL
    assert Verdict.FAIL in verdicts(report)[aims_at]


def test_every_check_has_both_examples() -> None:
    """Damages aim at each of the checks that a good proof passes."""
    assert {aims_at for aims_at, _ in DAMAGES.values()} == {item.id for item in PROOF_CHECKS}


@pytest.mark.parametrize(
    ("at", "unproven"),
    [(("record", "manifest"), "proof/record"), (("chain",), "proof/anchor")],
)
def test_what_is_left_out_is_unproven(proof: bytes, at: tuple[str, ...], unproven: str) -> None:
    """A proof without the record, or without the chain's answers, proves the rest only."""
    value = json.loads(proof)
    inner = value[at[0]] if len(at) > 1 else value
    inner[at[-1]] = None
    report = check(canonical_bytes(value))
    assert report.verdict is Verdict.UNPROVEN
    expected = {item.id: {Verdict.PASS} for item in PROOF_CHECKS} | {unproven: {Verdict.UNPROVEN}}
    assert verdicts(report) == expected


def test_trust_comes_from_the_policy(proof: bytes) -> None:
    """Without a named sender authorship is unproven; with another one the anchor fails."""
    nobody = replace(POLICY, arcana=ArcanaPolicy())
    assert verdicts(check(proof, nobody))["proof/anchor"] == {Verdict.UNPROVEN}
    somebody = replace(POLICY, arcana=replace(POLICY.arcana, senders=("0x" + "1" * 40,)))
    assert verdicts(check(proof, somebody))["proof/anchor"] == {Verdict.FAIL}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format":"tallyproof-proof/2"}',
        b'{"seal":"00"}',
        b'{"seal":"' + b"0" * 64 + b'","leaf_index":-1,"leaf_count":1,"proof":[]}',
    ],
)
def test_no_proof_is_an_error(data: bytes) -> None:
    """What is no proof of either shape has no verdict, and the error names the file."""
    with pytest.raises(EvidenceError, match=r"proof\.json"):
        check(data)


@pytest.mark.parametrize("seal", ["", "0" * 63, "0" * 64, SEAL.upper()])
def test_only_anchored_seals_are_proved(seal: str) -> None:
    """A seal in no mined anchor, or none at all, is refused by name."""
    with open_bundle(DEMO) as bundle, pytest.raises(UsageError, match=r"seal|leaf"):
        prove(bundle, seal, policy=POLICY)


def test_commands(tmp_path: Path, proof: bytes) -> None:
    """The commands write and check the same bytes, and exit by the verdict."""
    file = tmp_path / "proof.json"

    def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [sys.executable, "-m", "verifier", *map(str, arguments)],
            capture_output=True,
            check=False,
            cwd=FIXTURES.parent,
        )

    assert run("prove", SEAL, "--bundle", DEMO, "--output", file).returncode == 0
    assert file.read_bytes() == proof
    trusted = ("--policy", FIXTURES / "policy.toml", "--quiet")
    assert run("check-proof", file, *trusted).returncode == 0
    assert run("check-proof", file, "--quiet").returncode == 3
    file.write_bytes(proof.replace(b'"status":"0x1"', b'"status":"0x0"'))
    assert run("check-proof", file, *trusted).returncode == 1
    file.write_bytes(b"{")
    assert run("check-proof", file, *trusted).returncode == 2
