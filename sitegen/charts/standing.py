"""
A standing over time, with the last value at the end of its line.

Points are joined by steps, since a standing changes when a call settles and at
no other moment. Long series are thinned by :func:`sitegen.charts.svg.thinned`,
which keeps the least and greatest of each slice, and the description says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.frame import Frame, end_label, time_axis
from sitegen.charts.svg import circle, coord, line, number, path, short, thinned
from sitegen.numbers import Number, fixed, integer, utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["StandingPoint", "standing_line"]

_KEPT = 240


@dataclass(frozen=True, slots=True)
class StandingPoint:
    """
    A standing at a moment.

    Args:
        at: Milliseconds since 1970, UTC.
        value: Points.
        note: What changed it, such as the outcome of a call; shown in the table of data.
    """

    at: int
    value: Number
    note: str = ""


def standing_line(
    chart: str,
    series: Sequence[StandingPoint],
    *,
    title: str = "Standing over time",
    unit: str = "points",
    places: int = 4,
) -> Markup:
    """
    Draw a standing as steps.

    Args:
        chart: Its id, unique on the page.
        series: Oldest first.
        title: One line.
        unit: Of the values.
        places: Decimals of the values, as published.

    Raises:
        SiteError: A value is not finite, or a time is none.
    """
    checked_id(chart)
    if not series:
        return nothing(chart, "standing", title, "No call has settled, so there is no standing.")
    values = [number(point.value) for point in series]
    said = partial(fixed, places=places)
    low, high = min(0.0, *values), max(0.0, *values)
    frame = Frame.fit(low, high, first=series[0].at, last=series[-1].at)
    kept = thinned([(point.at, value) for point, value in zip(series, values, strict=True)], _KEPT)
    curve = [(frame.x(at), frame.y(value)) for at, value in kept]
    steps = [f"M{coord(curve[0][0])} {coord(curve[0][1])}"]
    steps += [f"H{coord(x)}V{coord(y)}" for x, y in curve[1:]]
    body = [
        frame.axes(),
        line(frame.left, frame.y(0), frame.right, frame.y(0), "c-axis"),
        path("".join(steps), "c-line c-accent"),
        circle(*curve[-1], 3.5, "c-dot c-accent"),
        end_label(frame, curve, said(values[-1]) if abs(values[-1]) < 1e9 else short(values[-1])),
        time_axis(frame, series[0].at, series[-1].at),
    ]
    least = min(range(len(values)), key=values.__getitem__)
    greatest = max(range(len(values)), key=values.__getitem__)
    description = (
        f"{integer(len(series))} values in {unit} from {utc(series[0].at)} to "
        f"{utc(series[-1].at)}. The last is {said(values[-1])}, the least "
        f"{said(values[least])} on {utc(series[least].at)}, the greatest "
        f"{said(values[greatest])} on {utc(series[greatest].at)}."
    )
    if len(kept) < len(series):
        description += (
            f" Drawn from {integer(len(kept))} of them: of every slice of time its first, least, "
            "greatest and last."
        )
    columns = [Column("Time", numeric=False), Column(unit.capitalize())]
    noted = any(point.note for point in series)
    if noted:
        columns.append(Column("Note", numeric=False))
    rows = [
        [utc(point.at), said(value), *([point.note or "none"] if noted else [])]
        for point, value in zip(series, values, strict=True)
    ]
    return figure(
        chart,
        kind="standing",
        height=frame.height,
        body="".join(body),
        title=title,
        description=description,
        table=data_table(title, columns, rows),
    )
