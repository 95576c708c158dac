"""Sentences and blocks that more than one renderer shows."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Final

from verifier.findings import Verdict
from verifier.report.visible import shared_length, visible, visible_pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.findings import Finding, Where
    from verifier.report.model import CheckCount, Report

__all__ = [
    "SEVERITY",
    "SYMBOLS",
    "coverage_sentence",
    "finding_lines",
    "groups",
    "note_lines",
    "place",
    "plural",
    "values",
    "verdict_sentence",
]

SYMBOLS: Final = {
    Verdict.PASS: "✓",
    Verdict.FAIL: "✗",
    Verdict.UNPROVEN: "?",
    Verdict.EXEMPT: "–",  # noqa: RUF001  an en dash is meant
}

SEVERITY: Final = (Verdict.FAIL, Verdict.UNPROVEN, Verdict.EXEMPT, Verdict.PASS)
"""Verdicts, the worst first."""

NOTE_LIMIT: Final = 4_000
"""Code points of one note that people are shown."""

_LABEL: Final = 12


def plural(count: int, noun: str) -> str:
    """Write a count and its noun: ``1 claim``, ``2 claims``."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def verdict_sentence(report: Report) -> str:
    """Say the verdict and what it rests on in one line."""
    fail, unproven = report.count(Verdict.FAIL), report.count(Verdict.UNPROVEN)
    reason = report.meaning
    if fail:
        reason = plural(fail, "claim") + (" is wrong" if fail == 1 else " are wrong")
        if unproven:
            reason += f", and {unproven} could not be proved"
    elif unproven:
        reason = f"nothing is wrong, but {plural(unproven, 'claim')} could not be proved"
    elif report.verdict is not Verdict.PASS:
        reason = "nothing was checked"
    return f"VERDICT: {report.verdict.upper()} — {reason}"


def coverage_sentence(report: Report) -> str:
    """Say how much of the evidence is sealed and anchored."""
    inputs, *rest = (f"{count} {visible(name)}" for name, count in report.coverage.items())
    return f"of {inputs}, {', '.join(rest)}"


def groups(report: Report) -> Iterator[tuple[CheckCount, Verdict, list[Finding]]]:
    """
    Group the findings to list: by check in order, the worst verdict first.

    Of the exempt ones only those are listed that show two values: there the
    evidence differs, and the caller's policy accepts it.
    """
    kept: dict[tuple[str, Verdict], list[Finding]] = {}
    for finding in report.findings:
        accepted = finding.published is not None and finding.recomputed is not None
        if report.keep == "all" or finding.verdict is not Verdict.EXEMPT or accepted:
            kept.setdefault((finding.check, finding.verdict), []).append(finding)
    for check in report.checks:
        for verdict in SEVERITY:
            if findings := kept.get((check.id, verdict)):
                yield check, verdict, findings


def place(where: Where) -> str:
    """Write a place as ``file:line pointer``."""
    line = f":{where.line}" if where.line is not None else ""
    pointer = f" {visible(where.pointer)}" if where.pointer else ""
    return f"{visible(where.file)}{line}{pointer}"


def values(finding: Finding) -> list[tuple[str, str]]:
    """Label the values of a finding, safe to print; empty if it has none."""
    if finding.published is not None and finding.recomputed is not None:
        published, recomputed = visible_pair(finding.published, finding.recomputed)
        return [("published", published), ("recomputed", recomputed)]
    return [
        (label, visible(value))
        for label, value in (
            ("published", finding.published),
            ("recomputed", finding.recomputed),
        )
        if value is not None
    ]


def finding_lines(finding: Finding, width: int) -> list[str]:
    """
    Lay a finding out in lines of *width* columns, without indentation.

    Subject, sentence and place, then the values one above the other and a
    caret under the first character in which they differ.
    """
    lines = _wrap(visible(finding.subject), width) or ["(no name)"]
    lines += _wrap(visible(finding.message), width)
    if finding.where is not None:
        lines += _labelled("at", place(finding.where), width)
    shown = values(finding)
    for label, value in shown:
        lines += _labelled(label, value or "(empty)", width)
    if len(shown) == 2 and all(0 < len(value) <= width - _LABEL for _, value in shown):
        (_, published), (_, recomputed) = shown
        parting = shared_length(published, recomputed)
        # Digests differ from the start; a caret there would say nothing.
        if parting and published != recomputed:
            lines.append(" " * (_LABEL + parting) + "^")
    return lines


def note_lines(note: str, width: int) -> list[str]:
    """Lay a note out as an item of a list; names of others can make it long."""
    shown = visible(note, limit=NOTE_LIMIT)
    lines = textwrap.wrap(shown, width, initial_indent="- ", subsequent_indent="  ")
    # Build servers take orders from lines that begin with two colons, indented or not.
    return [re.sub(r"^( *):(?=:)", r"\1<U+003A>", line) for line in lines]


def _labelled(label: str, text: str, width: int) -> list[str]:
    room = max(width - _LABEL, 1)
    pieces = [text[at : at + room] for at in range(0, len(text), room)] or [""]
    return [f"{label:<{_LABEL}}{pieces[0]}", *(" " * _LABEL + piece for piece in pieces[1:])]


def _wrap(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False)
