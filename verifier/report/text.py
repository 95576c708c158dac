"""
The report as plain text for a terminal, 80 columns by default.

From top to bottom: what was audited, a table of checks with their counts, how
much of the evidence is covered, what is wrong or unproved, notes, and the
verdict as the last line. Every status is a symbol and a word, colour only
repeats them. Text from the bundle stands behind a bar, so that no line can
begin with it: build servers take orders from lines that begin with ``::``.
"""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING, Final

from verifier.findings import Verdict
from verifier.report.visible import visible
from verifier.report.words import (
    SEVERITY,
    SYMBOLS,
    coverage_sentence,
    finding_lines,
    groups,
    note_lines,
    plural,
    verdict_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.report.model import CheckCount, Report

__all__ = ["render"]

_BOLD: Final = "1"
_DIM: Final = "2"
_COLORS: Final = {
    Verdict.PASS: "32",
    Verdict.FAIL: "31",
    Verdict.UNPROVEN: "33",
    Verdict.EXEMPT: _DIM,
}
_COLUMNS: Final = (Verdict.PASS, Verdict.FAIL, Verdict.UNPROVEN, Verdict.EXEMPT)


def render(report: Report, *, color: bool = False, width: int = 80, limit: int = 20) -> bytes:
    """
    Render a report for reading.

    Args:
        report: What to show.
        color: Add ANSI colours; nothing is said by colour alone.
        width: Columns to wrap at; digests may be longer.
        limit: Findings listed for each check and verdict, unless the report
            keeps all findings: then all are listed.
    """
    pen = _Pen(color=color)
    parts = [
        _head(report, pen),
        _table(report, pen),
        _coverage(report, width),
        *_problems(report, pen, width, limit),
        _notes(report, pen, width),
        _verdict(report, pen, width),
    ]
    return ("\n\n".join("\n".join(part) for part in parts if part) + "\n").encode()


class _Pen:
    """Writes in colour, or does not."""

    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, text: str, *styles: str) -> str:
        return f"\x1b[{';'.join(styles)}m{text}\x1b[0m" if self._color and text else text


def _head(report: Report, pen: _Pen) -> list[str]:
    title = f" · {visible(report.title)}" if report.title else ""
    facts = (
        ("bundle", report.bundle_sha256),
        ("policy", report.policy_sha256),
        ("as of", report.as_of),
    )
    return [
        pen(f"tallyproof {visible(report.tool_version)}{title}", _BOLD),
        *(f"{pen(f'{name:<8}', _DIM)}{visible(value)}" for name, value in facts if value),
    ]


def _table(report: Report, pen: _Pen) -> list[str]:
    wide = max((len(check.id) for check in report.checks), default=0)
    wide = max(wide, len("check"))
    columns = [
        (verdict, max(len(verdict), len(str(report.count(verdict))))) for verdict in _COLUMNS
    ]

    def row(mark: str, step: str, name: str, cells: list[str]) -> str:
        return f"{mark} {step:>4}  {name:<{wide}}" + "".join(f"  {cell}" for cell in cells)

    def cell(count: int, verdict: Verdict, size: int) -> str:
        padded = f"{count or '·':>{size}}"
        return pen(padded, _COLORS[verdict] if count else _DIM)

    def line(check: CheckCount) -> str:
        worst = next((verdict for verdict in SEVERITY if check.count(verdict)), None)
        mark = pen(SYMBOLS[worst], _COLORS[worst]) if worst else " "
        cells = [cell(check.count(verdict), verdict, size) for verdict, size in columns]
        return row(mark, str(check.step), check.id, cells)

    lines = [pen(row(" ", "step", "check", [f"{v:>{size}}" for v, size in columns]), _DIM)]
    for _, family in groupby(report.checks, key=lambda check: check.id.partition("/")[0]):
        lines += [*map(line, family), ""]
    totals = [cell(report.count(verdict), verdict, size) for verdict, size in columns]
    return [*lines, row(" ", "", "all", totals)]


def _coverage(report: Report, width: int) -> list[str]:
    if not any(report.coverage.values()):
        return []
    return textwrap.wrap(f"Coverage: {coverage_sentence(report)}.", width)


def _problems(report: Report, pen: _Pen, width: int, limit: int) -> Iterator[list[str]]:
    for check, verdict, findings in groups(report):
        style = _COLORS[verdict]
        status = f"{SYMBOLS[verdict]} {verdict.upper()}"
        heading = f"  {check.id}, step {check.step}: {plural(len(findings), 'claim')}"
        part = [pen(status, _BOLD, style) + pen(heading, _BOLD)]
        part += textwrap.wrap(check.title, width, initial_indent="  ", subsequent_indent="  ")
        bar = pen("│", style)
        shown = findings if report.keep == "all" else findings[:limit]
        for index, finding in enumerate(shown):
            part += [bar] * (index > 0)
            part += [f"{bar} {text}" for text in finding_lines(finding, width - 2)]
        if hidden := len(findings) - len(shown):
            part.append(f"… and {hidden} more: use --findings all or --format json")
        yield part


def _notes(report: Report, pen: _Pen, width: int) -> list[str]:
    if not report.notes:
        return []
    return [
        pen("Notes", _BOLD),
        *(line for note in report.notes for line in note_lines(note, width)),
    ]


def _verdict(report: Report, pen: _Pen, width: int) -> list[str]:
    style = _COLORS[report.verdict]
    return [pen("═" * width, style), pen(verdict_sentence(report), _BOLD, style)]
