"""Reports that somebody else made: signed, altered, and about something else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from core.test_dsse import PRIVATE_PEM, PUBLIC_PEM, SECRET, pem
from hypothesis import given
from hypothesis import strategies as st
from real_command import run
from report.samples import SAMPLES
from shared import FIXTURES

from verifier.core.canon import canonical_bytes
from verifier.core.dsse import format_envelope, private_key, sign_envelope
from verifier.errors import EvidenceError, UsageError
from verifier.findings import Verdict
from verifier.policy import Policy
from verifier.report import RENDERERS, Report, exit_code
from verifier.signed import PAYLOAD_TYPES, REPORT_CHECKS, check_report, sign_report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEYS: Final = (("maintainer.pem", PUBLIC_PEM),)
OTHER: Final = pem(bytes.fromhex("302e020100300506032b657004220420") + SECRET[::-1], "PRIVATE KEY")
each_form = pytest.mark.parametrize("form", PAYLOAD_TYPES)


def check(data: bytes, **known: Any) -> Report:
    """Check a report under the built-in policy."""
    return check_report(data, name="report.json", policy=Policy(), **known)


def verdicts(report: Report) -> dict[str, str]:
    """Give the worst verdict of each check."""
    order = (Verdict.FAIL, Verdict.UNPROVEN, Verdict.EXEMPT, Verdict.PASS)
    return {
        count.id.removeprefix("report/"): next(v.value for v in order if count.count(v))
        for count in report.checks
    }


@each_form
@pytest.mark.parametrize("name", SAMPLES)
def test_signed_reports_keep_their_verdict(name: str, form: str) -> None:
    """Signed by a trusted key, a report is worth what it says and no more."""
    sample = SAMPLES[name]
    signed = sign_report(RENDERERS[form](sample), form, PRIVATE_PEM)
    report = check(signed, keys=KEYS, bundle_sha256=sample.bundle_sha256)
    assert exit_code(report) == exit_code(sample)
    said = verdicts(report)
    assert (said["signature"], said["figures"], said["subject"]) == ("pass", "pass", "pass")


@each_form
def test_unsigned_or_without_a_key_is_unproven(form: str) -> None:
    """Anyone can write a report that passes."""
    plain = RENDERERS[form](SAMPLES["pass"])
    assert verdicts(check(plain, keys=KEYS))["signature"] == "unproven"
    signed = sign_report(plain, form, PRIVATE_PEM)
    assert verdicts(check(signed))["signature"] == "unproven"
    assert exit_code(check(signed)) == exit_code(check(plain, keys=KEYS)) == 3


@each_form
def test_signed_by_somebody_else(form: str) -> None:
    """A signature by a key that the caller did not name is a failure."""
    signed = sign_report(RENDERERS[form](SAMPLES["pass"]), form, OTHER)
    assert verdicts(check(signed, keys=KEYS))["signature"] == "fail"


@each_form
def test_about_something_else(form: str) -> None:
    """Another bundle or policy is named, with both hashes."""
    data = sign_report(RENDERERS[form](SAMPLES["pass"]), form, PRIVATE_PEM)
    report = check(data, keys=KEYS, bundle_sha256="00" * 32, policy_sha256="11" * 32)
    found = [(f.published, f.recomputed) for f in report.findings]
    assert found == [("5a" * 32, "00" * 32), ("a5" * 32, "11" * 32)]
    assert verdicts(check(data, keys=KEYS))["subject"] == "exempt"


@each_form
def test_a_pass_of_another_command_is_no_audit(form: str) -> None:
    """The same key may sign what ``anchor check`` says of the bundle: not that its scores hold."""
    sample = replace(SAMPLES["pass"], meaning="every anchor is on the chain")
    data = sign_report(RENDERERS[form](sample), form, PRIVATE_PEM)
    report = check(data, keys=KEYS, bundle_sha256=sample.bundle_sha256)
    assert exit_code(report) == 3
    (found,) = report.findings
    assert (found.check, found.published) == ("report/verdict", "every anchor is on the chain")


def test_only_an_audit_reaches_the_level() -> None:
    """A Statement of another command passes at no level: no policy takes it for an audit."""
    sample = replace(SAMPLES["pass"], meaning="every anchor is on the chain")
    predicate = json.loads(RENDERERS["intoto"](sample))["predicate"]
    assert (predicate["verificationResult"], predicate["verifiedLevels"]) == ("PASSED", [])


def _report(change: Callable[[Any], object]) -> bytes:
    value = json.loads(RENDERERS["json"](SAMPLES["fail"]))
    change(value)
    return canonical_bytes(value) + b"\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.update(verdict="pass"),
        lambda v: v["counts"].update(fail=0),
        lambda v: v["counts"].update({"pass": v["counts"]["pass"] + 1}),
        lambda v: v["checks"][0].update(fail=1),
        lambda v: v["findings"].pop(),
        lambda v: v.update(findings=[]),
        lambda v: v["findings"][0].update(verdict="exempt"),
    ],
)
def test_figures_that_contradict_each_other(change: Callable[[Any], object]) -> None:
    """A report that was touched up is caught by its own figures, signed or not."""
    data = _report(change)
    assert verdicts(check(data))["figures"] == "fail"
    signed = format_envelope(sign_envelope(PAYLOAD_TYPES["json"], data, private_key(PRIVATE_PEM)))
    assert exit_code(check(signed, keys=KEYS)) == 1


def test_statement_that_says_passed_of_a_failure() -> None:
    """The result of a Statement is for a pass alone."""
    value = json.loads(RENDERERS["intoto"](SAMPLES["unproven"]))
    value["predicate"]["verificationResult"] = "PASSED"
    assert verdicts(check(canonical_bytes(value) + b"\n"))["figures"] == "fail"


def test_type_and_payload_belong_together() -> None:
    """A report in an envelope that is labelled a Statement is refused."""
    data = RENDERERS["json"](SAMPLES["pass"])
    envelope = sign_envelope(PAYLOAD_TYPES["intoto"], data, private_key(PRIVATE_PEM))
    with pytest.raises(EvidenceError, match="payloadType"):
        check(format_envelope(envelope), keys=KEYS)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.update(format="tallyproof-report/2"),
        lambda v: v.update(verdict="maybe"),
        lambda v: v.pop("counts"),
        lambda v: v["counts"].update(fail=-1),
        lambda v: v["counts"].update(fail="3"),
        lambda v: v.update(checks={}),
        lambda v: v["policy"].update(sha256="AB"),
        lambda v: v["bundle"].update(sha256=1),
        lambda v: v.update(findings=[1]),
    ],
)
def test_no_report(change: Callable[[Any], object]) -> None:
    """What is no report has no verdict: one error, which names the place."""
    with pytest.raises(EvidenceError, match=r"report\.json"):
        check(_report(change))


@given(st.binary())
def test_hostile_bytes(data: bytes) -> None:
    """Nothing but our errors escapes, and nothing hostile passes."""
    with pytest.raises(EvidenceError):
        check(data, keys=KEYS)


def test_only_forms_that_programs_read_are_signed() -> None:
    """A text for people is not signed."""
    with pytest.raises(UsageError, match="json or intoto"):
        sign_report(b"", "text", PRIVATE_PEM)


def test_checks_are_listed_once() -> None:
    """Each check of a report judges something in every report."""
    assert list(verdicts(check(RENDERERS["json"](SAMPLES["pass"])))) == [
        item.id.removeprefix("report/") for item in REPORT_CHECKS
    ]


def test_from_the_command_line(tmp_path: Path) -> None:
    """One audit writes every form, signs two of them, and both are checked with the key."""
    (tmp_path / "key.pem").write_bytes(PRIVATE_PEM)
    (tmp_path / "pub.pem").write_bytes(PUBLIC_PEM)
    bundle, policy = FIXTURES / "sharpe-demo", FIXTURES / "policy.toml"
    also = [f"--also={form}={tmp_path / form}" for form in RENDERERS]
    key = tmp_path / "key.pem"
    done = run("audit", bundle, "--policy", policy, "--sign", key, "--quiet", *also)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [*RENDERERS, "key.pem", "pub.pem"]
    )
    for form in PAYLOAD_TYPES:
        again = run(
            *("check-report", tmp_path / form, "--key", tmp_path / "pub.pem"),
            *("--bundle", bundle, "--policy", policy),
        )
        assert again.returncode == 0, again.stderr
        assert b"nothing was recomputed here" in again.stdout
    text = run("check-report", tmp_path / "text")
    assert text.returncode == 2
    assert text.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--also", "json"], b"FORMAT=FILE"),
        (["--also", "pdf=x"], b"not 'pdf=x'"),
        (["--also", "json=x", "--also", "text=./x"], b"one file twice"),
        (["--also", "json=x", "--output", "x"], b"one file twice"),
        (["--resume", "x", "--output", "y/../x"], b"one file twice"),
        (["--sign", str(FIXTURES / "policy.toml")], b"--sign needs a report"),
        (["--format", "json", "--sign", str(FIXTURES / "policy.toml")], b"policy.toml: is not"),
        (["--also", "json=/nowhere/x"], b"cannot be written"),
    ],
)
def test_refused_from_the_command_line(arguments: list[str], reason: bytes) -> None:
    """One line says what is wrong, and the exit code is never that of a verdict."""
    done = run("audit", FIXTURES / "sharpe-demo", "--policy", FIXTURES / "policy.toml", *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert done.stderr.count(b"\n") == 1
