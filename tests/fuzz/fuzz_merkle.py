"""
Proofs of any shape end in our error, and what is proven from leaves is accepted.

An input is two 8-byte integers, a leaf hash, two roots, and proof hashes of 32
bytes, the last of which may be cut short.
"""

from contextlib import suppress
from typing import Final

from verifier.core.merkle import (
    check_consistency,
    check_inclusion,
    consistency_proof,
    inclusion_proof,
    root,
)
from verifier.core.schemes import HASH_SIZE, SCHEMES
from verifier.core.steps import Step, check_steps, inclusion_steps
from verifier.errors import EvidenceError
from verifier.ethereum.openzeppelin import check_membership

MOST_LEAVES: Final = 70


def one_input(data: bytes) -> None:
    """Check a claim as it stands, then one made from the same bytes."""
    first, second = (int.from_bytes(data[i : i + 8], "big", signed=True) for i in (0, 8))
    size = second + (1 << 63)  # up to 2**64, the largest there is
    hashes = [data[i : i + HASH_SIZE] for i in range(16, len(data), HASH_SIZE)] or [b""]
    leaf, old, new = (hashes * 3)[:3]
    proof = hashes[3:]
    for scheme in SCHEMES.values():
        with suppress(EvidenceError):
            check_inclusion(leaf, first, size, proof, new, scheme=scheme)
        with suppress(EvidenceError):
            check_consistency(first, size, proof, old, new, scheme=scheme)
    with suppress(EvidenceError):
        check_steps(leaf, first, size, [Step(sibling, "left") for sibling in proof], new)
    with suppress(EvidenceError):
        check_membership(leaf, proof, new)

    leaves = [hash_ for hash_ in hashes if len(hash_) == HASH_SIZE][:MOST_LEAVES]
    if leaves:
        size, top = len(leaves), root(leaves)
        index = first % size
        check_inclusion(leaves[index], index, size, inclusion_proof(leaves, index), top)
        check_steps(leaves[index], index, size, inclusion_steps(leaves, index), top)
        older = root(leaves[: index + 1])
        check_consistency(index + 1, size, consistency_proof(leaves, index + 1), older, top)
