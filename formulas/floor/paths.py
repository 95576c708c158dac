"""
Paths: what the evidence says about a source, minute by minute or hour by hour.

A path holds rows, and the spans of starts that its responses *cover*. Of a
start that is needed:

* a row is there: it counts, whether or not a response covers the start;
* covered, no row: the candle or print is *missing* (the venue was silent);
* not covered, no row: nobody asked, so nothing can be said. It is *unseen*,
  and whatever needs it is unproven.

The *value at time t* is the close of the latest candle that ends at or before
*t*, unless it ends longer than the greatest age before *t*.

Source:
    floor.md section 4; floor-clarifications.md 12, 13.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from formulas.floor.primitives import HOUR_MS, MINUTE_MS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

__all__ = ["Candle", "CandlePath", "FundingPath", "Slice", "Span", "Value", "join_spans"]


class Candle(NamedTuple):
    """One candle; *start* in ms, prices in dollars, volume in the base coin."""

    start: int
    open: Decimal
    high: Decimal
    low: Decimal
    close: Decimal
    volume: Decimal


class Span(NamedTuple):
    """Starts from *first* to *last*, both included, in ms."""

    first: int
    last: int


class Value(NamedTuple):
    """Value at a time: None is a gap; *unseen* is the start that nobody asked for."""

    value: Decimal | None
    unseen: int | None = None


class Slice(NamedTuple):
    """Candles of a window: *longest* run of missing starts, *unseen* the first unseen start."""

    candles: Sequence[Candle]
    longest: int
    unseen: int | None


def join_spans(spans: Sequence[Span], step: int) -> tuple[Span, ...]:
    """
    Join spans that overlap or follow each other without a hole.

    Args:
        spans: Any spans on one grid; empty ones (first > last) are dropped.
        step: Distance of neighbouring starts, ms.

    Returns:
        The same starts in ascending spans with a hole between each two.
    """
    joined: list[Span] = []
    for span in sorted(span for span in spans if span.first <= span.last):
        if joined and span.first <= joined[-1].last + step:
            joined[-1] = Span(joined[-1].first, max(joined[-1].last, span.last))
        else:
            joined.append(span)
    return tuple(joined)


@dataclass(frozen=True, slots=True)
class CandlePath:
    """
    Candles of one source and interval.

    Attributes:
        candles: Ascending by start, one a start.
        covered: Ascending spans, as :func:`join_spans` leaves them.
        step: The interval, ms.
    """

    candles: tuple[Candle, ...] = ()
    covered: tuple[Span, ...] = ()
    step: int = MINUTE_MS
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Kept beside the candles, since every look-up bisects it.
        object.__setattr__(self, "starts", tuple(candle.start for candle in self.candles))

    def at(self, start: int) -> Candle | None:
        """Give the candle of that start, if there is one."""
        index = bisect_left(self.starts, start)
        found = index < len(self.starts) and self.starts[index] == start
        return self.candles[index] if found else None

    def covers(self, start: int) -> bool:
        """Tell whether a response would have held the candle of that start."""
        return _covers(self.covered, start)

    def value_at(self, at: int, *, max_age: int) -> Value:
        """
        Value at a time.

        Args:
            at: The time, ms, on the grid or not.
            max_age: Greatest distance from the candle's end to *at*, ms.

        Returns:
            The close of the latest candle that ended by then; no value if the
            venue was silent for longer; or the start that the evidence lacks.

        Source:
            floor.md section 4; floor-clarifications.md 13.
        """
        start = at // self.step * self.step - self.step
        while start + self.step + max_age >= at:
            candle = self.at(start)
            if candle is not None:
                return Value(candle.close)
            if not self.covers(start):
                return Value(None, start)
            start -= self.step
        return Value(None)

    def window(self, first: int, end: int) -> Slice:
        """
        Candles that lie wholly inside a stretch of time.

        Args:
            first: Beginning, ms; a candle that starts earlier is left out.
            end: End, ms; a candle that ends later is left out.

        Returns:
            The candles, with the longest run of missing ones, edges included.

        Source:
            floor.md section 4, "window of a call" and "gap".
        """
        first = -(-first // self.step) * self.step
        stop = end // self.step * self.step
        if stop <= first:
            return Slice((), 0, None)
        low, high = bisect_left(self.starts, first), bisect_left(self.starts, stop)
        candles = self.candles[low:high]
        if len(candles) == (stop - first) // self.step:
            return Slice(candles, 0, None)
        edges = (first - self.step, *self.starts[low:high], stop)
        longest = 0
        unseen = None
        for before, after in pairwise(edges):
            missing = (after - before) // self.step - 1
            if not missing:
                continue
            longest = max(longest, missing)
            if unseen is None:
                span = Span(before + self.step, after - self.step)
                unseen = _unseen(self.covered, span, self.step)
        return Slice(candles, longest, unseen)


@dataclass(frozen=True, slots=True)
class FundingPath:
    """
    Hourly funding prints of one coin, each named by its hour.

    Attributes:
        prints: Rate by the ms at which its hour begins.
        covered: Ascending spans of hours, as :func:`join_spans` leaves them.
    """

    prints: dict[int, Decimal] = field(default_factory=dict)
    covered: tuple[Span, ...] = ()

    def unseen(self, first: int, last: int) -> int | None:
        """Give the first hour of a stretch, both ends included, that nobody asked for."""
        for hour in range(first, last + HOUR_MS, HOUR_MS):
            if hour not in self.prints and not _covers(self.covered, hour):
                return hour
        return None


def _covers(covered: tuple[Span, ...], start: int) -> bool:
    index = bisect_left(covered, (start + 1,)) - 1
    return index >= 0 and covered[index].last >= start


def _unseen(covered: tuple[Span, ...], wanted: Span, step: int) -> int | None:
    # Steps over whole spans, so a deadline in a far century costs nothing.
    start = wanted.first
    while start <= wanted.last:
        index = bisect_left(covered, (start + 1,)) - 1
        if index < 0 or covered[index].last < start:
            return start
        start = covered[index].last + step
    return None
