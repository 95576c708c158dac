"""
The frame of a chart over time: where it plots, its grid, and the labels of its axes.

Labels of the values stand left of the plot; those of the time stand under its
two ends, since two whole dates are what fits beside each other at 360 px.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitegen.charts.svg import WIDTH, Scale, line, nice_ticks, short, text
from sitegen.numbers import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Frame", "end_label", "time_axis"]

_LETTER: Final = 7.9
_TWO_DAYS_MS: Final = 172_800_000


@dataclass(frozen=True, slots=True)
class Frame:
    """
    The plot of a chart, in units of the drawing.

    Args:
        x: Maps milliseconds to units.
        y: Maps values to units.
        ticks: Values with a line across the plot and a label.
        height: Of the whole drawing.
    """

    x: Scale
    y: Scale
    ticks: tuple[float, ...]
    height: float

    @classmethod
    def fit(  # noqa: PLR0913 - each names one side of the frame
        cls,
        low: float,
        high: float,
        *,
        first: float,
        last: float,
        height: float = 230,
        top: float = 14,
        bottom: float = 30,
    ) -> Frame:
        """
        Make room for values and times.

        Args:
            low: Least value.
            high: Greatest value; equal to *low* draws the values halfway up.
            first: First moment, in milliseconds.
            last: Last moment.
            height: Of the whole drawing.
            top: Units above the plot.
            bottom: Units below the plot, for the labels of the time.
        """
        ticks = nice_ticks(low, high)
        left = 6 + _LETTER * max(len(short(tick)) for tick in ticks)
        return cls(
            x=Scale(first, last, left, WIDTH - 8),
            y=Scale(low, high, height - bottom, top),
            ticks=ticks,
            height=height,
        )

    @property
    def left(self) -> float:
        """Unit of the plot's left side."""
        return self.x.start

    @property
    def right(self) -> float:
        """Unit of the plot's right side."""
        return self.x.end

    @property
    def top(self) -> float:
        """Unit of the plot's upper side."""
        return self.y.end

    @property
    def bottom(self) -> float:
        """Unit of the plot's lower side."""
        return self.y.start

    def axes(self) -> str:
        """Draw a line and a label at every tick."""
        drawn = []
        for tick in self.ticks:
            height = self.y(tick)
            drawn.append(line(self.left, height, self.right, height, "c-grid"))
            drawn.append(text(self.left - 5, height + 5, short(tick), "c-tick", "end"))
        return "".join(drawn)


def end_label(frame: Frame, curve: Sequence[tuple[float, float]], words: str) -> str:
    """
    Write the last value at the end of a curve, on the side that the curve leaves free.

    Args:
        frame: The plot.
        curve: In units, left to right.
        words: The value.
    """
    end = curve[-1][1]
    near = [y for x, y in curve if x >= curve[-1][0] - _LETTER * len(words)]
    over = end - min(near) < max(near) - end
    if end - 26 < frame.top:
        over = False
    elif end + 22 > frame.bottom:
        over = True
    return text(frame.right, end - 9 if over else end + 21, words, "c-label c-end", "end")


def time_axis(frame: Frame, first: int, last: int) -> str:
    """Label the two ends of the time: days, or minutes when there are less than two days."""
    part = slice(0, 10) if last - first >= _TWO_DAYS_MS else slice(5, 16)
    y = frame.height - 8
    if first == last:
        return text((frame.left + frame.right) / 2, y, _label(first, part), "c-tick", "middle")
    return text(frame.left, y, _label(first, part), "c-tick") + text(
        frame.right, y, _label(last, part), "c-tick", "end"
    )


def _label(at: int, part: slice) -> str:
    return iso(at)[part].replace("T", " ")
