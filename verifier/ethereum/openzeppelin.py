"""
Trees of OpenZeppelin's ``merkle-tree``: Keccak-256 over sorted pairs.

A dump is a JSON object of one of two formats:

* ``standard-v1``: the leaf of a value is ``K(K(abi.encode(value)))``, by the Solidity types
  in ``leafEncoding``.
* ``simple-v1``: the values are the leaf hashes.

``tree`` holds all ``2n - 1`` hashes of a tree of *n* leaves, root first: the node at
*i* is above those at ``2i + 1`` and ``2i + 2``, so the last *n* are the leaves. Each entry
of ``values`` gives a value and the ``treeIndex`` of its leaf.

No hash of a dump is believed: every node is recomputed from its children, every
leaf from its value. A proof has no index, since pairs are sorted; it says that a
value is in the tree, and never where. Proofs of several values at once are not
read at all: their flags have been used to smuggle a value in (CVE-2023-34459).

Source:
    OpenZeppelin ``merkle-tree`` 1.0, README; Solidity contract ABI specification.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Final

from verifier.core.merkle import MAX_PROOF
from verifier.core.schemes import HASH_SIZE, SCHEMES
from verifier.errors import FormatError, ProofError
from verifier.ethereum import fields
from verifier.ethereum.abi import abi_encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue

__all__ = [
    "SCHEME",
    "OpenZeppelinTree",
    "check_membership",
    "dump_of",
    "load_dump",
    "membership_proof",
]

SCHEME: Final = SCHEMES["keccak256-openzeppelin"]

_MEMBERS: Final = {
    "standard-v1": {"format", "leafEncoding", "tree", "values"},
    "simple-v1": {"format", "tree", "values"},
}


@dataclass(frozen=True, slots=True)
class OpenZeppelinTree:
    """
    A dump whose every hash was recomputed.

    Args:
        root: Root of the tree.
        leaves: Leaf hashes in the order of the dump's values.
    """

    root: bytes
    leaves: tuple[bytes, ...]


def check_membership(leaf_hash: bytes, proof: Sequence[bytes], root: bytes) -> None:
    """
    Check that a leaf is somewhere in the tree under *root*.

    Args:
        leaf_hash: Hash of the value, computed by the verifier: no size binds the
            depth, so an inner node would pass.
        proof: Siblings from the leaf upwards.
        root: Published root.

    Raises:
        ProofError: The proof is longer than 64 hashes or malformed, or leads elsewhere.
    """
    if len(proof) > MAX_PROOF:
        raise ProofError(f"proof has {len(proof)} hashes; more than {MAX_PROOF} are not read")
    if set(map(len, (leaf_hash, root, *proof))) != {HASH_SIZE}:
        raise ProofError(f"leaf, root or proof hash has not {HASH_SIZE} bytes")
    recomputed = reduce(SCHEME.node, proof, leaf_hash)
    if recomputed != root:
        raise ProofError(f"proof leads to {recomputed.hex()}, published root is {root.hex()}")


def dump_of(values: Sequence[bytes]) -> dict[str, JsonValue]:
    """
    Make the tree over values of 32 bytes, as a ``standard-v1`` dump.

    Args:
        values: At least one, in any order: the tree sorts them by their leaf hashes.
    """
    count = len(values)
    leaves = sorted((SCHEME.leaf(value), place) for place, value in enumerate(values))
    tree = [b""] * (count - 1) + [leaf for leaf, _ in reversed(leaves)]
    for i in range(count - 2, -1, -1):
        tree[i] = SCHEME.node(tree[2 * i + 1], tree[2 * i + 2])
    places = {place: 2 * count - 2 - i for i, (_, place) in enumerate(leaves)}
    return {
        "format": "standard-v1",
        "leafEncoding": ["bytes32"],
        "tree": [f"0x{node.hex()}" for node in tree],
        "values": [
            {"treeIndex": places[place], "value": [f"0x{value.hex()}"]}
            for place, value in enumerate(values)
        ],
    }


def membership_proof(tree: Sequence[bytes], leaf_hash: bytes) -> list[bytes]:
    """
    Return the siblings of a leaf, from itself upwards.

    Args:
        tree: All hashes of a dump, root first.
        leaf_hash: One of its leaves.
    """
    place = tree.index(leaf_hash, len(tree) // 2)
    proof = []
    while place:
        proof.append(tree[place - 1 if place % 2 == 0 else place + 1])
        place = (place - 1) // 2
    return proof


def load_dump(value: JsonValue) -> OpenZeppelinTree:
    """
    Read a dump and recompute all of it.

    Raises:
        FormatError: Not the exact shape of a dump.
        ProofError: A node is not the hash of its children, or a leaf not its value's.
    """
    obj = fields.members(value, "dump")
    kind = obj.get("format")
    if not isinstance(kind, str) or set(obj) != _MEMBERS.get(kind):
        raise FormatError("dump is neither standard-v1 nor simple-v1")
    tree = [fields.to_bytes(x, "hash in tree", length=HASH_SIZE) for x in fields.items(obj, "tree")]
    values = fields.items(obj, "values")
    if not values or len(tree) != 2 * len(values) - 1:
        raise FormatError(f"dump has {len(tree)} hashes for {len(values)} values")
    for i in range(len(values) - 1):
        if tree[i] != SCHEME.node(tree[2 * i + 1], tree[2 * i + 2]):
            raise ProofError(f"node {i} of the dump is not the hash of its children")
    types = fields.items(obj, "leafEncoding") if kind == "standard-v1" else None
    places: dict[int, bytes] = {}
    for entry in values:
        place, leaf = _entry(entry, types)
        if place in places or not len(values) - 1 <= place < len(tree):
            raise FormatError("treeIndex of a value is given twice, or is no leaf's")
        if tree[place] != leaf:
            raise ProofError(f"leaf {place} of the dump is not the hash of its value")
        places[place] = leaf
    return OpenZeppelinTree(tree[0], tuple(places.values()))


def _entry(value: JsonValue, types: list[JsonValue] | None) -> tuple[int, bytes]:
    entry = fields.members(value, "entry of values")
    place = entry.get("treeIndex")
    if set(entry) != {"treeIndex", "value"} or type(place) is not int:
        raise FormatError("entry of values is not a value and a treeIndex")
    if types is None:
        return place, fields.data(entry, "value", length=HASH_SIZE)
    return place, SCHEME.leaf(abi_encode(types, fields.items(entry, "value")))
