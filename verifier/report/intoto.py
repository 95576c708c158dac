"""
The report as an in-toto Statement with a verification summary.

The subject is the bundle, known by the sha256 of its ``SHA256SUMS``. The
predicate is a SLSA verification summary (VSA 1), which policy engines read:
``PASSED`` only for a report that passes, ``FAILED`` for one that fails and for
one that could not prove everything. The level is one of our own, since none of
SLSA's says what was checked; it is for audits alone, and what a pass of another
command means stands in the extension. ``timeVerified`` may be left out and is: a report
has no clock. What a summary has no member for stands under one extension.

Sources:
    in-toto Attestation Framework, Statement v1; SLSA verification summary v1.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.report.json_ import render as render_json
from verifier.report.model import RECOMPUTED

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.report.model import Report

__all__ = ["EXTENSION", "PREDICATE_TYPE", "STATEMENT_TYPE", "render"]

STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"
EXTENSION: Final = "urn:tallyproof:report:1"
LEVEL: Final = "TALLYPROOF_EVERY_NUMBER_RECOMPUTED"


def render(report: Report) -> bytes:
    """Render a report as one Statement in canonical JSON and a newline."""
    passed = report.verdict is Verdict.PASS
    is_audit = report.meaning == RECOMPUTED
    subject = report.bundle_sha256 or sha256(b"").hexdigest()
    statement: JsonValue = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": "SHA256SUMS", "digest": {"sha256": subject}}],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "verifier": {"id": "urn:tallyproof", "version": {"tallyproof": report.tool_version}},
            "resourceUri": f"urn:sha256:{subject}",
            "policy": {"digest": {"sha256": report.policy_sha256}},
            "verificationResult": "PASSED" if passed else "FAILED",
            "verifiedLevels": [LEVEL] if passed and is_audit else [],
            EXTENSION: {
                "verdict": report.verdict.value,
                "as_of": report.as_of,
                "counts": {verdict.value: report.count(verdict) for verdict in Verdict},
                "coverage": dict(report.coverage),
                "report": {"sha256": sha256(render_json(report)).hexdigest()},
                **({} if is_audit else {"meaning": report.meaning}),
            },
        },
    }
    return canonical_bytes(statement) + b"\n"
