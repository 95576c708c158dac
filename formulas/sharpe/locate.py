"""
Order statistics of values that are known only to lie between two bounds each.

Let every value e_i lie in [low_i, high_i]. Sorting keeps order, so the r-th
smallest value lies between A, the r-th smallest lower bound, and B, the r-th
smallest upper bound. A value with high_i < A is below it and one with
low_i > B above it, whatever they are. Only the others, the candidates, have to be
computed; the r-th smallest of all is the (r - number below)-th smallest of them.
Where the two bounds are equal the value is known without computing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

__all__ = ["Located"]


class Located:
    """
    Values behind bounds, computed when they are needed and once.

    Args:
        low: Lower bounds, shape (n,).
        high: Upper bounds, shape (n,).
        compute: Gives the values at the indices it is called with.
    """

    __slots__ = ("_compute", "high", "low")

    def __init__(
        self, low: Doubles, high: Doubles, compute: Callable[[NDArray[np.int64]], Doubles]
    ) -> None:
        self.low = low.copy()
        self.high = high.copy()
        self._compute = compute

    def values(self, at: NDArray[np.int64]) -> Doubles:
        """Values at the given indices."""
        unknown = at[self.low[at] < self.high[at]]
        if len(unknown):
            self.low[unknown] = self.high[unknown] = self._compute(unknown)
        return self.low[at]

    def settle(self, wanted: NDArray[np.bool_]) -> None:
        """Compute the values where *wanted*, so that both of their bounds are equal."""
        self.values(np.flatnonzero(wanted))

    def order_statistics(self, ranks: Sequence[int]) -> list[float]:
        """
        Values of the given ranks (from 0) among all values.

        Args:
            ranks: Ranks, each below the number of values.
        """
        lowest, highest = np.sort(self.low), np.sort(self.high)
        bounds = [(rank, lowest[rank], highest[rank]) for rank in ranks]
        wanted = np.zeros(len(self.low), dtype=np.bool_)
        for _, floor, ceiling in bounds:
            wanted |= (self.high >= floor) & (self.low <= ceiling)
        # Settling moves bounds inwards only: what was below a floor or above a
        # ceiling stays so, and each candidate is one of `wanted`.
        below = [int((self.high < floor).sum()) for _, floor, _ in bounds]
        chosen = [(self.high >= floor) & (self.low <= ceiling) for _, floor, ceiling in bounds]
        self.settle(wanted)
        return [
            float(np.sort(self.low[candidates])[rank - under])
            for (rank, _, _), under, candidates in zip(bounds, below, chosen, strict=True)
        ]
