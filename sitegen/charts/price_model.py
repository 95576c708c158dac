"""The prices of a call, checked, and thinned into strokes; see :mod:`sitegen.charts.price`."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sitegen.charts.svg import number, short
from sitegen.numbers import Number, plain
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "GAP",
    "MINUTE_MS",
    "Candle",
    "Decided",
    "PricePath",
    "Stroke",
    "check_minutes",
    "gaps",
    "price_text",
    "strokes",
]

MINUTE_MS: Final = 60_000
GAP: Final = 3
"""Minutes that are missing in a row before it is called a gap."""


@dataclass(frozen=True, slots=True)
class Candle:
    """
    One minute of a venue.

    Args:
        at: Its first millisecond since 1970, UTC.
        low: Least price.
        high: Greatest price.
    """

    at: int
    low: Number
    high: Number


@dataclass(frozen=True, slots=True)
class Decided:
    """
    The moment that decided a call.

    Args:
        at: First millisecond of the deciding minute.
        price: The price that decided.
        label: In a word or two, such as ``touched``.
    """

    at: int
    price: Number
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePath:
    """
    What a call was about, and what happened.

    Args:
        venue: Name of the venue whose minutes are drawn as strokes.
        minutes: Its minutes, in order.
        levels: The level, or the two ends of the band.
        band: Whether the two levels are a band, whose inside is shaded.
        window: First and last millisecond in which prices count.
        posted: When the call was posted, milliseconds.
        deadline: When it had to be decided, milliseconds.
        decided: The deciding moment; None when nothing decided it.
        second_venue: Name of the venue that had to agree.
        second: Its minutes, in order.
    """

    venue: str
    minutes: Sequence[Candle]
    levels: Sequence[Number] = ()
    band: bool = False
    window: tuple[int, int] | None = None
    posted: int | None = None
    deadline: int | None = None
    decided: Decided | None = None
    second_venue: str | None = None
    second: Sequence[Candle] = field(default=())


@dataclass(frozen=True, slots=True)
class Stroke:
    """
    What is drawn as one stroke.

    Args:
        first: First millisecond of its first minute.
        last: First millisecond of its last minute.
        low: Least low of its minutes.
        high: Greatest high.
        minutes: How many there are.
    """

    first: int
    last: int
    low: Number
    high: Number
    minutes: int


def strokes(minutes: Sequence[Candle], start: int, each: int) -> list[Stroke]:
    """Let so many minutes, counted from *start*, share one stroke."""
    made: list[Stroke] = []
    slot = None
    for minute in minutes:
        mine = (minute.at - start) // (each * MINUTE_MS)
        if mine == slot:
            last = made[-1]
            made[-1] = Stroke(
                last.first,
                minute.at,
                min(last.low, minute.low),
                max(last.high, minute.high),
                last.minutes + 1,
            )
        else:
            made.append(Stroke(minute.at, minute.at, minute.low, minute.high, 1))
            slot = mine
    return made


def check_minutes(minutes: Sequence[Candle], venue: str) -> None:
    """
    Check that minutes can be drawn.

    Raises:
        SiteError: A price is not finite, minutes are not in order, or a low is above its high.
    """
    before = None
    for minute in minutes:
        if number(minute.low) > number(minute.high):
            raise SiteError(f"a minute of {venue[:40]} has its low above its high")
        if before is not None and minute.at <= before:
            raise SiteError(f"the minutes of {venue[:40]} are not in order")
        before = minute.at


def gaps(minutes: Sequence[Candle]) -> list[tuple[int, int]]:
    """Find where minutes are missing: first millisecond, and the first after."""
    return [
        (before.at + MINUTE_MS, after.at)
        for before, after in pairwise(minutes)
        if after.at - before.at > GAP * MINUTE_MS
    ]


def price_text(price: Number) -> str:
    """Write a price: the digits of a Decimal, four significant ones of a double."""
    if isinstance(price, Decimal):
        whole, point, rest = plain(price).partition(".")
        return f"{int(whole):,}{point}{rest}" if abs(price) >= 1000 else plain(price)
    return short(price)
