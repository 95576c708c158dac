"""A worker that is killed in the middle of an audit changes no byte of the report."""

from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

from engines.killing import Killing
from shared import FIXTURES

from verifier.audit import audit
from verifier.engine.processes import Processes
from verifier.floor import files
from verifier.policy import Policy, load_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from verifier.family import Engine


def _policy() -> Policy:
    return load_policy(FIXTURES / "policy.toml")


def _report(
    demo: str,
    engine: Engine | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> bytes:
    report = audit(FIXTURES / demo, policy=_policy(), keep="all", engine=engine, progress=progress)
    return RENDERERS["json"](report)


def test_a_process_killed_at_an_item_changes_nothing(tmp_path: Path) -> None:
    """Whoever computes it then, and what its process held; `make engines` kills in all demos."""
    killing = Killing(Processes(2), tmp_path)
    assert _report("arcana-demo", killing) == _report("arcana-demo")
    assert killing.kills == killing.maps == 1


def test_a_process_killed_while_segments_are_read_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of the four long files of the Floor loses a process, and so do the checks."""
    whole = _report("floor-demo")
    monkeypatch.setattr(files, "HELD_BYTES", 0)
    monkeypatch.setattr(files, "SEGMENT", 4_000)
    killing = Killing(Processes(2), tmp_path)
    assert _report("floor-demo", killing) == whole
    assert killing.kills == killing.maps == 5


def test_a_process_killed_from_outside_changes_nothing() -> None:
    """As an operator or a system out of memory does it: at any moment, whatever it is at."""
    killed = []

    def kill_one(what: str, done: int, total: int) -> None:
        if what == "checking" and done == total // 2:
            for each in multiprocessing.active_children()[:1]:
                assert each.pid is not None
                os.kill(each.pid, signal.SIGKILL)
                killed.append(each.pid)

    assert _report("arcana-demo", Processes(2), kill_one) == _report("arcana-demo")
    assert len(killed) == 1
