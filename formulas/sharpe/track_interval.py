"""
The scorer's own interval of a deflated Sharpe: block bootstrap of the pooled track.

Not the seed bootstrap of a board. The paths are those of the block bootstrap
under another mask of the seed, taken over the returns themselves; level 0.90;
the bounds are order statistics without interpolation, number
floor(tail * n_boot) and ceil((1 - tail) * n_boot) - 1 from zero with
tail = (1 - level) / 2; the deviation has divisor n_boot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.block_bootstrap import DEFAULT_SEED, block_paths
from formulas.sharpe.deflated import deflation_bar
from formulas.sharpe.kernel import DAYS_PER_YEAR, KernelRefusalError
from formulas.sharpe.series import check_band, mean, squares

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.kernel import Kernel

__all__ = ["TrackInterval", "track_interval"]

INTERVAL_MASK: Final = 0x0DEF1A7ED5B007C1


@dataclass(frozen=True, slots=True)
class TrackInterval:
    """
    Interval of the scorer.

    Args:
        lo: Lower order statistic.
        hi: Upper order statistic.
        deviation: Deviation of the resampled values.
    """

    lo: float
    hi: float
    deviation: float


def track_interval(  # noqa: PLR0913  # each is a setting of the scorer of its own
    kernel: Kernel,
    track: Sequence[float],
    declared: int = 0,
    *,
    seed: int = DEFAULT_SEED,
    n_boot: int = 2000,
    restart: float = 0.1,
    level: float = 0.9,
    periods_per_year: float = DAYS_PER_YEAR,
) -> TrackInterval:
    """
    Interval of the deflated Sharpe of a pooled track, as the scorer reports it.

    Args:
        kernel: The released kernel.
        track: Shape (n_bars,), per-bar fractions, oldest first.
        declared: Declared trials; the kernel adds 50.
        seed: Bootstrap seed of the settings.
        n_boot: Number of resamples.
        restart: Probability of a new block at each bar.
        level: Confidence level, strictly between 0 and 1.
        periods_per_year: Bars a year.

    Raises:
        KernelRefusalError: The kernel gives no score for the track.
        FormulaDomainError: A return is not finite, or a setting is out of range.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    from formulas.sharpe.tracks import SeedTable, track_scores  # noqa: PLC0415

    check_band([track])
    if not track:
        raise FormulaDomainError("an interval needs at least one return")
    if not 0.0 < level < 1.0 or n_boot < 1:
        raise FormulaDomainError(f"no interval of level {level!r} from {n_boot} resamples")
    if reason := kernel.track_error(track):
        raise KernelRefusalError(reason)
    # Each bar is a seed of one bar, and a path is a draw of such seeds.
    table = SeedTable([[value] for value in track])
    bar = deflation_bar(kernel, declared, periods_per_year)
    paths = block_paths(len(track), n_boot, seed ^ INTERVAL_MASK, restart)
    scores = np.concatenate(
        [track_scores(kernel, table, indices.T, bar) for indices in paths.indices()]
    )
    in_order = scores.tolist()
    deviation = math.sqrt(squares(in_order, mean(in_order)) / n_boot)
    tail = (1.0 - level) / 2.0
    ranked = np.sort(scores)
    low, high = math.floor(tail * n_boot), math.ceil((1.0 - tail) * n_boot) - 1
    return TrackInterval(float(ranked[low]), float(ranked[high]), deviation)
