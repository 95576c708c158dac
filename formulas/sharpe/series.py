"""
Return series: what is read of them, and the arithmetic that all kernels share.

A *series* is the per-bar returns of one seed, oldest first, as fractions of
wealth. A *band* is one series a seed, in the order of the seed list. A *track*
is the band's series one after the other.

Every sum starts at zero and adds the terms one at a time from first to last. A
pairwise, compensated or vectorised sum gives other bits and so another score.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from formulas.arith import sum_in_order
from formulas.errors import FormulaDomainError

__all__ = [
    "Band",
    "check_band",
    "is_constant",
    "mean",
    "pool",
    "sample_deviation",
    "squares",
]

Band = Sequence[Sequence[float]]


def check_band(band: Band, name: str = "returns") -> None:
    """
    Refuse a band that holds anything but finite numbers.

    Args:
        band: Shape (n_seeds, n_bars of that seed), per-bar fractions.
        name: What the message calls the band.

    Raises:
        FormulaDomainError: A return is NaN or infinite; names seed and bar, from 0.
    """
    for seed, series in enumerate(band):
        # The sum finds the common case at the speed of C; it may also overflow.
        if not math.isfinite(sum(series)):
            for bar, value in enumerate(series):
                if not math.isfinite(value):
                    raise FormulaDomainError(
                        f"{name}: seed {seed}, bar {bar} is not finite: {value!r}"
                    )


def pool(band: Band) -> list[float]:
    """Concatenate the seeds' series in the order of the band, bars in time order."""
    return [value for series in band for value in series]


def mean(values: Sequence[float]) -> float:
    """Sequential mean; 0 for no values."""
    return sum_in_order(values) / len(values) if values else 0.0


def squares(values: Sequence[float], centre: float) -> float:
    """Sequential sum of squared deviations from *centre*."""
    total = 0.0
    for value in values:
        deviation = value - centre
        total += deviation * deviation
    return total


def sample_deviation(values: Sequence[float]) -> float:
    """Deviation with divisor n - 1; 0 for fewer than two values."""
    n = len(values)
    if n < 2:
        return 0.0
    return math.sqrt(squares(values, mean(values)) / (n - 1))


def is_constant(values: Sequence[float]) -> bool:
    """
    Whether all values are equal, judged by the values themselves.

    The computed variance would not do: the mean of 0.001 repeated is rounded, so
    the squared deviations from it are not 0.
    """
    return all(value == values[0] for value in values)
