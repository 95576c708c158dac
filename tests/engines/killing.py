"""An engine that loses a worker in the middle of everything that it computes."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from verifier.family import Engine

__all__ = ["Killing"]

_Killed = tuple["Path", int, "Callable[[Any, Any], Any]", Any]


class Killing:
    """
    An engine whose worker is killed at the middle item, once in every map that has items.

    Args:
        engine: Who computes.
        folder: An empty folder, in which a file for each kill is made.
        only: Numbers of the maps in which that happens, from 1; every map if there is none.
    """

    def __init__(self, engine: Engine, folder: Path, *only: int) -> None:
        self._engine = engine
        self._folder = folder
        self._only = only
        self.maps = 0

    @property
    def kills(self) -> int:
        """How many workers were killed."""
        return len(list(self._folder.iterdir()))

    def map(
        self, work: Callable[[Any, Any], Any], shared: Any, items: Sequence[Any]
    ) -> Iterator[Any]:
        """Compute as the engine does, and lose a worker."""
        self.maps += bool(items)
        if not items or (self._only and self.maps not in self._only):
            return self._engine.map(work, shared, items)
        killed: _Killed = (self._folder / str(self.maps), len(items) // 2, work, shared)
        return self._engine.map(_killed_once, killed, list(enumerate(items)))


def _killed_once(killed: _Killed, item: tuple[int, Any]) -> Any:
    mark, middle, work, shared = killed
    place, inner = item
    if place == middle and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(shared, inner)
