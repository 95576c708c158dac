"""
Generalization gap and cross-regime transfer gap of a policy.

1. Each side is scored as a board row is: pooled deflated Sharpe, pass rate,
   mean return. Declared trials default to 0 here, so these scores cannot be
   compared with a board's. In the pass rate a seed that cannot be scored counts
   as not passed, and one of fewer than two bars is left out.
2. Generalization gap = train minus test, on disjoint seed bands. Positive means
   overfit.
3. Transfer gap = in-distribution minus out-of-distribution, on the same seeds in
   two tiers.
4. A gap with an unavailable side is unavailable, with that side's reason (the
   first of the two).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.sharpe.interval import finite
from formulas.sharpe.mean_return import mean_return
from formulas.sharpe.row import Score, passes, score_track
from formulas.sharpe.series import check_band, pool

if TYPE_CHECKING:
    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.series import Band

__all__ = ["Gap", "Side", "evaluate_side", "gap"]


@dataclass(frozen=True, slots=True)
class Side:
    """
    One side of a gap.

    Args:
        seeds: Number of seeds.
        score: Deflated Sharpe of the pooled track.
        pass_k_rate: Share of the seeds of two bars or more that pass.
        mean_return: Mean return a bar of the pooled track.
    """

    seeds: int
    score: Score
    pass_k_rate: float
    mean_return: float


@dataclass(frozen=True, slots=True)
class Gap:
    """
    First side minus second side.

    Args:
        first: Train, or in-distribution.
        second: Test, or out-of-distribution.
        deflated_sharpe: Difference of the scores, or why there is none.
        mean_return: Difference of the mean returns.
    """

    first: Side
    second: Side
    deflated_sharpe: Score
    mean_return: float


def evaluate_side(kernel: Kernel, band: Band, declared: int = 0) -> Side:
    """
    Score the seeds of one side.

    Args:
        kernel: The released kernel.
        band: Shape (n_seeds, n_bars of that seed), in the order of the seed list.
        declared: Declared trials; the kernel adds 50.

    Raises:
        FormulaDomainError: A return is not finite; names seed and bar.
    """
    check_band(band)
    track = pool(band)
    counted = [series for series in band if len(series) >= 2]
    passed = sum(passes(kernel, series) for series in counted)
    return Side(
        seeds=len(band),
        score=score_track(kernel, track, declared),
        pass_k_rate=passed / len(counted) if counted else 0.0,
        mean_return=finite(mean_return(track)),
    )


def gap(kernel: Kernel, first: Band, second: Band, declared: int = 0) -> Gap:
    """
    Gap between two bands: train and test, or in- and out-of-distribution.

    Args:
        kernel: The released kernel.
        first: Per-seed returns of the first side.
        second: Per-seed returns of the second side.
        declared: Declared trials; the kernel adds 50.

    Raises:
        FormulaDomainError: A return is not finite; names seed and bar.
    """
    a, b = evaluate_side(kernel, first, declared), evaluate_side(kernel, second, declared)
    if a.score.value is None:
        difference = a.score
    elif b.score.value is None:
        difference = b.score
    else:
        difference = Score(a.score.value - b.score.value, a.score.status)
    return Gap(a, b, difference, a.mean_return - b.mean_return)
