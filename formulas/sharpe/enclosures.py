"""
For every resample, two doubles between which its statistic lies, at little cost.

The first four power sums of each seed about a common centre give, by one matrix
product with the number of times each seed was drawn, those of every resample,
and from them its statistic to about ten digits. The published statistic is that
of a longer computation with other roundings, so it differs. This module bounds
by how much; ``locate`` then computes exactly only where the bounds leave doubt.

The bound is proved, not guessed. Let u = 2^-53, a resample have n bars with true
mean mu, population deviation sigma, Sharpe SR and kurtosis g4, a = |mu| / sigma.
A sum of m doubles has, in whatever order, a relative error of at most
m*u / (1 - m*u) of the sum of magnitudes (Higham, 2002, section 4.2). Let G bound
that with m = n + longest series + number of seeds + 64: it covers every sum
here and in the kernel, the few roundings of each term, and those of the
formulas that follow.

1. *Here*: power sums Q1..Q4 about a centre c, tau^2 = Q2 / n, h = Q1 / (n*tau),
   k4 = Q4 / (n*tau^4) >= 1. If |h| <= 1/2, then sigma^2 >= 3/4 tau^2, and the
   central moments m2 = 1 - h^2, m3 = q3 - 3h + 2h^3, m4 = q4 - 4h*q3 + 6h^2 - 3h^4
   (all over powers of tau) have errors of at most 3G, 7G*sqrt(k4) and 16G*k4,
   by the triangle inequality and |q3| <= sqrt(k4) (Cauchy and Schwarz). Dividing
   by the powers of m2: skewness 11G*sqrt(k4) + 5G*sqrt(g4), kurtosis
   29G*k4 + 7G*g4, Sharpe 2G * (1 + |SR|).
2. *Kernel*: its mean is off by at most E*sigma, E = G * (1 + a). Deviations from
   a shifted mean have the sum of squares n*sigma^2 + n*(E*sigma)^2, since the true
   deviations add to 0, so its variance has the relative error r = 1.01 (G + E^2).
   With E <= 0.001 the shifted third and fourth moments give: Sharpe
   2E + 2r*|SR|, skewness 4E + 2G*sqrt(g4) + 4r*sqrt(g4), kurtosis
   6E*sqrt(g4) + 2G*g4 + 5r*g4.
3. The sums of both, doubled. The doubling covers that g4, k4, SR stand for true
   values while computed ones are used: these are within a factor of 1.1 where
   G <= 1e-6, since k4 <= 8*m4 + 1/2.
4. The variance v of the score: by the triangle inequality, with S = |SR| + dSR,
   dv = S*d3 + (sqrt(g4) + d3)*dSR + S^2*d4/4 + (g4 + 1)*S*dSR/2 + roundings. The
   floor at 1e-12 moves no two values apart. If dv <= v/4, the score's error is at
   most sqrt(n-1)/sqrt(v) * (1.16 dSR + |SR - b|*dv/v) + 8u*|score|.
5. The distribution function of the kernels is, in real arithmetic, increasing:
   its tail is t*q(t) * exp(-a^2) with t*q(t) increasing in t on (0, 1], and it
   jumps upwards at 0. Computed, it is off by at most u * ((32 + 2a^2)*tail + 2),
   doubled because this module evaluates it with another exponential.
6. From |score| >= 8.5 the tail is below u/4, and the kernel's value is exactly
   0 or 1: both bounds are that value, and nothing is left to compute. Many
   boards saturate, so this matters.

Where a condition does not hold (fewer than 4 bars, no deviation, magnitudes that
may over- or underflow, a resample mean far from the centre) the bounds are 0
and 1, which hold for every probability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from formulas.sharpe.deflated import VARIANCE_FLOOR
from formulas.sharpe.normal import ERF_COEFFICIENTS, ERF_SCALE, SQRT_2

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.tracks import SeedTable

    Doubles = NDArray[np.float64]

__all__ = ["enclose"]

UNIT: Final = 2.0**-53
SMALLEST_SCALE: Final = 1e-60
LARGEST_RETURN: Final = 1e60
LARGEST_GROWTH: Final = 1e-6
LARGEST_SHIFT: Final = 1e-3
SATURATED: Final = 8.5
CELLS: Final = 2**18


def enclose(
    kernel: Kernel, table: SeedTable, draws: NDArray[np.int64], benchmark: float
) -> tuple[Doubles, Doubles]:
    """
    Bounds of the statistic of each resample.

    Args:
        kernel: The released kernel.
        table: The band.
        draws: Shape (n_resamples, n_drawn), rows of *table* in draw order.
        benchmark: Sharpe ratio a period.

    Returns:
        Lower and upper bounds, each of shape (n_resamples,). Where they are
        equal, the statistic is that double.
    """
    unknown = np.zeros(len(draws)), np.ones(len(draws))
    bars = int(table.lengths.sum())
    if not bars or not np.abs(table.values).max() <= LARGEST_RETURN:
        return unknown
    low, high = unknown
    rows = max(1, CELLS // len(table.values))
    with np.errstate(all="ignore"):
        for start in range(0, len(draws), rows):
            part = slice(start, start + rows)
            score, error, resolved = _scores(kernel, table, draws[part], benchmark)
            low[part] = np.where(resolved, _distribution(score - error, -1.0), 0.0)
            high[part] = np.where(resolved, _distribution(score + error, 1.0), 1.0)
    return low, high


def _scores(
    kernel: Kernel, table: SeedTable, draws: NDArray[np.int64], benchmark: float
) -> tuple[Doubles, Doubles, NDArray[np.bool_]]:
    """Scores, bounds of their errors, and where these bounds are proved."""
    resamples, drawn = draws.shape
    seeds, longest = table.values.shape
    cells = draws + np.arange(0, resamples * seeds, seeds)[:, None]
    drawn_times = np.bincount(cells.ravel(), minlength=resamples * seeds)
    weights = drawn_times.reshape(resamples, seeds).astype(np.float64)

    centre = float(table.values.sum() / table.lengths.sum())
    y = (table.values - centre) * table.inside
    y2 = y * y
    powers = np.stack(
        [table.lengths, y.sum(axis=1), y2.sum(axis=1), (y2 * y).sum(axis=1), (y2 * y2).sum(axis=1)],
        axis=1,
    )
    n, q1, q2, q3, q4 = (weights @ powers).T
    growth = 1.01 * UNIT * (float(n.max()) + longest + drawn + 64)

    tau = np.sqrt(q2 / n)
    h = q1 / (n * tau)
    q3 /= n * tau**3
    k4 = q4 / (n * tau**4)
    m2 = 1.0 - h * h
    sigma = tau * np.sqrt(m2)
    g3 = (q3 - 3.0 * h + 2.0 * h**3) / m2**1.5
    g4 = (k4 - 4.0 * h * q3 + 6.0 * h * h - 3.0 * h**4) / (m2 * m2)
    shrink = np.sqrt((n - 1.0) / n)
    mean = centre + h * tau
    sr = mean / sigma * shrink

    size = np.abs(sr)
    shift = growth * (1.0 + np.abs(mean) / sigma)
    r = 1.01 * (growth + shift * shift)
    root = np.sqrt(g4)
    d_sr = 2.0 * (2.0 * growth * (1.0 + size) + 2.0 * shift + 2.0 * r * size)
    d3 = 2.0 * (growth * (11.0 * np.sqrt(k4) + 7.0 * root) + 4.0 * shift + 4.0 * r * root)
    d4 = 2.0 * (growth * (29.0 * k4 + 9.0 * g4) + 6.0 * shift * root + 5.0 * r * g4)

    if not kernel.population_moments:
        g3 *= shrink**3
        g4 *= shrink**4
    v = 1.0 - g3 * sr + ((g4 - 1.0) / 4.0) * sr * sr
    v = np.maximum(v, VARIANCE_FLOOR)
    reach = size + d_sr
    spread = (g4 + 1.0) / 2.0 * reach
    d_v = reach * d3 + (root + d3) * d_sr + reach * reach * d4 / 4.0 + spread * d_sr
    d_v += 8.0 * UNIT * (1.0 + reach * root + spread * reach)
    steps = np.sqrt(n - 1.0) / np.sqrt(v)
    score = (sr - benchmark) * steps
    error = steps * (1.16 * d_sr + np.abs(sr - benchmark) * d_v / v) + 8.0 * UNIT * np.abs(score)
    resolved = (
        (n >= max(4, kernel.skewness_from, kernel.kurtosis_from))
        & (tau >= SMALLEST_SCALE)
        & (np.abs(h) <= 0.5)
        & (shift <= LARGEST_SHIFT)
        & (growth <= LARGEST_GROWTH)
        & (d_v <= v / 4.0)
        & np.isfinite(error)
    )
    return np.where(resolved, score, 0.0), np.where(resolved, error, 0.0), resolved


def _distribution(score: Doubles, side: float) -> Doubles:
    """Distribution function, moved outwards by its own error; exact where saturated."""
    a = np.abs(score) / SQRT_2
    t = 1.0 / (1.0 + ERF_SCALE * a)
    q = np.full_like(t, ERF_COEFFICIENTS[0])
    for coefficient in ERF_COEFFICIENTS[1:]:
        q = q * t + coefficient
    tail = q * t * np.exp(-a * a)
    value = np.where(score < 0.0, tail, 2.0 - tail) / 2.0
    value = value + side * 2.0 * UNIT * ((32.0 + 2.0 * a * a) * tail + 2.0)
    value = np.where(score >= SATURATED, 1.0, np.where(score <= -SATURATED, 0.0, value))
    return np.asarray(np.clip(value, 0.0, 1.0))
