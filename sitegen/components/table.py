"""
Tables that stay tables.

A row is made of as few string operations as will do, since a season is pages
of tables. What the script adds (sorting, filtering) needs nothing from the
server but these attributes:

* ``data-kind`` of a heading is ``number``, ``text`` or, for a column that
  orders nothing, absent;
* an empty ``<div class="filter">`` before a long table is the place of its filter,
  so that nothing moves when that comes;
* ``data-figure`` of a heading and ``data-of`` of a row, or the row's id, together name the
  value of a cell, so that ``verify.js`` compares what is shown with what it recomputes;
* ``data-sort`` of a cell is its value for sorting where that is not its text, as it is of a
  hash and of a time in UTC: an exact decimal, or nothing at all for a missing value, which
  comes last in either direction.

Ties share a rank. Every row carries its rank all the same, so that sorting or
filtering leaves each row whole; the shared look is a matter of style.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from markupsafe import Markup, escape

from sitegen.components.inline import chip, mark, words
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Cell", "Column", "Row", "Table", "render_table"]

Kind: TypeAlias = Literal[
    "rank",
    "text",
    "name",
    "number",
    "points",
    "percent",
    "hash",
    "time",
    "link",
    "verdict",
    "chart",
]

_ORDER: Final = {"fail": "0", "unproven": "1", "exempt": "2", "pass": "3"}
_SORT: Final[dict[Kind, str | None]] = {
    "rank": "number",
    "text": "text",
    "name": "text",
    "number": "number",
    "points": "number",
    "percent": "number",
    "hash": "text",
    "time": "text",
    "link": "text",
    "verdict": "number",
    "chart": None,
}
_CLASS: Final[dict[Kind, str]] = {
    "rank": "r",
    "text": "",
    "name": "",
    "number": "n",
    "points": "n",
    "percent": "n",
    "hash": "h",
    "time": "w",
    "link": "",
    "verdict": "w",
    "chart": "c",
}
_HEADER: Final = frozenset({"text", "name", "hash", "time", "link"})
_ID: Final = re.compile(r"[A-Za-z0-9._-]+")
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_TIES: Final = {0: "tied", 1: ""}
_LONG: Final = 10
"""Rows above which a table has a filter, and scrolls inside itself on a narrow screen."""
_WIDE: Final = 9
"""Columns from which a table scrolls inside itself on every screen."""


@dataclass(frozen=True, slots=True)
class Column:
    """
    One column.

    Args:
        key: Its name, unique in the table.
        label: Its heading.
        kind: What its cells hold, which says how they align and sort.
        sortable: Whether a reader may order the table by it.
        note: What to know about it, such as why it cannot order the table.
        unit: Unit of its values, shown small in the heading.
        figure: What ``verify.js`` calls its values, before a colon and what the row is of; two
            names for an interval. Empty when the row names the value alone, None for no value.
    """

    key: str
    label: str
    kind: Kind = "text"
    sortable: bool = True
    note: str | None = None
    unit: str | None = None
    figure: str | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """
    One value.

    Args:
        text: As shown; hostile text is allowed.
        sort: Its value for sorting where the text is not; empty when it is missing.
        href: Path from the root of the site; ``#id`` may follow a page.
        title: More about it, such as the exact value or why it is missing.
        html: Shown in place of the text.
        verdict: ``pass``, ``fail``, ``unproven`` or ``exempt``.
        id: Its own id.
    """

    text: str
    sort: str | None = None
    href: str | None = None
    title: str | None = None
    html: Markup | None = None
    verdict: str | None = None
    id: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """
    One row.

    Args:
        id: Its anchor, unique in the page: ASCII letters, digits and ``._-``. When it is empty
            the row is called by its table's anchor, a colon, and its place from 1.
        cells: One for each column.
        rank_span: Rows that share its rank, counted on the first of them; 0 on the others.
        muted: Whether it stands outside the ranking.
        of: What its figures are of, for ``verify.js``; its id where None.
    """

    id: str
    cells: Sequence[Cell]
    rank_span: int = 1
    muted: bool = False
    of: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """
    One table.

    Args:
        id: Its anchor, unique in the page.
        caption: What it shows.
        columns: From left to right.
        rows: From top to bottom.
        note: A sentence under it.
        context_only: Keys of the columns that must not order it.
    """

    id: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    note: str | None = None
    context_only: Sequence[str] = ()


def render_table(table: Table, href: Callable[[str], str]) -> Markup:
    """
    Show a table.

    Args:
        table: The table; every row has a cell for each column.
        href: Makes a relative link of a path from the root of the site.

    Raises:
        SiteError: The id of a row would not do in an address.
        ValueError: A row has more or fewer cells than there are columns.
    """
    caption = words(table.caption)
    before, classes = "", "scroll"
    if len(table.rows) > _LONG:
        before, classes = '<div class="filter"></div>', "scroll long"
    if len(table.columns) >= _WIDE:
        classes += " wide"
    kinds = [column.kind for column in table.columns]
    lead = next((index for index, kind in enumerate(kinds) if kind in _HEADER), -1)
    plan = [
        (_class(column, table), column.kind, index == lead)
        for index, column in enumerate(table.columns)
    ]
    body = "\n".join(_rows(table, plan, href))
    return Markup(  # noqa: S704 - every part has been escaped
        f'{before}<div class="{classes}" role="group" tabindex="0" aria-label="{caption}">'
        f'<table id="{words(table.id)}"><caption>{caption}</caption>\n'
        f"<thead><tr>{''.join(_headings(table))}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table></div>{_notes(table)}"
    )


def _class(column: Column, table: Table) -> str:
    names = [_CLASS[column.kind]] if _CLASS[column.kind] else []
    if column.key in table.context_only:
        names.append("context")
    return f' class="{" ".join(names)}"' if names else ""


def _headings(table: Table) -> Iterator[str]:
    for column in table.columns:
        sort = _SORT[column.kind]
        orders = column.sortable and column.key not in table.context_only
        kind = f' data-kind="{sort}"' if sort and orders else ""
        title = f' title="{words(column.note)}"' if column.note else ""
        unit = f" <small>{words(column.unit)}</small>" if column.unit else ""
        figure = "" if column.figure is None else f' data-figure="{words(column.figure)}"'
        attributes = f"{_class(column, table)}{kind}{figure}{title}"
        yield f'<th scope="col"{attributes}>{words(column.label)}{unit}</th>'


def _notes(table: Table) -> str:
    note = f'<p class="note">{words(table.note)}</p>' if table.note else ""
    items = "".join(
        f"<li><b>{words(column.label)}</b>: {words(column.note)}</li>"
        for column in table.columns
        if column.note
    )
    return f'{note}<ul class="notes">{items}</ul>' if items else note


def _rows(
    table: Table,
    plan: Sequence[tuple[str, Kind, bool]],
    href: Callable[[str], str],
) -> Iterator[str]:
    name = words(table.id)
    for place, row in enumerate(table.rows, start=1):
        if row.id and _ID.fullmatch(row.id) is None:
            raise SiteError(f"{row.id!a} is no id for the row of a table")
        # No id that is given to a row has a colon, so the two kinds never meet.
        identity = row.id or f"{name}:{place}"
        start = f'<tr id="{identity}"'
        if row.of is not None:
            start += f' data-of="{words(row.of)}"'
        permalink = f'<a class="permalink" href="#{identity}" aria-label="Row {identity}">¶</a>'
        classes = _TIES.get(row.rank_span, "tie") + " muted" * row.muted
        parts = [f'{start} class="{classes.strip()}">' if classes else f"{start}>"]
        for cell, (style, kind, lead) in zip(row.cells, plan, strict=True):
            attributes = style + _attributes(cell, kind)
            shown = _shown(cell, kind, href)
            if lead:
                parts.append(f'<th scope="row"{attributes}>{shown}{permalink}</th>')
            else:
                parts.append(f"<td{attributes}>{shown}</td>")
        parts.append("</tr>")
        yield "".join(parts)


def _attributes(cell: Cell, kind: Kind) -> str:
    attributes = ""
    if cell.sort is not None:
        attributes = f' data-sort="{words(cell.sort)}"'
    elif cell.verdict is not None and kind == "verdict":
        attributes = f' data-sort="{_ORDER[cell.verdict]}"'
    elif cell.html is not None and kind != "time":
        attributes = f' data-sort="{words(cell.text)}"'
    if cell.title is not None:
        attributes += f' title="{words(cell.title)}"'
    if cell.id is not None:
        attributes += f' id="{words(cell.id)}"'
    return attributes


def _shown(cell: Cell, kind: Kind, href: Callable[[str], str]) -> str:
    link = None if cell.href is None else href(cell.href)
    if cell.html is not None:
        shown: str = cell.html
    elif kind == "hash":
        return chip(cell.text, link)
    else:
        shown = words(cell.text) or '<i class="none">(empty)</i>'
        if not cell.text.isascii() and _RIGHT_TO_LEFT.search(cell.text):
            shown = f"<bdi>{shown}</bdi>"
    if cell.verdict is not None:
        shown = mark(cell.verdict, shown)
    return shown if link is None else f'<a href="{escape(link)}">{shown}</a>'
