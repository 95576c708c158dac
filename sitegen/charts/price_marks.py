"""The shapes of a price path; see :mod:`sitegen.charts.price`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.charts.price_model import GAP, MINUTE_MS, PricePath, Stroke, gaps, price_text
from sitegen.charts.svg import WIDTH, circle, clipped, line, number, polyline, rect, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.charts.frame import Frame

__all__ = ["back_marks", "front_marks", "second_marks", "stroke_marks"]

_LETTER: Final = 7.9
_LINE: Final = 18


def back_marks(shown: PricePath, frame: Frame) -> Iterator[str]:
    """Shade the window and the band, behind everything."""
    if shown.window is not None:
        start, end = frame.x(shown.window[0]), frame.x(shown.window[1])
        yield rect(start, frame.top, end - start, frame.bottom - frame.top, "c-window")
    heights = sorted(frame.y(number(level)) for level in shown.levels)
    if shown.band and heights:
        width = frame.right - frame.left
        yield rect(frame.left, heights[0], width, heights[-1] - heights[0], "c-band")
    for y in heights:
        yield line(frame.left, y, frame.right, y, "c-level")


def stroke_marks(strokes: Sequence[Stroke], frame: Frame) -> Iterator[str]:
    """Draw strokes from their low to their high."""
    for stroke in strokes:
        x = (frame.x(stroke.first) + frame.x(stroke.last)) / 2
        low, high = frame.y(number(stroke.low)), frame.y(number(stroke.high))
        if low - high < 1:
            # A minute of one price would be a stroke of no length, which no browser draws.
            low, high = (low + high) / 2 + 0.5, (low + high) / 2 - 0.5
        yield line(x, high, x, low, "c-stroke")


def second_marks(strokes: Sequence[Stroke], frame: Frame, each: int) -> Iterator[str]:
    """Draw the second venue as a line through the middle of its strokes, broken at gaps."""
    runs: list[list[Stroke]] = []
    for stroke in strokes:
        if runs and stroke.first - runs[-1][-1].last <= GAP * each * MINUTE_MS:
            runs[-1].append(stroke)
        else:
            runs.append([stroke])
    for run in runs:
        points = []
        for stroke in run:
            middle = number(stroke.low) / 2 + number(stroke.high) / 2
            points.append(((frame.x(stroke.first) + frame.x(stroke.last)) / 2, frame.y(middle)))
        if len(points) == 1:
            yield circle(*points[0], 1, "c-dot c-muted")
        else:
            yield polyline(points, "c-line c-muted c-thin")


def front_marks(shown: PricePath, frame: Frame) -> Iterator[str]:
    """Draw gaps, verticals, the ring, and all words, before everything."""
    for start, end in gaps(shown.minutes):
        yield line(frame.x(start), frame.bottom, frame.x(end), frame.bottom, "c-gap")
    for at, label, height in ((shown.posted, "posted", 16), (shown.deadline, "deadline", 34)):
        if at is None:
            continue
        x = frame.x(at)
        yield line(x, height + 4, x, frame.bottom, "c-vertical")
        yield text(x, height, label, "c-tick", "start" if x < WIDTH / 2 else "end")
    levels = _level_labels(shown, frame)
    for y, words in levels:
        yield text(frame.right, y, words, "c-label", "end")
    yield from _ring(shown, frame, [_box(frame.right, y, words, "end") for y, words in levels])
    if shown.second_venue is not None and shown.second:
        names = clipped(f"strokes: {shown.venue}; thin line: {shown.second_venue}", 46)
        yield text(WIDTH / 2, frame.height + 14, names, "c-muted-label", "middle")


def _level_labels(shown: PricePath, frame: Frame) -> list[tuple[float, str]]:
    """Place a label over the upper line and one under the lower, or one for both."""
    if not shown.levels:
        return []
    kind = "band" if shown.band else "level"
    lines = sorted((frame.y(number(level)), level) for level in shown.levels)
    (upper, high), (lower, low) = lines[0], lines[-1]
    over = upper - 5 if upper > frame.top + _LINE else None
    under = lower + 17 if lower < frame.bottom - _LINE else None
    if high == low:
        return [(lower + 17 if over is None else over, f"{kind} {price_text(high)}")]
    if lower - upper < 2 * _LINE and (over is None or under is None):
        y = lower + 17 if over is None else over
        return [(y, f"{kind} {price_text(low)} to {price_text(high)}")]
    return [
        (upper + 17 if over is None else over, f"{kind} {price_text(high)}"),
        (lower - 5 if under is None else under, f"{kind} {price_text(low)}"),
    ]


_Box = tuple[float, float, float, float]


def _box(x: float, y: float, words: str, anchor: str) -> _Box:
    width = _LETTER * len(words)
    left = x if anchor == "start" else x - width
    return left, y - 12, left + width, y + 4


def _apart(one: _Box, other: _Box) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def _ring(shown: PricePath, frame: Frame, taken: Sequence[_Box]) -> Iterator[str]:
    if shown.decided is None:
        return
    x, y = frame.x(shown.decided.at), frame.y(number(shown.decided.price))
    yield circle(x, y, 6, "c-ring")
    words = clipped(f"{shown.decided.label} {price_text(shown.decided.price)}", 34)
    anchor = "start" if x < WIDTH / 2 else "end"
    heights = [
        height
        for step in range(6)
        for height in (y + 24 + step * _LINE, y - 14 - step * _LINE)
        if frame.top + 12 <= height <= frame.bottom - 4
    ]
    boxes = [(height, _box(x, height, words.unescape(), anchor)) for height in heights]
    free = [height for height, box in boxes if all(_apart(box, other) for other in taken)]
    yield text(x, next(iter(free or heights), y), words, "c-label c-end", anchor)
