"""
Baseline ``v1-lognormal-zero-drift``: what a price that wanders without drift would do.

The logarithm of the price is a Brownian motion without drift. With spot *S*,
``T`` in years and ``s = sigma * sqrt(T)``:

==========  ==========================================================
touch       ``2 * (1 - Phi(abs(ln(L/S)) / s))``
close       above ``1 - Phi(ln(L/S) / s)``, below ``Phi(ln(L/S) / s)``
range       no touch of either edge: :mod:`formulas.floor.barrier`
funding     share of past hourly prints strictly on the called side
relative    a constant of the rule set
==========  ==========================================================

A conditional call has the baseline of its inner call, priced at posting.

Error bounds. Let ``x = ln(L/S)`` be off by ``dx`` and *s* by the relative error
``r``. The density of Phi is below 0.4, and ``z * density(z)`` below 0.242
everywhere, so by the mean value theorem Phi(x/s) moves by less than
``0.4 * dx / s + 0.242 * r``, whatever *x* and *s* are. The code rounds both
constants up to cover that ``s`` itself is known to 1 % only.

Source:
    floor.md section 3; floor-clarifications.md 22-24, 35.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, inf, isfinite, log, sqrt
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import SECOND_MS
from formulas.floor.proved import EPSILON, LIBRARY, Real, ball_of, exactly
from formulas.floor.volatility import LOG_RATIO_ERROR

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from flint import arb

__all__ = ["Direction", "Spread", "close", "funding_share", "log_ratio", "spread", "touch"]

Direction = Literal["above", "below"]

_SMALL: Final = 0.01
_SQRT2: Final = sqrt(2.0)


class Spread(NamedTuple):
    """
    Standard deviation of the log price over a call: value, relative error, sigma, years.

    *still* says that it is exactly 0: no time left, or a price that never moves.
    """

    value: float
    relative: float
    sigma: Real
    years: Fraction
    still: bool

    def ball(self) -> arb:
        """Enclose it at the current working precision."""
        return self.sigma.ball() * ball_of(self.years).sqrt()


def spread(sigma: Real, duration: int, *, year_seconds: int) -> Spread:
    """
    Spread a yearly volatility over the time to the deadline.

    Args:
        sigma: Volatility, a fraction per square root of a year.
        duration: Milliseconds from posting to the deadline.
        year_seconds: Seconds in a year.

    Returns:
        ``sigma * sqrt(T)``.

    Raises:
        FormulaDomainError: *sigma* or *duration* is negative.

    Source:
        floor.md section 3.
    """
    if duration < 0 or (sigma.exact is not None and sigma.exact < 0):
        raise FormulaDomainError("volatility and time to the deadline may not be negative")
    years = Fraction(duration, year_seconds * SECOND_MS)
    value = sigma.value * sqrt(float(years))
    relative = (sigma.error / sigma.value if sigma.value else inf) + 4 * EPSILON
    known = relative if relative < _SMALL and value else inf
    return Spread(value, known, sigma, years, still=not years or sigma.exact == 0)


def log_ratio(level: Decimal, spot: Decimal) -> tuple[float, float]:
    """
    Take ``ln(level / spot)`` in binary64.

    Returns:
        The logarithm and a bound on its error.

    Raises:
        FormulaDomainError: One of them is not positive.
    """
    if not (level > 0 and spot > 0):
        raise FormulaDomainError(f"prices must be positive, were {level} and {spot}")
    distance = log(float(level) / float(spot))
    return distance, LOG_RATIO_ERROR + LIBRARY * abs(distance)


def touch(*, spot: Decimal, level: Decimal, over: Spread) -> Real:
    """
    Probability that the price reaches a level before the deadline.

    Args:
        spot: Price at posting.
        level: The level, on either side of spot.
        over: Standard deviation of the log price over the call.

    Returns:
        A probability; exactly 1 when spot is on the level, and otherwise
        exactly 0 when nothing can move.

    Raises:
        FormulaDomainError: A price is not positive.

    Source:
        floor.md section 3, row "touch".
    """
    distance, error = log_ratio(level, spot)
    if over.still or level == spot:
        return exactly(Fraction(level == spot))

    def ball() -> arb:
        return (abs(_log_ball(level, spot)) / over.ball() / _root2()).erfc()

    return Real(
        value=_tail(abs(distance), over),
        error=2 * _tail_error(error, over),
        ball=ball,
    )


def close(*, spot: Decimal, level: Decimal, direction: Direction, over: Spread) -> Real:
    """
    Probability that the price at the deadline lies on the called side of a level.

    Args:
        spot: Price at posting.
        level: The level.
        direction: Called side.
        over: Standard deviation of the log price over the call.

    Returns:
        A probability; exactly 1/2 when spot is on the level, and otherwise
        exactly 0 or 1 when nothing can move.

    Raises:
        FormulaDomainError: A price is not positive, or nothing can move off the level.

    Source:
        floor.md section 3, row "close, price".
    """
    sign = 1 if direction == "above" else -1
    distance, error = log_ratio(level, spot)
    if over.still:
        if level == spot:
            raise FormulaDomainError("a price that cannot move off the level is on neither side")
        return exactly(Fraction(spot > level if direction == "above" else spot < level))
    if level == spot:
        return exactly(Fraction(1, 2))
    return Real(
        value=_tail(sign * distance, over) / 2,
        error=_tail_error(error, over),
        ball=lambda: (_log_ball(level, spot) * sign / over.ball() / _root2()).erfc() / 2,
    )


def funding_share(prints: Sequence[Decimal], *, level: Decimal, direction: Direction) -> Fraction:
    """
    Share of past funding prints that lie strictly on the called side.

    Args:
        prints: Shape (n_hours,), rates of an hour, in any order.
        level: The rate called.
        direction: Called side; a print on the level is on neither.

    Returns:
        The share, exact.

    Raises:
        FormulaDomainError: There are no prints, so there is no share.

    Source:
        floor.md section 3, row "close, funding".
    """
    if not prints:
        raise FormulaDomainError("no funding prints: their share is undefined")
    above = direction == "above"
    called = sum(1 for rate in prints if (rate > level if above else rate < level))
    return Fraction(called, len(prints))


def _tail(distance: float, over: Spread) -> float:
    """Twice the normal tail beyond *distance*, in standard deviations of *over*."""
    if not isfinite(over.relative):
        return 0.0
    return erfc(distance / over.value / _SQRT2)


def _tail_error(error: float, over: Spread) -> float:
    if not isfinite(over.relative):
        return inf
    return 0.41 * error / over.value + 0.25 * (over.relative + 4 * EPSILON) + LIBRARY


def _log_ball(level: Decimal, spot: Decimal) -> arb:
    return ball_of(Fraction(level) / Fraction(spot)).log()


def _root2() -> arb:
    return ball_of(Fraction(2)).sqrt()
