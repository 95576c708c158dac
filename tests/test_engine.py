"""The engines: one order of results, whoever computes them, and no item takes an audit down."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

import pytest
from overlays import overlays
from shared import FIXTURES, ROOT
from works import break_off, double, kill, kill_once, refuse

from verifier.audit import audit, audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.engine import Serial, engine_for
from verifier.engine.processes import Processes
from verifier.errors import FormatError, UsageError
from verifier.family import Engine, Unchecked
from verifier.policy import Policy, parse_policy
from verifier.report import RENDERERS

DEMOS: Final = ("arcana-demo", "floor-demo", "sharpe-demo")
ITEMS: Final = range(200)
KILLED: Final = "every process that took it was killed, as systems do that run out of memory"


@cache
def _policy() -> Policy:
    return parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    """Which process computed an item cannot be seen."""
    results = engine_for(None, jobs=jobs).map(double, 2, ITEMS)
    assert list(results) == [2 * item for item in ITEMS]


def test_a_killed_worker_changes_nothing(tmp_path: Path) -> None:
    """What a process held when it died is computed again, by another."""
    assert list(Processes(2).map(kill_once, str(tmp_path), ITEMS)) == list(ITEMS)
    assert len(list(tmp_path.iterdir())) == 4


def test_an_item_that_kills_every_process_is_given_up_alone() -> None:
    """All other items have their results, in their places."""
    results = list(Processes(2).map(kill, 150, ITEMS))
    assert results == [*range(150), Unchecked(KILLED), *range(151, 200)]


def test_an_only_item_does_not_kill_the_audit() -> None:
    """It is computed in a process of its own even if there is nothing beside it."""
    assert list(Processes(2).map(kill, 5, [5])) == [Unchecked(KILLED)]


@pytest.mark.parametrize("engine", [Serial(), Processes(2)])
def test_an_item_that_breaks_a_check_is_given_up_alone(engine: Engine) -> None:
    """A defect of a check costs its item, and every engine says so alike."""
    results = list(engine.map(break_off, 7, ITEMS))
    given_up = Unchecked("checking it broke off with ZeroDivisionError")
    assert results == [*range(7), given_up, *range(8, 200)]


def test_an_error_keeps_its_place_on_the_way_between_processes() -> None:
    """File, line and pointer of an error in a process are those of the same error in one."""
    errors = []
    for engine in (Serial(), Processes(2)):
        with pytest.raises(FormatError) as caught:
            list(engine.map(refuse, 150, ITEMS))
        errors.append((type(caught.value), str(caught.value), caught.value.line))
    assert errors[0] == errors[1]


@pytest.mark.parametrize(
    ("name", "jobs", "scheduler"),
    [
        ("dask", 1, None),
        ("dask", 2, "tcp://a:1"),
        ("processes", 2, "tcp://a:1"),
        (None, 1, "tcp://a:1"),
        ("serial", 2, None),
    ],
)
def test_options_that_do_not_fit_together_are_refused(
    name: str | None, jobs: int, scheduler: str | None
) -> None:
    """A scheduler is for a cluster, and a single process is no two."""
    with pytest.raises(UsageError):
        engine_for(name, jobs=jobs, scheduler=scheduler)  # type: ignore[arg-type]


@pytest.mark.parametrize("demo", DEMOS)
def test_processes_give_the_same_reports_on_forgeries(demo: str) -> None:
    """Every eighth forgery over a demo bundle; `make engines` takes all, on every engine."""
    with open_bundle(FIXTURES / demo) as base:
        for each in overlays(demo)[::8]:
            forged = overlay(base, each.changes(base), relist=each.relist)
            reports = {
                RENDERERS["json"](audit_bundle(forged, policy=_policy(), engine=engine))
                for engine in (Serial(), Processes(2))
            }
            assert len(reports) == 1, each.name


def test_a_bundle_sent_to_a_process_opens_files_of_its_own() -> None:
    """The numbers of open files mean nothing elsewhere, so they are not sent."""
    with open_bundle(FIXTURES / "arcana-demo") as bundle:
        content = bundle.read("bundle.json")
        sent = pickle.dumps(bundle)
    with pickle.loads(sent) as again:
        assert again.read("bundle.json") == content
        assert again.sha256 == bundle.sha256


def test_a_bundle_sent_to_a_process_is_found_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path relative to where the audit runs means nothing elsewhere."""
    monkeypatch.chdir(FIXTURES)
    with open_bundle("arcana-demo") as bundle:
        content = bundle.read("bundle.json")
        sent = pickle.dumps(bundle)
    monkeypatch.chdir(tmp_path)
    with pickle.loads(sent) as again:
        assert again.read("bundle.json") == content


def test_processes_that_cannot_inherit_give_the_same_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the system does not fork, contexts are sent, and no byte of the report changes."""
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    spawn = multiprocessing.get_context("spawn")
    monkeypatch.setattr(multiprocessing, "get_context", lambda _method: spawn)
    reports = [RENDERERS["json"](audit(FIXTURES / "arcana-demo", jobs=jobs)) for jobs in (1, 2)]
    assert reports[0] == reports[1]


def test_a_cluster_gives_the_same_reports_and_survives_its_workers() -> None:
    """Two workers agree with one process on all demos, and one that dies changes nothing."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "on_cluster.py"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == {
        "killed": True,
        "nobody": "no Dask scheduler answers at tcp://127.0.0.1:9",
        "poisoned": KILLED,
        "reports": dict.fromkeys(DEMOS, True),
    }
