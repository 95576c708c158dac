"""The shared cases of verdict and exit code, where they speak of checks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import SHARED, needs_shared

from verifier.findings import Finding, Verdict
from verifier.report import CheckInfo, Report, ReportBuilder, exit_code

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNT: Final = CheckInfo(id="gates/count", step=0, title="as many items as were declared")
_VERDICTS: Final = {
    "verified": Verdict.PASS,
    "verified with notes": Verdict.PASS,
    "failed": Verdict.FAIL,
    "partial": Verdict.UNPROVEN,
    "nothing verified": Verdict.UNPROVEN,
    "missing input": Verdict.UNPROVEN,
}
_STATUS: Final = {"pass": Verdict.PASS, "skip": Verdict.UNPROVEN}


def _cases() -> list[dict[str, Any]]:
    path = SHARED / "cases" / "ci-gates.json"
    cases: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"] if path.is_file() else []
    # A pipe in a shell hides any exit code; there is no report to ask.
    return [case for case in cases if "pipeline" not in case["input"]]


def _findings(case: dict[str, Any]) -> Iterator[Finding]:
    """Say in findings what the case says in words: a check judges the items verified."""

    def finding(check: str, verdict: Verdict, subject: str) -> Finding:
        return Finding(check=check, step=0, subject=subject, verdict=verdict, message="m")

    declared, verified = case["declared"], case["verified"] or 0
    for check in case.get("checks", ()):
        # A status that nobody knows, or an error, is a claim that did not hold.
        verdict = _STATUS.get(check["status"], Verdict.FAIL)
        items = range(verified) if verdict is Verdict.PASS else range(1)
        for item in items:
            yield finding(f"gates/{check['name']}", verdict, f"item {item}")
    for item in range(verified, declared):
        yield finding(_COUNT.id, Verdict.UNPROVEN, f"item {item}")
    for item in range(declared, verified):
        yield finding(_COUNT.id, Verdict.FAIL, f"item {item}")


def _report(case: dict[str, Any]) -> Report:
    names = [check["name"] for check in case.get("checks", ())]
    checks = [CheckInfo(id=f"gates/{name}", step=0, title=name) for name in names]
    builder = ReportBuilder([_COUNT, *checks])
    for finding in _findings(case):
        builder.add(finding)
    return builder.build(tool_version="1", policy_sha256="0" * 64, notes=case.get("warnings", ()))


@needs_shared
@pytest.mark.parametrize("case", _cases(), ids=lambda case: case["what"])
def test_gate(case: dict[str, Any]) -> None:
    """The exit code is zero only if everything declared was verified and equal."""
    report = _report(case["input"])
    expected = case["expected"]
    assert (exit_code(report) == 0) is expected["exit_zero"]
    assert report.verdict is _VERDICTS[expected["verdict"]]
