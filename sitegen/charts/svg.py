"""
A drawing of our own: numbers as text, scales and shapes.

* A chart is drawn 360 units wide, for the narrowest screen, with text of 15
  units: 13 px or more on a page of 360 px. On a wider page the drawing grows and
  ``site.css`` makes the text smaller in units, so that it stays the size of text.
* There are no style attributes. What has a colour has a class, and the
  stylesheet has the colours; shapes carry what must work without it.
* Coordinates have two decimals, and a number that is not finite is refused.
* Text may be hostile: it passes :func:`sitegen.text.shown`, and is escaped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.numbers import Number, fixed
from sitegen.text import shown
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "TEXT",
    "WIDTH",
    "Scale",
    "circle",
    "clipped",
    "coord",
    "css_class",
    "hatch",
    "line",
    "nice_ticks",
    "number",
    "path",
    "polyline",
    "rect",
    "short",
    "text",
    "thinned",
]

WIDTH: Final = 360
TEXT: Final = 15


def number(value: Number, what: str = "a number of a chart") -> float:
    """
    Take a number that can be drawn.

    Raises:
        SiteError: It is NaN, infinite, or too large for a double.
    """
    try:
        drawn = float(value)
    except OverflowError:
        drawn = math.inf
    if not math.isfinite(drawn):
        raise SiteError(f"{what} is {value}, which no page may show")
    return drawn


def coord(value: float) -> str:
    """
    Write a coordinate: two decimals at most, no zeros at the end.

    >>> coord(12.0), coord(-0.001), coord(3.456)
    ('12', '0', '3.46')
    """
    written = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def short(value: Number) -> str:
    """
    Write a number of an axis or a label: four significant digits, thousands grouped.

    Only what would not fit beside a drawing has an exponent.

    >>> short(64250.0), short(0.00125), short(-0.5), short(1234567), short(1e300)
    ('64,250', '0.00125', '-0.5', '1,234,567', '1.000e+300')
    """
    size = abs(number(value))
    if size >= 1e12 or 0 < size < 1e-6:
        return format(float(value), ".3e")
    places = 0 if size >= 1000 or size == 0 else min(12, max(0, 3 - math.floor(math.log10(size))))
    written = fixed(value, places)
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return f"{Decimal(written):,f}"


@dataclass(frozen=True, slots=True)
class Scale:
    """
    A straight map from numbers to units of the drawing.

    Args:
        low: Number drawn at *start*.
        high: Number drawn at *end*.
        start: Unit of *low*.
        end: Unit of *high*; less than *start* for an axis that points up.
    """

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Map a number; one outside is drawn at the nearer end."""
        # Halved first: the span of two finite doubles may be infinite.
        span = self.high / 2 - self.low / 2
        if span == 0:  # everything is in the middle
            return (self.start + self.end) / 2
        share = (value / 2 - self.low / 2) / span
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def nice_ticks(low: float, high: float, most: int = 5) -> tuple[float, ...]:
    """
    Choose round numbers between two, at most so many.

    >>> nice_ticks(0.0, 1.0, 3)
    (0.0, 0.5, 1.0)
    """
    if not low < high or not math.isfinite(high - low):
        return (low,)
    rough = Decimal(high - low) / most
    unit = Decimal(1).scaleb(rough.adjusted())
    for factor in (1, 2, 5, 10, 20):
        step = unit * factor
        first = math.ceil(Decimal(low) / step)
        count = math.floor(Decimal(high) / step) - first + 1
        if 0 < count <= most:
            return tuple(float((first + i) * step) for i in range(count))
    return (low, high)


def thinned(series: Sequence[tuple[int, float]], most: int) -> list[tuple[int, float]]:
    """
    Keep so few points that a line can be drawn, without losing an extreme.

    Args:
        series: Positions and values, positions ascending.
        most: Points from which on the series is cut into a quarter as many equal slices of
            its positions; of each slice the first, the least, the greatest and the last stay.
    """
    if len(series) <= most:
        return list(series)
    slices = max(most // 4, 1)
    first, span = series[0][0], series[-1][0] - series[0][0] + 1
    kept: dict[int, None] = {}
    start = 0
    while start < len(series):
        share = (series[start][0] - first) * slices // span
        end = start
        while end < len(series) and (series[end][0] - first) * slices // span == share:
            end += 1
        inside = range(start, end)
        chosen = {
            start,
            min(inside, key=lambda index: series[index][1]),
            max(inside, key=lambda index: series[index][1]),
            end - 1,
        }
        kept.update(dict.fromkeys(sorted(chosen)))
        start = end
    return [series[index] for index in kept]


def css_class(name: str) -> str:
    """Write the attribute of a class, if there is one."""
    return f' class="{name}"' if name else ""


def line(x1: float, y1: float, x2: float, y2: float, css: str) -> str:
    """Draw a straight line."""
    ends = f'x1="{coord(x1)}" y1="{coord(y1)}" x2="{coord(x2)}" y2="{coord(y2)}"'
    return f"<line {ends}{css_class(css)}/>"


def rect(  # noqa: PLR0913, PLR0917 - the four of SVG, and its looks
    x: float, y: float, width: float, height: float, css: str, extra: str = ""
) -> str:
    """Draw a rectangle; *extra* is attributes that are already safe."""
    size = f'x="{coord(x)}" y="{coord(y)}" width="{coord(width)}" height="{coord(height)}"'
    return f"<rect {size}{css_class(css)}{extra}/>"


def circle(x: float, y: float, radius: float, css: str) -> str:
    """Draw a circle."""
    return f'<circle cx="{coord(x)}" cy="{coord(y)}" r="{coord(radius)}"{css_class(css)}/>'


def polyline(points: Sequence[tuple[float, float]], css: str) -> str:
    """Draw a line through points."""
    pairs = " ".join(f"{coord(x)},{coord(y)}" for x, y in points)
    return f'<polyline points="{pairs}"{css_class(css)}/>'


def path(commands: str, css: str) -> str:
    """Draw a path; the commands are made with :func:`coord`."""
    return f'<path d="{commands}"{css_class(css)}/>'


def clipped(words: str, letters: int) -> Markup:
    """
    Cut a text of a drawing to so many letters, wide ones counted as two.

    Returns:
        The text, made visible and escaped, as :func:`text` takes it.
    """
    visible = shown(words)
    room, end = letters, 0
    while end < len(visible) and room > 0:
        room -= 2 if ord(visible[end]) >= 0x1100 else 1
        end += 1
    if end == len(visible) and room >= 0:
        return escape(visible)
    return escape(f"{visible[: max(end - 1, 0)]}…")


def text(x: float, y: float, words: str, css: str = "c-label", anchor: str = "start") -> str:
    """Write words with their baseline at *y*; *anchor* is ``start``, ``middle`` or ``end``."""
    said = words if isinstance(words, Markup) else escape(shown(words))
    side = "" if anchor == "start" else f' text-anchor="{anchor}"'
    return f'<text x="{coord(x)}" y="{coord(y)}"{side}{css_class(css)}>{said}</text>'


def hatch(chart: str) -> str:
    """Define the hatching of a chart, for ``fill="url(#<chart>-hatch)"``."""
    return (
        f'<defs><pattern id="{chart}-hatch" width="6" height="6" patternUnits="userSpaceOnUse">'
        '<path d="M-1 1l2 -2M0 6l6 -6M5 7l2 -2" class="c-hatch"/></pattern></defs>'
    )
