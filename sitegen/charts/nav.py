"""
A portfolio's value over time, with what it had lost from its peak shaded.

The curve is the NAV at each tick. The shaded area lies between the curve and the
highest value so far; its deepest point, as a share of that peak, is the largest
drawdown. Long series are thinned as :func:`sitegen.charts.svg.thinned` says; the
peak is taken before that, from every value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.frame import Frame, end_label, time_axis
from sitegen.charts.svg import circle, coord, number, path, polyline, short, thinned
from sitegen.numbers import Number, fixed, integer, plain, utc
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["NavPoint", "nav_curve"]

_KEPT: Final = 360


@dataclass(frozen=True, slots=True)
class NavPoint:
    """
    The value of a portfolio at a moment.

    Args:
        at: Milliseconds since 1970, UTC.
        nav: Net asset value.
    """

    at: int
    nav: Number


def nav_curve(
    chart: str,
    series: Sequence[NavPoint],
    *,
    title: str = "Net asset value",
    unit: str = "",
    most_rows: int = 500,
) -> Markup:
    """
    Draw the value of a portfolio.

    Args:
        chart: Its id, unique on the page.
        series: Oldest first.
        title: One line.
        unit: Of the values, if they have one.
        most_rows: Rows of the table of data; the description says when there are more values.

    Raises:
        SiteError: A value is not finite, or times do not ascend.
    """
    checked_id(chart)
    if not series:
        return nothing(chart, "nav", title, "There is no snapshot with a value.")
    values = [number(point.nav) for point in series]
    if any(after.at < before.at for before, after in pairwise(series)):
        raise SiteError("the values of a curve are not in the order of time")
    peaks: list[float] = []
    for value in values:
        peaks.append(max(value, peaks[-1]) if peaks else value)
    losses = [
        (peak - value) / peak if peak > 0 else 0.0
        for peak, value in zip(peaks, values, strict=True)
    ]
    deepest = max(range(len(values)), key=losses.__getitem__)
    frame = Frame.fit(min(values), max(values), first=series[0].at, last=series[-1].at)
    kept = thinned([(index, value) for index, value in enumerate(values)], _KEPT)
    curve = [(frame.x(series[index].at), frame.y(value)) for index, value in kept]
    tops = [(frame.x(series[index].at), frame.y(peaks[index])) for index, _ in kept]
    area = "M" + "L".join(f"{coord(x)} {coord(y)}" for x, y in [*curve, *reversed(tops)]) + "Z"
    written = short(values[-1])
    of_unit = f" {unit}" if unit else ""
    body = [
        frame.axes(),
        path(area, "c-band c-drawdown"),
        polyline(curve, "c-line c-accent"),
        circle(*curve[-1], 3.5, "c-dot c-accent"),
        end_label(frame, curve, f"{written}{of_unit}"),
    ]
    if losses[deepest] > 0:
        at = frame.x(series[deepest].at), frame.y(values[deepest])
        body.append(circle(*at, 4.5, "c-ring"))
    body.append(time_axis(frame, series[0].at, series[-1].at))
    description = (
        f"{integer(len(series))} values from {utc(series[0].at)} to {utc(series[-1].at)}: first "
        f"{short(values[0])}, last {written}, least {short(min(values))}, greatest "
        f"{short(max(values))}{of_unit}. "
    )
    description += (
        "Shaded: the loss from the highest value before. The largest is "
        f"{fixed(100 * losses[deepest], 2)}% on {utc(series[deepest].at)}, ringed."
        if losses[deepest] > 0
        else "It is never below a value before."
    )
    if len(kept) < len(series):
        description += f" Drawn from {integer(len(kept))} values, extremes kept."
    shown = sorted({index for index, _ in kept}) if len(series) > most_rows else range(len(series))
    return figure(
        chart,
        kind="nav",
        height=frame.height,
        body="".join(body),
        title=title,
        description=description,
        table=data_table(
            title if len(series) <= most_rows else f"{title}: the values that are drawn",
            [Column("Time", numeric=False), Column(unit or "Value"), Column("Below its peak")],
            [
                [
                    utc(series[index].at),
                    plain(series[index].nav),
                    f"{fixed(100 * losses[index], 4)}%",
                ]
                for index in shown
            ],
        ),
    )
