"""What other programs read of a report: their own readers accept it, and find the same in it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from junitparser import JUnitXml
from report.samples import SAMPLES
from report.sarif_facts import LOG
from sarif_pydantic import Sarif  # type: ignore[import-untyped]
from shared import ROOT

from verifier.audit import all_checks
from verifier.findings import Verdict
from verifier.report import RENDERERS, CheckInfo, Report, ReportBuilder
from verifier.report.pages import check_page

if TYPE_CHECKING:
    from collections.abc import Mapping

each_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES)


def _decoded(style: str, sample: Report) -> Any:
    return json.loads(RENDERERS[style](sample))


def _empty(checks: tuple[CheckInfo, ...]) -> Report:
    return ReportBuilder(checks).build(tool_version="0.1.0", policy_sha256="00" * 32)


@each_sample
def test_sarif_is_sarif(sample: Report) -> None:
    """Every member is one that SARIF 2.1.0 names, with a value that it allows."""
    log = _decoded("sarif", sample)
    jsonschema.Draft202012Validator(
        LOG, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    ).validate(log)
    read = Sarif.model_validate(log)
    assert len(read.runs) == 1
    assert len(read.runs[0].results or ()) == len(sample.findings)


def test_sarif_schema_refuses_what_sarif_has_not() -> None:
    """The facts that the reports are held to do refuse: a wrong member, kind or line."""
    log = _decoded("sarif", SAMPLES["fail"])
    result = log["runs"][0]["results"][0]
    damages: list[tuple[Mapping[str, Any], str, Any]] = [
        (log, "version", "2.2.0"),
        (log, "verdict", "pass"),
        (result, "kind", "unproven"),
        (result, "level", "fatal"),
    ]
    for target, name, value in damages:
        before = target.get(name)
        target[name] = value  # type: ignore[index]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(log, LOG)
        target[name] = before  # type: ignore[index]
        if before is None:
            del target[name]  # type: ignore[attr-defined]
    jsonschema.validate(log, LOG)


def test_sarif_help_is_the_page_of_the_check() -> None:
    """Each check of the release carries its page; what has no page has no help."""
    rules = _decoded("sarif", _empty(all_checks()))["runs"][0]["tool"]["driver"]["rules"]
    for rule in rules:
        page = (ROOT / "site" / "content" / "checks" / f"{rule['id']}.md").read_text()
        assert rule["help"]["markdown"] == page
    other = CheckInfo(id="demo/none", step=1, title="none")
    (rule,) = _decoded("sarif", _empty((other,)))["runs"][0]["tool"]["driver"]["rules"]
    assert "help" not in rule


@pytest.mark.parametrize("check", ["../x", "floor/../../README", "/etc/passwd", "floor/points\n"])
def test_a_page_is_found_by_the_id_of_a_check_alone(check: str) -> None:
    """No name leads out of the pages."""
    assert check_page(check) is None


@each_sample
def test_junit_is_read_with_the_same_counts(sample: Report) -> None:
    """Fail is a failure, unproven an error and exempt skipped, as junitparser counts them."""
    suites = JUnitXml.fromstring(RENDERERS["junit"](sample))
    assert suites.failures == sample.count(Verdict.FAIL)
    nothing = sample.verdict is Verdict.UNPROVEN and not sample.count(Verdict.UNPROVEN)
    assert suites.errors == sample.count(Verdict.UNPROVEN) + nothing
    assert suites.skipped == sample.count(Verdict.EXEMPT)


@each_sample
def test_statement(sample: Report) -> None:
    """PASSED and a level are for a pass alone; the digests are those of bundle and report."""
    statement = _decoded("intoto", sample)
    assert set(statement) == {"_type", "subject", "predicateType", "predicate"}
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["subject"][0]["digest"]["sha256"] == sample.bundle_sha256
    predicate = statement["predicate"]
    passed = sample.verdict is Verdict.PASS
    assert predicate["verificationResult"] == ("PASSED" if passed else "FAILED")
    assert bool(predicate["verifiedLevels"]) is passed
    assert not any(level.startswith("SLSA_") for level in predicate["verifiedLevels"])
    own = predicate["urn:tallyproof:report:1"]
    assert own["verdict"] == sample.verdict.value
    assert own["report"]["sha256"] == sha256(RENDERERS["json"](sample)).hexdigest()


@each_sample
def test_badge_says_what_it_counts(sample: Report) -> None:
    """The endpoint's members; the message has verdict, claims and inputs, never a verdict alone."""
    badge = _decoded("shields", sample)
    assert badge["schemaVersion"] == 1
    assert set(badge) == {"schemaVersion", "label", "message", "color", "isError"}
    verdict, claims, inputs = badge["message"].split(" · ")
    assert verdict == sample.verdict.value
    assert claims.startswith(f"{sample.count(Verdict.PASS)} of ")
    assert inputs == "2992 of 5908 inputs sealed"
    assert badge["isError"] is (sample.verdict is not Verdict.PASS)


def test_badge_of_what_checked_nothing() -> None:
    """Nothing checked is unproven, with its zeros."""
    badge = _decoded("shields", _empty(()))
    assert badge["message"] == "unproven · 0 of 0 claims · no sealed inputs"
