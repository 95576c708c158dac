"""
Ranked values with their intervals, such as the deflated Sharpe ratios of a board.

One row for each entry, in the order of the board: its name, a whisker from the
low to the high end of its interval, and a dot at its value. Entries that the
board cannot tell apart share a bracket at the right. A value that a double
cannot tell from the end of its axis is saturated: its dot is an open diamond,
and the row says so, since a tie there is one of arithmetic and not of skill.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import WIDTH, Scale, circle, clipped, coord, line, number, path, short, text
from sitegen.numbers import Number, fixed, plain
from sitegen.text import shown
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Whisker", "whiskers"]

_ROW: Final = 44
_RIGHT: Final = WIDTH - 22
_LETTERS: Final = 24


@dataclass(frozen=True, slots=True)
class Whisker:
    """
    One entry of a board.

    Args:
        label: Its name; hostile text.
        point: Its value; None when it has none.
        low: Low end of its interval; None when it has no interval.
        high: High end.
        path: The page it leads to, from the root of the site.
        saturated: Whether the value lies at the end of the axis to within a double.
        note: Why it has no value or interval, for the table of data.
    """

    label: str
    point: Number | None
    low: Number | None = None
    high: Number | None = None
    path: str | None = None
    saturated: bool = False
    note: str = ""


def whiskers(  # noqa: PLR0913 - what a board has on one page
    chart: str,
    rows: Sequence[Whisker],
    *,
    ties: Sequence[tuple[int, int]] = (),
    axis: tuple[float, float] = (0.0, 1.0),
    title: str = "Deflated Sharpe ratio",
    interval: str = "interval",
    href: Callable[[str], str] | None = None,
) -> Markup:
    """
    Draw values and their intervals.

    Args:
        chart: Its id, unique on the page.
        rows: In the order of the board.
        ties: First and last row, from 0, of each group that the board does not tell apart.
        axis: Least and greatest value of the axis.
        title: One line.
        interval: What the interval is, such as ``bootstrap 95% interval``.
        href: Turns the path of an entry into an address, for the table of data.

    Raises:
        SiteError: A number is not finite, a low end is above its high end, a tie names no rows.
    """
    checked_id(chart)
    if not rows:
        return nothing(chart, "whiskers", title, "The board has no entries.")
    x = Scale(number(axis[0]), number(axis[1]), 6, _RIGHT)
    bottom = _ROW * len(rows) + 6
    body = []
    for tick in (axis[0], (axis[0] + axis[1]) / 2, axis[1]):
        anchor = "start" if tick == axis[0] else "end" if tick == axis[1] else "middle"
        body.append(line(x(tick), 2, x(tick), bottom, "c-grid"))
        body.append(text(x(tick), bottom + 18, short(tick), "c-tick", anchor))
    cells = []
    for index, row in enumerate(rows):
        body.append(_row(row, index * _ROW, x))
        cells.append(_cells(row, href))
    for first, last in ties:
        if not 0 <= first < last < len(rows):
            raise SiteError(f"a group of ties names rows {first} to {last} of {len(rows)}")
        top, end = first * _ROW + 8, last * _ROW + _ROW - 4
        body.append(path(f"M{coord(_RIGHT + 9)} {top}h7V{end}h-7", "c-bracket"))
    drawn = sum(1 for row in rows if row.point is not None)
    description = (
        f"{len(rows)} entries in the order of the board, {drawn} of them with a value, "
        f"on an axis from {short(axis[0])} to {short(axis[1])}. "
        f"Lines are the {interval} of each value."
    )
    if ties:
        description += f" {len(ties)} {_plural(len(ties), 'bracket')} at the right: not told apart."
    saturated = sum(1 for row in rows if row.saturated)
    if saturated:
        description += (
            f" {saturated} {_plural(saturated, 'value')} drawn as open diamonds: "
            "saturated, that is, at the end of the axis to within a double."
        )
    return figure(
        chart,
        kind="whiskers",
        height=bottom + 24,
        body="".join(body),
        title=title,
        description=description,
        table=data_table(
            title,
            [
                Column("Entry", numeric=False),
                Column("Value"),
                Column("Low"),
                Column("High"),
                Column("Note", numeric=False),
            ],
            cells,
        ),
    )


def _row(row: Whisker, top: float, x: Scale) -> str:
    y = top + 31
    drawn = [text(6, top + 20, clipped(row.label, _LETTERS), "c-label")]
    if row.low is not None and row.high is not None:
        low, high = number(row.low), number(row.high)
        if low > high:
            raise SiteError(f"an interval reaches from {low} down to {high}")
        drawn.append(line(x(low), y, x(high), y, "c-whisker"))
        drawn += [line(x(end), y - 4, x(end), y + 4, "c-whisker") for end in (low, high)]
    if row.point is None:
        drawn.append(text(_RIGHT, top + 20, "— no value", "c-tick", "end"))
        return "".join(drawn)
    at = x(number(row.point))
    written = fixed(row.point, 4)
    drawn.append(
        text(
            _RIGHT, top + 20, f"{written} saturated" if row.saturated else written, "c-tick", "end"
        )
    )
    if row.saturated:
        drawn.append(path(f"M{coord(at - 6)} {coord(y)}l6 -6l6 6l-6 6Z", "c-ring"))
    else:
        drawn.append(circle(at, y, 4.5, "c-dot c-accent"))
    return "".join(drawn)


def _cells(row: Whisker, href: Callable[[str], str] | None) -> list[str | Markup]:
    name: str | Markup = row.label
    if row.path is not None and href is not None:
        name = Markup('<a href="{}">{}</a>').format(href(row.path), escape(shown(row.label)))
    return [
        name,
        "—" if row.point is None else plain(row.point),
        "—" if row.low is None else plain(row.low),
        "—" if row.high is None else plain(row.high),
        row.note or ("saturated" if row.saturated else "none"),
    ]


def _plural(count: int, word: str) -> str:
    return word if count == 1 else f"{word}s"
