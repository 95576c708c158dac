"""
The report as GitHub workflow commands, which annotate the lines of a diff.

One command a finding, the worst first, and a notice with the verdict at the
end. The data of a command escapes ``%``, CR and LF as ``%25``, ``%0D``,
``%0A``; a property escapes ``:`` and ``,`` as well. GitHub shows few
annotations of one run, so the list is cut and what is cut is counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.findings import Verdict
from verifier.report.visible import visible
from verifier.report.words import coverage_sentence, values, verdict_sentence

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.report.model import Report

__all__ = ["render"]

_LIMIT: Final = 50
_SELF: Final = {"title": "tallyproof"}
_COMMANDS: Final = {Verdict.FAIL: "error", Verdict.UNPROVEN: "warning"}


def render(report: Report) -> bytes:
    """Render what is wrong or unproved as workflow commands, a line each."""
    problems = [
        finding
        for verdict in _COMMANDS
        for finding in report.findings
        if finding.verdict is verdict
    ]
    lines = [_annotation(finding) for finding in problems[:_LIMIT]]
    if hidden := len(problems[_LIMIT:]):
        lines.append(_command("warning", _SELF, f"… and {hidden} more: use --format json"))
    summary = f"{verdict_sentence(report)}\nCoverage: {coverage_sentence(report)}."
    lines.append(_command("notice", _SELF, summary))
    return ("\n".join(lines) + "\n").encode()


def _annotation(finding: Finding) -> str:
    properties = {}
    if finding.where is not None:
        properties["file"] = visible(finding.where.file)
        if finding.where.line is not None:
            properties["line"] = str(finding.where.line)
    properties["title"] = f"{finding.verdict.upper()} {finding.check}"
    lines = [f"{visible(finding.subject)}: {visible(finding.message)}"]
    lines += [f"{label} {value}" for label, value in values(finding)]
    return _command(_COMMANDS[finding.verdict], properties, "\n".join(lines))


def _command(name: str, properties: dict[str, str], data: str) -> str:
    given = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {given}::{_data(data)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
