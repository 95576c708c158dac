"""
The report as JUnit XML, for CI servers that show test results.

One suite a check, one test case a kept finding, and one more for the passes
that were counted but not kept. FAIL is a ``failure``, UNPROVEN an ``error``
(a skip would look green), EXEMPT is ``skipped``. A report that checked nothing
has a case of its own that is an error, or it would look green too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from verifier.findings import Verdict
from verifier.report.visible import visible
from verifier.report.words import place, values, verdict_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.findings import Finding
    from verifier.report.model import CheckCount, Report

__all__ = ["render"]

_OUTCOMES: Final = {
    Verdict.FAIL: "failure",
    Verdict.UNPROVEN: "error",
    Verdict.EXEMPT: "skipped",
}
_TOTALS: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}


def render(report: Report) -> bytes:
    """Render a report as one ``testsuites`` document."""
    kept: dict[str, list[Finding]] = {}
    for finding in report.findings:
        kept.setdefault(finding.check, []).append(finding)
    suites = [_suite(report, check, kept.get(check.id, ())) for check in report.checks]
    if report.verdict is Verdict.UNPROVEN and not report.count(Verdict.UNPROVEN):
        suites.append(_nothing_checked(report))
    root = ET.Element("testsuites", {"name": "tallyproof", **_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    xml: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml + b"\n"


def _suite(report: Report, check: CheckCount, findings: Iterable[Finding]) -> ET.Element:
    suite = ET.Element("testsuite", name=check.id)
    if check.pass_ and report.keep == "problems":
        ET.SubElement(
            suite,
            "testcase",
            classname=check.id,
            name=f"{check.title}: {check.pass_} recomputed and equal",
        )
    for finding in findings:
        suite.append(_case(finding))
    suite.attrib.update(_totals([suite]))
    return suite


def _case(finding: Finding) -> ET.Element:
    case = ET.Element(
        "testcase", classname=finding.check, name=visible(finding.subject) or "(no name)"
    )
    where = finding.where
    if where is not None:
        case.set("file", visible(where.file))
        if where.line is not None:
            case.set("line", str(where.line))
    if outcome := _OUTCOMES.get(finding.verdict):
        element = ET.SubElement(case, outcome, message=visible(finding.message))
        lines = [f"{label}: {value}" for label, value in values(finding)]
        if where is not None:
            lines.insert(0, f"at: {place(where)}")
        element.text = "\n".join(lines)
    return case


def _nothing_checked(report: Report) -> ET.Element:
    suite = ET.Element("testsuite", name="verdict")
    case = ET.SubElement(suite, "testcase", classname="verdict", name="something was checked")
    ET.SubElement(case, "error", message=verdict_sentence(report))
    suite.attrib.update(_totals([suite]))
    return suite


def _totals(suites: Iterable[ET.Element]) -> dict[str, str]:
    cases = [case for suite in suites for case in suite.iter("testcase")]
    outcomes = [outcome.tag for case in cases for outcome in case]
    totals = {name: str(outcomes.count(tag)) for tag, name in _TOTALS.items()}
    return {"tests": str(len(cases)), **totals}
