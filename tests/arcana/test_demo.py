"""The demo season: what an honest bundle gives, and what each forgery of it gives."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from overlays import Overlay, overlays
from real_command import run
from shared import FIXTURES, SHARED, needs_shared

from verifier.audit import audit, audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.findings import Verdict
from verifier.policy import ArcanaPolicy, Policy, load_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEMO: Final = FIXTURES / "arcana-demo"
POLICY: Final = FIXTURES / "policy.toml"
NAMELESS: Final = Policy(arcana=ArcanaPolicy(participation="engine"))


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


def test_the_season_passes(demo: Bundle) -> None:
    """Counts and coverage are those that the publisher counted."""
    report = audit_bundle(demo, policy=load_policy(POLICY))
    assert report.verdict is Verdict.PASS
    assert dict(report.coverage) == {"inputs": 5908, "sealed": 2992, "anchored": 2992}
    passed = {check.id: check.pass_ for check in report.checks}
    assert passed["arcana/recompute"] == 71
    # 427 snapshots, 314 decisions and 71 scores are sealed; 68 anchors and 71 scores in them.
    assert passed["arcana/seal"] == 427 + 314 + 71
    assert passed["arcana/anchor"] == 68 + 71 + 1


def test_published_participation_fails_three_scores(demo: Bundle) -> None:
    """Without the engine's rule exactly the three scores with four chosen decisions fail."""
    policy = Policy(arcana=ArcanaPolicy(senders=load_policy(POLICY).arcana.senders))
    report = audit_bundle(demo, policy=policy)
    wrong = [finding for finding in report.findings if finding.verdict is Verdict.FAIL]
    assert [finding.subject for finding in wrong] == [
        f"score 9765665a-ec20-449f-b9b4-1fbf216bf709 {ts}"
        for ts in (
            "2026-09-17T23:30:01.000000Z",
            "2026-09-18T23:30:03.000000Z",
            "2026-09-19T23:30:02.000000Z",
        )
    ]
    assert {finding.check for finding in wrong} == {"arcana/participation"}
    assert all("4 of them chosen" in finding.message for finding in wrong)


def test_no_named_sender_is_unproven(demo: Bundle) -> None:
    """A stranger can sign a whole invented record, so somebody has to be trusted by name."""
    report = audit_bundle(demo, policy=NAMELESS)
    assert report.verdict is Verdict.UNPROVEN
    (finding,) = (item for item in report.findings if item.verdict is Verdict.UNPROVEN)
    assert finding.check == "arcana/anchor"


@pytest.mark.parametrize("forgery", overlays("arcana-demo"), ids=lambda forgery: forgery.name)
def test_forgery(demo: Bundle, forgery: Overlay) -> None:
    """Each forgery gets its verdict, from the step that must report it."""
    forged = overlay(demo, forgery.changes(demo), relist=True)
    report = audit_bundle(forged, policy=load_policy(POLICY))
    assert report.verdict == forgery.verdict
    reporting = {item.step for item in report.findings if item.verdict == forgery.verdict}
    assert forgery.check in reporting
    # With ids exchanged, inputs also come to stand in a later anchor than their score.
    also = {4} if forgery.name == "anchor-ids-exchanged" else set()
    assert reporting - also == set(forgery.steps)
    assert audit_bundle(forged, policy=NAMELESS).verdict == forgery.without_named_sender


def test_same_bytes_everywhere(tmp_path: Path) -> None:
    """Jobs, archive, locale, time zone and hash seed cannot be seen in a report."""
    import shutil  # noqa: PLC0415

    archive = shutil.make_archive(str(tmp_path / "demo"), "zip", DEMO)
    command = ("--policy", POLICY, "--format", "json", "--findings", "all")
    first = run("audit", DEMO, *command, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C")
    other = run(
        "audit", archive, *command, "--jobs", "2",
        PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="tr_TR.UTF-8",
    )  # fmt: skip
    assert (first.returncode, first.stderr) == (0, b"")
    assert first.stdout == other.stdout
    assert json.loads(first.stdout)["counts"]["fail"] == 0


@pytest.mark.parametrize("form", sorted(RENDERERS))
def test_formats_agree_on_the_exit_code(form: str) -> None:
    """Every format exits by the verdict, and writes nothing but the report."""
    done = run("audit", DEMO, "--format", form)
    assert done.returncode == 1
    assert done.stderr == b""
    # A Statement and a badge have the verdict and its counts; the others name the check.
    said = {"intoto": b'"verificationResult":"FAILED"', "shields": b'"message":"fail '}
    assert said.get(form, b"participation") in done.stdout


@needs_shared
def test_fixture_is_the_published_bundle() -> None:
    """The copy in the fixtures is the bundle that its publisher made."""
    published = SHARED / "reference" / "bundles" / "arcana-demo"
    with open_bundle(DEMO) as ours, open_bundle(published) as theirs:
        assert ours.sha256 == theirs.sha256


def test_notebook_call() -> None:
    """The command is a thin face: the function gives the same report."""
    report = audit(DEMO, policy=load_policy(POLICY))
    done = run("audit", DEMO, "--policy", POLICY, "--format", "json")
    assert RENDERERS["json"](report) == done.stdout


def test_a_line_that_is_not_canonical_is_diagnosed(demo: Bundle) -> None:
    """The finding guesses which writer made the line; it stays a failure."""
    rows = demo.read("arcana/agents.jsonl").split(b"\n")
    rows[0] = json.dumps(json.loads(rows[0])).encode()
    forged = overlay(demo, {"arcana/agents.jsonl": b"\n".join(rows)}, relist=True)
    report = audit_bundle(forged, policy=load_policy(POLICY))
    (finding,) = (item for item in report.findings if item.verdict is Verdict.FAIL)
    assert finding.check == "arcana/layout"
    assert finding.message == (
        "the line is not canonical JSON; guess: it would match with a space after separators"
    )


def test_files_of_no_part_of_the_format_are_named(demo: Bundle) -> None:
    """They carry no claim, so they pass; that nothing read them is said."""
    report = audit_bundle(
        overlay(demo, {"arcana/late.txt": b"", "note.txt": b""}, relist=True),
        policy=load_policy(POLICY),
    )
    assert report.verdict is Verdict.PASS
    assert report.notes[-1] == (
        "Not read, since they belong to no known part of the format: "
        "2 of the bundle's files, arcana/late.txt the first."
    )
