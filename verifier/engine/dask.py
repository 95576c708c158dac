"""
Workers of a Dask cluster: what is left when one machine is too small.

The workers run the same release and see the bundle under the same path. What
all items share goes to every worker once, and is unpacked there once
(:mod:`verifier.engine.remote`). Dask starts batches again whose worker died;
one that took several workers down is taken apart, item by item, and an item
that goes on doing so is given up.

A worker computes one batch at a time, whatever its number of threads: start
more workers rather than threads.
"""

from __future__ import annotations

import pickle
from collections import deque
from contextlib import contextmanager
from hashlib import sha256
from importlib import import_module
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any, Final, TypeVar

from verifier.engine.batches import AHEAD, ATTEMPTS, KILLED, batches
from verifier.engine.release import release_digest
from verifier.engine.remote import job
from verifier.errors import TallyproofError, UsageError
from verifier.family import Unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["Dask"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

PATIENCE: Final = 10.0
"""Seconds for a scheduler to answer, and then for it to have a worker."""

RECOVERY: Final = 60.0
"""Seconds for a cluster that lost all of its workers to have one again."""

_PAUSE: Final = 0.1


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
        with _connected(self._scheduler) as client:
            cluster = _Cluster(client, (work, shared))
            held: deque[tuple[Sequence[Thing], Any]] = deque()
            waiting = batches(items, cluster.workers)
            while True:
                while len(held) < cluster.workers * AHEAD and (batch := next(waiting, ())):
                    held.append((batch, cluster.submit(batch)))
                if not held:
                    return
                batch, future = held.popleft()
                yield from cluster.result(batch, future)


@contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    """Connect; whatever goes wrong with the cluster, and not with an item, is one error."""
    try:
        distributed: Any = import_module("distributed")  # an extra, without types
    except ImportError:
        raise UsageError("--engine dask needs the extra: pip install tallyproof[dask]") from None
    try:
        # A client of an address that it cannot use would not be able to end.
        distributed.comm.resolve_address(scheduler)
        client = distributed.Client(
            scheduler, timeout=PATIENCE, set_as_default=False, name="tallyproof"
        )
    except (OSError, ValueError) as error:
        raise UsageError(f"no Dask scheduler answers at {scheduler}: {_line(error)}") from None
    with client:
        try:
            yield client
        except TallyproofError:
            raise
        except Exception as error:  # noqa: BLE001 - items have none, so it is one of the cluster
            name = type(error).__name__
            raise UsageError(f"the cluster at {scheduler}: {name}: {_line(error)}") from None


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


class _Cluster:
    """What all items share on every worker of a cluster, and what is computed with it."""

    def __init__(self, client: Any, work: tuple[Callable[[Any, Any], Any], Any]) -> None:  # noqa: ANN401 - of a library without types
        distributed: Any = import_module("distributed")
        self._killed = distributed.KilledWorker
        self._lost = (self._killed, distributed.client.FutureCancelledError)
        self._client = client
        self._packed = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
        self._key = sha256(self._packed).hexdigest()
        self._job = job()
        self._sent = self._send(PATIENCE)
        self.workers = max(1, len(client.nthreads()))

    def _send(self, patience: float) -> Any:  # noqa: ANN401 - a future of a library without types
        """Give all workers what items share, as soon as there are any."""
        until = monotonic() + patience
        while True:
            left = until - monotonic()
            try:
                self._client.wait_for_workers(1, timeout=max(left, 0.1))
                return self._client.scatter(self._packed, broadcast=True, hash=False)
            except (TimeoutError, ValueError):
                # A worker may go between the two, and is no help while it starts.
                if left <= 0:
                    raise UsageError("the cluster has no workers") from None
                sleep(_PAUSE)

    def submit(self, batch: Sequence[Any]) -> Any:  # noqa: ANN401 - as above
        """Hand over a batch; results are values of the batch, and never looked up by name."""
        return self._client.submit(
            self._job,
            self._sent,
            self._key,
            release_digest(),
            pickle.dumps(list(batch)),
            pure=False,
        )

    def result(self, batch: Sequence[Any], future: Any) -> list[Any]:  # noqa: ANN401 - as above
        """Wait for a batch; try it once more, and take it apart if it cannot be had."""
        try:
            return _value(future)
        except self._lost:
            # The workers that held what items share may be gone.
            self._sent = self._send(RECOVERY)
        try:
            return _value(self.submit(batch))
        except self._lost:
            return [each for item in batch for each in self._alone(item)]

    def _alone(self, item: Any) -> list[Any]:  # noqa: ANN401 - any item
        for _ in range(ATTEMPTS):
            self._sent = self._send(RECOVERY)
            try:
                return _value(self.submit([item]))
            except self._killed:
                break  # Dask itself tried more than once
            except self._lost:
                continue  # what items share was lost, which is no fault of this one
        return [Unchecked(KILLED)]


def _value(future: Any) -> list[Any]:  # noqa: ANN401 - as above
    """Wait for results, or for the error that ends the audit."""
    packed = future.result()
    if packed is None:
        raise UsageError("the workers of the cluster run another release than this one")
    found: list[Any] | TallyproofError = pickle.loads(packed)  # noqa: S301 - from a worker
    if isinstance(found, TallyproofError):
        raise found
    return found
