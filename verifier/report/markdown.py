"""
The report as GitHub-flavoured Markdown, for job summaries and comments.

A table of checks, then what is wrong or unproved. Text from the bundle stands
only in code: in fenced blocks with a fence longer than any run of backticks
inside, or in code spans made the same way. There neither markup nor HTML,
links, mentions or issue numbers come to life, and no cell can break. As in plain
text, no line begins with it.
"""

from __future__ import annotations

import re
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
    verdict_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.report.model import CheckCount, Report

__all__ = ["render"]

_LIMIT: Final = 20
_WIDTH: Final = 100
_COLUMNS: Final = (Verdict.PASS, Verdict.FAIL, Verdict.UNPROVEN, Verdict.EXEMPT)


def render(report: Report) -> bytes:
    """Render a report; at most 20 findings of each check and verdict are listed."""
    parts = [
        f"## {SYMBOLS[report.verdict]} {verdict_sentence(report)}",
        _facts(report),
        _table(report),
        f"Coverage: {coverage_sentence(report)}.",
        *_problems(report),
        *_notes(report),
    ]
    return ("\n\n".join(parts) + "\n").encode()


def _facts(report: Report) -> str:
    facts = (
        ("title", report.title),
        ("bundle", report.bundle_sha256),
        ("policy", report.policy_sha256),
        ("as of", report.as_of),
        ("tallyproof", report.tool_version),
    )
    return "\n".join(f"- {name} {_span(visible(value))}" for name, value in facts if value)


def _table(report: Report) -> str:
    rows = [
        "| | step | check | pass | fail | unproven | exempt |",
        "|---|--:|---|--:|--:|--:|--:|",
        *(_row(check) for check in report.checks),
        _cells("", "", "all", *(str(report.count(verdict)) for verdict in _COLUMNS)),
    ]
    return "\n".join(rows)


def _row(check: CheckCount) -> str:
    worst = next((verdict for verdict in SEVERITY if check.count(verdict)), None)
    counts = (str(check.count(verdict)) for verdict in _COLUMNS)
    return _cells(SYMBOLS[worst] if worst else "", str(check.step), _span(check.id), *counts)


def _cells(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _problems(report: Report) -> Iterator[str]:
    for check, verdict, findings in groups(report):
        yield f"### {SYMBOLS[verdict]} {verdict.upper()} {_span(check.id)}: {len(findings)}"
        blocks = [finding_lines(finding, _WIDTH) for finding in findings[:_LIMIT]]
        yield _fence("\n│\n".join("\n".join(f"│ {line}" for line in block) for block in blocks))
        if hidden := len(findings) - len(blocks):
            yield f"… and {hidden} more: use `--format json`"


def _notes(report: Report) -> Iterator[str]:
    if report.notes:
        yield "### Notes"
        yield _fence("\n".join(line for note in report.notes for line in note_lines(note, _WIDTH)))


def _backticks(text: str, least: int) -> str:
    longest = max(map(len, re.findall("`+", text)), default=0)
    return "`" * max(longest + 1, least)


def _fence(text: str) -> str:
    fence = _backticks(text, 3)
    return f"{fence}text\n{text}\n{fence}"


def _span(text: str) -> str:
    ticks = _backticks(text, 1)
    pad = " " if text[:1] in {"`", " "} or text[-1:] in {"`", " "} else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"
