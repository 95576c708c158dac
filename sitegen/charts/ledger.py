"""
The hours of a ledger as cells, a row for each day: stronger for more entries.

Five steps of colour, by the square root of the share of the fullest hour, so
that a single entry can be told from none. An hour without entries is outlined,
and hours outside the record are not drawn. Each cell leads to its hour. Since
links inside an image cannot be reached, this drawing is a group and not an
image; the same links stand, larger, in the table of data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import WIDTH, rect, text
from sitegen.numbers import count, integer, iso, utc
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Hour", "ledger_strip"]

_HOUR_MS: Final = 3_600_000
_LEFT: Final = 48
_CELL: Final = (WIDTH - _LEFT - 2) / 24
_STEPS: Final = 5


@dataclass(frozen=True, slots=True)
class Hour:
    """
    One hour of the ledger.

    Args:
        at: Its first millisecond since 1970, UTC.
        entries: How many entries it holds.
        path: Its page, from the root of the site; None for an hour without one.
    """

    at: int
    entries: int
    path: str | None = None


def ledger_strip(
    chart: str,
    hours: Sequence[Hour],
    *,
    href: Callable[[str], str],
    title: str = "The ledger, hour by hour",
) -> Markup:
    """
    Draw the hours of a ledger.

    Args:
        chart: Its id, unique on the page.
        hours: In order, each once.
        href: Turns the path of an hour into an address from this page.
        title: One line.

    Raises:
        SiteError: A time is not that of an hour, hours are not in order, or a count is negative.
    """
    checked_id(chart)
    if not hours:
        return nothing(chart, "ledger", title, "The ledger has no hours.")
    if any(hour.at % _HOUR_MS or hour.entries < 0 for hour in hours):
        raise SiteError("an hour of the ledger does not begin on the hour, or has a negative count")
    if any(after.at <= before.at for before, after in pairwise(hours)):
        raise SiteError("the hours of the ledger are not in order")
    days: dict[str, int] = {}
    for hour in hours:
        days.setdefault(iso(hour.at)[:10], len(days))
    most = max(hour.entries for hour in hours)
    body = [text(_LEFT + _CELL * clock, 14, f"{clock:02}", "c-tick") for clock in (0, 6, 12, 18)]
    body += [
        text(0, 20 + _CELL * row + _CELL - 1.5, day[5:], "c-tick") for day, row in _labelled(days)
    ]
    rows: list[list[str | Markup]] = []
    for hour in hours:
        moment = iso(hour.at)
        said = f"{utc(hour.at)[:16]} UTC: {integer(hour.entries)} {_entries(hour.entries)}"
        x, y = _LEFT + _CELL * int(moment[11:13]), 20 + _CELL * days[moment[:10]]
        cell = rect(
            x + 0.8, y + 0.8, _CELL - 1.6, _CELL - 1.6, f"c-hour c-hour-{_step(hour.entries, most)}"
        )
        name: str | Markup = utc(hour.at)
        if hour.path is not None:
            address = escape(href(hour.path))
            cell = f'<a href="{address}" aria-label="{said}"><title>{said}</title>{cell}</a>'
            name = Markup('<a href="{}">{}</a>').format(href(hour.path), utc(hour.at))
        body.append(cell)
        rows.append([name, integer(hour.entries)])
    entries = sum(hour.entries for hour in hours)
    empty = sum(1 for hour in hours if not hour.entries)
    return figure(
        chart,
        kind="ledger",
        height=24 + _CELL * len(days),
        body="".join(body),
        title=title,
        description=(
            f"{count(entries, 'entry', 'entries')} in {count(len(hours), 'hour')} from "
            f"{utc(hours[0].at)} to {utc(hours[-1].at)}; {integer(empty)} "
            f"{'hour is' if empty == 1 else 'hours are'} empty and outlined. The stronger the "
            f"colour, the more entries; {integer(most)} at most."
        ),
        table=data_table(title, [Column("Hour", numeric=False), Column("Entries")], rows),
        role="group",
    )


def _step(entries: int, most: int) -> int:
    return math.ceil(_STEPS * math.sqrt(entries / most)) if entries else 0


def _labelled(days: dict[str, int]) -> list[tuple[str, int]]:
    # A label is higher than a row, so every other day has one.
    return [(day, row) for day, row in days.items() if row % 2 == 0]


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"
