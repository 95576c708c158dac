"""Every check has a passing and a failing example: the demo bundle, and its mutations."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from shared import FIXTURES

from verifier.audit import all_checks, audit_bundle
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.families import FAMILIES
from verifier.findings import Verdict
from verifier.policy import Policy, load_policy
from verifier.selftest import Mutation, run_selftest
from verifier.selftest.mutations import SUITES
from verifier.selftest.render import render_json, render_text
from verifier.selftest.run import Outcome, Selftest, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DEMO: Final = FIXTURES / "arcana-demo"
POLICY: Final = FIXTURES / "policy.toml"
# The families that the demo bundle holds, and the layout that every bundle has.
HELD: Final = ("bundle", "arcana")
CHECKS: Final = [check.id for check in all_checks() if check.id.partition("/")[0] in HELD]
MUTATIONS: Final = [item for name in HELD for item in SUITES[name]().mutations]


def run(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Run the real command."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", "selftest", *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=FIXTURES.parent,
    )


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


@pytest.fixture(scope="module")
def policy() -> Policy:
    """Load the policy under which it passes."""
    return load_policy(POLICY)


def some(bundle: Bundle, policy: Policy, *names: str, jobs: int = 1) -> Selftest:
    """Try the mutations of these names."""
    return run_selftest(bundle, policy=policy, jobs=jobs, only=lambda item: item.name in names)


SOLE: Final = {
    # Nothing depends on these lies, so that only the check that must see them does.
    "row-with-space": "arcana/layout",
    "manifest-without-row": "arcana/seal",
    "document-changed": "arcana/formula",
    "input-not-mined": "arcana/inputs-anchored",
    "cent-more-arcana": "arcana/stored",
    "tx-reverted": "arcana/anchor",
    "reputation-last-bit": "arcana/reputation",
    "tie-broken": "arcana/leaderboards",
}
RESEALED: Final = {
    "output-one-ulp": "arcana/recompute",
    "weights-swapped": "arcana/formula",
    "previous-seal-skips": "arcana/identity",
    "nav-raised": "arcana/inputs-recorded",
    "snapshot-holdings": "arcana/inputs-recorded",
    "crlf": "arcana/seal",
    "too-few-chosen": "arcana/participation",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_registered_check_is_aimed_at(family: str) -> None:
    """No check of any family of this release is left without a failing example."""
    assert family in SUITES
    aims = {mutation.aims_at for mutation in SUITES[family]().mutations}
    assert {check.id for check in FAMILIES[family]().checks} <= aims


def test_every_check_catches_its_mutations() -> None:
    """
    Every check of the demo fails for a mutation at least, and all are caught.

    One test for the whole run, through the command and in two processes, since
    it is the longest of the suite. What is tied up leaves nothing to others: a
    lie that was sealed anew is seen by the check that must see it, and by that
    of the anchors, whose signed transactions nobody can redo.
    """
    done = run(DEMO, "--policy", POLICY, "--jobs", "2", "--format", "json")
    assert (done.returncode, done.stderr) == (0, b""), done
    result = json.loads(done.stdout)
    assert result["verdict"] == "caught"
    assert result["counts"] == {"caught": len(MUTATIONS), "missed": 0, "not applicable": 0}
    assert [check["id"] for check in result["checks"]] == CHECKS
    assert all(check["caught"] > 0 for check in result["checks"])
    caught_by = {}
    for trial, mutation in zip(result["mutations"], MUTATIONS, strict=True):
        assert (trial["name"], trial["aims_at"]) == (mutation.name, mutation.aims_at)
        assert trial["verdict"] in {"fail", "unproven"}, trial
        assert trial["aims_at"] in trial["caught_by"], trial
        caught_by[mutation.name] = set(trial["caught_by"])
    assert {name: caught_by[name] for name in SOLE} == {n: {check} for n, check in SOLE.items()}
    for name, check in RESEALED.items():
        assert caught_by[name] == {check, "arcana/anchor"}, name


def test_every_check_has_a_passing_example(demo: Bundle, policy: Policy) -> None:
    """The unchanged bundle passes each check, and none has anything to say against it."""
    report = audit_bundle(demo, policy=policy)
    assert [check.id for check in report.checks] == CHECKS
    for check in report.checks:
        assert check.pass_ > 0, check.id
        assert check.fail == check.unproven == 0, check.id


def test_mutations_are_told_apart() -> None:
    """Names are unique and fit the table, aims are checks, and each is told in a sentence."""
    names = [mutation.name for mutation in MUTATIONS]
    assert len(set(names)) == len(names)
    assert len(names) >= 45
    known = {check.id for check in all_checks()}
    for mutation in MUTATIONS:
        assert mutation.aims_at in known
        assert mutation.what.endswith("."), mutation.name


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_only_the_layout_is_given_away_by_the_list(mutation: Mutation) -> None:
    """No other check's mutation leaves a hash list that does not hold."""
    assert mutation.relist or mutation.aims_at == "bundle/layout"


def test_jobs_cannot_be_seen(demo: Bundle, policy: Policy) -> None:
    """One process and two give the same bytes, and the mutations leave the bundle alone."""
    names = ("hash-wrong", "tx-value", "too-few-chosen", "board-name")
    before = demo.sha256
    one, two = (some(demo, policy, *names, jobs=jobs) for jobs in (1, 2))
    assert render_json(one) == render_json(two)
    assert render_text(one) == render_text(two)
    assert [trial.mutation.name for trial in one.trials] == list(names)
    assert demo.sha256 == before


def test_a_missed_mutation_is_said(demo: Bundle, policy: Policy) -> None:
    """A lie that the check does not see exits 1, whoever else sees it."""
    caught = some(demo, policy, "document-changed")
    (trial,) = caught.trials
    elsewhere = replace(trial, mutation=replace(trial.mutation, aims_at="arcana/seal"))
    unseen = replace(trial, outcome=Outcome(verdict=Verdict.PASS))
    unread = replace(trial, outcome=Outcome(error="a file cannot be read"))
    for wrong in (elsewhere, unseen, unread):
        selftest = replace(caught, trials=(wrong,))
        assert wrong.state == "missed"
        assert selftest.exit_code == 1
        assert b"SELFTEST: MISSED \xe2\x80\x94 1 of 1 mutation not caught" in render_text(selftest)
        assert json.loads(render_json(selftest))["verdict"] == "missed"


def test_a_check_without_mutation_is_incomplete(demo: Bundle, policy: Policy) -> None:
    """Nothing to damage is shown, counted, never caught, and leaves the selftest incomplete."""
    changes: dict[str, bytes | None] = {"arcana/leaderboards.jsonl": None}
    without = overlay(demo, changes, relist=True)
    selftest = some(without, policy, "tie-broken", "board-twice", "boards-out-of-order")
    assert {trial.state for trial in selftest.trials} == {"not applicable"}
    assert selftest.untried == ("arcana/layout", "arcana/leaderboards")
    assert selftest.exit_code == 3
    text = render_text(selftest).decode()
    assert "arcana/leaderboards, step 10: nothing to damage" in text
    assert "SELFTEST: INCOMPLETE — nothing to damage for arcana/layout" in text


def test_an_empty_season(demo: Bundle, policy: Policy) -> None:
    """A bundle with agents, and nothing that they did: what is not there is not applicable."""
    kept = ("agents", "seasons", "formulas")
    empty: dict[str, bytes | None] = {
        path: b"" if path.endswith("s.jsonl") else None
        for path in demo.paths
        if path.startswith("arcana/") and not path.endswith(tuple(f"{x}.jsonl" for x in kept))
    }
    selftest = run_selftest(overlay(demo, empty, relist=True), policy=policy)
    assert selftest.unchanged is Verdict.PASS
    assert selftest.count("missed") == 0
    assert selftest.exit_code == 3
    tried = {trial.mutation.aims_at for trial in selftest.trials if trial.state == "caught"}
    assert {"bundle/layout", "arcana/layout", "arcana/formula"} <= tried
    assert {"arcana/seal", "arcana/anchor", "arcana/leaderboards"} <= set(selftest.untried)


def test_a_bundle_that_does_not_pass() -> None:
    """Under a policy that names nobody nothing can be shown, and nothing is tried."""
    done = run(DEMO, "--format", "json")
    result = json.loads(done.stdout)
    assert done.returncode == 3
    assert (result["verdict"], result["unchanged"], result["mutations"]) == (
        "incomplete",
        "fail",
        [],
    )
    assert b"the unchanged bundle gets fail" in run(DEMO).stdout


def test_one_check(tmp_path: Path) -> None:
    """Only what aims at one check is tried, and written where the caller says."""
    output = tmp_path / "selftest.txt"
    done = run(DEMO, "--policy", POLICY, "--check", "arcana/stored", "--output", output)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    text = output.read_text("utf-8")
    assert "arcana/stored, step 7: 4 of 4 caught" in text
    assert "arcana/seal" not in text
    assert text.endswith("all 4 mutations, each by the check it aims at\n")


def test_what_cannot_run(tmp_path: Path) -> None:
    """No bundle exits 2 with one line, and quiet writes nothing at all."""
    done = run(tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    done = run(DEMO, "--check", "arcana/none")
    assert (done.returncode, done.stderr) == (2, b"tallyproof: no check 'arcana/none'\n")
    done = run(DEMO, "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (3, b"", b"")


def test_text_fits(demo: Bundle, policy: Policy) -> None:
    """No line is wider than 80 columns, and colour only repeats the words."""
    selftest = some(demo, policy, "nav-raised", "too-few-chosen", "version-unknown")
    aims_at = selftest.checks[0].id
    quiet = Trial(mutation=replace(MUTATIONS[0], aims_at=aims_at), outcome=Outcome())
    selftest = replace(selftest, trials=(*selftest.trials, quiet))
    text = render_text(selftest).decode()
    assert max(map(len, text.splitlines())) <= 80
    for word in ("caught, fail", "not applicable:", 'participation = "published"'):
        assert word in text
    assert "\x1b[" not in text
    assert "\x1b[32m✓\x1b[0m" in render_text(selftest, color=True).decode()
