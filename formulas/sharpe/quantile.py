"""
The quantile rule of the kernels: linear between order statistics, on n - 1.

For quantile q of m sorted values, p = q * (m - 1) and the value is
v[floor p] + (v[ceil p] - v[floor p]) * (p - floor p). An algebraically equal
rule, such as weighting both neighbours, gives other bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Position", "position", "quantile"]


@dataclass(frozen=True, slots=True)
class Position:
    """
    Where a quantile lies among sorted values.

    Args:
        low: Index of the order statistic below, from 0.
        high: Index of the order statistic above.
        fraction: Share of the way from the one to the other.
    """

    low: int
    high: int
    fraction: float

    def between(self, below: float, above: float) -> float:
        """Quantile from its two order statistics."""
        return below + (above - below) * self.fraction


def position(q: float, count: int) -> Position:
    """
    Place of quantile *q* among *count* sorted values.

    Raises:
        FormulaDomainError: *q* is outside [0, 1], or there are no values.
    """
    if not 0.0 <= q <= 1.0:
        raise FormulaDomainError(f"quantile must be in [0, 1], was {q!r}")
    if count < 1:
        raise FormulaDomainError("a quantile needs at least one value")
    p = q * (count - 1)
    low = math.floor(p)
    return Position(low, math.ceil(p), p - low)


def quantile(values: Sequence[float], q: float) -> float:
    """
    Quantile *q* of *values*, which need not be sorted.

    >>> quantile([4.0, 1.0, 3.0, 2.0], 0.5)
    2.5
    """
    at = position(q, len(values))
    ordered = sorted(values)
    return at.between(ordered[at.low], ordered[at.high])
