"""
Workers of a Dask cluster: what is left when one machine is too small.

The workers run the same release and see the bundle under the same path. What
all items share goes to every worker once, and is unpacked there once. Dask
starts batches again whose worker died; one that took several workers down is
taken apart, item by item, and an item that goes on doing so is given up.

A worker computes one batch at a time, whatever its number of threads, since a
bundle belongs to one thread: start more workers rather than threads.
"""

from __future__ import annotations

import pickle
from collections import deque
from hashlib import sha256
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from verifier.engine.batches import AHEAD, ATTEMPTS, KILLED, attempt, batches
from verifier.engine.release import release_digest
from verifier.errors import UsageError
from verifier.family import Unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Dask"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

_TIMEOUT: Final = "20s"
# In a worker: what it unpacked last, by the hash of the packed bytes.
_unpacked: dict[str, Any] = {}
_one_at_a_time = Lock()


class Dask:
    """
    The workers of a cluster.

    Args:
        scheduler: Address, such as ``tcp://10.0.0.1:8786``.
    """

    def __init__(self, scheduler: str) -> None:
        self._scheduler = scheduler

    def map(
        self, work: Callable[[Shared, Thing], Result], shared: Shared, items: Sequence[Thing]
    ) -> Iterator[Result | Unchecked]:
        """Compute on the cluster; see :class:`~verifier.family.Engine`."""
        if not items:
            return
        with _Cluster(self._scheduler, (work, shared)) as cluster:
            held: deque[tuple[Sequence[Thing], Any]] = deque()
            waiting = batches(items, cluster.workers)
            while True:
                while len(held) < cluster.workers * AHEAD and (batch := next(waiting, ())):
                    held.append((batch, cluster.submit(batch)))
                if not held:
                    return
                batch, future = held.popleft()
                yield from cluster.result(batch, future)


class _Cluster:
    """A connection, and what all items share on every worker."""

    def __init__(self, scheduler: str, work: tuple[Callable[[Any, Any], Any], Any]) -> None:
        try:
            distributed: Any = import_module("distributed")  # an extra, without types
        except ImportError:
            raise UsageError(
                "--engine dask needs the extra: pip install tallyproof[dask]"
            ) from None
        self._errors = (distributed.KilledWorker, distributed.client.FutureCancelledError)
        try:
            self._client = distributed.Client(
                scheduler, timeout=_TIMEOUT, set_as_default=False, name="tallyproof"
            )
        except (OSError, ValueError) as error:
            raise UsageError(f"no Dask scheduler answers at {scheduler}: {error}") from None
        self.workers = max(1, len(self._client.nthreads()))
        self._packed = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
        self._key = sha256(self._packed).hexdigest()
        self._sent = self._send()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def _send(self) -> Any:  # noqa: ANN401 - a future of a library without types
        """Give all workers what items share, as soon as there are any."""
        for _ in range(ATTEMPTS):
            try:
                self._client.wait_for_workers(1, timeout=_TIMEOUT)
                return self._client.scatter(self._packed, broadcast=True, hash=False)
            except TimeoutError:
                continue  # a worker may go between the two
        raise UsageError("the cluster has no workers")

    def submit(self, batch: Sequence[Any]) -> Any:  # noqa: ANN401 - as above
        """Hand over a batch; results are values of the batch, and never looked up by name."""
        return self._client.submit(
            _run, self._sent, self._key, release_digest(), list(batch), pure=False
        )

    def result(self, batch: Sequence[Any], future: Any) -> list[Any]:  # noqa: ANN401 - as above
        """Wait for a batch; try it once more, and take it apart if it cannot be had."""
        try:
            return self._value(future)
        except self._errors:
            # The workers that held what items share may be gone.
            self._sent = self._send()
        try:
            return self._value(self.submit(batch))
        except self._errors:
            return [each for item in batch for each in self._alone(item)]

    def _alone(self, item: Any) -> list[Any]:  # noqa: ANN401 - any item
        # The workers that held what items share may be gone. Dask itself tries more than once.
        self._sent = self._send()
        try:
            return self._value(self.submit([item]))
        except self._errors:
            return [Unchecked(KILLED)]

    def _value(self, future: Any) -> list[Any]:  # noqa: ANN401 - as above
        results = future.result()
        if results is None:
            raise UsageError("the workers of the cluster run another release than this one")
        found: list[Any] = results
        return found


def _run(packed: bytes, key: str, release: str, batch: list[Any]) -> list[Any] | None:
    """Compute a batch in a worker; None if the worker is of another release."""
    if release != release_digest():
        return None
    with _one_at_a_time:
        if key not in _unpacked:
            _unpacked.clear()
            _unpacked[key] = pickle.loads(packed)  # noqa: S301 - from the audit's own process
        work, shared = _unpacked[key]
        return [attempt(work, shared, item) for item in batch]
