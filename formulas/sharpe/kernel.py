"""
What a released scoring kernel is: the few choices in which the releases differ.

A kernel is a value, not a class hierarchy: the conventions below and the
refusals. Each release that changed numbers has a module of its own,
``kernel_0_4``, ``kernel_0_5`` and ``kernel_0_28``; the arithmetic that is the
same in all of them is in ``moments`` and ``deflated``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from formulas.sharpe.series import Band

__all__ = [
    "BASE_TRIALS",
    "DAYS_PER_YEAR",
    "TRIALS_LIMIT",
    "Kernel",
    "KernelRefusalError",
    "TooMuchWorkError",
]

BASE_TRIALS: Final = 50
"""The kernel's own footprint, added to the declared trials."""

TRIALS_LIMIT: Final = 2**32 - 1
DAYS_PER_YEAR: Final = 252.0


class KernelRefusalError(FormulaDomainError):
    """
    The kernel itself gives no number here; :attr:`reason` is its own text.

    A board may publish this as the status of a row. It is no fault of the input
    as such: the refusal is the published outcome.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TooMuchWorkError(FormulaDomainError):
    """More resampling than is computed here; it says nothing about the figure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """
    One released scoring kernel.

    Args:
        name: Version of the kernel, as a board states it.
        population_moments: Whether standardized moments divide by the deviation
            with divisor n (else by the one with n - 1, although the sum is over n).
        skewness_from: Fewest bars for which the skewness is computed (else 0).
        kurtosis_from: Fewest bars for which the kurtosis is computed (else 3).
        annual_prior: Whether the dispersion prior 0.5 is a yearly figure that is
            divided by the root of the periods a year.
        pairs_by_prefix: Whether a paired test of unequal bands uses the common prefix
            of seeds (else it refuses them).
        track_error: Reason why a pooled track has no deflated Sharpe, or None.
        runs_error: Reason why a submission of several runs has none, or None.
        bootstrap_error: Reason why a pooled track has no bootstrap p-value, or None.
        band_error: Reason why a band and a number of resamples have no interval,
            judged by their shape, or None.
        statistic_error: Reason why a band of good shape has none, or None.
    """

    name: str
    population_moments: bool
    skewness_from: int
    kurtosis_from: int
    annual_prior: bool
    pairs_by_prefix: bool
    track_error: Callable[[Sequence[float]], str | None]
    runs_error: Callable[[Band], str | None]
    bootstrap_error: Callable[[Sequence[float]], str | None]
    band_error: Callable[[Band, int], str | None]
    statistic_error: Callable[[Band], str | None]
