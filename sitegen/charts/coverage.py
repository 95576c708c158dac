"""
Coverage: of so many inputs, how many are anchored, sealed, not sealed by rule, missing.

One thin bar, cut in proportion, with every count in words under it. A part too
thin to be seen is still drawn one unit wide, and a count of nothing has no part
but keeps its words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import WIDTH, clipped, hatch, rect, text
from sitegen.numbers import fixed, integer
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["Covered", "coverage"]

_BAR: Final = 14
_LINE: Final = 24


@dataclass(frozen=True, slots=True)
class Covered:
    """
    A part of the inputs.

    Args:
        label: In words, such as ``sealed, not anchored``.
        count: How many.
        kind: How the part is drawn.
    """

    label: str
    count: int
    kind: Literal["anchored", "sealed", "unsealed", "missing"]


def coverage(
    chart: str, parts: Sequence[Covered], *, title: str = "Inputs by their proof"
) -> Markup:
    """
    Draw how much of the evidence is proved, and by what.

    Args:
        chart: Its id, unique on the page.
        parts: Disjoint, the best proved first.
        title: One line.

    Raises:
        SiteError: A count is negative.
    """
    checked_id(chart)
    if any(part.count < 0 for part in parts):
        raise SiteError("a part of the inputs has a negative count")
    total = sum(part.count for part in parts)
    if not total:
        return nothing(chart, "coverage", title, "There are no inputs.")
    drawn = [part for part in parts if part.count]
    free = WIDTH - 4 - len(drawn)
    body, left = [hatch(chart)], 2.0
    for part in drawn:
        # Every part gets one unit, and the rest of the bar is shared in proportion.
        width = 1 + free * part.count / total
        body.append(rect(left, 2, width, _BAR, f"c-bar c-{part.kind}"))
        if part.kind == "unsealed":
            body.append(rect(left, 2, width, _BAR, "", f' fill="url(#{chart}-hatch)"'))
        left += width
    rows = []
    for index, part in enumerate(parts):
        y = _BAR + 10 + _LINE * index
        share = f"{fixed(100 * part.count / total, 2)}%"
        body.append(rect(3, y, 12, 12, f"c-bar c-{part.kind}"))
        if part.kind == "unsealed":
            body.append(rect(3, y, 12, 12, "", f' fill="url(#{chart}-hatch)"'))
        body.append(text(23, y + 11, clipped(part.label, 30), "c-label"))
        body.append(text(WIDTH - 2, y + 11, f"{integer(part.count)}", "c-label c-end", "end"))
        rows.append([part.label, integer(part.count), share])
    said = "; ".join(f"{integer(part.count)} {part.label}" for part in parts)
    return figure(
        chart,
        kind="coverage",
        height=_BAR + 10 + _LINE * len(parts),
        body="".join(body),
        title=title,
        description=f"Of {integer(total)} inputs: {said}.",
        table=data_table(
            title, [Column("Part", numeric=False), Column("Count"), Column("Share")], rows
        ),
    )
