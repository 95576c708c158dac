"""
Processes of this machine.

They get what all items share once, when they start: inherited where the system
can safely fork, sent otherwise. When one of them dies, as systems let happen
that run out of memory, nobody can tell which batch it was at. The oldest batch
is then computed in a process of its own, where less memory is used at a time,
and the others go to new processes. A batch that kills that process too is
taken apart, and an item that does so again and again is given up.
"""

from __future__ import annotations

import sys
from collections import deque
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.engine.batches import AHEAD, ATTEMPTS, KILLED, attempt, batches
from verifier.family import Unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import ProcessPoolExecutor

__all__ = ["Processes"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

_Work = tuple["Callable[[Any, Any], Any]", Any]
# In a process of a pool: what it computes, and what all items share.
_work: list[_Work] = []


class Processes:
    """
    Several processes of this machine.

    Args:
        jobs: How many.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def map(
        self, work: Callable[[Shared, Thing], Result], shared: Shared, items: Sequence[Thing]
    ) -> Iterator[Result | Unchecked]:
        """Compute in processes; see :class:`~verifier.family.Engine`."""
        from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - slow to load

        jobs = min(self._jobs, len(items))
        if jobs <= 1:
            for item in items:
                yield attempt(work, shared, item)
            return
        waiting = batches(items, jobs)
        held: deque[tuple[Sequence[Thing], Future[list[Result | Unchecked]]]] = deque()
        pool = _pool(jobs, (work, shared))
        try:
            while True:
                while len(held) < jobs * AHEAD and (batch := next(waiting, ())):
                    held.append((batch, _submit(pool, batch)))
                if not held:
                    return
                batch, future = held.popleft()
                try:
                    results = future.result()
                except BrokenProcessPool:
                    pool.shutdown()
                    results = list(_alone((work, shared), batch))
                    pool = _pool(jobs, (work, shared))
                    held = deque(
                        (other, known if _is_whole(known) else _submit(pool, other))
                        for other, known in held
                    )
                yield from results
        finally:
            pool.shutdown(cancel_futures=True)


def _is_whole(future: Future[Any]) -> bool:
    return future.done() and future.exception() is None


def _submit(pool: ProcessPoolExecutor, batch: Sequence[Any]) -> Future[list[Any]]:
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as above

    try:
        return pool.submit(_run, batch)
    except BrokenProcessPool as broken:
        failed: Future[list[Any]] = Future()
        failed.set_exception(broken)
        return failed


def _alone(work: _Work, batch: Sequence[Any]) -> list[Any]:
    """Compute a batch in a process of its own, and item by item if that dies."""
    found = _isolated(work, batch)
    if found is not None:
        return found
    results: list[Any] = []
    for item in batch:
        tries = (_isolated(work, [item]) for _ in range(ATTEMPTS))
        results += next((each for each in tries if each is not None), [Unchecked(KILLED)])
    return results


def _isolated(work: _Work, batch: Sequence[Any]) -> list[Any] | None:
    """Compute a batch in a process of its own; None if that process dies."""
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - as above

    with _pool(1, work) as pool:
        try:
            return _submit(pool, batch).result()
        except BrokenProcessPool:
            return None


def _pool(jobs: int, work: _Work) -> ProcessPoolExecutor:
    import multiprocessing  # noqa: PLC0415 - not for a single job
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415

    # Libraries of macOS do not survive a fork, which Python allows there all the same.
    fork = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
    system = multiprocessing.get_context("fork" if fork else None)
    return ProcessPoolExecutor(jobs, system, _start, (work,))


def _start(work: _Work) -> None:
    import signal  # noqa: PLC0415 - only in a process of its own

    # Who interrupts the audit interrupts its processes too. They finish what they hold and are
    # then sent home: a pool whose processes die while it is cancelled writes a trace of its own.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _work[:] = [work]


def _run(batch: Sequence[Any]) -> list[Any]:
    ((work, shared),) = _work
    return [attempt(work, shared, item) for item in batch]
