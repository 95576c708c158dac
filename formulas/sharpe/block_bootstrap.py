"""
The scorer's stationary bootstrap: p-value of the mean return of a pooled track.

This is another resampling than that of the intervals, with another generator
seed and another index rule. From one SplitMix64 stream, u = output >> 11 over
2^53, and an index below n is floor(u * n), at most n - 1.

1. mean <= 0 gives p = 1;
2. a resample draws its first index, then n times: add x[i] - mean, draw u, and
   with u < 0.1 draw a new index, else go to (i + 1) mod n (after the last bar
   too, so these draws belong to the stream);
3. p = (1 + number of resamples with sum / n >= mean) / (1 + n_boot).

The paths depend on the length of the track alone, not on its returns, so they
are found once for all rows of a board: a path is a list of blocks of consecutive
bars, from each restart to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.series import mean
from formulas.sharpe.splitmix import MASK, stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEFAULT_SEED", "BlockPaths", "block_p_value", "block_paths"]

SEED_MASK: Final = 0x5DEECE66D8B42A57
DEFAULT_SEED: Final = 0x5BA72026
STEPS_LIMIT: Final = 10**8
COLUMNS: Final = 256
CELLS: Final = 2**19


@dataclass(frozen=True, slots=True)
class BlockPaths:
    """
    Blocks of all resamples, one after the other.

    Args:
        starts: First bar of each block.
        lengths: Length of each block; it goes on at bar 0 after the last bar.
        bars: Length of every path.
    """

    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]
    bars: int

    def indices(self) -> Iterator[NDArray[np.int64]]:
        """Bars of the paths, shape (n_bars, some resamples) at a time."""
        import numpy as np  # noqa: PLC0415  # most commands never need it

        ends = np.cumsum(self.lengths)
        columns = max(1, min(COLUMNS, CELLS // self.bars))
        total, step = int(ends[-1]), columns * self.bars
        for first in range(0, total, step):
            last = min(first + step, total)
            # Blocks never cross from one resample into the next.
            a, b = np.searchsorted(ends, [first, last], side="right")
            starts, lengths = self.starts[a:b], self.lengths[a:b]
            begin = np.cumsum(lengths) - lengths
            flat = np.repeat(starts - begin, lengths) + np.arange(last - first)
            yield np.ascontiguousarray((flat % self.bars).reshape(-1, self.bars).T)


@lru_cache(maxsize=4)
def block_paths(bars: int, n_boot: int, seed: int, restart: float) -> BlockPaths:
    """
    Paths of all resamples of a track of *bars* bars.

    Args:
        bars: Number of bars, at least 1.
        n_boot: Number of resamples, at least 1.
        seed: State of the generator, a 64-bit unsigned integer.
        restart: Probability of a new block at each bar.

    Raises:
        FormulaDomainError: More than 10^8 steps, or a setting is out of range.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if not 0.0 <= restart <= 1.0:
        raise FormulaDomainError(f"restart probability must be in [0, 1], was {restart!r}")
    if bars * n_boot > STEPS_LIMIT:
        raise FormulaDomainError(f"{n_boot} resamples of {bars} bars are above {STEPS_LIMIT} steps")
    supply = _Supply(seed, bars, restart)
    starts: list[int] = []
    lengths: list[int] = []
    position = 0
    for _ in range(n_boot):
        start, position, left = supply.index(position), position + 1, bars
        while left:
            after = supply.restart_at(position) + 1 - position
            steps = min(after, left)
            starts.append(start)
            lengths.append(steps)
            position += steps
            left -= steps
            if steps == after:
                start = supply.index(position)
                position += 1
    return BlockPaths(np.array(starts), np.array(lengths), bars)


class _Supply:
    """The stream in chunks: what index each draw would give, where the next restart is."""

    CHUNK: Final = 2**16

    def __init__(self, seed: int, bars: int, restart: float) -> None:
        self._seed, self._bars, self._restart = seed & MASK, bars, restart
        self._indices: list[int] = []
        self._restarts: list[int] = []
        self._first = 0

    def index(self, position: int) -> int:
        """Index that draw number *position* gives."""
        self._reach(position)
        return self._indices[position - self._first]

    def restart_at(self, position: int) -> int:
        """First draw from *position* on that is below the restart probability."""
        self._reach(position)
        # Where the chunk holds no further restart the answer is its end, which
        # is further away than the longest block: the track.
        return self._restarts[position - self._first]

    def _reach(self, position: int) -> None:
        import numpy as np  # noqa: PLC0415  # most commands never need it

        if position < self._first + len(self._indices) - self._bars - 1:
            return
        count = self.CHUNK + 2 * self._bars + 2
        u = (stream(self._seed, position, count) >> np.uint64(11)).astype(np.float64) / 2.0**53
        indices = np.minimum((u * self._bars).astype(np.int64), self._bars - 1)
        marked = np.where(u < self._restart, np.arange(count), count)
        restarts = np.minimum.accumulate(marked[::-1])[::-1] + position
        self._first = position
        self._indices, self._restarts = indices.tolist(), restarts.tolist()


def block_p_value(
    track: Sequence[float],
    *,
    seed: int = DEFAULT_SEED,
    n_boot: int = 2000,
    restart: float = 0.1,
) -> float:
    """
    One-sided p-value that the mean of *track* is not above 0.

    Args:
        track: Shape (n_bars,), finite per-bar fractions, oldest first.
        seed: Bootstrap seed of the settings; the mask of the scorer is applied here.
        n_boot: Number of resamples.
        restart: Probability of a new block at each bar.

    Raises:
        FormulaDomainError: A setting is out of range.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if not track:
        return 1.0
    m = mean(track)
    if m <= 0.0:
        return 1.0
    n = len(track)
    centred = np.array(track) - m
    reached = 0
    for indices in block_paths(n, n_boot, seed ^ SEED_MASK, restart).indices():
        reached += int((_sums(centred[indices]) / n >= m).sum())
    return (reached + 1) / (n_boot + 1)


def _sums(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if columns.shape[1] == 1:
        # Over a single column NumPy would add pairwise.
        columns = np.repeat(columns, 2, axis=1)[:, :2]
        return np.asarray(np.add.reduce(columns, axis=0)[:1])
    return np.asarray(np.add.reduce(columns, axis=0))
