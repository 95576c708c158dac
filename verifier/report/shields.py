"""
The report as the JSON of a shields.io endpoint badge.

A badge is read without its report, so it never says less than the verdict with
its counts, and the part of the inputs that was sealed: a tick alone would
claim more than any audit can. Green is for a pass alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.report.model import Report

__all__ = ["render"]

_COLORS: Final = {Verdict.PASS: "1e6b43", Verdict.FAIL: "a3261d", Verdict.UNPROVEN: "8a5a00"}


def render(report: Report) -> bytes:
    """Render a report as one badge in canonical JSON and a newline."""
    badge: JsonValue = {
        "schemaVersion": 1,
        "label": "recomputed",
        "message": f"{report.verdict.value} · {_claims(report)} · {_inputs(report)}",
        "color": _COLORS[report.verdict],
        "isError": report.verdict is not Verdict.PASS,
    }
    return canonical_bytes(badge) + b"\n"


def _claims(report: Report) -> str:
    judged = sum(report.count(verdict) for verdict in Verdict if verdict is not Verdict.EXEMPT)
    return f"{report.count(Verdict.PASS)} of {judged} claims"


def _inputs(report: Report) -> str:
    sealed, inputs = report.coverage["sealed"], report.coverage["inputs"]
    return f"{sealed} of {inputs} inputs sealed" if inputs else "no sealed inputs"
