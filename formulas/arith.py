"""
Arithmetic shared by the published formulas, each operation in one fixed order.

Everything is IEEE-754 binary64 and every operation is rounded on its own. A
sum runs from left to right from zero, so none of the built-in ``sum`` (which
compensates from Python 3.12), ``math.fsum`` or ``numpy.sum`` may stand in for
it: they give other last bits.

Number text follows Go's ``strconv.ParseFloat``, which is what ARCANA's engine
reads its numeric columns with:

* an optional sign; decimal digits with an optional point, where one side of
  the point may be empty; an optional ``e`` exponent;
* or ``0x`` and hexadecimal digits in the same way, where a ``p`` exponent in
  decimal digits is required;
* single underscores between digits, and one directly after ``0x``;
* or ``Inf`` and ``Infinity`` with an optional sign, or ``NaN`` without one,
  in any case.

No blanks, no commas, no digits other than ASCII's. The value is the double
nearest to the whole text, ties to even.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "clamp01",
    "parse_float",
    "parse_floats",
    "population_stdev",
    "round1",
    "round_half_away",
    "same_double",
    "sum_in_order",
]

_DIGITS: Final = "[0-9](?:_?[0-9])*"
_HEX_DIGITS: Final = "[0-9a-f](?:_?[0-9a-f])*"
_DECIMAL: Final = re.compile(
    rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:e[+-]?{_DIGITS})?",
    re.ASCII | re.IGNORECASE,
)
_HEXADECIMAL: Final = re.compile(
    rf"[+-]?0x(?:_?{_HEX_DIGITS}(?:\.(?:{_HEX_DIGITS})?)?|\.{_HEX_DIGITS})p[+-]?{_DIGITS}",
    re.ASCII | re.IGNORECASE,
)
# A column of numeric(20,2), which is all that real rows hold.
_COLUMN: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{2}(?:\n-?[0-9]{1,18}\.[0-9]{2})*")
_NAMED: Final = re.compile("[+-]?inf(?:inity)?|nan", re.ASCII | re.IGNORECASE)


def parse_float(text: str) -> float:
    """
    Read the text of a number as ARCANA's engine reads a numeric column.

    Text that is not a number counts as 0, and so does a number too large for
    a double: the engine ignores the error that both give.

    Args:
        text: Any text.

    Returns:
        The nearest double; an infinity or NaN only where the text names one.

    Source:
        ARCANA scoring, number text to double.

    >>> parse_float("10_000.50"), parse_float("0x1.8p1"), parse_float(" 1"), parse_float("1e400")
    (10000.5, 3.0, 0.0, 0.0)
    """
    if _DECIMAL.fullmatch(text):
        value = float(text)
        return 0.0 if math.isinf(value) else value
    if _HEXADECIMAL.fullmatch(text):
        try:
            return float.fromhex(text.replace("_", ""))
        except OverflowError:
            return 0.0
    return float(text) if _NAMED.fullmatch(text) else 0.0


def parse_floats(texts: Sequence[str]) -> list[float]:
    """
    Read many numbers with :func:`parse_float`.

    >>> parse_floats(["100.25", "x", "1e2"])
    [100.25, 0.0, 100.0]
    """
    column = "\n".join(texts)
    # The count makes sure that each line is one of the texts, so that none of
    # them brought a newline of its own.
    if _COLUMN.fullmatch(column) and column.count("\n") == len(texts) - 1:
        return list(map(float, texts))
    return list(map(parse_float, texts))


def round_half_away(x: float, decimals: int) -> float:
    """
    Round to *decimals* places: scale up, round halves away from zero, scale down.

    Both scalings are rounded operations and part of the rule, so 0.15 (which is
    a little less than 0.15) gives 0.2. Only the rounding between them is exact.

    Args:
        x: Any double; infinities and NaN come back as they are.
        decimals: Number of decimal places, 0 or more.

    Source:
        ARCANA scoring, ``Round(v * 10) / 10``.

    >>> round_half_away(80.45, 1), round_half_away(-0.25, 1), round_half_away(2.5, 0)
    (80.5, -0.3, 3.0)
    """
    scale = 10.0**decimals
    # Splitting is exact, where adding 0.5 would not be: for the double just
    # below 0.5 the sum rounds up to 1.
    fraction, whole = math.modf(x * scale)
    if abs(fraction) >= 0.5:
        whole += math.copysign(1.0, fraction)
    return whole / scale


def round1(x: float) -> float:
    """
    Round to one decimal place with :func:`round_half_away`.

    >>> round1(99.95), round1(0.049999999999999996)
    (100.0, 0.0)
    """
    return round_half_away(x, 1)


def clamp01(x: float) -> float:
    """
    Bring *x* into [0, 1]; NaN passes through.

    >>> clamp01(-0.5), clamp01(0.25), clamp01(7)
    (0.0, 0.25, 1.0)
    """
    if x < 0:
        return 0.0
    if x > 1:
        return 1.0
    return x


def sum_in_order(values: Iterable[float]) -> float:
    """
    Add from left to right, starting at 0, rounding after each addition.

    >>> sum_in_order([0.1] * 10)
    0.9999999999999999
    """
    total = 0.0
    for value in values:
        total += value
    return total


def population_stdev(values: Sequence[float], mean: float) -> float:
    """
    Take the population standard deviation about a mean that was computed before.

    The second of two passes: the squared differences are added in order and
    divided by their number, then the square root is taken.

    Args:
        values: At least one double.
        mean: Their mean, as the formula computes it.

    >>> population_stdev([1.0, 3.0], 2.0)
    1.0
    """
    squares = 0.0
    for value in values:
        difference = value - mean
        squares += difference * difference
    return math.sqrt(squares / len(values))


def same_double(a: float, b: float) -> bool:
    """
    Say whether two doubles are the same one: 0 is not -0, and NaN is NaN.

    >>> same_double(0.0, -0.0), same_double(math.nan, math.nan), same_double(0.3, 0.1 + 0.2)
    (False, True, False)
    """
    if a == b:
        return a != 0 or math.copysign(1.0, a) == math.copysign(1.0, b)
    return math.isnan(a) and math.isnan(b)
