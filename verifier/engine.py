"""
An ordered map over items, in this process or in several.

The serial engine is the reference. Processes get the contexts once, when they
start: inherited where the system can fork, sent otherwise. Results come back
in the order of the items, so the number of jobs cannot be seen in a report.
"""

from __future__ import annotations

import multiprocessing
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.family import Family, Item, Outcome

__all__ = ["Task", "run_tasks"]

Task = tuple[str, "Item"]
"""A family's name and one of its items."""

_CHUNKS_PER_JOB: Final = 16
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
    """
    if jobs <= 1 or len(tasks) <= 1:
        for name, item in tasks:
            family, context = families[name]
            yield family.check(context, item)
        return
    method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    chunk = max(1, len(tasks) // (jobs * _CHUNKS_PER_JOB))
    with multiprocessing.get_context(method).Pool(jobs, _start, (families,)) as pool:
        yield from pool.imap(_run, tasks, chunksize=chunk)


def _start(families: Mapping[str, tuple[Family, Any]]) -> None:
    _work.update(families)


def _run(task: Task) -> Outcome:
    name, item = task
    family, context = _work[name]
    return family.check(context, item)
