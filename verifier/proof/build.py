"""
A root to be anchored: its tree, a proof of each seal, and the transaction without a signature.

Seals are taken one a line, 64 lower-case hex digits, in the order of the leaves. In
an ordered scheme the folder that is written holds

* ``anchor.json``: scheme, leaf count, root, the transaction's input, the seals;
* ``proofs/<seal>.json``: the shape of ``GET /v1/anchors/leaves/:seal``, with a member
  ``tree`` that names the scheme; ``check-proof`` reads it.

OpenZeppelin's scheme has no order. Its folder holds ``tree.json`` as well, the dump that
``merkle-tree`` loads, and its proofs are of the form ``{"value", "proof"}``.

Tallyproof never holds a key. What it gives is a transaction as a wallet takes it:
EIP-1559, from the sender to itself, of no value, with the root as input.

Source:
    ``spec/arcana.md`` step 8; Ethereum JSON-RPC specification, GenericTransaction.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.mined import PAYLOAD
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.merkle import root as merkle_root
from verifier.core.schemes import scheme
from verifier.core.shape import Obj
from verifier.core.steps import inclusion_steps
from verifier.errors import FormatError, UsageError
from verifier.ethereum.openzeppelin import dump_of, membership_proof
from verifier.proof.form import SEAL, digest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.core.schemes import Scheme

__all__ = [
    "FORMAT",
    "MAX_LEAVES",
    "build_tree",
    "built_root",
    "read_seals",
    "unsigned_transaction",
]

FORMAT: Final = "tallyproof-tree/1"
MAX_LEAVES: Final = 4096
"""Leaves of an anchor, by the platform's own rule."""

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{40}\Z")


def read_seals(data: bytes) -> tuple[str, ...]:
    """
    Read a list of seals.

    Raises:
        FormatError: A line is no seal, one stands twice, or there are none or too many.
    """
    seals: list[str] = []
    known: set[str] = set()
    for number, line in enumerate(data.removesuffix(b"\n").split(b"\n"), 1):
        seal = line.decode("ascii", errors="replace")
        if SEAL.match(seal) is None:
            raise FormatError("is no seal of 64 lower-case hex digits", line=number)
        if seal in known:
            raise FormatError("stands twice", line=number)
        if len(seals) == MAX_LEAVES:
            raise FormatError(f"more than {MAX_LEAVES} seals", line=number)
        known.add(seal)
        seals.append(seal)
    return tuple(seals)


def build_tree(seals: Sequence[str], name: str) -> dict[str, bytes]:
    """
    Make the tree over seals, and a proof of each.

    Args:
        seals: In the order of the leaves, at least one.
        name: Name of the scheme.

    Returns:
        Content by path of the files to write.

    Raises:
        ProofError: The scheme is unknown.
    """
    tree = scheme(name)
    leaves = [tree.leaf(bytes.fromhex(seal)) for seal in seals]
    files: dict[str, JsonValue] = {}
    if tree.ordered:
        root = merkle_root(leaves, tree).hex()
        for index, seal in enumerate(seals):
            files[f"proofs/{seal}.json"] = _proof(seal, index, leaves, tree, root)
    else:
        dump = dump_of([bytes.fromhex(seal) for seal in seals])
        files["tree.json"] = dump
        hashes = [bytes.fromhex(str(each)[2:]) for each in _list(dump["tree"])]
        root = hashes[0].hex()
        for seal, leaf in zip(seals, leaves, strict=True):
            proof = membership_proof(hashes, leaf)
            files[f"proofs/{seal}.json"] = {
                "leafEncoding": ["bytes32"],
                "proof": [f"0x{each.hex()}" for each in proof],
                "root": f"0x{root}",
                "value": [f"0x{seal}"],
            }
    files["anchor.json"] = _anchor(seals, name, root)
    return {path: canonical_bytes(value) + b"\n" for path, value in files.items()}


def _anchor(seals: Sequence[str], name: str, root: str) -> JsonValue:
    return {
        "format": FORMAT,
        "input": f"0x{PAYLOAD}{root}",
        "leaf_count": len(seals),
        "leaves": list(seals),
        "root": root,
        "scheme": name,
    }


def _proof(
    seal: str, index: int, leaves: Sequence[bytes], tree: Scheme, root: str
) -> dict[str, JsonValue]:
    return {
        "expected_input": f"0x{PAYLOAD}{root}",
        "leaf_count": len(leaves),
        "leaf_index": index,
        "proof": [
            {"position": step.position, "sibling": step.sibling.hex()}
            for step in inclusion_steps(leaves, index, tree)
        ],
        "root": root,
        "seal": seal,
        "status": "built",
        "tree": tree.name,
    }


def built_root(data: bytes) -> str:
    """
    Read the root out of an ``anchor.json``, and make it again from the seals.

    Raises:
        EvidenceError: The file has not its form, or the root is not theirs.
    """
    obj = Obj(read_json(data), ("format", "input", "leaf_count", "leaves", "root", "scheme"))
    if obj.text("format") != FORMAT:
        raise FormatError(f"is no {FORMAT}", pointer="/format")
    seals: list[str] = []
    for pointer, seal in obj.items("leaves"):
        if len(seals) == MAX_LEAVES:
            raise FormatError(f"more than {MAX_LEAVES} seals", pointer=pointer)
        seals.append(digest(seal, pointer).hex())
    # The root alone: the proofs of all leaves would take a minute.
    root = _root(seals, scheme(obj.text("scheme"))) if seals else ""
    if canonical_bytes(_anchor(seals, obj.text("scheme"), root)) + b"\n" != data or not seals:
        raise FormatError("is not what its seals and its scheme give")
    return root


def _root(seals: Sequence[str], tree: Scheme) -> str:
    values = [bytes.fromhex(seal) for seal in seals]
    if tree.ordered:
        return merkle_root([tree.leaf(value) for value in values], tree).hex()
    return str(_list(dump_of(values)["tree"])[0]).removeprefix("0x")


def unsigned_transaction(  # noqa: PLR0913 - the members of a transaction
    root: str,
    sender: str,
    chain_id: int,
    *,
    nonce: int | None = None,
    gas: int | None = None,
    fees: tuple[int, int] | None = None,
) -> dict[str, JsonValue]:
    """
    Make the transaction that anchors a root, for a wallet to complete, sign and send.

    Args:
        root: 64 lower-case hex digits.
        sender: Address that sends it to itself.
        chain_id: The chain.
        nonce: The sender's next, if known; otherwise the wallet fills it in.
        gas: Its limit, the same.
        fees: Priority fee and fee cap in wei per gas, the same.

    Raises:
        UsageError: Root or sender is malformed, or the priority fee is above the cap.
    """
    if SEAL.match(root) is None:
        raise UsageError(f"a root is 64 lower-case hex digits, not {root!r}")
    if _ADDRESS.match(sender) is None:
        raise UsageError(f"a sender is 0x and 40 hex digits, not {sender!r}")
    transaction: dict[str, JsonValue] = {
        "accessList": [],
        "chainId": hex(chain_id),
        "from": sender.lower(),
        "input": f"0x{PAYLOAD}{root}",
        "to": sender.lower(),
        "type": "0x2",
        "value": "0x0",
    }
    if nonce is not None:
        transaction["nonce"] = hex(nonce)
    if gas is not None:
        transaction["gas"] = hex(gas)
    if fees is not None:
        priority, cap = fees
        if priority > cap:
            raise UsageError("the priority fee is above the fee cap")
        transaction["maxPriorityFeePerGas"] = hex(priority)
        transaction["maxFeePerGas"] = hex(cap)
    return transaction


def _list(value: JsonValue) -> list[JsonValue]:
    assert isinstance(value, list)
    return value
