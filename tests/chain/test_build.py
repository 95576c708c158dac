"""Roots to anchor: trees in each scheme, proofs that check, and a transaction without a key."""

from __future__ import annotations

import contextlib
import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from chain.evm import CHAIN_ID, Evm
from hypothesis import given
from hypothesis import strategies as st
from real_command import run

from verifier.core.canon import canonical_bytes
from verifier.core.merkle import inclusion_proof
from verifier.core.merkle import root as merkle_root
from verifier.core.schemes import RFC9162, SCHEMES
from verifier.core.steps import Step, check_steps
from verifier.errors import EvidenceError, FormatError, ProofError, UsageError
from verifier.ethereum.openzeppelin import check_membership, load_dump
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.policy import Policy
from verifier.proof import check_proof
from verifier.proof.build import (
    MAX_LEAVES,
    build_tree,
    built_root,
    read_seals,
    unsigned_transaction,
)

if TYPE_CHECKING:
    from pathlib import Path

seals_of = st.lists(
    st.binary(min_size=32, max_size=32).map(bytes.hex), min_size=1, max_size=20, unique=True
)
SENDER: Final = "0x3ef7678422a3c9aa932aec6b4cb03541b709fb3f"


def inclusion(data: bytes, policy: Policy) -> str:
    """Verdict of the inclusion step of a proof file."""
    report = check_proof(data, name="proof.json", policy=policy, keep="all")
    (found,) = [f.verdict.value for f in report.findings if f.check == "proof/inclusion"]
    return found


@given(seals_of)
def test_rfc9162(seals: list[str]) -> None:
    """The root is that over the leaves in order, and ``check-proof`` accepts each proof."""
    files = build_tree(seals, "rfc9162-sha256")
    anchor = json.loads(files["anchor.json"])
    leaves = [RFC9162.leaf(bytes.fromhex(seal)) for seal in seals]
    assert anchor["root"] == merkle_root(leaves).hex()
    assert anchor["input"] == f"0x415243414e410001{anchor['root']}"
    assert anchor["leaf_count"] == len(files) - 1 == len(seals)
    for index, seal in enumerate(seals):
        proof = files[f"proofs/{seal}.json"]
        assert inclusion(proof, Policy()) == "pass"
        siblings = [step["sibling"] for step in json.loads(proof)["proof"]]
        assert siblings == [each.hex() for each in inclusion_proof(leaves, index)]
        changed = json.loads(proof) | {"seal": "ff" * 31 + "fe"}
        assert inclusion(json.dumps(changed).encode(), Policy()) == "fail"


@given(seals_of)
def test_merkly(seals: list[str]) -> None:
    """The proofs of another ordered scheme name it; they hold where the policy allows it."""
    files = build_tree(seals, "keccak256-merkly")
    root = bytes.fromhex(json.loads(files["anchor.json"])["root"])
    tree = SCHEMES["keccak256-merkly"]
    for index, seal in enumerate(seals):
        data = files[f"proofs/{seal}.json"]
        steps = [
            Step(bytes.fromhex(step["sibling"]), step["position"])
            for step in json.loads(data)["proof"]
        ]
        leaf = tree.leaf(bytes.fromhex(seal))
        check_steps(leaf, index, len(seals), steps, root, scheme=tree)
        assert inclusion(data, Policy()) == "fail"  # the built-in policy does not allow it


@given(seals_of)
def test_openzeppelin(seals: list[str]) -> None:
    """The dump is one that is loaded with every hash recomputed, and each proof holds."""
    files = build_tree(seals, "keccak256-openzeppelin")
    tree = load_dump(json.loads(files["tree.json"]))
    assert tree.root.hex() == json.loads(files["anchor.json"])["root"]
    for seal, leaf in zip(seals, tree.leaves, strict=True):
        proof = json.loads(files[f"proofs/{seal}.json"])
        check_membership(leaf, [bytes.fromhex(each[2:]) for each in proof["proof"]], tree.root)
        assert proof["value"] == [f"0x{seal}"]


def test_openzeppelins_own_order() -> None:
    """The tree of ``StandardMerkleTree.of`` over bytes32 values 0x11…, 0x22…, 0x33…."""
    dump = json.loads(
        build_tree([b * 32 for b in ("11", "22", "33")], "keccak256-openzeppelin")["tree.json"]
    )
    leaves = dump["tree"][2:]
    assert leaves == sorted(leaves, reverse=True)  # sorted by hash, the last place first
    assert [value["value"][0][:4] for value in dump["values"]] == ["0x11", "0x22", "0x33"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "line 1: is no seal"),
        (b"\n", "line 1: is no seal"),
        (b"ab\n", "line 1: is no seal"),
        (b"AB" * 32, "line 1: is no seal"),
        (b"ab" * 32 + b"\r\n", "line 1: is no seal"),
        (b"ab" * 32 + b"\n\n", "line 2: is no seal"),
        (b"ab" * 32 + b"\n" + b"ab" * 32, "line 2: stands twice"),
        (b"\xff" * 64, "line 1: is no seal"),
        (b"".join(b"%064x\n" % n for n in range(MAX_LEAVES + 1)), "more than 4096 seals"),
    ],
)
def test_lists_that_are_none(data: bytes, reason: str) -> None:
    """One seal a line, none twice, and no more than an anchor may have."""
    with pytest.raises(FormatError, match=reason):
        read_seals(data)


@given(st.binary())
def test_hostile_lists(data: bytes) -> None:
    """Any bytes are seals or one error of ours."""
    with contextlib.suppress(EvidenceError):
        assert read_seals(data)


def test_unknown_scheme() -> None:
    """Schemes have names, and the error lists them."""
    with pytest.raises(ProofError, match="known: rfc9162-sha256"):
        build_tree(["00" * 32], "sha256")


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value.update(root="00" * 32),
        lambda value: value.update(leaves=[]),
        lambda value: value["leaves"].append("00" * 32),
        lambda value: value.update(scheme="keccak256-merkly"),
        lambda value: value.update(format="x"),
        lambda value: value.pop("input"),
        lambda value: value.update(leaves=[1]),
    ],
)
def test_a_folder_is_not_taken_at_its_word(change: Any) -> None:
    """The root to submit is made again from the seals."""
    value = json.loads(build_tree(["ab" * 32, "cd" * 32], "rfc9162-sha256")["anchor.json"])
    change(value)
    with pytest.raises(EvidenceError):
        built_root(json.dumps(value, sort_keys=True, separators=(",", ":")).encode() + b"\n")


def test_what_is_signed_elsewhere_is_an_anchor() -> None:
    """A wallet signs what is printed, the EVM mines it, and all of it is what an anchor has."""
    evm = Evm()
    wallet = evm.accounts[0]
    root = "1c" * 32
    unsigned = unsigned_transaction(
        root, wallet.address, CHAIN_ID, nonce=0, gas=60_000, fees=(10**9, 10**10)
    )
    given = dict(unsigned)
    given["data"] = given.pop("input")
    given.pop("from")
    given["to"] = wallet.address
    signed = wallet.sign_transaction(given)
    tx_hash = evm.send_raw(bytes(signed.raw_transaction), wallet.address)
    evm.mine()
    assert evm.receipt(tx_hash)["status"] == "0x1"
    mined = transaction_from_rpc(evm.transaction(tx_hash))
    assert mined.sender() == wallet.address.lower() == f"0x{mined.to.hex()}"
    assert mined.input.hex() == f"415243414e410001{root}"
    assert (mined.type, mined.chain_id, mined.value, mined.access_list) == (2, CHAIN_ID, 0, ())


@pytest.mark.parametrize(
    ("root", "sender", "fees"),
    [
        ("0x" + "00" * 32, SENDER, None),
        ("00" * 31, SENDER, None),
        ("00" * 32, SENDER[:-1], None),
        ("00" * 32, "0X" + SENDER[2:], None),
        ("00" * 32, SENDER, (2, 1)),
    ],
)
def test_no_transaction_of_nonsense(root: str, sender: str, fees: tuple[int, int] | None) -> None:
    """Root, sender and fees are looked at before anything is printed."""
    with pytest.raises(UsageError):
        unsigned_transaction(root, sender, CHAIN_ID, fees=fees)


def test_from_the_command_line(tmp_path: Path) -> None:
    """Build, submit, check a proof: no key, no network."""
    seals = tmp_path / "seals.txt"
    seals.write_text("".join(f"{n:064x}\n" for n in range(5)))
    out = tmp_path / "anchor"
    built = run("anchor", "build", seals, "-o", out)
    assert (built.returncode, built.stderr) == (0, b"")
    root = json.loads((out / "anchor.json").read_bytes())["root"]
    assert built.stdout == f"root      {root}\n".encode()
    again = run("anchor", "build", seals, "-o", out)
    assert (again.returncode, again.stderr.count(b"\n")) == (2, 1)
    for target in (str(out), root):
        done = run("anchor", "submit", target, "--sender", SENDER)
        assert json.loads(done.stdout) == {
            "accessList": [],
            "chainId": "0x1237",
            "from": SENDER,
            "input": f"0x415243414e410001{root}",
            "to": SENDER,
            "type": "0x2",
            "value": "0x0",
        }
    checked = run("check-proof", out / f"proofs/{3:064x}.json")
    assert checked.returncode == 3  # the leaf is proven, that anybody anchored it is not
    lone = run("anchor", "submit", root, "--sender", SENDER, "--max-fee", "1")
    assert (lone.returncode, lone.stdout) == (2, b"")


def test_an_anchor_to_submit_has_no_more_leaves_than_one_to_build() -> None:
    """Its root is made again without the proofs, and not at all of too many seals."""
    seals = [sha256(b"%d" % number).hexdigest() for number in range(MAX_LEAVES)]
    tree = build_tree(seals[:3], "keccak256-merkly")["anchor.json"]
    assert built_root(tree) in tree.decode()
    many = {**json.loads(tree), "leaves": [*seals, "0" * 64]}
    with pytest.raises(FormatError, match=r"/leaves/4096.*more than 4096 seals"):
        built_root(canonical_bytes(many) + b"\n")
