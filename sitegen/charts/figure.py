"""
The figure around a drawing: its title, description, caption, and its numbers as a table.

Every chart is one ``<figure>``: an ``<svg role="img">`` with ``<title>`` and
``<desc>``, a caption, and a ``<details>`` with the data. All ids begin with the id
of the chart, which the page keeps unique. Without data there is a sentence instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.charts.svg import TEXT, WIDTH, coord, css_class
from sitegen.text import shown
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Column", "checked_id", "data_table", "figure", "nothing"]

_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*\Z")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the table behind a chart: its heading, and whether it holds numbers."""

    label: str
    numeric: bool = True


def data_table(
    caption: str, columns: Sequence[Column], rows: Sequence[Sequence[str | Markup]]
) -> Markup:
    """Write the numbers behind a chart as a table; the first cell heads its row."""
    classes = [css_class("num" if column.numeric else "") for column in columns]
    heads = "".join(
        f'<th scope="col"{css}>{escape(shown(column.label))}</th>'
        for column, css in zip(columns, classes, strict=True)
    )
    lines = []
    for row in rows:
        cells = []
        for index, (css, cell) in enumerate(zip(classes, row, strict=True)):
            said = cell if isinstance(cell, Markup) else escape(shown(cell))
            tag, scope = ("td", "") if index else ("th", ' scope="row"')
            cells.append(f"<{tag}{scope}{css}>{said}</{tag}>")
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return Markup(  # noqa: S704 - every part is escaped
        f'<details class="chart-data"><summary>Data of this chart</summary><table>'
        f"<caption>{escape(shown(caption))}</caption><thead><tr>{heads}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table></details>"
    )


def checked_id(chart: str) -> str:
    """
    Take the id of a chart.

    Raises:
        SiteError: It is not a letter and then letters, digits, ``-`` and ``_``.
    """
    if not _ID.match(chart):
        raise SiteError(f"the id of a chart must be a plain name, was {chart!r}")
    return chart


def _opening(chart: str, height: float, title: str, description: str, *, role: str = "img") -> str:
    """Open the drawing of a chart, with its title and description."""
    return (
        f'<svg viewBox="0 0 {WIDTH} {coord(height)}" role="{role}" font-size="{TEXT}" '
        f'aria-labelledby="{chart}-title {chart}-desc">'
        f'<title id="{chart}-title">{escape(shown(title))}</title>'
        f'<desc id="{chart}-desc">{escape(shown(description, limit=None))}</desc>'
    )


def figure(  # noqa: PLR0913 - the parts of a figure
    chart: str,
    *,
    kind: str,
    height: float,
    body: str,
    title: str,
    description: str,
    table: Markup,
    caption: str | None = None,
    role: str = "img",
) -> Markup:
    """
    Put a drawing, its caption and its data into a figure.

    Args:
        chart: The chart's id.
        kind: Name of the chart, for the class ``chart-<kind>``.
        height: Of the drawing, in units.
        body: The shapes.
        title: One line, read out and shown as the caption.
        description: What the drawing shows, in sentences with numbers.
        table: From :func:`data_table`.
        caption: Shown after the title; the description when None.
        role: ``img``, or ``group`` when the drawing holds links.
    """
    checked_id(chart)
    words = description if caption is None else caption
    return Markup(  # noqa: S704 - every part is escaped
        f'<figure class="chart chart-{kind}" id="{chart}">'
        f"{_opening(chart, height, title, description, role=role)}{body}</svg>"
        f"<figcaption><b>{escape(shown(title))}.</b> "
        f"{escape(shown(words, limit=None))}</figcaption>"
        f"{table}</figure>"
    )


def nothing(chart: str, kind: str, title: str, reason: str) -> Markup:
    """Say in a sentence why there is nothing to draw."""
    checked_id(chart)
    return Markup(  # noqa: S704 - every part is escaped
        f'<figure class="chart chart-{kind} chart-empty" id="{chart}"><figcaption>'
        f"<b>{escape(shown(title))}.</b> {escape(shown(reason))}</figcaption></figure>"
    )
