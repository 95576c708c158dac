"""
A sparkline: a standing over time, small enough for a cell of a table.

120 by 24 units. It has no axis, so its title says how many values there are,
the first, the last, the least and the greatest; the numbers are those of the
page that the row leads to. A line marks zero when the values pass it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.charts.figure import checked_id
from sitegen.charts.svg import Scale, circle, line, number, polyline, thinned
from sitegen.numbers import Number, integer, points
from sitegen.text import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["sparkline"]

_WIDTH: Final = 120
_HEIGHT: Final = 24
_MARGIN: Final = 3


def sparkline(chart: str, values: Sequence[Number], *, title: str = "Standing") -> Markup:
    """
    Draw values at equal steps.

    Args:
        chart: Its id, unique on the page.
        values: Shape (n,), oldest first.
        title: What the values are.

    Raises:
        SiteError: A value is not finite.
    """
    checked_id(chart)
    heights = [number(value) for value in values]
    if not heights:
        return Markup('<span class="spark-none">no values</span>')
    low, high = min(heights), max(heights)
    said = (
        f"{title}: {integer(len(heights))} values from {points(heights[0])} to "
        f"{points(heights[-1])}, least {points(low)}, greatest {points(high)}"
        if len(heights) > 1
        else f"{title}: one value, {points(heights[0])}"
    )
    x = Scale(0, max(len(heights) - 1, 1), _MARGIN, _WIDTH - _MARGIN)
    y = Scale(low, high, _HEIGHT - _MARGIN, _MARGIN)
    ends = [(x(index), y(value)) for index, value in thinned(list(enumerate(heights)), _WIDTH)]
    zero = line(0, y(0), _WIDTH, y(0), "c-grid") if low < 0 < high else ""
    size = f'viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" height="{_HEIGHT}"'
    drawn = polyline(ends, "c-line c-accent") + circle(*ends[-1], 2, "c-dot c-accent")
    return Markup(  # noqa: S704 - every part is escaped
        f'<svg class="spark" {size} role="img" aria-labelledby="{chart}-title">'
        f'<title id="{chart}-title">{escape(shown(said))}</title>{zero}{drawn}</svg>'
    )
