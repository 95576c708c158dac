"""
"How this was computed": every step, as published and as recomputed.

What is shown is the verifier's own explanation. Nothing is judged here: a line
differs, or is unproven, because the verifier said so. Where nothing of a section
is published there is nothing to compare, and its table has only the steps.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from markupsafe import Markup

from sitegen.components.inline import HEX, mark, words
from sitegen.numbers import spelled
from verifier.explanation import Explanation, Section

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.explanation import Line

__all__ = ["step_table"]

_STEP = '<th scope="col">step</th><th scope="col">value</th>'
_COMPARED = (
    f'{_STEP}<th scope="col" class="n">published</th><th scope="col" class="n">recomputed</th>'
    '<th scope="col">result</th>'
)
_ALONE = f'{_STEP}<th scope="col">recomputed</th>'


def step_table(
    steps: Explanation | Section | Sequence[Line],
    caption: str | None = None,
    formulas: Mapping[str, Markup] | None = None,
) -> Markup:
    """
    Show the steps from the evidence to a number.

    Args:
        steps: A whole explanation, one section of it, or lines.
        caption: Caption of the table of lines or of one section, in place of its title.
        formulas: Formula of a step, by the step's number.
    """
    if isinstance(steps, Explanation):
        return Markup("\n").join(step_table(each, None, formulas) for each in steps.sections)
    title, lines = (
        (steps.title, steps.lines) if isinstance(steps, Section) else ("Steps", tuple(steps))
    )
    name = words(caption or title)
    compared = any(line.published is not None or line.differs or line.unproven for line in lines)
    head, kind = (_COMPARED, "steps") if compared else (_ALONE, "steps alone")
    body = "\n".join(_rows(lines, formulas or {}, compared=compared))
    return Markup(  # noqa: S704 - every part has been escaped
        f'<div class="scroll" role="group" tabindex="0" aria-label="{name}">'
        f'<table class="{kind}"><caption>{name}</caption><thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def _rows(
    lines: Sequence[Line], formulas: Mapping[str, Markup], *, compared: bool
) -> Iterator[str]:
    first = next((line for line in lines if line.differs), None)
    named: set[str] = set()
    # The same line again and again, such as one check of many rows, is one line with a count.
    for line, same in groupby(lines):
        count = sum(1 for _ in same)
        times = f' <span class="note">{count:,} times</span>' if count > 1 else ""
        formula = ""
        if line.step in formulas and line.step not in named:
            formula = f'<div class="formula">{formulas[line.step]}</div>'
            named.add(line.step)
        note = f'<div class="note">{words(spelled(line.note))}</div>' if line.note else ""
        style = ' class="differs"' if line.differs else ""
        here = '<span class="first">first difference</span> ' if line is first else ""
        values = (
            f'<td class="n">{_value(line.published, line.published_bits)}</td>'
            f'<td class="n">{_value(line.recomputed, line.bits)}</td><td>{_result(line)}</td>'
            if compared
            else f"<td>{_value(line.recomputed, line.bits)}</td>"
        )
        yield (
            f'<tr{style}><td class="s">{words(line.step)}</td>'
            f'<th scope="row">{here}{words(line.name)}{times}{formula}{note}</th>{values}</tr>'
        )


def _value(text: str | None, bits: str | None) -> str:
    if text is None:
        return '<span class="none" title="this step is not published">—</span>'
    exact = f'<small class="bits">{words(bits)}</small>' if bits else ""
    shown = words(text)
    if HEX.fullmatch(text):
        return f"<code>{shown}</code>{exact}"
    plain = spelled(text)
    return (
        f"{shown}{exact}"
        if plain == text
        else f'<span title="{shown}">{words(plain)}</span>{exact}'
    )


def _result(line: Line) -> str:
    if line.differs:
        return mark("fail", "<b>differs</b>")
    if line.unproven:
        return mark("unproven", "<b>unproven</b>")
    if line.published is None:
        return '<span class="none" title="nothing is published to compare it with">step</span>'
    return mark("pass", "<b>equal</b>")
