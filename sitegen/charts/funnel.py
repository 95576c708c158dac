"""
A funnel of nested bars: what was posted, what became of it, and why.

A stage is a bar as long as its count, under the stage that it is a part of. Bars
of parts stand beside each other, in order, inside the length of their whole, so
what is missing at the end has no bar: it is named as "not in any of these". The
same typographic weight for hits, misses and voids.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import WIDTH, Scale, clipped, hatch, line, number, rect, text
from sitegen.numbers import fixed, integer
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

__all__ = ["Stage", "funnel"]

Kind = Literal["plain", "pass", "fail", "void"]

_ROW: Final = 42
_BAR: Final = 14
_LETTERS: Final = 30


@dataclass(frozen=True, slots=True)
class Stage:
    """
    A number of things, and what they are made of.

    Args:
        label: What they are, such as ``posted`` or a reason to be void.
        count: How many.
        kind: ``plain``; ``pass`` for hits; ``fail`` for misses; ``void`` is hatched.
        parts: Disjoint parts, whose counts sum to *count* or less.
    """

    label: str
    count: int
    kind: Kind = "plain"
    parts: tuple[Stage, ...] = ()


@dataclass(frozen=True, slots=True)
class _Bar:
    stage: Stage
    depth: int
    start: int
    whole: str


def _bars(stage: Stage, depth: int, start: int, whole: str) -> Iterator[_Bar]:
    number(stage.count)
    rest = stage.count - sum(part.count for part in stage.parts)
    if stage.count < 0 or rest < 0:
        raise SiteError(f"the parts of {stage.label[:40]!r} are more than its {stage.count}")
    yield _Bar(stage, depth, start, whole)
    for part in stage.parts:
        yield from _bars(part, depth + 1, start, stage.label)
        start += part.count
    if stage.parts and rest:
        yield _Bar(Stage("not in any of these", rest), depth + 1, start, stage.label)


def funnel(chart: str, whole: Stage, *, title: str = "What became of the calls") -> Markup:
    """
    Draw what things were made of.

    Args:
        chart: Its id, unique on the page.
        whole: All of them, with their parts.
        title: One line.

    Raises:
        SiteError: Parts are more than their whole.
    """
    checked_id(chart)
    bars = list(_bars(whole, 0, 0, "all"))
    if not whole.count:
        return nothing(chart, "funnel", title, f"There is nothing {whole.label}.")
    x = Scale(0, whole.count, 2, WIDTH - 2)
    body = [hatch(chart)]
    rows = []
    for index, bar in enumerate(bars):
        top = index * _ROW
        stage = bar.stage
        # The label stands over its bar, moved in with the bar but never out of the drawing.
        words = clipped(stage.label, _LETTERS) + f" {integer(stage.count)}"
        left = min(x(bar.start), max(2.0, WIDTH - 2 - 8.2 * len(words.unescape())))
        body.append(text(left, top + 18, words, "c-label"))
        start, end = x(bar.start), x(bar.start + stage.count)
        body.append(line(2, top + 24 + _BAR / 2, WIDTH - 2, top + 24 + _BAR / 2, "c-grid"))
        if stage.count:
            width = max(end - start, 1.5)
            left = min(start, WIDTH - 2 - width)
            body.append(rect(left, top + 24, width, _BAR, f"c-bar c-{stage.kind}"))
            if stage.kind == "void":
                body.append(rect(left, top + 24, width, _BAR, "", f' fill="url(#{chart}-hatch)"'))
        share = f"{fixed(100 * stage.count / whole.count, 2)}%"
        rows.append([stage.label, bar.whole, integer(stage.count), share])
    parts = "; ".join(f"{bar.stage.label}: {integer(bar.stage.count)}" for bar in bars)
    return figure(
        chart,
        kind="funnel",
        height=_ROW * len(bars) + 4,
        body="".join(body),
        title=title,
        description=f"{parts}.",
        caption="Each bar is as long as its count, inside the bar that it is a part of.",
        table=data_table(
            title,
            [
                Column("Stage", numeric=False),
                Column("Part of", numeric=False),
                Column("Count"),
                Column(f"Of {whole.label}"),
            ],
            rows,
        ),
    )
