"""
Processes of this machine.

When one of them dies, as systems let happen that run out of memory, nobody can
tell which batch it was at. The oldest batch is then computed in a process of
its own, where less memory is used at a time, and the others go to new
processes. A batch that kills that process too is taken apart, and an item that
does so again and again is given up.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from verifier.engine.batches import AHEAD, ATTEMPTS, KILLED, attempt, batches
from verifier.family import Unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from concurrent.futures import Future

    from verifier.engine.pool import Pool, Work

__all__ = ["Processes"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Processes:
    """
    Several processes of this machine.

    Args:
        jobs: How many; one is this process itself.
    """

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs

    def map(
        self, work: Callable[[Shared, Thing], Result], shared: Shared, items: Sequence[Thing]
    ) -> Iterator[Result | Unchecked]:
        """Compute in processes; see :class:`~verifier.family.Engine`."""
        if self._jobs == 1:
            for item in items:
                yield attempt(work, shared, item)
        elif items:
            yield from _map((work, shared), items, min(self._jobs, len(items)))


def _map(work: Work, items: Sequence[Any], jobs: int) -> Iterator[Any]:
    from verifier.engine.pool import Pool  # noqa: PLC0415 - slow to load

    waiting = batches(items, jobs)
    held: deque[tuple[Sequence[Any], Future[list[Any]] | None]] = deque()
    while True:
        with Pool(jobs, work) as pool:
            # Whatever came back before a process died is kept.
            held = deque((batch, known or pool.submit(batch)) for batch, known in held)
            yield from _until_one_dies(pool, held, waiting, jobs)
        if not held:
            return
        batch, _ = held.popleft()
        held = deque((other, _whole(known)) for other, known in held)
        yield from _alone(work, batch)


def _until_one_dies(
    pool: Pool,
    held: deque[tuple[Sequence[Any], Future[list[Any]] | None]],
    waiting: Iterator[Sequence[Any]],
    jobs: int,
) -> Iterator[Any]:
    """Yield results in order; what is held in the end has none, the oldest batch first."""
    from verifier.engine.pool import BrokenProcessPool  # noqa: PLC0415 - as above

    while True:
        while len(held) < jobs * AHEAD and (batch := next(waiting, ())):
            held.append((batch, pool.submit(batch)))
        if not held:
            return
        _, future = held[0]
        assert future is not None
        try:
            results = future.result()
        except BrokenProcessPool:
            return
        held.popleft()
        yield from results


def _whole(future: Future[list[Any]] | None) -> Future[list[Any]] | None:
    """Give back a future that has results."""
    done = future is not None and future.done() and future.exception() is None
    return future if done else None


def _alone(work: Work, batch: Sequence[Any]) -> Iterator[Any]:
    """Compute a batch in a process of its own, and item by item if that dies."""
    found = _isolated(work, batch)
    if found is not None:
        yield from found
        return
    for item in batch:
        tries = (_isolated(work, [item]) for _ in range(ATTEMPTS))
        yield from next((each for each in tries if each is not None), [Unchecked(KILLED)])


def _isolated(work: Work, batch: Sequence[Any]) -> list[Any] | None:
    """Compute a batch in a process of its own; None if that process dies."""
    from verifier.engine.pool import BrokenProcessPool, Pool  # noqa: PLC0415 - as above

    with Pool(1, work) as pool:
        try:
            return pool.submit(batch).result()
        except BrokenProcessPool:
            return None
