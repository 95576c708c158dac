"""
The adaptive curriculum: which level to train on next, by what was solved so far.

1. success rate p of a level: solved / attempts, or the prior before its first attempt;
2. weight: ``p * (1 - p)``, largest where a level is solved half of the time;
3. selection: the level of the largest weight, of equal ones the first listed.

Nothing is random: the same outcomes give the same selections. A training aid of the
protocol, and no rule of any board.

Source:
    ``AdaptiveScheduler`` of the public package, releases 0.9.0 and 0.31.0.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Curriculum", "weight_of"]

DEFAULT_PRIOR: Final = 0.5


def weight_of(rate: float) -> float:
    """
    Weight of a level with this success rate.

    >>> weight_of(0.5), weight_of(1.0)
    (0.25, 0.0)
    """
    return rate * (1.0 - rate)


class Curriculum:
    """
    A replay of one schedule.

    Args:
        levels: Candidate levels (seeds) in their order; one named twice counts once.
        prior: Success rate of a level without an attempt, in [0, 1].

    Raises:
        FormulaDomainError: There is no level, or the prior is out of its range.

    >>> schedule = Curriculum([7, 8])
    >>> schedule.record(7, solved=True)
    >>> schedule.select()
    8
    """

    def __init__(self, levels: Sequence[int], prior: float = DEFAULT_PRIOR) -> None:
        if not 0.0 <= prior <= 1.0:
            raise FormulaDomainError(f"prior must be in [0, 1], was {prior!r}")
        self.levels: Final = tuple(dict.fromkeys(levels))
        if not self.levels:
            raise FormulaDomainError("a curriculum needs at least one level")
        self._prior = prior
        self._place = {level: at for at, level in enumerate(self.levels)}
        self._solved = dict.fromkeys(self.levels, 0)
        self._attempts = dict.fromkeys(self.levels, 0)
        # Largest weight first, then the first listed; an entry whose attempts are not the
        # level's any more is stale. So a long log costs no scan of all levels a step.
        self._heap = [(-weight_of(prior), at, 0) for at in range(len(self.levels))]

    def knows(self, level: int) -> bool:
        """Whether a level is on the schedule."""
        return level in self._place

    def attempts(self, level: int) -> tuple[int, int]:
        """How often a level was solved, and how often it was attempted."""
        return self._solved[level], self._attempts[level]

    def rate(self, level: int) -> float:
        """Success rate of a level."""
        attempts = self._attempts[level]
        return self._solved[level] / attempts if attempts else self._prior

    def weight(self, level: int) -> float:
        """Weight of a level."""
        return weight_of(self.rate(level))

    def record(self, level: int, *, solved: bool) -> None:
        """Take the outcome of one episode into account."""
        self._attempts[level] += 1
        self._solved[level] += solved
        heappush(self._heap, (-self.weight(level), self._place[level], self._attempts[level]))

    def select(self) -> int:
        """Level to train on next."""
        while True:
            _, at, attempts = self._heap[0]
            level = self.levels[at]
            if attempts == self._attempts[level]:
                return level
            heappop(self._heap)
