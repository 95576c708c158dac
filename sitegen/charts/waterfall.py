"""
A score as a waterfall: weighted terms, then the multiplier, then the rounding.

Each term is a bar as long as its weight times its factor, beginning where the
one before ended, so the bars sum from left to right. Under them the sum, then
the multiplier as a ratio with the sum it leaves, then the rounded score. A term
that is a constant is hatched and says so: it moves every score alike.

All numbers are taken as they were recomputed; nothing is multiplied here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitegen.charts.figure import Column, checked_id, data_table, figure, nothing
from sitegen.charts.svg import WIDTH, Scale, clipped, hatch, line, number, rect, text
from sitegen.numbers import Number, fixed, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

__all__ = ["Term", "waterfall"]

_ROW: Final = 42
_BAR: Final = 14
_NONE: Final = "\N{EM DASH}"
_TIMES: Final = "\N{MULTIPLICATION SIGN}"


@dataclass(frozen=True, slots=True)
class Term:
    """
    One term of the sum.

    Args:
        label: Name of the factor.
        weight: Its weight.
        factor: Its value, in points.
        product: Weight times factor, as recomputed.
        constant: Whether the factor is the same for everyone and measures nothing.
    """

    label: str
    weight: Number
    factor: Number
    product: Number
    constant: bool = False


def waterfall(  # noqa: PLR0913 - the stages of a score
    chart: str,
    terms: Sequence[Term],
    *,
    weighted_sum: Number,
    multiplier: Number,
    product: Number,
    total: Number,
    title: str = "From terms to score",
) -> Markup:
    """
    Draw how a score came about.

    Args:
        chart: Its id, unique on the page.
        terms: In the order in which they are added.
        weighted_sum: Their sum, as recomputed in that order.
        multiplier: What the sum is multiplied by.
        product: The sum times the multiplier, not rounded.
        total: The score as published.
        title: One line.

    Raises:
        SiteError: A number is not finite.
    """
    checked_id(chart)
    if not terms:
        return nothing(chart, "waterfall", title, "The score has no terms.")
    ends, reached = [(0.0, number(terms[0].product))], number(terms[0].product)
    for term in terms[1:]:
        ends.append((reached, number(reached + number(term.product))))
        reached = ends[-1][1]
    results = [
        ("sum", fixed(weighted_sum, 4), number(weighted_sum), "plain"),
        (f"times multiplier {plain(multiplier)}", fixed(product, 4), number(product), "plain"),
        ("rounded: the score", plain(total), number(total), "accent"),
    ]
    every = [0.0, *(end for pair in ends for end in pair), *(value for _, _, value, _ in results)]
    x = Scale(min(every), max(every), 2, WIDTH - 2)
    body = [hatch(chart)]
    if x(0) > x.start:
        body.append(line(x(0), 4, x(0), _ROW * (len(terms) + 3) + 8, "c-axis"))
    for index, (_, end) in enumerate(ends[:-1]):
        foot = index * _ROW + 24 + _BAR
        body.append(line(x(end), foot, x(end), foot + _ROW - _BAR, "c-link"))
    rows = []
    for index, (term, (start, end)) in enumerate(zip(terms, ends, strict=True)):
        top = index * _ROW
        name = f"{term.label} (constant)" if term.constant else term.label
        sum_of = f"{plain(term.weight)} {_TIMES} {_brief(term.factor)}"
        body.append(text(2, top + 18, clipped(name, 20), "c-label"))
        body.append(
            text(WIDTH - 2, top + 18, f"{sum_of} = {_brief(term.product)}", "c-tick", "end")
        )
        css = "c-constant" if term.constant else "c-accent"
        body.extend(_bar(chart, x(start), x(end), top + 24, css, hatched=term.constant))
        rows.append(
            [
                name,
                plain(term.weight),
                plain(term.factor),
                plain(term.product),
                fixed(start, 4),
                fixed(end, 4),
            ]
        )
    for index, (label, written, value, css) in enumerate(results, len(terms)):
        top = index * _ROW + 10
        body.append(text(2, top + 18, label, "c-label"))
        body.append(text(WIDTH - 2, top + 18, written, "c-label c-end", "end"))
        body.extend(_bar(chart, x(0), x(value), top + 24, f"c-{css}", hatched=False))
    for label, exact_value in (
        ("sum of the terms", weighted_sum),
        ("multiplier", multiplier),
        ("sum times multiplier", product),
        ("score, rounded", total),
    ):
        rows.append([label, _NONE, _NONE, plain(exact_value), _NONE, _NONE])
    constants = [term.label for term in terms if term.constant]
    description = (
        f"{len(terms)} terms sum to {fixed(weighted_sum, 4)} points; times the multiplier "
        f"{plain(multiplier)} that is {fixed(product, 4)}, and rounded {plain(total)}."
    )
    if constants:
        description += f" Hatched: {', '.join(constants)}, a constant that measures nothing."
    return figure(
        chart,
        kind="waterfall",
        height=_ROW * (len(terms) + 3) + 14,
        body="".join(body),
        title=title,
        description=description,
        table=data_table(
            title,
            [
                Column("Term", numeric=False),
                Column("Weight"),
                Column("Factor"),
                Column("Product"),
                Column("From"),
                Column("To"),
            ],
            rows,
        ),
    )


def _bar(  # noqa: PLR0913 - where, how far, and how it looks
    chart: str, start: float, end: float, top: float, css: str, *, hatched: bool
) -> list[str]:
    left, width = min(start, end), max(abs(end - start), 1.0)
    left = min(left, WIDTH - 2 - width)
    drawn = [rect(left, top, width, _BAR, f"c-bar {css}")]
    if hatched:
        drawn.append(rect(left, top, width, _BAR, "", f' fill="url(#{chart}-hatch)"'))
    return drawn


def _brief(value: Number) -> str:
    # Four decimals are as many as fit beside the name of a factor.
    return fixed(value, 4).rstrip("0").rstrip(".")
