"""
Seed-paired bootstrap of the difference of two deflated Sharpe ratios, A less B.

1. both bands are in the same seed order, and one index draw feeds both, so what
   a seed did to both entries cancels;
2. each resample gives d = DSR(A*) - DSR(B*); lo and hi are quantiles of the d as
   for an interval;
3. p_value = min(1, 2 * min(share of d <= 0, share of d >= 0)): zeros count on
   both sides, and it can be exactly 0;
4. significant when lo > 0 or hi < 0. The verdict comes from the interval, not
   from p: ``tied`` if not significant (no difference was shown), else by the sign
   of the point difference.

Kernel 0.5.0 compares the common prefix of the seeds; 0.28.0 refuses bands that
differ in seeds or in the length of any seed's series. The declared trials are
those of this call: a board's pairs may be deflated against others than its rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from formulas.sharpe.deflated import deflated_sharpe
from formulas.sharpe.interval import (
    DEFAULT_BOOTSTRAP,
    Bootstrap,
    bounds,
    check_settings,
    finite,
    locate_scores,
    refuse,
)
from formulas.sharpe.series import check_band, pool

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.series import Band

__all__ = ["PairedDifference", "PairedVerdict", "paired_difference"]

PairedVerdict = Literal["a_better", "b_better", "tied"]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """
    Outcome of a paired test.

    Args:
        point_diff: Deflated Sharpe of A less that of B.
        lo: Lower bound of the difference.
        hi: Upper bound of the difference.
        p_value: Two-sided share of resamples on the other side of 0.
        confidence: 1 - alpha.
        significant: Whether the interval excludes 0.
        verdict: Which entry is better, or ``tied``.
        n_boot: Number of resamples.
    """

    point_diff: float
    lo: float
    hi: float
    p_value: float
    confidence: float
    significant: bool
    verdict: PairedVerdict
    n_boot: int


def paired_difference(
    kernel: Kernel, a: Band, b: Band, settings: Bootstrap = DEFAULT_BOOTSTRAP
) -> PairedDifference:
    """
    Test whether entry *a* beats entry *b* on the same seeds.

    Args:
        kernel: The released kernel.
        a: Shape (n_seeds, n_bars of that seed), in the order of the seed list.
        b: The same seeds in the same order.
        settings: Declared trials, resamples, seed and alpha.

    Raises:
        KernelRefusalError: The kernel gives no test; holds its reason.
        FormulaDomainError: A return is not finite, or a setting makes no sense.
    """
    bar = check_settings(kernel, settings)
    check_band(a, "a")
    check_band(b, "b")
    if kernel.pairs_by_prefix:
        shared = min(len(a), len(b))
        a, b = a[:shared], b[:shared]
    for band in (a, b):
        refuse(kernel.band_error(band, settings.n_boot))
    if not kernel.pairs_by_prefix and [len(s) for s in a] != [len(s) for s in b]:
        refuse("paired seed bands and per-pair return lengths must match")
    points = []
    for band in (a, b):
        refuse(kernel.statistic_error(band))
        track = pool(band)
        score = deflated_sharpe(kernel, track, settings.trials, settings.periods_per_year)
        points.append(finite(score))
    point = points[0] - points[1]
    if not a or not settings.n_boot:
        lo = hi = point
        p_value = 1.0 if point == 0.0 else 0.0
    else:
        lo, hi, p_value = _resampled(kernel, a, b, settings, bar)
    significant = lo > 0.0 or hi < 0.0
    verdict: PairedVerdict = "tied"
    if significant:
        verdict = "a_better" if point > 0.0 else "b_better"
    confidence = 1.0 - settings.alpha
    return PairedDifference(
        point, lo, hi, p_value, confidence, significant, verdict, settings.n_boot
    )


def _resampled(
    kernel: Kernel, a: Band, b: Band, settings: Bootstrap, bar: float
) -> tuple[float, float, float]:
    from formulas.sharpe.locate import Located  # noqa: PLC0415  # needs NumPy

    # The same settings and the same number of seeds give the same draws.
    of_a = locate_scores(kernel, a, settings, bar)
    # Identical entries share what is computed, since none of their differences is decided early.
    of_b = of_a if a == b else locate_scores(kernel, b, settings, bar)

    def compute(at: NDArray[np.int64]) -> NDArray[np.float64]:
        return of_a.values(at) - of_b.values(at)

    # A rounded difference keeps the order of what is subtracted, so these are
    # bounds of the rounded differences and not only of the true ones.
    differences = Located(of_a.low - of_b.high, of_a.high - of_b.low, compute)
    lo, hi = bounds(differences, settings)
    differences.settle((differences.low <= 0.0) & (differences.high >= 0.0))
    not_above = int((differences.high <= 0.0).sum())
    not_below = int((differences.low >= 0.0).sum())
    return lo, hi, min(1.0, 2.0 * (min(not_above, not_below) / settings.n_boot))
