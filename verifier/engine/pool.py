"""
A pool of processes that ends when the audit ends, however that does.

Every process holds the reading end of a pipe whose writing end only the audit
holds. Its end is the end of the process: the audit closes it when nobody wants
the results any more, and the system does when the audit itself was killed. So
no process is left behind, and nobody waits for what nobody reads.

Who interrupts the audit on a terminal interrupts all of its processes. They
take no notice, since a process that dies of it writes a trace; the audit does
what there is to do. While it starts or ends processes it lets interrupts wait.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any, Self

from verifier.engine.batches import attempt
from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection
    from types import TracebackType

__all__ = ["BrokenProcessPool", "Pool", "Work"]

Work = tuple["Callable[[Any, Any], Any]", Any]
"""What is computed, and what all items share."""

# In a process of a pool.
_work: list[Work] = []


class Pool:
    """
    Some processes, as a context manager.

    They get what all items share once, when they start: inherited where the
    system can safely fork, sent otherwise.

    Args:
        jobs: How many.
        work: What they compute.
    """

    def __init__(self, jobs: int, work: Work) -> None:
        # Libraries of macOS do not survive a fork, which Python allows there all the same.
        fork = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
        system = multiprocessing.get_context("fork" if fork else None)
        self._end, self._held = system.Pipe(duplex=False)
        self._processes = ProcessPoolExecutor(
            jobs, system, _start, (work, self._end, self._held if fork else None)
        )

    def submit(self, batch: Sequence[Any]) -> Future[list[Any]]:
        """
        Hand over a batch; the future of a pool that is broken says so.

        Raises:
            UsageError: The system does not let processes start.
        """
        with _uninterrupted():
            try:
                return self._processes.submit(_run, batch)
            except BrokenProcessPool as broken:
                failed: Future[list[Any]] = Future()
                failed.set_exception(broken)
                return failed
            except OSError as error:
                raise UsageError(f"no more processes can be started: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all processes, in the middle of their work where that was broken off."""
        with _uninterrupted():
            if error is not None:
                self._held.close()
            self._processes.shutdown()
            self._held.close()
            self._end.close()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let interrupts wait; processes that are started inherit that."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(work: Work, audit: Connection, held: Connection | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if held is not None:
        held.close()
    Thread(target=_end_with, args=(audit,), daemon=True).start()
    _work[:] = [work]


def _end_with(audit: Connection) -> None:
    # Nothing is ever sent: it becomes readable when its other end is closed.
    audit.poll(None)
    os._exit(1)


def _run(batch: Sequence[Any]) -> list[Any]:
    ((work, shared),) = _work
    return [attempt(work, shared, item) for item in batch]
