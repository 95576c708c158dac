"""What a price path says in words, and the table behind it; see :mod:`sitegen.charts.price`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.charts.figure import Column, data_table
from sitegen.charts.price_model import MINUTE_MS, PricePath, Stroke, gaps, price_text
from sitegen.charts.svg import number
from sitegen.numbers import count, integer, plain, utc

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["path_description", "path_table"]


def path_description(shown: PricePath, each: int) -> str:
    """Describe a path; *each* is how many minutes share a stroke."""
    said = [f"{count(len(shown.minutes), 'minute')} of {shown.venue} as strokes from low to high"]
    if each > 1:
        said[0] += (
            f", thinned: up to {each} minutes share one stroke, from their least "
            "low to their greatest high"
        )
    if shown.minutes:
        low = min(shown.minutes, key=lambda minute: number(minute.low))
        high = max(shown.minutes, key=lambda minute: number(minute.high))
        said.append(
            f"The least price is {price_text(low.low)} at {utc(low.at)}, "
            f"the greatest {price_text(high.high)} at {utc(high.at)}"
        )
    if shown.levels:
        ends = " to ".join(price_text(level) for level in shown.levels)
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
        f"{shown.decided.label} {price_text(shown.decided.price)}"
    )
    if shown.second_venue is not None:
        said.append(f"{count(len(shown.second), 'minute')} of {shown.second_venue} as a thin line")
    missed = gaps(shown.minutes)
    if missed:
        missing = sum((end - start) // MINUTE_MS for start, end in missed)
        said.append(
            f"{len(missed)} {'gap' if len(missed) == 1 else 'gaps'} of three or more minutes, "
            f"{integer(missing)} minutes in all, marked at the foot"
        )
    return ". ".join(said) + "."


def path_table(
    shown: PricePath, strokes: Sequence[Stroke], second: Sequence[Stroke], title: str
) -> Markup:
    """List what is drawn of both venues: minutes, or the strokes that several of them share."""
    rows = [(shown.venue, stroke) for stroke in strokes]
    if shown.second_venue is not None:
        rows += [(shown.second_venue, stroke) for stroke in second]
    whole = all(stroke.minutes == 1 for _, stroke in rows)
    return data_table(
        f"{title}, one row for each {'minute' if whole else 'stroke'}",
        [
            Column("From", numeric=False),
            Column("Venue", numeric=False),
            Column("Minutes"),
            Column("Low"),
            Column("High"),
        ],
        [
            [utc(row.first), venue, integer(row.minutes), plain(row.low), plain(row.high)]
            for venue, row in rows
        ],
    )
