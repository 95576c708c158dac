"""
Annualised EWMA volatility of hourly closes.

::

    r_i   = ln(c_i / c_(i-1))                     over consecutive present closes
    v_1   = r_1**2
    v_i   = lambda * v_(i-1) + (1 - lambda) * r_i**2
    sigma = sqrt(annual_hours * v_n)

A missing hour makes no return of its own: the closes around it are neighbours.

Source:
    floor.md section 3; floor-clarifications.md 22.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, log, sqrt
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.proved import EPSILON, LIBRARY, Real, ball_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from flint import arb

__all__ = ["LOG_RATIO_ERROR", "ewma"]

# Of ln(a / b) in binary64: a, b and their quotient are each off by at most one
# EPSILON, which moves the logarithm by as much, however near to 0 it is. The
# library's own error comes on top, relative to the logarithm.
LOG_RATIO_ERROR: Final = 4 * EPSILON

_SMALL: Final = 0.01


def ewma(closes: Sequence[Decimal], *, decay: Decimal, annual_hours: int) -> Real:
    """
    Estimate the volatility of a price from its hourly closes.

    Args:
        closes: Shape (n_hours,), prices, oldest first, missing hours left out.
        decay: The weight lambda of the past, between 0 and 1.
        annual_hours: Hours in a year.

    Returns:
        sigma, a fraction per square root of a year; exactly 0 if no price moved.

    Raises:
        FormulaDomainError: Fewer than two closes, or one that is not positive.

    Source:
        floor.md section 3.

    >>> from decimal import Decimal
    >>> flat = [Decimal(50), Decimal("50.0")]
    >>> ewma(flat, decay=Decimal("0.94"), annual_hours=8760).exact
    Fraction(0, 1)
    """
    if len(closes) < 2:
        raise FormulaDomainError(f"volatility needs two closes, there are {len(closes)}")
    for close in closes:
        if not close > 0:
            raise FormulaDomainError(f"a close must be positive, was {close}")
    value, relative = _by_float(closes, float(decay), float(1 - Fraction(decay)), annual_hours)
    return Real(
        value=value,
        error=value * relative if value else inf,
        ball=lambda: _by_balls(closes, decay, annual_hours),
        exact=Fraction(0) if all(close == closes[0] for close in closes) else None,
    )


def _by_float(
    closes: Sequence[Decimal], decay: float, rest: float, annual_hours: int
) -> tuple[float, float]:
    prices = [float(close) for close in closes]
    variance = log(prices[1] / prices[0]) ** 2
    for before, after in pairwise(prices[1:]):
        variance = decay * variance + rest * log(after / before) ** 2
    if variance == 0.0:
        return 0.0, inf
    # Weights add up to 1, so the mean of abs(r) is at most sqrt(variance), and
    # each hour's recursion adds at most 6 roundings to the relative error.
    absolute = LOG_RATIO_ERROR / sqrt(variance)
    relative = 2 * absolute + absolute**2 + 2 * LIBRARY + 6 * len(closes) * EPSILON
    return sqrt(annual_hours * variance), relative if relative < _SMALL else inf


def _by_balls(closes: Sequence[Decimal], decay: Decimal, annual_hours: int) -> arb:
    prices = [Fraction(close) for close in closes]
    keep = ball_of(Fraction(decay))
    rest = ball_of(1 - Fraction(decay))
    variance = ball_of(prices[1] / prices[0]).log() ** 2
    for before, after in pairwise(prices[1:]):
        variance = keep * variance + rest * ball_of(after / before).log() ** 2
    return (variance * annual_hours).sqrt()
