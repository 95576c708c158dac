"""
An ordered map over items, in this process or in several.

The serial engine is the reference. Processes get the contexts once, when they
start: inherited where the system can safely fork, sent otherwise. Results come
back in the order of the items, so the number of jobs cannot be seen in a
report. A process that dies ends the audit with an error: what it had to check
is not known, and waiting for it would never end.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.family import Family, Item, Outcome

__all__ = ["Task", "run_tasks"]

Task = tuple[str, "Item"]
"""A family's name and one of its items."""

_CHUNKS_PER_JOB: Final = 16
# Few enough that progress is seen, and that an interrupted audit soon ends.
_CHUNK: Final = 64
_work: dict[str, tuple[Family, Any]] = {}


def run_tasks(
    families: Mapping[str, tuple[Family, Any]], tasks: Sequence[Task], *, jobs: int
) -> Iterator[Outcome]:
    """
    Check every task and yield the outcomes in the order of the tasks.

    Args:
        families: Each family with its loaded context.
        tasks: What to check.
        jobs: Processes to use; 1 stays in this one.

    Raises:
        EvidenceError: As the checks do.
        UsageError: A process was killed, as systems do that run out of memory.
    """
    if jobs <= 1 or len(tasks) <= 1:
        for name, item in tasks:
            family, context = families[name]
            yield family.check(context, item)
        return
    import multiprocessing  # noqa: PLC0415 - not for a single job
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    # Libraries of macOS do not survive a fork, which Python allows there all the same.
    fork = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
    system = multiprocessing.get_context("fork" if fork else None)
    chunk = min(_CHUNK, max(1, len(tasks) // (jobs * _CHUNKS_PER_JOB)))
    with ProcessPoolExecutor(jobs, system, _start, (families,)) as pool:
        try:
            yield from pool.map(_run, tasks, chunksize=chunk)
        except BrokenProcessPool:
            raise UsageError(
                "a process was killed while it was checking; with fewer jobs less memory is used"
            ) from None


def _start(families: Mapping[str, tuple[Family, Any]]) -> None:
    import signal  # noqa: PLC0415 - only in a process of its own

    # Who interrupts the audit interrupts its processes too. They finish what they hold and are
    # then sent home: a pool whose processes die while it is cancelled writes a trace of its own.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work.update(families)


def _run(task: Task) -> Outcome:
    name, item = task
    family, context = _work[name]
    return family.check(context, item)
