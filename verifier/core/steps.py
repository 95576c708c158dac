"""
Inclusion proofs that name the side of each sibling, as ARCANA publishes them.

A proof is a list of steps from the leaf upwards, each a sibling and the side it
stands on; a level on which the hash moves up unchanged has no step. Leaf index and
leaf count determine the sides, so they are required to agree: steps can lead
to the right root from another leaf's place.

>>> leaves = [RFC9162.leaf(record) for record in (b"a", b"b", b"c")]
>>> [step.position for step in inclusion_steps(leaves, 1)]
['left', 'right']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.merkle import check_inclusion, inclusion_proof, sides
from verifier.core.schemes import RFC9162
from verifier.errors import ProofError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.merkle import Side
    from verifier.core.schemes import Scheme

__all__ = ["Step", "check_steps", "inclusion_steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """
    One hash of a proof and where it stands.

    Args:
        sibling: The 32-byte hash to join.
        position: The side that *sibling* stands on.
    """

    sibling: bytes
    position: Side


def inclusion_steps(
    leaf_hashes: Sequence[bytes], index: int, scheme: Scheme = RFC9162
) -> list[Step]:
    """Return what :func:`~verifier.core.merkle.inclusion_proof` does, with the sides."""
    proof = inclusion_proof(leaf_hashes, index, scheme)
    known = sides(index, len(leaf_hashes))
    return [Step(sibling, side) for sibling, side in zip(proof, known, strict=True)]


def check_steps(  # noqa: PLR0913 - what is sealed, what is claimed, and the proof
    leaf_hash: bytes,
    index: int,
    size: int,
    steps: Sequence[Step],
    root: bytes,
    *,
    scheme: Scheme = RFC9162,
) -> None:
    """
    Check an inclusion proof and that its sides are those of *index* and *size*.

    Args:
        leaf_hash: Hash of the record, computed by the verifier.
        index: Place of the leaf, from 0, from the sealed side.
        size: Number of leaves, from the sealed side.
        steps: The proof, from the leaf upwards.
        root: Published root.
        scheme: How to hash; it must be ordered.

    Raises:
        ProofError: As :func:`~verifier.core.merkle.check_inclusion`, or a step is on
            the wrong side.
    """
    check_inclusion(leaf_hash, index, size, [step.sibling for step in steps], root, scheme=scheme)
    for number, (step, side) in enumerate(zip(steps, sides(index, size), strict=True)):
        if step.position != side:
            raise ProofError(
                f"step {number} stands on the {step.position}, for leaf {index} it is the {side}"
            )
