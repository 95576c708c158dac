"""
Proved decimals: the correct rounding of a real number, not an approximation of it.

A published number is the rounding of the *exact* value of a formula. A
binary64 result almost always shows which decimal that is, and sometimes does
not: when it lies so near a rounding boundary (half a unit of the last decimal)
that its own error could carry it across. So every formula returns a
:class:`Real`, which knows its number in three ways:

1. ``value`` and ``error``: binary64, with a bound on its distance from the
   truth. If no boundary lies in ``value ± error``, the decimal is decided.
2. ``ball``: an interval that encloses the truth, by ball arithmetic
   (python-flint), at any precision. The precision is doubled until the
   interval excludes the boundary.
3. ``exact``: the fraction, where the value is rational. Only a rational can
   lie *on* a boundary, and there no precision would ever decide.

The error bounds take it that the C library's ``log``, ``log2``, ``exp``,
``exp2``, ``sin``, ``erfc`` and scipy's ``erfc`` are within 32 units in the
last place (the usual libraries are within 4) of the true function at the
argument they are given.

Ball arithmetic rather than a multi-precision library: its enclosures are
theorems, while a value computed to so many digits is only believed to be near.

Source:
    floor.md section 1, "exact real value"; floor-clarifications.md 35.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, inf, isfinite
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import round_half_away, scaled

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal
    from fractions import Fraction

    from flint import arb

__all__ = [
    "EPSILON",
    "FIRST_BITS",
    "LAST_BITS",
    "LIBRARY",
    "Real",
    "ball_of",
    "decimal",
    "exactly",
    "nearest",
]

EPSILON: Final = 2.0**-53
LIBRARY: Final = 32 * 2 * EPSILON  # 32 units in the last place, relative

FIRST_BITS: Final = 96
# A fuse, not a tolerance: decimals of 100 characters cannot bring a value that
# is off a boundary within 2**-65536 of it, short of a coincidence that would
# itself be news. Past it we refuse to decide rather than hang.
LAST_BITS: Final = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Real:
    """
    A real number, known well enough to be rounded correctly.

    Attributes:
        value: Binary64 approximation; may be anything if *error* is infinite.
        error: Bound on ``abs(value - truth)``.
        ball: Encloses the truth at flint's current working precision, and
            narrows to it as the precision grows.
        exact: The truth, if it is known to be rational.
    """

    value: float
    error: float
    ball: Callable[[], arb]
    exact: Fraction | None = None


def ball_of(value: Fraction) -> arb:
    """Enclose a fraction at the current working precision."""
    from flint import arb, fmpz  # noqa: PLC0415  # heavy, and seldom needed

    return arb(fmpz(value.numerator)) / arb(fmpz(value.denominator))


def exactly(value: Fraction) -> Real:
    """
    Make a real number of a fraction.

    >>> from fractions import Fraction
    >>> decimal(exactly(Fraction(1, 3)), 4)
    Decimal('0.3333')
    """
    size = nearest(value)
    return Real(value=size, error=abs(size) * 2 * EPSILON, ball=lambda: ball_of(value), exact=value)


def nearest(value: Fraction) -> float:
    """
    Give the binary64 nearest to a fraction, infinite where it is beyond all of them.

    >>> from fractions import Fraction
    >>> nearest(Fraction(10) ** 400)
    inf
    """
    try:
        return float(value)
    except OverflowError:
        return inf if value > 0 else -inf


def decimal(real: Real, places: int) -> Decimal:
    """
    Round a real number half away from zero, provably.

    Args:
        real: The number.
        places: Decimals to keep.

    Returns:
        The decimal nearest to the truth; zero has no sign.

    Raises:
        FormulaDomainError: Undecided at 65,536 bits.

    Source:
        floor-clarifications.md 35.
    """
    if real.exact is not None:
        return round_half_away(real.exact, places)
    units = _units_by_float(real, 10**places)
    if units is None:
        units = _units_by_balls(real.ball, 10**places)
    return scaled(units, places)


def _units_by_float(real: Real, scale: int) -> int | None:
    size = abs(real.value) * scale
    margin = real.error * scale + size * 4 * EPSILON
    # Above 2**52 a binary64 has no half left to compare with.
    if not (isfinite(margin) and size < 2.0**52):
        return None
    units = floor(size + 0.5)
    if abs(size - floor(size) - 0.5) <= margin:
        return None
    return -units if real.value < 0 else units


def _units_by_balls(ball: Callable[[], arb], scale: int) -> int:
    from flint import arb, ctx  # noqa: PLC0415  # heavy, and seldom needed

    bits = FIRST_BITS
    while bits <= LAST_BITS:
        with ctx.workprec(bits):
            size = ball() * scale
            negative = bool(size < 0)
            whole = ((-size if negative else size) + arb(0.5)).floor().unique_fmpz()
            if whole is not None:
                return -int(whole) if negative else int(whole)
        bits *= 2
    raise FormulaDomainError(f"undecided at {LAST_BITS} bits: too near a rounding boundary")
