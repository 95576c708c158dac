r"""
Range baseline: a driftless Brownian motion that touches neither of two barriers.

With the distances ``up = ln(high/S)`` and ``down = ln(S/low)``, the width
``w = up + down`` and the standard deviation *s* of the log price over the call,
the probability to stay strictly inside has two series:

images
    ``1 - sum (-1)**j * 2 * [Q((up + j*w)/s) + Q((down + j*w)/s)]``, j = 0, 1, …,
    Q being the normal tail: the path that hits the upper edge, less the one
    that hits upper then lower, and so on (reflection principle). Good for
    ``s/w`` small.
eigenfunctions
    ``sum 4/(n*pi) * sin(n*pi*down/w) * exp(-(n*pi*s/w)**2 / 2)``, n = 1, 3, 5, …
    Good for ``s/w`` large, where the images cancel.

Both are exact; each is used where a handful of terms leaves a remainder far
below the last bit. With balls, terms are added until the next is below the
working precision and the remainder is added to the radius.

Error bounds, with *d* the error of a distance and *r* the relative error of *s*.
Images: all tails together move by less than ``4*d/s + 3*r`` (density and
``z*density(z)`` of the normal law, summed over terms that are at least ``1/0.6``
apart). Eigenfunctions: ``n*pi*down/w`` moves by at most ``3*n*pi*d/w``, against
the factor ``4/(n*pi)`` that is ``12*d/w`` a term, and the exponentials add up to
less than 0.2; a relative change of ``s/w`` moves the sum by less than itself.
The code rounds up.

Source:
    floor.md section 3, row "range"; floor-clarifications.md 35.
"""

from __future__ import annotations

from fractions import Fraction
from math import erfc, exp, inf, isfinite, pi, sin, sqrt
from typing import TYPE_CHECKING, Final

from formulas.floor.baseline import Spread, log_ratio
from formulas.floor.proved import EPSILON, LIBRARY, Real, ball_of, exactly

if TYPE_CHECKING:
    from decimal import Decimal

    from flint import arb

__all__ = ["eigenfunctions", "images", "stay"]

_SQRT2: Final = sqrt(2.0)

# Where the series change hands, and how many terms then leave a remainder
# below 1e-17: the 8th image lies beyond 8/0.6 = 13 deviations, the fifth odd
# eigenfunction has exp(-(9*pi*0.6)**2/2) < 1e-62.
_CROSSOVER: Final = 0.6
_IMAGES: Final = 8
_ODD: Final = (1, 3, 5, 7)


def stay(*, spot: Decimal, low: Decimal, high: Decimal, over: Spread) -> Real:
    """
    Probability that the price stays strictly inside a range until the deadline.

    Args:
        spot: Price at posting.
        low: Lower edge.
        high: Upper edge.
        over: Standard deviation of the log price over the call.

    Returns:
        A probability; exactly 0 when spot is not strictly inside (a print on an
        edge is outside), and otherwise exactly 1 when nothing can move.

    Raises:
        FormulaDomainError: A price is not positive.

    Source:
        floor.md section 3, row "range".
    """
    up, error_up = log_ratio(high, spot)
    down, error_down = log_ratio(spot, low)
    inside = low < spot < high
    if over.still or not inside:
        return exactly(Fraction(inside))
    error = max(error_up, error_down)
    width = up + down

    def ball() -> arb:
        above = ball_of(Fraction(high) / Fraction(spot)).log()
        below = ball_of(Fraction(spot) / Fraction(low)).log()
        deviation = over.ball()
        ratio = float((deviation / (above + below)).mid())
        # A ratio that is no number yet, at too low a precision, takes either road.
        if ratio > _CROSSOVER:
            return _eigenfunctions_ball(below, above + below, deviation)
        return _images_ball(above, below, deviation)

    if not (isfinite(over.relative) and error < 0.01 * width):
        return Real(value=0.0, error=inf, ball=ball)
    relative = over.relative + 8 * EPSILON
    if over.value > _CROSSOVER * width:
        value = eigenfunctions(down, width, over.value)
        bound = 12 * error / width + 4 * relative + 4 * LIBRARY
    else:
        value = images(up, down, over.value)
        bound = 5 * error / over.value + 4 * relative + 4 * LIBRARY
    return Real(value=value, error=bound, ball=ball)


def images(up: float, down: float, deviation: float) -> float:
    """
    Sum the image series in binary64, smallest terms first.

    Args:
        up: Distance to the upper barrier, above 0.
        down: Distance to the lower barrier, above 0.
        deviation: Standard deviation of the motion.

    Returns:
        The probability to touch neither; meant for ``deviation <= 0.6 * (up + down)``.
    """
    width = up + down
    leave = 0.0
    for j in reversed(range(_IMAGES)):
        tails = erfc((up + j * width) / deviation / _SQRT2)
        tails += erfc((down + j * width) / deviation / _SQRT2)
        leave += -tails if j % 2 else tails
    return 1.0 - leave


def eigenfunctions(down: float, width: float, deviation: float) -> float:
    """
    Sum the eigenfunction series in binary64, smallest terms first.

    Args:
        down: Distance to the lower barrier, above 0.
        width: Distance between the barriers.
        deviation: Standard deviation of the motion.

    Returns:
        The probability to touch neither; meant for ``deviation > 0.6 * width``.
    """
    rate = (pi * deviation / width) ** 2 / 2
    total = 0.0
    for n in reversed(_ODD):
        total += 4 / (n * pi) * sin(n * pi * down / width) * exp(-n * n * rate)
    return total


def _images_ball(up: arb, down: arb, deviation: arb) -> arb:
    from flint import arb, ctx  # noqa: PLC0415  # heavy, and seldom needed

    width = up + down
    unit = deviation * arb(2).sqrt()
    leave = arb(0)
    smallest = arb(2) ** -ctx.prec
    j = 0
    while True:
        tails = ((up + width * j) / unit).erfc() + ((down + width * j) / unit).erfc()
        # Alternating and decreasing: the remainder is smaller than its first term.
        if not tails > smallest:
            return 1 - leave + arb(0, tails.abs_upper())
        leave += -tails if j % 2 else tails
        j += 1


def _eigenfunctions_ball(down: arb, width: arb, deviation: arb) -> arb:
    from flint import arb, ctx  # noqa: PLC0415  # heavy, and seldom needed

    rate = (arb.pi() * deviation / width) ** 2 / 2
    place = down / width
    total = arb(0)
    smallest = arb(2) ** -ctx.prec
    n = 1
    while True:
        size = (-rate * (n * n)).exp()
        # The factors 4/(n*pi) and sin are below 1.3 and 1; exponentials of the
        # squares of odd numbers fall faster than a series of ratio 1/2.
        if not size > smallest:
            return total + arb(0, (size * 3).abs_upper())
        total += arb(4) / n / arb.pi() * (place * n).sin_pi() * size
        n += 2
