"""
Reading a venue's body: strict JSON whose numbers keep their decimal text.

Stricter than the standard library's reader: a duplicate member, ``NaN``,
``Infinity``, a byte order mark, bytes that are not UTF-8 and nesting that
exhausts the reader are all refused. A number with a fraction becomes a
``Decimal`` of the digits as they stand; a float would have lost them. A number
with an exponent is no decimal of the Floor and becomes :class:`Scientific`,
which no price is read from.

Source:
    floor-clarifications.md 10, 41; venues/README.md, traps 1, 20, 21.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NoReturn

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import MAX_DECIMAL, parse_decimal
from verifier.venues.exchange import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formulas.floor.paths import Candle

__all__ = [
    "Scientific",
    "check_candle",
    "check_status",
    "number_decimal",
    "number_volume",
    "read_body",
    "sane",
    "text_decimal",
    "unique",
    "whole",
]

_SANE_FROM: Final = 1_000_000_000_000  # 2001, and 13 digits: seconds are not mistaken for ms
_SANE_UNTIL: Final = 10_000_000_000_000  # 2286
_TOO_LONG: Final = 10**100
_SCIENTIFIC: Final = re.compile("[eE]")


class Scientific(str):
    """Text of a JSON number that was written with an exponent."""

    __slots__ = ()


def check_status(status: int) -> None:
    """
    Refuse an answer that is not a plain success.

    Raises:
        RefusedError: As ``rate-limited`` or ``status``.
    """
    if status == 429:
        raise RefusedError("rate-limited", "status 429: asked too often")
    if status != 200:
        raise RefusedError("status", f"status {status}")


def read_body(content: bytes) -> object:
    """
    Read a body.

    Args:
        content: The bytes as received.

    Returns:
        The JSON value, fractions as ``Decimal``.

    Raises:
        RefusedError: As ``json``.
    """
    try:
        return json.loads(
            content.decode(),
            parse_float=_number,
            parse_constant=_constant,
            object_pairs_hook=_object,
        )
    except UnicodeDecodeError as problem:
        raise RefusedError("json", f"not UTF-8 at byte {problem.start}") from problem
    except json.JSONDecodeError as problem:
        raise RefusedError("json", f"{problem.msg} at character {problem.pos}") from problem
    except RecursionError as problem:
        raise RefusedError("json", "nested too deeply") from problem
    except ValueError as problem:  # an integer of thousands of digits
        raise RefusedError("json", "a number too long to read") from problem


def text_decimal(value: object) -> Decimal:
    """
    Take a price, rate or volume from a decimal string.

    Raises:
        RefusedError: As ``price``.
    """
    if type(value) is not str:
        raise RefusedError("price", f"no decimal string: {str(value)[:40]!r}")
    try:
        return _decimal(value)
    except FormulaDomainError as problem:
        raise RefusedError("price", str(problem)) from problem


def number_decimal(value: object) -> Decimal:
    """
    Take a price from a JSON number without exponent.

    Raises:
        RefusedError: As ``price``.
    """
    if type(value) is Decimal:
        return value
    if type(value) is int and abs(value) < _TOO_LONG:
        return Decimal(value)
    raise RefusedError("price", f"no short JSON number without exponent: {str(value)[:40]!r}")


def number_volume(value: object) -> Decimal:
    """
    Take a volume from a JSON number; nothing is decided by it, so it may have an exponent.

    Raises:
        RefusedError: As ``price``.
    """
    if not isinstance(value, Scientific):
        return number_decimal(value)
    try:
        volume = Decimal(value) if len(value) <= MAX_DECIMAL else None
    except ArithmeticError:
        volume = None
    # Written out in full, a few bytes such as 1e999999999 would fill the memory.
    if volume is None or abs(volume.adjusted()) > MAX_DECIMAL:
        raise RefusedError("price", "a volume too long to read")
    return volume


def whole(value: object, name: str) -> int:
    """
    Take a JSON integer.

    Raises:
        RefusedError: As ``shape``.
    """
    # True is an int in Python, but its type is another.
    if type(value) is not int:
        raise RefusedError("shape", f"{name} is no integer: {str(value)[:40]!r}")
    return value


def check_candle(row: Candle, step: int) -> None:
    """
    Refuse a candle whose parts contradict each other.

    Args:
        row: The candle.
        step: Interval, ms.

    Raises:
        RefusedError: As ``time`` or ``price``.

    Source:
        floor-clarifications.md 41.
    """
    if row.start % step:
        raise RefusedError("time", f"open time {row.start} is off the grid of {step} ms")
    sane(row.start)
    _, opened, high, low, closed, _ = row
    if not (low <= opened <= high and low <= closed <= high):
        raise RefusedError("price", f"candle {row.start}: open or close outside low and high")


def sane(time: int) -> None:
    """
    Refuse a time that is no millisecond of our centuries.

    Raises:
        RefusedError: As ``time``.
    """
    if not _SANE_FROM <= time < _SANE_UNTIL:
        raise RefusedError("time", f"{str(time)[:40]} is no time in milliseconds since 1970")


def unique(rows: Iterable[tuple[Candle, int]]) -> list[tuple[Candle, int]]:
    """
    Sort candles by start, count identical ones once.

    Args:
        rows: Candles with the number of their trades.

    Raises:
        RefusedError: As ``conflict``.

    Source:
        floor-clarifications.md 41.
    """
    kept: dict[int, tuple[Candle, int]] = {}
    for row in rows:
        if kept.setdefault(row[0].start, row) != row:
            raise RefusedError("conflict", f"candle {row[0].start} twice with different values")
    return [kept[start] for start in sorted(kept)]


# Prices repeat, within a candle and from one to the next: a value is kept once.
_decimal = lru_cache(maxsize=65_536)(parse_decimal)


def _number(text: str) -> Decimal | Scientific:
    # A long one is not kept, or a few bodies of one number each would fill the memory.
    return _short_number(text) if len(text) <= MAX_DECIMAL else Scientific(text)


@lru_cache(maxsize=65_536)
def _short_number(text: str) -> Decimal | Scientific:
    return Scientific(text) if _SCIENTIFIC.search(text) else Decimal(text)


def _constant(text: str) -> NoReturn:
    raise RefusedError("json", f"{text} is no JSON number")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise RefusedError("json", "a member stands twice in one object")
    return members
