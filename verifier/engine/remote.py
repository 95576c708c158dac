"""
What a worker of a cluster does.

:func:`job` makes the function that is sent to it. It is sent as code, and what
it takes and gives is bytes, so neither a scheduler nor a worker needs anything
of this release to hand it on: a worker that could not even unpack it would be
taken from its cluster. Only a worker that has the same release goes on.
"""

from __future__ import annotations

import pickle
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from verifier.engine.batches import attempt
from verifier.errors import ChangedError, TallyproofError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["compute", "job"]

_SEEN: Final = " (read by a worker of the cluster, which must see the bundle under the same path)"
# In a worker: what it unpacked last, by the hash of the packed bytes.
_unpacked: dict[str, Any] = {}
_one_at_a_time = Lock()


def job() -> Callable[[bytes, str, str, bytes], bytes | None]:
    """
    Make the function that workers run: :func:`compute`, or None where the release is another.

    It takes the packed work, its hash, the release and a packed batch.
    """

    def run(packed: bytes, key: str, release: str, batch: bytes) -> bytes | None:
        # All that it uses is looked up by the worker.
        try:
            from verifier.engine.release import release_digest  # noqa: PLC0415
        except ImportError:
            return None
        if release_digest() != release:
            return None
        from verifier.engine.remote import compute  # noqa: PLC0415

        return compute(packed, key, batch)

    return run


def compute(packed: bytes, key: str, batch: bytes) -> bytes:
    """
    Compute a batch, one at a time in a process, since a bundle belongs to one thread.

    Args:
        packed: The pickled function, and what all items share.
        key: Hash of *packed*; what has it is unpacked once.
        batch: The pickled list of items.

    Returns:
        The pickled list of results, or the error that ends the audit.
    """
    found: list[Any] | TallyproofError
    with _one_at_a_time:
        try:
            if key not in _unpacked:
                _unpacked.clear()
                _unpacked[key] = pickle.loads(packed)  # noqa: S301 - from the audit's own process
            work, shared = _unpacked[key]
            items = pickle.loads(batch)  # noqa: S301 - as above
            found = [attempt(work, shared, item) for item in items]
        except TallyproofError as error:
            if isinstance(error, ChangedError):
                error.reason += _SEEN
            found = error
    return pickle.dumps(found)
