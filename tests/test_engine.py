"""The engine: items are checked in order, by one process or by several, and it never waits."""

import multiprocessing
import os
import pickle
import signal
from typing import Final

import pytest
from shared import FIXTURES

from verifier.audit import audit
from verifier.bundle import open_bundle
from verifier.engine import Task, run_tasks
from verifier.errors import FormatError, UsageError
from verifier.family import Family, Item, Outcome
from verifier.report import RENDERERS

DEMO: Final = FIXTURES / "arcana-demo"
TASKS: Final[list[Task]] = [("numbers", ("number", at, at + 1)) for at in range(200)]


def _check(last: int, item: Item) -> Outcome:
    if item[1] == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return Outcome([], {"inputs": item[1]})


def _refuse(last: int, item: Item) -> Outcome:
    if item[1] == last:
        raise FormatError("is out of shape", file="arcana/x", line=3, pointer="/a")
    return Outcome([])


FAMILY: Final = Family(
    name="numbers",
    checks=(),
    load=lambda _bundle, _policy: None,
    items=lambda _context: (),
    check=_check,
    notes=lambda _context: (),
    knows=lambda _path: True,
)
REFUSING: Final = Family(
    name="numbers",
    checks=(),
    load=lambda _bundle, _policy: None,
    items=lambda _context: (),
    check=_refuse,
    notes=lambda _context: (),
    knows=lambda _path: True,
)

forks: Final = pytest.mark.skipif(
    multiprocessing.get_start_method() != "fork", reason="the families here cannot be sent"
)


@forks
@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_outcomes_come_in_the_order_of_the_tasks(jobs: int) -> None:
    """Which process checked an item cannot be seen."""
    outcomes = run_tasks({"numbers": (FAMILY, -1)}, TASKS, jobs=jobs)
    assert [outcome.coverage["inputs"] for outcome in outcomes] == list(range(200))


@forks
def test_a_process_that_dies_is_an_error_and_not_a_wait() -> None:
    """A worker killed by the system, as for want of memory, ends the audit."""
    with pytest.raises(UsageError, match="a process was killed"):
        list(run_tasks({"numbers": (FAMILY, 150)}, TASKS, jobs=2))


@forks
def test_an_error_keeps_its_place_on_the_way_between_processes() -> None:
    """File, line and pointer of an error in a process are those of the same error in one."""
    errors = []
    for jobs in (1, 2):
        with pytest.raises(FormatError) as caught:
            list(run_tasks({"numbers": (REFUSING, 150)}, TASKS, jobs=jobs))
        errors.append((type(caught.value), str(caught.value), caught.value.line))
    assert errors[0] == errors[1]


def test_a_bundle_sent_to_a_process_opens_files_of_its_own() -> None:
    """The numbers of open files mean nothing elsewhere, so they are not sent."""
    with open_bundle(DEMO) as bundle:
        content = bundle.read("bundle.json")
        sent = pickle.dumps(bundle)
    with pickle.loads(sent) as again:
        assert again.read("bundle.json") == content
        assert again.sha256 == bundle.sha256


def test_processes_that_cannot_inherit_give_the_same_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the system does not fork, contexts are sent, and no byte of the report changes."""
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    spawn = multiprocessing.get_context("spawn")
    monkeypatch.setattr(multiprocessing, "get_context", lambda _method: spawn)
    reports = [RENDERERS["json"](audit(DEMO, jobs=jobs)) for jobs in (1, 2)]
    assert reports[0] == reports[1]
