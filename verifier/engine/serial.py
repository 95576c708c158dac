"""The reference: one item after the other, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from verifier.engine.batches import attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.family import Unchecked

__all__ = ["Serial"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")


class Serial:
    """The engine that every other must agree with."""

    def map(
        self, work: Callable[[Shared, Thing], Result], shared: Shared, items: Sequence[Thing]
    ) -> Iterator[Result | Unchecked]:
        """Compute item by item; see :class:`~verifier.family.Engine`."""
        for item in items:
            yield attempt(work, shared, item)
