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

from typing import TYPE_CHECKING, Final

from sitegen.charts.figure import checked_id, figure, nothing
from sitegen.charts.frame import Frame, time_axis
from sitegen.charts.price_marks import back_marks, front_marks, second_marks, stroke_marks
from sitegen.charts.price_model import (
    MINUTE_MS,
    Candle,
    Decided,
    PricePath,
    check_minutes,
    strokes,
)
from sitegen.charts.price_words import path_description, path_table
from sitegen.charts.svg import number

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["Candle", "Decided", "PricePath", "price_path"]

_STROKES: Final = 150


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
    check_minutes(shown.minutes, shown.venue)
    check_minutes(shown.second, shown.second_venue or "the second venue")
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
    each = max(1, -(-((last - first) // MINUTE_MS + 1) // _STROKES))
    drawn = strokes(shown.minutes, first, each)
    second = strokes(shown.second, first, each)
    body = [
        *back_marks(shown, frame),
        frame.axes(),
        *second_marks(second, frame, each),
        *stroke_marks(drawn, frame),
        *front_marks(shown, frame),
        time_axis(frame, first, last),
    ]
    return figure(
        chart,
        kind="price",
        height=frame.height + (20 if shown.second else 0),
        body="".join(body),
        title=title,
        description=path_description(shown, each),
        table=path_table(shown, drawn, second, title),
    )
