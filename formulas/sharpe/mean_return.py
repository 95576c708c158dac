"""
The published mean return: NumPy's mean of the pooled track.

NumPy adds pairwise, so the result can differ in its last bits from the
sequential mean that the scorer reports as ``raw_mean_return``. Its order of
additions is part of the published figure and is written out here, so that the
figure does not depend on the NumPy that happens to be installed:

1. fewer than 8 terms: one after the other, starting at -0.0 (the first term);
2. up to 128 terms: eight accumulators over strides of 8, joined as
   ((r0+r1)+(r2+r3))+((r4+r5)+(r6+r7)), then the rest one at a time;
3. more: split at half the length, rounded down to a multiple of 8, and add the
   sums of the two parts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["mean_return", "pairwise_sum"]

_BLOCK = 128
_LANES = 8


def mean_return(track: Sequence[float]) -> float:
    """
    Mean return of a pooled track as a board publishes it; 0 for an empty track.

    Args:
        track: Shape (n_bars,), per-bar fractions, oldest first.

    >>> mean_return([0.01, 0.02])
    0.015
    """
    # Negative zero is written as zero on a board.
    return pairwise_sum(track) / len(track) + 0.0 if track else 0.0


def pairwise_sum(values: Sequence[float]) -> float:
    """Add *values* in the order in which NumPy adds a contiguous array of doubles."""
    n = len(values)
    if n < _LANES:
        total = -0.0
        for value in values:
            total += value
        return total
    if n <= _BLOCK:
        lanes = list(values[:_LANES])
        whole = n - n % _LANES
        for start in range(_LANES, whole, _LANES):
            for lane in range(_LANES):
                lanes[lane] += values[start + lane]
        r0, r1, r2, r3, r4, r5, r6, r7 = lanes
        total = ((r0 + r1) + (r2 + r3)) + ((r4 + r5) + (r6 + r7))
        for value in values[whole:]:
            total += value
        return total
    half = n // 2
    half -= half % _LANES
    return pairwise_sum(values[:half]) + pairwise_sum(values[half:])
