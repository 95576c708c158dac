"""
Scoring kernel 0.28.0: SharpeArena 0.31.0.

Standardized moments on the population deviation from two bars. The prior 0.5 is
a yearly figure. What has no Sharpe ratio is refused with a reason, first match
first:

* a track of fewer than two bars, one whose mean, deviation or Sharpe ratio is
  not finite, and a constant one;
* a submission whose every run is constant, each at its own level;
* for an interval: fewer than two seeds, a seed of fewer than two finite returns,
  a pooled track that has no finite statistic or is constant.

Constants and steps are in ``kernel_0_28.json``.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from formulas.sharpe.kernel import Kernel
from formulas.sharpe.series import is_constant, mean, pool, sample_deviation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.series import Band

__all__ = ["KERNEL"]

CONSTANT: Final = "returns must not be constant: a constant series has no Sharpe ratio"
CONSTANT_RUNS: Final = (
    "returns must vary inside at least one window: a track whose every window is constant "
    "has no within-window dispersion, and the dispersion of its pooled track is the level "
    "difference between windows"
)


def _too_short(track: Sequence[float]) -> str | None:
    n = len(track)
    return f"at least 2 observations are required, got {n}" if n < 2 else None


def _track_error(track: Sequence[float]) -> str | None:
    if error := _too_short(track):
        return error
    m = mean(track)
    if not math.isfinite(m):
        return "return mean is not finite"
    s = sample_deviation(track)
    if not math.isfinite(s):
        return "return standard deviation is not finite"
    return _dispersion_error(track, m, s)


def _dispersion_error(track: Sequence[float], m: float, s: float) -> str | None:
    if is_constant(track):
        return CONSTANT
    # The squares of tiny returns underflow, and then so does s.
    if s == 0.0 or not math.isfinite(m / s):
        return "Sharpe ratio is not finite"
    return None


def _runs_error(runs: Band) -> str | None:
    error = _track_error(pool(runs))
    if error is None and all(is_constant(run) for run in runs):
        return CONSTANT_RUNS
    return error


def _bootstrap_error(track: Sequence[float]) -> str | None:
    if error := _too_short(track):
        return error
    return None if math.isfinite(mean(track)) else "observed mean is not finite"


def _band_error(band: Band, n_boot: int) -> str | None:
    if len(band) < 2:
        return "seed bootstrap requires at least two independent seed units"
    if n_boot < 2:
        return "n_boot must be at least two"
    if any(len(series) < 2 for series in band):
        return "each seed requires at least two finite returns"
    return None


def _statistic_error(band: Band) -> str | None:
    track = pool(band)
    m, s = mean(track), sample_deviation(track)
    if not (math.isfinite(m) and math.isfinite(s)):
        return "seed-bootstrap statistic is not finite"
    return _dispersion_error(track, m, s)


KERNEL: Final = Kernel(
    name="0.28.0",
    population_moments=True,
    skewness_from=2,
    kurtosis_from=2,
    annual_prior=True,
    pairs_by_prefix=False,
    track_error=_track_error,
    runs_error=_runs_error,
    bootstrap_error=_bootstrap_error,
    band_error=_band_error,
    statistic_error=_statistic_error,
)
