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
from formulas.sharpe.kernel import TooMuchWorkError
from formulas.sharpe.series import mean
from formulas.sharpe.splitmix import MASK, stream

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["DEFAULT_SEED", "BlockPaths", "block_p_value", "block_paths"]

SEED_MASK: Final = 0x5DEECE66D8B42A57
DEFAULT_SEED: Final = 0x5BA72026
STEPS_LIMIT: Final = 4 * 10**8
COLUMNS: Final = 256
CELLS: Final = 2**19
CHUNK: Final = 2**18


@dataclass(frozen=True, slots=True)
class BlockPaths:
    """
    Blocks of all resamples, one after the other.

    Args:
        starts: First bar of each block.
        lengths: Length of each block; it goes on at bar 0 after the last bar.
        bars: Length of every path.
    """

    starts: NDArray[np.int32]
    lengths: NDArray[np.int32]
    bars: int

    def indices(self) -> Iterator[NDArray[np.int64]]:
        """Bars of the paths, shape (n_bars, some resamples) at a time."""
        import numpy as np  # noqa: PLC0415  # most commands never need it

        ends = np.cumsum(self.lengths, dtype=np.int64)
        columns = max(1, min(COLUMNS, CELLS // self.bars))
        total, step = int(ends[-1]), columns * self.bars
        for first in range(0, total, step):
            last = min(first + step, total)
            # Blocks never cross from one resample into the next.
            a, b = np.searchsorted(ends, [first, last], side="right")
            starts, lengths = self.starts[a:b], self.lengths[a:b]
            begin = np.cumsum(lengths, dtype=np.int64) - lengths
            flat = np.repeat(starts - begin, lengths) + np.arange(last - first)
            yield np.ascontiguousarray((flat % self.bars).reshape(-1, self.bars).T)


@lru_cache(maxsize=2)
def block_paths(bars: int, n_boot: int, seed: int, restart: float) -> BlockPaths:
    """
    Paths of all resamples of a track of *bars* bars.

    Args:
        bars: Number of bars, at least 1.
        n_boot: Number of resamples, at least 1.
        seed: State of the generator, a 64-bit unsigned integer.
        restart: Probability of a new block at each bar.

    Raises:
        FormulaDomainError: A setting is out of range.
        TooMuchWorkError: More than 4 * 10^8 steps.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if not 0.0 <= restart <= 1.0:
        raise FormulaDomainError(f"restart probability must be in [0, 1], was {restart!r}")
    if bars * n_boot > STEPS_LIMIT:
        raise TooMuchWorkError(f"{n_boot} resamples of {bars} bars are above {STEPS_LIMIT} steps")
    # A resample uses up at most two draws a bar and one more for its start.
    reach = 2 * bars + 1
    counted = np.arange(2 * bars)
    starts: list[NDArray[np.int64]] = []
    lengths: list[NDArray[np.int64]] = []
    draws, at = _Draws(seed, 0, CHUNK + reach, bars, restart), 0
    for _ in range(n_boot):
        if at + reach > CHUNK + reach:
            draws, at = _Draws(seed, draws.first + at, CHUNK + reach, bars, restart), 0
        restarts = draws.restarts(at + 1, 2 * bars)
        # Bars of the path up to each restart: each one before it used a draw up.
        done = restarts + 1 - counted[: len(restarts)]
        made = int(np.searchsorted(done, bars, side="right"))
        starts += [draws.indices[at : at + 1], draws.indices[at + 2 + restarts[:made]]]
        lengths.append(np.diff(done[:made], prepend=0, append=bars))
        at += 1 + bars + made
    # Millions of blocks on long tracks: half the memory, and no loss below 2^31 bars.
    return BlockPaths(
        np.concatenate(starts).astype(np.int32), np.concatenate(lengths).astype(np.int32), bars
    )


class _Draws:
    """
    A chunk of the stream, beginning with the first draw of a resample.

    Which draws are tests for a restart and which are indices depends on the draws
    before. A draw below the restart probability is a test unless the one before it
    was a test that restarted: so within a run of such draws, tests and indices
    alternate, beginning with a test. Where a resample begins inside a run, the
    alternation begins anew.
    """

    def __init__(self, seed: int, first: int, count: int, bars: int, restart: float) -> None:
        import numpy as np  # noqa: PLC0415  # most commands never need it

        outputs = stream(seed & MASK, first, count)
        u = (outputs >> np.uint64(11)).astype(np.float64) / 2.0**53
        self.first = first
        self.indices = np.minimum((u * bars).astype(np.int64), bars - 1)
        self._low = u < restart
        begins = self._low.copy()
        begins[1:] &= ~self._low[:-1]
        position = np.arange(count)
        begun = np.maximum.accumulate(np.where(begins, position, 0))
        self._restarting = self._low & ((position - begun) % 2 == 0)

    def restarts(self, begin: int, count: int) -> NDArray[np.int64]:
        """Tests that restart among *count* draws from the first test of a resample on."""
        import numpy as np  # noqa: PLC0415  # most commands never need it

        restarting = True
        at = begin
        if self._low[begin] and not self._restarting[begin]:
            while at < len(self._low) and self._low[at]:
                self._restarting[at] = restarting
                restarting = not restarting
                at += 1
        return np.flatnonzero(self._restarting[begin : begin + count])


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
    reached = 0
    # A sum may overflow, in the kernels too, and is then compared like any other.
    with np.errstate(over="ignore", invalid="ignore"):
        centred = np.array(track) - m
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
