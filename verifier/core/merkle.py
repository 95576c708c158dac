"""
Merkle trees: roots, inclusion proofs and consistency proofs.

A tree of *n* leaves splits at the largest power of two below *n*; its root is
``node(root of the left part, root of the right part)``, and the root of one leaf
is its leaf hash. Seen from below, neighbours are paired left to right and an
odd last hash moves up unchanged. How leaves and nodes are hashed is the
:class:`~verifier.core.schemes.Scheme`'s affair; everything here takes leaf hashes.

What a verifier has to bring itself:

1. The leaf hash, made from the record. Who takes it from the prover accepts
   an inner node as a record.
2. The index and the size, from the sealed side (a checkpoint, an anchor). A
   proof alone binds neither.
3. The root, from the same place.

Then the length of an honest proof is known before anything is hashed, at most
:data:`MAX_PROOF`, and a proof of any other length or with a hash that has not 32
bytes is refused.

Source:
    RFC 9162, section 2.1.

>>> leaves = [RFC9162.leaf(record) for record in (b"a", b"b", b"c")]
>>> proof = inclusion_proof(leaves, 2)
>>> check_inclusion(leaves[2], 2, 3, proof, root(leaves))
>>> check_consistency(2, 3, consistency_proof(leaves, 2), root(leaves[:2]), root(leaves))
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final, Literal

from verifier.core.schemes import HASH_SIZE, RFC9162
from verifier.errors import ProofError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from verifier.core.schemes import Scheme

__all__ = [
    "MAX_PROOF",
    "MAX_SIZE",
    "StreamingRoot",
    "check_consistency",
    "check_inclusion",
    "consistency_proof",
    "inclusion_proof",
    "root",
    "sides",
]

MAX_PROOF: Final = 64
"""Hashes in the longest inclusion proof there is, since no tree is larger than 2**64."""

MAX_SIZE: Final = 1 << MAX_PROOF
"""Leaves of the largest tree that is looked at."""

_CHUNK: Final = 1024  # leaves folded at once; a power of two, so that they form one subtree

Side = Literal["left", "right"]


class StreamingRoot:
    """
    The root of leaves that arrive one after another, in memory of O(log n).

    Args:
        scheme: How to hash; it must be ordered.

    Raises:
        ProofError: The scheme is not ordered.
    """

    def __init__(self, scheme: Scheme = RFC9162) -> None:
        _check_ordered(scheme)
        self._scheme = scheme
        self._chunks = 0
        self._peaks: list[bytes] = []  # roots of full subtrees of chunks, largest first
        self._recent: list[bytes] = []  # fewer than _CHUNK leaves after them

    @property
    def size(self) -> int:
        """Number of leaves so far."""
        return self._chunks * _CHUNK + len(self._recent)

    def add(self, leaf_hash: bytes) -> None:
        """
        Append one leaf.

        Raises:
            ProofError: *leaf_hash* has not 32 bytes.
        """
        if len(leaf_hash) != HASH_SIZE:
            raise ProofError(f"leaf hash has not {HASH_SIZE} bytes")
        self._recent.append(leaf_hash)
        if len(self._recent) == _CHUNK:
            self._push()

    def extend(self, leaf_hashes: Iterable[bytes]) -> None:
        """
        Append leaves, in order; faster than one at a time.

        Raises:
            ProofError: A leaf hash has not 32 bytes.
        """
        leaves = iter(leaf_hashes)
        while chunk := list(islice(leaves, _CHUNK - len(self._recent))):
            _check_hashes(chunk, "leaf hash")
            self._recent += chunk
            if len(self._recent) == _CHUNK:
                self._push()

    def root(self) -> bytes:
        """Return the root of the leaves so far; more may follow."""
        parts = self._peaks + ([_fold(self._recent, self._scheme)] if self._recent else [])
        if not parts:
            return self._scheme.empty_root
        top = parts.pop()
        while parts:
            top = self._scheme.node(parts.pop(), top)
        return top

    def _push(self) -> None:
        subtree, self._recent = _fold(self._recent, self._scheme), []
        self._chunks += 1
        # Each trailing zero of the number of chunks stands for two equal subtrees to join.
        chunks = self._chunks
        while chunks % 2 == 0:
            subtree = self._scheme.node(self._peaks.pop(), subtree)
            chunks //= 2
        self._peaks.append(subtree)


def root(leaf_hashes: Iterable[bytes], scheme: Scheme = RFC9162) -> bytes:
    """
    Return the root of a tree.

    Args:
        leaf_hashes: All leaf hashes in order; none gives the hash of nothing.
        scheme: How to hash; it must be ordered.

    Raises:
        ProofError: A leaf hash has not 32 bytes, or the scheme is not ordered.
    """
    tree = StreamingRoot(scheme)
    tree.extend(leaf_hashes)
    return tree.root()


def inclusion_proof(
    leaf_hashes: Sequence[bytes], index: int, scheme: Scheme = RFC9162
) -> list[bytes]:
    """
    Return the proof that leaf *index* is in the tree, from the leaf's sibling upwards.

    Raises:
        ProofError: *index* is no leaf's, a leaf hash has not 32 bytes, or the
            scheme is not ordered.
    """
    _check_ordered(scheme)
    _check_index(index, len(leaf_hashes))
    _check_hashes(leaf_hashes, "leaf hash")
    return _path(leaf_hashes, index, scheme)


def check_inclusion(  # noqa: PLR0913 - what is sealed, what is claimed, and the proof
    leaf_hash: bytes,
    index: int,
    size: int,
    proof: Sequence[bytes],
    root: bytes,
    *,
    scheme: Scheme = RFC9162,
) -> None:
    """
    Check that a leaf stands at *index* of the tree of *size* leaves under *root*.

    Args:
        leaf_hash: Hash of the record, computed by the verifier.
        index: Place of the leaf, from 0, from the sealed side.
        size: Number of leaves, from the sealed side.
        proof: Hashes from the leaf's sibling upwards.
        root: Published root.
        scheme: How to hash; it must be ordered.

    Raises:
        ProofError: The proof is malformed for this index and size, or leads elsewhere.
    """
    _check_ordered(scheme)
    _check_index(index, size)
    known = sides(index, size)
    _check_proof(proof, len(known))
    _check_hashes((leaf_hash, root), "leaf hash or root")
    _check_root(_walk(leaf_hash, proof, known, scheme), root)


def consistency_proof(
    leaf_hashes: Sequence[bytes], old_size: int, scheme: Scheme = RFC9162
) -> list[bytes]:
    """
    Return the proof that the tree's first *old_size* leaves were the whole tree once.

    Raises:
        ProofError: *old_size* is 0 or beyond the leaves, a leaf hash has not 32
            bytes, or the scheme is not ordered.
    """
    _check_ordered(scheme)
    _check_sizes(old_size, len(leaf_hashes))
    _check_hashes(leaf_hashes, "leaf hash")
    if old_size == len(leaf_hashes):
        return []
    level, index = leaf_hashes, old_size - 1
    # Up to the largest full subtree that ends where the old tree ends.
    while index & 1:
        level, index = scheme.level(level), index >> 1
    # With index 0 that subtree is the old tree, whose root the verifier has.
    seed = [level[index]] if index else []
    return seed + _path(level, index, scheme)


def check_consistency(  # noqa: PLR0913 - what is sealed, what is claimed, and the proof
    old_size: int,
    new_size: int,
    proof: Sequence[bytes],
    old_root: bytes,
    new_root: bytes,
    *,
    scheme: Scheme = RFC9162,
) -> None:
    """
    Check that the tree of *old_size* leaves is the beginning of the one of *new_size*.

    Sizes and roots come from two sealed places. From size 0 anything is
    consistent, so nothing is proven and it is refused; equal sizes need equal
    roots and no proof.

    Raises:
        ProofError: The proof is malformed for these sizes, or leads elsewhere.
    """
    _check_ordered(scheme)
    _check_sizes(old_size, new_size)
    _check_hashes((old_root, new_root), "root")
    if old_size == new_size:
        _check_proof(proof, 0)
        _check_root(old_root, new_root)
        return
    index, last = old_size - 1, new_size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    known = sides(index, last + 1)
    seeded = index > 0
    _check_proof(proof, len(known) + seeded)
    seed = proof[0] if seeded else old_root
    path = proof[seeded:]
    # The old tree ends at the seed, so of the path it holds only what is on the left.
    inside = [i for i, side in enumerate(known) if side == "left"]
    old = _walk(seed, [path[i] for i in inside], ["left"] * len(inside), scheme)
    _check_root(old, old_root)
    _check_root(_walk(seed, path, known, scheme), new_root)


def sides(index: int, size: int) -> list[Side]:
    """
    Return on which side each sibling of leaf *index* stands, from the leaf upwards.

    A level on which the hash moves up unchanged has no sibling. Requires
    ``0 <= index < size``.
    """
    found: list[Side] = []
    last = size - 1
    while last:
        if index & 1:
            found.append("left")
        elif index < last:
            found.append("right")
        index, last = index >> 1, last >> 1
    return found


def _path(level: Sequence[bytes], index: int, scheme: Scheme) -> list[bytes]:
    """Siblings of the hash at *index* of *level* and of all above it."""
    path = []
    while len(level) > 1:
        if index ^ 1 < len(level):
            path.append(level[index ^ 1])
        level, index = scheme.level(level), index >> 1
    return path


def _walk(start: bytes, path: Sequence[bytes], known: Sequence[Side], scheme: Scheme) -> bytes:
    top = start
    for sibling, side in zip(path, known, strict=True):
        top = scheme.node(sibling, top) if side == "left" else scheme.node(top, sibling)
    return top


def _fold(level: list[bytes], scheme: Scheme) -> bytes:
    while len(level) > 1:
        level = scheme.level(level)
    return level[0]


def _check_ordered(scheme: Scheme) -> None:
    if not scheme.ordered:
        raise ProofError(f"scheme {scheme.name} has no order of leaves, so no index to prove")


def _check_index(index: int, size: int) -> None:
    if size > MAX_SIZE:
        raise ProofError(f"tree size is beyond 2**{MAX_PROOF}")
    if not 0 <= index < size:
        raise ProofError(f"leaf index {_number(index)} is not in a tree of {_number(size)} leaves")


def _check_sizes(old_size: int, new_size: int) -> None:
    if new_size > MAX_SIZE:
        raise ProofError(f"tree size is beyond 2**{MAX_PROOF}")
    if not 0 < old_size <= new_size:
        sizes = f"from size {_number(old_size)} to size {_number(new_size)}"
        raise ProofError(f"no consistency {sizes} can be proven")


def _number(value: int) -> str:
    # Python refuses to print integers beyond 4300 digits.
    return str(value) if value.bit_length() <= MAX_PROOF else "of many digits"


def _check_proof(proof: Sequence[bytes], length: int) -> None:
    # No length is above MAX_PROOF, as no size is above MAX_SIZE: nothing longer is hashed.
    if len(proof) != length:
        raise ProofError(f"proof has {len(proof)} hashes; this place in the tree needs {length}")
    _check_hashes(proof, "proof hash")


def _check_hashes(hashes: Sequence[bytes], what: str) -> None:
    if set(map(len, hashes)) - {HASH_SIZE}:
        raise ProofError(f"{what} has not {HASH_SIZE} bytes")


def _check_root(recomputed: bytes, published: bytes) -> None:
    if recomputed != published:
        raise ProofError(f"proof leads to {recomputed.hex()}, published root is {published.hex()}")
