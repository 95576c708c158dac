"""
Numbers as the site writes them, the same on every machine.

* Points have four decimals, as published. Other decimals are written plainly:
  the shortest text that reads back as the same double.
* No number of a table has an exponent. One that is shown rounded and would read as 0
  keeps two digits, and the whole value stands in its title. The axis of a chart may
  have one, where there is no room for so many digits.
* Probabilities are percent with one decimal; the exact value is in the title.
* Whole numbers are grouped by comma, times are UTC, durations are in words.
* Minus zero is written as zero.
* What is not known is a dash with its reason: never 0, never blank, never ``None``.
* NaN and infinity are refused before anything is built.

Nothing here asks the locale, the clock or the time zone.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final, TypeAlias

from markupsafe import Markup, escape

from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "GLOBALS",
    "Number",
    "checked",
    "count",
    "dash",
    "duration",
    "exact",
    "fixed",
    "integer",
    "iso",
    "percent",
    "plain",
    "points",
    "small",
    "spelled",
    "utc",
]

Number: TypeAlias = int | float | Decimal

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_RFC3339: Final = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)\Z", re.ASCII
)
_EXPONENT: Final = re.compile(r"(?<![\w.])-?\d{1,20}(?:\.\d{1,20})?[eE][-+]\d{1,3}(?!\w)", re.ASCII)
# No published number needs more digits; a hostile exponent would fill the memory.
_PLACES: Final = 1100
_BITS: Final = 3600


def checked(value: Number, what: str = "a number of a page") -> Number:
    """
    Take a number that a page may show.

    Args:
        value: The number.
        what: How the message names it.

    Raises:
        SiteError: It is NaN or infinite, is a truth value, or has a hostile exponent.
    """
    if isinstance(value, bool):
        raise SiteError(f"{what} is {value}, which is not a number")
    if isinstance(value, int):
        if value.bit_length() > _BITS:
            raise SiteError(f"{what} has more digits than a page may show")
        return value
    if not math.isfinite(value):
        raise SiteError(f"{what} is {value}, which no page may show")
    if isinstance(value, Decimal) and (
        abs(value.adjusted()) > _PLACES or len(value.as_tuple().digits) > _PLACES
    ):
        raise SiteError(f"{what} has more digits than a page may show")
    return value


def fixed(value: Number, places: int) -> str:
    """
    Write a number with so many decimals, rounded half to even from its exact value.

    Raises:
        SiteError: It is not finite.

    >>> fixed(0.125, 2), fixed(-0.001, 2), fixed(Decimal("2.50"), 1)
    ('0.12', '0.00', '2.5')
    """
    value = checked(value)
    # Formatting an int goes by way of a double, which rounds.
    written = format(Decimal(value) if isinstance(value, int) else value, f".{places}f")
    return written if written.strip("-0.") else written.removeprefix("-")


def small(value: Number, places: int) -> str:
    """
    Write a number with so many decimals, or with more where it would read as zero.

    A number that is not 0 keeps its first two significant digits, without an exponent: on
    which side of 0 the end of an interval lies decides a verdict.

    Raises:
        SiteError: It is not finite.

    >>> small(2.54e-5, 4), small(0.95128, 4), small(0.0, 4), small(-6.06e-16, 4)
    ('0.000025', '0.9513', '0.0000', '-0.00000000000000061')
    """
    written = fixed(value, places)
    if written.strip("-0.") or not value:
        return written
    # The text says where the first digit is; the digits are rounded from the value itself.
    first = Decimal(plain(value)).adjusted()
    return fixed(value, 1 - first)


def points(value: Number) -> str:
    """
    Write points, with their four decimals.

    >>> points(12.34567), points(-0.0)
    ('12.3457', '0.0000')
    """
    return fixed(value, 4)


def plain(value: Number | str) -> str:
    """
    Write a number so that it reads back as itself, without an exponent.

    Args:
        value: A number, or the text of one as a publisher wrote it.

    Raises:
        SiteError: It is not finite, or not a number.

    >>> plain(1e-7), plain(-0.0), plain(0.1), plain("1E+3"), plain(3)
    ('0.0000001', '0.0', '0.1', '1000', '3')
    """
    if isinstance(value, str):
        try:
            number: Number = Decimal(value)
        except InvalidOperation as error:
            raise SiteError(f"not a number: {value[:40]!r}") from error
    else:
        number = value
    number = checked(number)
    if isinstance(number, float):
        number = Decimal(repr(number))
    written = str(number) if isinstance(number, int) else format(number, "f")
    return written if written.strip("-0.") else written.removeprefix("-")


def spelled(text: str) -> str:
    """
    Write the numbers of a text that have an exponent without it.

    >>> spelled("off by -6.4e-08"), spelled("3dc90635e66, 1.5")
    ('off by -0.000000064', '3dc90635e66, 1.5')
    """
    return _EXPONENT.sub(lambda found: plain(found[0]), text)


def exact(value: Number) -> str:
    """
    Write the exact value of a double in decimal, which may be long.

    >>> exact(0.5), exact(Decimal("0.10"))
    ('0.5', '0.10')
    """
    return plain(Decimal(checked(value)))


def percent(value: Number, places: int = 1) -> Markup:
    """
    Write a probability or a share as percent, with the value as published in the title.

    >>> percent(0.61234)
    Markup('<span title="0.61234">61.2%</span>')
    """
    # A double times 100 may round; the decimal that it was published as does not.
    hundredfold = Decimal(plain(value)) * 100
    return Markup('<span title="{}">{}%</span>').format(plain(value), fixed(hundredfold, places))


def integer(value: int) -> str:
    """
    Write a whole number, in groups of three digits.

    >>> integer(2992), integer(-1234567)
    ('2,992', '-1,234,567')
    """
    return f"{int(checked(value)):,d}"


def count(number: int, one: str, many: str | None = None) -> str:
    """
    Count things in words.

    Args:
        number: How many.
        one: What one of them is called.
        many: What several are called; with an ``s`` where it is not given.

    >>> count(1, "agent"), count(2992, "input"), count(2, "entry", "entries")
    ('1 agent', '2,992 inputs', '2 entries')
    """
    return f"{integer(number)} {one if number == 1 else many or f'{one}s'}"


def dash(reason: str) -> Markup:
    """
    Write a dash for what is not known, with its reason for everyone.

    Raises:
        SiteError: There is no reason.
    """
    if not reason.strip():
        raise SiteError("a dash needs its reason")
    said = escape(reason)
    return Markup(
        '<span class="dash" title="{0}"><span aria-hidden="true">—</span>'
        '<span class="visually-hidden">{0}</span></span>'
    ).format(said)


def _moment(value: int | str) -> datetime:
    if isinstance(value, str):
        match = _RFC3339.match(value)
        if match is None:
            raise SiteError(f"not a time in UTC: {value[:40]!r}")
        fraction = (match[3] or "").ljust(6, "0")[:6]
        try:
            return datetime.fromisoformat(f"{match[1]}T{match[2]}.{fraction}+00:00")
        except ValueError as error:
            raise SiteError(f"not a time in UTC: {value[:40]!r}") from error
    try:
        return _EPOCH + timedelta(milliseconds=checked_int(value))
    except OverflowError as error:
        raise SiteError(f"not a time of this calendar: {value} ms") from error


def checked_int(value: int) -> int:
    """Take a whole number that is no truth value."""
    return int(checked(value, "a time"))


def iso(value: int | str) -> str:
    """
    Write a time for machines: RFC 3339 in UTC, with milliseconds where there are any.

    Args:
        value: Milliseconds since 1970, or RFC 3339 in UTC.

    Raises:
        SiteError: It is neither.

    >>> iso(1793714400000), iso("2026-11-03T14:00:00.5Z")
    ('2026-11-03T14:00:00Z', '2026-11-03T14:00:00.500Z')
    """
    moment = _moment(value)
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    clock = f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
    thousandths = moment.microsecond // 1000
    return f"{day}T{clock}{f'.{thousandths:03}' if thousandths else ''}Z"


def utc(value: int | str) -> str:
    """
    Write a time for readers; see :func:`iso` for what is taken.

    >>> utc(1793714400000)
    '2026-11-03 14:00:00 UTC'
    """
    return iso(value).replace("T", " ").replace("Z", " UTC")


def duration(milliseconds: int) -> str:
    """
    Write a length of time in its two largest units.

    >>> duration(93_600_000), duration(1500), duration(0)
    ('1 d 2 h', '1.5 s', '0 s')
    """
    if checked_int(milliseconds) < 0:
        return f"-{duration(-milliseconds)}"
    seconds = milliseconds // 1000
    if seconds < 60:
        return f"{plain(Decimal(milliseconds) / 1000)} s"
    parts: list[tuple[int, str]] = []
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        count, seconds = divmod(seconds, size)
        if count or parts:
            parts.append((count, unit))
    return " ".join(f"{integer(count)} {unit}" for count, unit in parts[:2] if count)


GLOBALS: Final[Mapping[str, object]] = {
    "count": count,
    "dash": dash,
    "duration": duration,
    "exact": exact,
    "fixed": fixed,
    "integer": integer,
    "iso": iso,
    "percent": percent,
    "plain": plain,
    "points": points,
    "small": small,
    "spelled": spelled,
    "utc": utc,
}
"""What a template may call."""
