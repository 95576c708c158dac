"""
A reliability diagram: how often what was given a probability came true.

One dot for each bin of probability that holds a call: across, the mean
probability that was given; up, the share that hit. The area of a dot is in
proportion to its count, and the count stands under the axis. The diagonal is
perfect calibration. A whisker is the Wilson score interval at 95 percent, that
is z = 1.959964, which stays inside 0 and 1 and is defined for one call. It
treats the calls of a bin as independent, which calls on one market are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import Scale, circle, line, number, text
from sitegen.numbers import count, fixed, integer
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["Bin", "reliability", "wilson"]

_Z: Final = 1.959964
_LEFT: Final = 44
_RIGHT: Final = 346
_TOP: Final = 12
_BOTTOM: Final = 282
_HEIGHT: Final = 352
_LARGEST: Final = 13


@dataclass(frozen=True, slots=True)
class Bin:
    """
    The calls whose probability fell into one bin.

    Args:
        low: Least probability of the bin.
        high: Greatest probability of the bin.
        count: Calls in it that hit or missed.
        hits: Those that hit.
        mean: Mean probability that they were given; None draws the dot in the middle of the bin.
    """

    low: float
    high: float
    count: int
    hits: int
    mean: float | None = None


def wilson(hits: int, count: int) -> tuple[float, float]:
    """
    Give the Wilson score interval of a share at 95 percent.

    Args:
        hits: Of *count*.
        count: At least 1.

    >>> [round(end, 4) for end in wilson(8, 10)]
    [0.4902, 0.9433]
    """
    share, weight = hits / count, _Z * _Z / count
    centre = (share + weight / 2) / (1 + weight)
    reach = _Z / (1 + weight) * math.sqrt((share * (1 - share) + weight / 4) / count)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def _checked(bins: Sequence[Bin]) -> None:
    for each in bins:
        ends = (
            number(each.low),
            number(each.high),
            number(each.low if each.mean is None else each.mean),
        )
        if not (0 <= ends[0] <= ends[1] <= 1 and 0 <= ends[2] <= 1):
            raise SiteError(f"a bin of probability reaches from {each.low} to {each.high}")
        if not 0 <= each.hits <= each.count:
            raise SiteError(f"a bin of {each.count} calls has {each.hits} hits")


def reliability(chart: str, bins: Sequence[Bin], *, title: str = "Calibration") -> Markup:
    """
    Draw how often calls came true, by the probability they were given.

    Args:
        chart: Its id, unique on the page.
        bins: In order; usually ten of the same width. Empty ones have a count of 0.
        title: One line.

    Raises:
        SiteError: A bin is not a part of 0 to 1, or has more hits than calls.
    """
    checked_id(chart)
    _checked(bins)
    calls = sum(each.count for each in bins)
    if not calls:
        return nothing(
            chart, "reliability", title, "No call has settled, so there is no calibration."
        )
    x, y = Scale(0, 1, _LEFT, _RIGHT), Scale(0, 1, _BOTTOM, _TOP)
    body = []
    for share in (0.0, 0.5, 1.0):
        body.append(line(_LEFT, y(share), _RIGHT, y(share), "c-grid"))
        body.append(text(_LEFT - 5, y(share) + 5, f"{int(share * 100)}%", "c-tick", "end"))
        anchor = "start" if share == 0 else "end" if share == 1 else "middle"
        body.append(text(x(share), _BOTTOM + 19, f"{int(share * 100)}%", "c-tick", anchor))
    body.append(line(x(0), y(0), x(1), y(1), "c-diagonal"))
    body.append(text(x(0.04), y(0.93), "share that hit", "c-muted-label"))
    body.append(text(x(0.98), y(0.04), "probability given", "c-muted-label", "end"))
    largest = max(each.count for each in bins)
    rows = []
    for each in bins:
        name = f"{fixed(each.low * 100, 0)}% to {fixed(each.high * 100, 0)}%"
        body.append(
            text(
                x((each.low + each.high) / 2), _BOTTOM + 40, _count(each.count), "c-count", "middle"
            )
        )
        if not each.count:
            rows.append([name, "0", "0", "no call", "no call", "no call"])
            continue
        given = (each.low + each.high) / 2 if each.mean is None else each.mean
        share, (low, high) = each.hits / each.count, wilson(each.hits, each.count)
        body.append(line(x(given), y(low), x(given), y(high), "c-whisker"))
        radius = max(2.5, _LARGEST * math.sqrt(each.count / largest))
        body.append(circle(x(given), y(share), radius, "c-dot c-accent c-area"))
        rows.append(
            [
                name,
                integer(each.count),
                integer(each.hits),
                f"{fixed(given * 100, 2)}%",
                f"{fixed(share * 100, 2)}%",
                f"{fixed(low * 100, 2)}% to {fixed(high * 100, 2)}%",
            ]
        )
    body.append(
        text((_LEFT + _RIGHT) / 2, _HEIGHT - 8, "calls in each bin", "c-muted-label", "middle")
    )
    filled = sum(1 for each in bins if each.count)
    return figure(
        chart,
        kind="reliability",
        height=_HEIGHT,
        body="".join(body),
        title=title,
        description=(
            f"{count(calls, 'settled call')} in {filled} of {len(bins)} bins of probability. "
            "A dot is a bin: across, the mean probability given; up, the share that hit; its "
            "area, the number of calls. The diagonal is perfect calibration. Whiskers are "
            "Wilson score intervals at 95%, as if calls were independent."
        ),
        table=data_table(
            title,
            [
                Column("Bin", numeric=False),
                Column("Calls"),
                Column("Hits"),
                Column("Mean given"),
                Column("Share that hit"),
                Column("Wilson 95%"),
            ],
            rows,
        ),
    )


def _count(count: int) -> str:
    # Ten bins share 302 units, so that four digits would touch.
    if count < 1000:
        return str(count)
    return f"{count // 1000}k" if count < 1_000_000 else f"{count // 1_000_000}M"
