"""
The price that decided a call: minutes, the level or band, the window, and the moment.

A minute is a stroke from its low to its high. When there are more minutes than
can be told apart, as many as needed share one stroke from the least low to the
greatest high among them, and the description says how many; no extreme is lost.
Minutes that are not in the record have no stroke, and where three or more are
missing in a row the empty stretch is marked at the foot of the plot. The second
venue is one thin line through the middle of each stroke. The window in which
prices count is shaded; posting and deadline are verticals; the minute that
decided has a ring at the price that decided.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sitegen.charts.frame import Frame, time_axis
from sitegen.charts.svg import (
    WIDTH,
    Column,
    checked_id,
    circle,
    clipped,
    data_table,
    figure,
    line,
    nothing,
    number,
    polyline,
    rect,
    short,
    text,
)
from sitegen.numbers import Number, integer, plain, utc
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

__all__ = ["Candle", "Decided", "PricePath", "price_path"]

_MINUTE_MS: Final = 60_000
_STROKES: Final = 150
_GAP: Final = 3
_MOST_ROWS: Final = 500


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
class _Stroke:
    first: int
    last: int
    low: Number
    high: Number
    minutes: int


def _strokes(minutes: Sequence[Candle], start: int, each: int) -> list[_Stroke]:
    made: list[_Stroke] = []
    slot = None
    for minute in minutes:
        mine = (minute.at - start) // (each * _MINUTE_MS)
        if mine == slot:
            last = made[-1]
            made[-1] = _Stroke(
                last.first,
                minute.at,
                min(last.low, minute.low),
                max(last.high, minute.high),
                last.minutes + 1,
            )
        else:
            made.append(_Stroke(minute.at, minute.at, minute.low, minute.high, 1))
            slot = mine
    return made


def _checked(minutes: Sequence[Candle], venue: str) -> None:
    before = None
    for minute in minutes:
        if number(minute.low) > number(minute.high):
            raise SiteError(f"a minute of {venue[:40]} has its low above its high")
        if before is not None and minute.at <= before:
            raise SiteError(f"the minutes of {venue[:40]} are not in order")
        before = minute.at


def _gaps(minutes: Sequence[Candle]) -> list[tuple[int, int]]:
    return [
        (before.at + _MINUTE_MS, after.at)
        for before, after in pairwise(minutes)
        if after.at - before.at > _GAP * _MINUTE_MS
    ]


def price_path(chart: str, shown: PricePath, *, title: str = "Price path") -> Markup:
    """
    Draw the prices of a call.

    Args:
        chart: Its id, unique on the page.
        shown: The call and its prices.
        title: One line.

    Raises:
        SiteError: A price is not finite, minutes are not in order, or a low is above its high.
    """
    checked_id(chart)
    _checked(shown.minutes, shown.venue)
    _checked(shown.second, shown.second_venue or "the second venue")
    if not shown.minutes and not shown.second:
        return nothing(
            chart, "price", title, f"There is no minute of {shown.venue} in the evidence."
        )
    marks = [at for at in (*(shown.window or ()), shown.posted, shown.deadline) if at is not None]
    if shown.decided is not None:
        marks.append(shown.decided.at)
    times = [*marks, *(minute.at for minute in (*shown.minutes, *shown.second))]
    prices = [number(level) for level in shown.levels]
    prices += [
        number(end)
        for minute in (*shown.minutes, *shown.second)
        for end in (minute.low, minute.high)
    ]
    if shown.decided is not None:
        prices.append(number(shown.decided.price))
    first, last = min(times), max(times)
    frame = Frame.fit(min(prices), max(prices), first=first, last=last, height=300, top=46)
    each = max(1, -(-((last - first) // _MINUTE_MS + 1) // _STROKES))
    strokes = _strokes(shown.minutes, first, each)
    second = _strokes(shown.second, first, each)
    body = [
        _window(shown, frame),
        frame.axes(),
        *_levels(shown, frame),
        *(_line_of(run, frame) for run in _runs(second, each)),
        *(_stroke(stroke, frame) for stroke in strokes),
        *_missing(_gaps(shown.minutes), frame),
        *_verticals(shown, frame),
        *_ring(shown.decided, frame),
        *_names(shown, frame),
        time_axis(frame, first, last),
    ]
    return figure(
        chart,
        kind="price",
        height=frame.height + (20 if shown.second else 0),
        body="".join(body),
        title=title,
        description=_description(shown, each),
        table=_table(shown, strokes, title, each),
    )


def _window(shown: PricePath, frame: Frame) -> str:
    if shown.window is None:
        return ""
    start, end = frame.x(shown.window[0]), frame.x(shown.window[1])
    return rect(start, frame.top, end - start, frame.bottom - frame.top, "c-window")


def _levels(shown: PricePath, frame: Frame) -> Iterable[str]:
    heights = sorted(frame.y(number(level)) for level in shown.levels)
    if shown.band and len(heights) > 1:
        yield rect(
            frame.left, heights[0], frame.right - frame.left, heights[-1] - heights[0], "c-band"
        )
    for level in shown.levels:
        y = frame.y(number(level))
        yield line(frame.left, y, frame.right, y, "c-level")
        over = y - 5 if y > frame.top + 20 else y + 17
        yield text(
            frame.right,
            over,
            f"{'band' if shown.band else 'level'} {_price(level)}",
            "c-label",
            "end",
        )


def _stroke(stroke: _Stroke, frame: Frame) -> str:
    x = (frame.x(stroke.first) + frame.x(stroke.last)) / 2
    low, high = frame.y(number(stroke.low)), frame.y(number(stroke.high))
    if low - high < 1:
        # A minute of one price would be a stroke of no length, which no browser draws.
        low, high = (low + high) / 2 + 0.5, (low + high) / 2 - 0.5
    return line(x, high, x, low, "c-stroke")


def _runs(strokes: Sequence[_Stroke], each: int) -> list[list[_Stroke]]:
    runs: list[list[_Stroke]] = []
    for stroke in strokes:
        if runs and stroke.first - runs[-1][-1].last <= _GAP * each * _MINUTE_MS:
            runs[-1].append(stroke)
        else:
            runs.append([stroke])
    return runs


def _line_of(run: Sequence[_Stroke], frame: Frame) -> str:
    points = []
    for stroke in run:
        middle = number(stroke.low) / 2 + number(stroke.high) / 2
        points.append(((frame.x(stroke.first) + frame.x(stroke.last)) / 2, frame.y(middle)))
    if len(points) == 1:
        return circle(*points[0], 1, "c-dot c-muted")
    return polyline(points, "c-line c-muted c-thin")


def _missing(gaps: Iterable[tuple[int, int]], frame: Frame) -> Iterable[str]:
    for start, end in gaps:
        yield line(frame.x(start), frame.bottom, frame.x(end), frame.bottom, "c-gap")


def _verticals(shown: PricePath, frame: Frame) -> Iterable[str]:
    for at, label, y in ((shown.posted, "posted", 16), (shown.deadline, "deadline", 34)):
        if at is None:
            continue
        x = frame.x(at)
        yield line(x, y + 4, x, frame.bottom, "c-vertical")
        anchor = "start" if x < WIDTH / 2 else "end"
        yield text(x, y, label, "c-tick", anchor)


def _ring(decided: Decided | None, frame: Frame) -> Iterable[str]:
    if decided is None:
        return
    x, y = frame.x(decided.at), frame.y(number(decided.price))
    yield circle(x, y, 6, "c-ring")
    below = y + 24 if y + 24 < frame.bottom else y - 14
    anchor = "start" if x < WIDTH / 2 else "end"
    yield text(x, below, f"{decided.label} {_price(decided.price)}", "c-label c-end", anchor)


def _names(shown: PricePath, frame: Frame) -> Iterable[str]:
    if shown.second_venue is None or not shown.second:
        return
    names = f"strokes: {shown.venue}; thin line: {shown.second_venue}"
    yield text(WIDTH / 2, frame.height + 14, clipped(names, 46), "c-muted-label", "middle")


def _price(price: Number) -> str:
    if isinstance(price, Decimal):
        whole, point, rest = plain(price).partition(".")
        return f"{int(whole):,}{point}{rest}" if abs(price) >= 1000 else plain(price)
    return short(price)


def _description(shown: PricePath, each: int) -> str:
    said = [f"{integer(len(shown.minutes))} minutes of {shown.venue} as strokes from low to high"]
    if each > 1:
        said[0] += (
            f", thinned: up to {each} minutes share one stroke, from their least "
            "low to their greatest high"
        )
    if shown.minutes:
        low = min(shown.minutes, key=lambda minute: number(minute.low))
        high = max(shown.minutes, key=lambda minute: number(minute.high))
        said.append(
            f"The least price is {_price(low.low)} at {utc(low.at)}, "
            f"the greatest {_price(high.high)} at {utc(high.at)}"
        )
    if shown.levels:
        ends = " to ".join(_price(level) for level in shown.levels)
        said.append(f"The {'band' if shown.band else 'level'} is {ends}")
    if shown.window is not None:
        said.append(f"Prices count from {utc(shown.window[0])} to {utc(shown.window[1])}, shaded")
    if shown.posted is not None:
        said.append(f"Posted {utc(shown.posted)}")
    if shown.deadline is not None:
        said.append(f"Deadline {utc(shown.deadline)}")
    said.append(
        "No minute decided it"
        if shown.decided is None
        else f"Decided in the minute of {utc(shown.decided.at)}, ringed: "
        f"{shown.decided.label} {_price(shown.decided.price)}"
    )
    if shown.second_venue is not None:
        said.append(f"{integer(len(shown.second))} minutes of {shown.second_venue} as a thin line")
    gaps = _gaps(shown.minutes)
    if gaps:
        missing = sum((end - start) // _MINUTE_MS for start, end in gaps)
        said.append(
            f"{len(gaps)} {'gap' if len(gaps) == 1 else 'gaps'} of three or more minutes, "
            f"{integer(missing)} minutes in all, marked at the foot"
        )
    return ". ".join(said) + "."


def _table(shown: PricePath, strokes: Sequence[_Stroke], title: str, each: int) -> Markup:
    rows: list[_Stroke] = list(strokes)
    caption = f"{title}: {shown.venue}, one row for each stroke"
    if each > 1 and len(shown.minutes) <= _MOST_ROWS:
        rows = [
            _Stroke(minute.at, minute.at, minute.low, minute.high, 1) for minute in shown.minutes
        ]
        caption = f"{title}: {shown.venue}, one row for each minute"
    return data_table(
        caption,
        [Column("From", numeric=False), Column("Minutes"), Column("Low"), Column("High")],
        [[utc(row.first), integer(row.minutes), plain(row.low), plain(row.high)] for row in rows],
    )
