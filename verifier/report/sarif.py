"""
The report as SARIF 2.1.0 (OASIS), for code scanning and viewers.

A check is a rule, whose help is the check's page, and a finding is a result.
Kinds are ``pass``, ``fail``, ``open`` (unproven) and ``notApplicable`` (exempt);
the level is ``error`` for a ``fail`` and ``none`` for every other kind (section
3.27.10). A location is the file in the bundle, percent-encoded and relative to the base ``BUNDLE``,
its line, and the JSON pointer as a logical location.

In a message ``{`` and ``}`` are doubled, since they enclose placeholders
(3.11.5), and ``[`` gets a backslash, since it opens a link (3.11.6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.report.model import exit_code
from verifier.report.pages import check_page
from verifier.report.visible import visible
from verifier.report.words import values, verdict_sentence

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding, Where
    from verifier.report.model import CheckCount, Report

__all__ = ["render"]

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_KINDS: Final = {
    Verdict.PASS: "pass",
    Verdict.FAIL: "fail",
    Verdict.UNPROVEN: "open",
    Verdict.EXEMPT: "notApplicable",
}
_BASE: Final = "BUNDLE"


def render(report: Report) -> bytes:
    """Render a report as a SARIF log with one run."""
    document: JsonValue = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [_run(report)]}
    return canonical_bytes(document) + b"\n"


def _run(report: Report) -> JsonValue:
    rules: dict[str, int] = {check.id: index for index, check in enumerate(report.checks)}
    return {
        "tool": {
            "driver": {
                "name": "tallyproof",
                "version": report.tool_version,
                "rules": [_rule(check) for check in report.checks],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "the evidence bundle"}}},
        "invocations": [{"executionSuccessful": True, "exitCode": exit_code(report)}],
        "results": [_result(finding, rules[finding.check]) for finding in report.findings],
        "properties": {
            "verdict": report.verdict.value,
            "summary": verdict_sentence(report),
            "asOf": report.as_of,
            "bundleSha256": report.bundle_sha256,
            "policySha256": report.policy_sha256,
            "coverage": dict(report.coverage),
            "notes": [visible(note, limit=None) for note in report.notes],
        },
    }


def _rule(check: CheckCount) -> JsonValue:
    rule: dict[str, JsonValue] = {
        "id": check.id,
        "shortDescription": {"text": _message(check.title)},
        "properties": {
            "step": check.step,
            **{verdict.value: check.count(verdict) for verdict in Verdict},
        },
    }
    page = check_page(check.id)
    if page is not None:
        # Viewers that know no Markdown show the text, which a reader of Markdown can read too.
        rule["help"] = {"text": _message(page), "markdown": page}
    return rule


def _result(finding: Finding, rule: int) -> JsonValue:
    shown: dict[str, JsonValue] = dict(values(finding))
    text = f"{visible(finding.subject)}: {visible(finding.message)}"
    text += "".join(f"; {label} {value}" for label, value in shown.items())
    result: dict[str, JsonValue] = {
        "ruleId": finding.check,
        "ruleIndex": rule,
        "kind": _KINDS[finding.verdict],
        "level": "error" if finding.verdict is Verdict.FAIL else "none",
        "message": {"text": _message(text)},
        "properties": {"subject": visible(finding.subject), **shown},
    }
    if finding.where is not None:
        result["locations"] = [_location(finding.where)]
    return result


def _location(where: Where) -> JsonValue:
    uri = quote(where.file.encode("utf-8", "surrogatepass"), safe="/")
    if uri.startswith("/"):
        # A reference that begins with a slash would leave its base.
        uri = "%2F" + uri[1:]
    physical: dict[str, JsonValue] = {"artifactLocation": {"uri": uri, "uriBaseId": _BASE}}
    if where.line is not None:
        physical["region"] = {"startLine": where.line}
    location: dict[str, JsonValue] = {"physicalLocation": physical}
    if where.pointer:
        location["logicalLocations"] = [
            {"fullyQualifiedName": visible(where.pointer), "kind": "value"}
        ]
    return location


def _message(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}").replace("[", r"\[")
