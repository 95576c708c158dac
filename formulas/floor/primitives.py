r"""
The Floor's primitive values: decimals, times and rounding.

* A price, level, margin or rate is a decimal string
  ``-?(0|[1-9][0-9]*)(\.[0-9]+)?``: no exponent, no sign but minus, no space.
  It is compared as an exact decimal, never as a float.
* A time is RFC 3339 UTC to the second, ``2026-11-03T14:05:00Z``; inside the
  formulas it is an integer of milliseconds since 1970.
* Rounding is half away from zero, of the exact value.

Python's decimal *comparisons* are exact, its arithmetic is not (28 digits by
default). So decimals are compared as they are, and whatever needs arithmetic
goes through :class:`fractions.Fraction`.

Source:
    floor.md section 1; floor-clarifications.md 4, 21.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "DAY_MS",
    "HOUR_MS",
    "MAX_DECIMAL",
    "MINUTE_MS",
    "SECOND_MS",
    "as_written",
    "format_time",
    "parse_decimal",
    "parse_time",
    "plain",
    "round_half_away",
    "scaled",
]

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60 * SECOND_MS
HOUR_MS: Final = 60 * MINUTE_MS
DAY_MS: Final = 24 * HOUR_MS

# The longest decimal of any venue has 20 characters. Without a limit one
# hostile price could cost minutes of exact arithmetic.
MAX_DECIMAL: Final = 100

# [0-9], since \d would also take the digits of other scripts.
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def parse_decimal(text: str) -> Decimal:
    """
    Read a decimal string, keeping every digit.

    Args:
        text: The string as it stands in the record, at most 100 characters.

    Returns:
        The decimal, with the digits that were written.

    Raises:
        FormulaDomainError: *text* is not spelled as a decimal of the Floor.

    Source:
        floor.md section 1.

    >>> parse_decimal("204.50")
    Decimal('204.50')
    """
    if len(text) > MAX_DECIMAL or not _DECIMAL.fullmatch(text):
        raise FormulaDomainError(f"not a decimal: {text[:MAX_DECIMAL]!r}")
    return Decimal(text)


def as_written(number: float) -> Decimal:
    """
    Give back the decimal that stands in canonical JSON for a number.

    Canonical JSON writes the shortest digits that lead back to the same
    binary64, and so does Python's ``repr``.

    Args:
        number: A finite JSON number.

    Returns:
        The decimal as written, so 0.55 is 55/100 and not its binary neighbour.

    Raises:
        FormulaDomainError: *number* is not finite.

    >>> as_written(0.55)
    Decimal('0.55')
    """
    value = Decimal(repr(number))
    if not value.is_finite():
        raise FormulaDomainError(f"not a finite number: {number!r}")
    return value


def plain(value: Decimal) -> str:
    """
    Write a decimal without exponent, trailing zeros or minus zero.

    Args:
        value: Any finite decimal.

    Source:
        floor-clarifications.md 21.

    >>> plain(Decimal("62010.0")), plain(Decimal("-0.00"))
    ('62010', '0')
    """
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def parse_time(text: str) -> int:
    """
    Read a time of the Floor.

    Args:
        text: RFC 3339, UTC as ``Z``, whole seconds.

    Returns:
        Milliseconds since 1970-01-01T00:00:00Z.

    Raises:
        FormulaDomainError: *text* is spelled otherwise, or is no such instant.

    Source:
        floor.md section 1.

    >>> parse_time("1970-01-01T00:01:00Z")
    60000
    """
    if not _TIME.fullmatch(text):
        raise FormulaDomainError(f"not a UTC time to the second: {text[:40]!r}")
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as problem:
        raise FormulaDomainError(f"no such time: {text!r}") from problem
    if instant.year < 1970:
        raise FormulaDomainError(f"a time before 1970: {text!r}")
    return int(instant.timestamp()) * SECOND_MS


def format_time(at: int) -> str:
    """
    Write a time of the Floor.

    Args:
        at: Milliseconds since 1970, a whole second.

    Returns:
        RFC 3339, UTC, to the second.

    Raises:
        FormulaDomainError: *at* is no whole second.

    >>> format_time(60_000)
    '1970-01-01T00:01:00Z'
    """
    seconds, rest = divmod(at, SECOND_MS)
    if rest:
        raise FormulaDomainError(f"not a whole second: {at} ms")
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def scaled(units: int, places: int) -> Decimal:
    """
    Make the decimal ``units / 10**places``, exactly.

    >>> scaled(-12345, 4)
    Decimal('-1.2345')
    """
    return Decimal((units < 0, tuple(map(int, str(abs(units)))), -places))


def round_half_away(value: Fraction, places: int) -> Decimal:
    """
    Round an exact value half away from zero.

    Args:
        value: The exact value.
        places: Decimals to keep, 0 or more.

    Returns:
        The rounded decimal; zero has no sign.

    Source:
        floor.md section 1, "rounding".

    >>> from fractions import Fraction
    >>> round_half_away(Fraction(-1, 8), 2)
    Decimal('-0.13')
    """
    numerator = abs(value.numerator) * 10**places
    units = (2 * numerator + value.denominator) // (2 * value.denominator)
    return scaled(-units if value < 0 else units, places)
