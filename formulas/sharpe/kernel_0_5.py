"""
Scoring kernel 0.5.0: SharpeArena 0.9.0 to 0.15.0, which made the published tables.

Standardized moments on the sample deviation, skewness from three bars, kurtosis
from four. The prior 0.5 is a yearly figure. Nothing is refused: a constant track
has a Sharpe ratio of 0 or, where the mean is rounded, of about 1e16, and so a
deflated Sharpe of 1. The constants and steps are in ``kernel_0_5.json``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.sharpe.kernel import Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.series import Band

__all__ = ["KERNEL"]


def _accepts(_returns: Sequence[float] | Band, _n_boot: int = 0) -> None:
    """Accept everything: this kernel has no typed errors."""


KERNEL: Final = Kernel(
    name="0.5.0",
    population_moments=False,
    skewness_from=3,
    kurtosis_from=4,
    annual_prior=True,
    pairs_by_prefix=True,
    track_error=_accepts,
    runs_error=_accepts,
    bootstrap_error=_accepts,
    band_error=_accepts,
    statistic_error=_accepts,
)
