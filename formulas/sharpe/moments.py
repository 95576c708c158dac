"""
Moments of a track, as the kernels compute them.

1. mean m, deviation s with divisor n - 1, Sharpe m / s (0 if s is exactly 0):
   the same in every version, and never annualized;
2. scale u of the standardized moments: s in the kernels before 0.21.0, the
   deviation with divisor n from then on;
3. z = (x - m) / u, a division for each bar;
4. skewness, the sequential mean of (z * z) * z; kurtosis, that of
   (z * z) * (z * z), so that a normal distribution has 3.

In the older kernels the divisor of the mean is n while u uses n - 1; that
mixture is part of the definition.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.sharpe.series import mean, squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.kernel import Kernel

__all__ = ["Moments", "moments", "sharpe_ratio"]


@dataclass(frozen=True, slots=True)
class Moments:
    """
    Moments of one track.

    Args:
        count: Number of bars.
        mean: Mean return a bar.
        deviation: Deviation with divisor n - 1.
        sharpe: Sharpe ratio a period.
        skewness: Standardized third moment, without bias correction.
        kurtosis: Standardized fourth moment; a normal distribution has 3.
    """

    count: int
    mean: float
    deviation: float
    sharpe: float
    skewness: float
    kurtosis: float


def moments(kernel: Kernel, track: Sequence[float]) -> Moments:
    """
    Moments of *track* under the conventions of *kernel*.

    Args:
        kernel: The released kernel.
        track: Shape (n_bars,), per-bar fractions, oldest first.
    """
    n = len(track)
    m = mean(track)
    if n < 2:
        return Moments(n, m, 0.0, 0.0, 0.0, 3.0)
    total = squares(track, m)
    s = math.sqrt(total / (n - 1))
    u = math.sqrt(total / n) if kernel.population_moments else s
    third = fourth = 0.0
    if u != 0.0:
        for x in track:
            z = (x - m) / u
            square = z * z
            third += square * z
            fourth += square * square
    has_skewness = u != 0.0 and n >= kernel.skewness_from
    has_kurtosis = u != 0.0 and n >= kernel.kurtosis_from
    return Moments(
        count=n,
        mean=m,
        deviation=s,
        sharpe=m / s if s != 0.0 else 0.0,
        skewness=third / n if has_skewness else 0.0,
        kurtosis=fourth / n if has_kurtosis else 3.0,
    )


def sharpe_ratio(kernel: Kernel, track: Sequence[float]) -> float:
    """Sharpe ratio a period: mean over sample deviation, 0 where the deviation is 0."""
    return moments(kernel, track).sharpe
