"""
What all engines have in common: batches of items, and what an item may not do.

Items are handed over in batches, small enough that progress is seen and that an
interrupted audit soon ends, and larger where there are many items, so that
handing over does not become the work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from verifier.errors import TallyproofError
from verifier.family import Unchecked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["AHEAD", "ATTEMPTS", "KILLED", "attempt", "batches"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

ATTEMPTS: Final = 3
"""How often an item is tried on its own before it counts as one that cannot be checked."""

AHEAD: Final = 4
"""Batches handed to each worker ahead of the results that are read."""

KILLED: Final = "every process that took it was killed, as systems do that run out of memory"

_BATCHES_PER_WORKER: Final = 16
_LARGEST: Final = 64


def batches(items: Sequence[Thing], workers: int) -> Iterator[Sequence[Thing]]:
    """Cut items into batches, in order."""
    size = min(_LARGEST, max(1, len(items) // (workers * _BATCHES_PER_WORKER)))
    for start in range(0, len(items), size):
        yield items[start : start + size]


def attempt(
    work: Callable[[Shared, Thing], Result], shared: Shared, item: Thing
) -> Result | Unchecked:
    """
    Compute one item.

    Returns:
        What it gives; :class:`~verifier.family.Unchecked` if the computation breaks
        in a way that says nothing about the evidence.

    Raises:
        TallyproofError: The evidence cannot be read, which ends an audit.
    """
    try:
        return work(shared, item)
    except TallyproofError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever broke, the other items are still checked
        return Unchecked(f"checking it broke off with {type(error).__name__}")
