"""
The report as canonical JSON (RFC 8785) and one newline.

The same bundle, policy and release give the same bytes, so that two people can
compare their reports by digest. Members are only ever added: ``notes`` is one, and
``meaning`` stands where a pass means less than that every number was recomputed.
Texts from the bundle are data here and are not escaped beyond what JSON asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.report.model import RECOMPUTED

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.report.model import CheckCount, Report

__all__ = ["render"]


def render(report: Report) -> bytes:
    """Render a report for other programs."""
    return canonical_bytes(_document(report)) + b"\n"


def _document(report: Report) -> JsonValue:
    document: dict[str, JsonValue] = {
        "format": "tallyproof-report/1",
        "verdict": report.verdict.value,
        "tool": {"name": "tallyproof", "version": report.tool_version},
        "bundle": {"as_of": report.as_of, "sha256": report.bundle_sha256},
        "policy": {"sha256": report.policy_sha256},
        "counts": {verdict.value: report.count(verdict) for verdict in Verdict},
        "checks": [_check(check) for check in report.checks],
        "coverage": dict(report.coverage),
        "findings": [_finding(finding) for finding in report.findings],
        "notes": list(report.notes),
    }
    if report.meaning != RECOMPUTED:
        document["meaning"] = report.meaning
    return document


def _check(check: CheckCount) -> JsonValue:
    counts: dict[str, JsonValue] = {verdict.value: check.count(verdict) for verdict in Verdict}
    return {"id": check.id, "step": check.step, **counts}


def _finding(finding: Finding) -> JsonValue:
    where = finding.where
    return {
        "check": finding.check,
        "subject": finding.subject,
        "verdict": finding.verdict.value,
        "published": finding.published,
        "recomputed": finding.recomputed,
        "message": finding.message,
        "where": None
        if where is None
        else {"file": where.file, "line": where.line, "pointer": where.pointer},
    }
