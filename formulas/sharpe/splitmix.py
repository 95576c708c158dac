"""
SplitMix64 and the two ways in which the kernels draw from it.

The state is a 64-bit integer that grows by a constant with each draw; the
output is the state, mixed. So the i-th output depends on the seed and i alone,
and a whole stream is computed at once. All arithmetic is modulo 2^64.

* Index below k for the seed bootstrap: the upper 64 bits of output * k. No
  rejection.
* Fraction in [0, 1) for the block bootstrap: the upper 53 bits over 2^53.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "INCREMENT",
    "MASK",
    "index_below",
    "index_table",
    "indices_below",
    "mix",
    "stream",
]

MASK: Final = 2**64 - 1
INCREMENT: Final = 0x9E3779B97F4A7C15
FIRST_FACTOR: Final = 0xBF58476D1CE4E5B9
SECOND_FACTOR: Final = 0x94D049BB133111EB

_SEEDS_LIMIT: Final = 2**32


def mix(state: int) -> int:
    """Output of SplitMix64 for one state; both are 64-bit integers."""
    z = ((state ^ (state >> 30)) * FIRST_FACTOR) & MASK
    z = ((z ^ (z >> 27)) * SECOND_FACTOR) & MASK
    return z ^ (z >> 31)


def index_below(output: int, k: int) -> int:
    """
    Index in [0, k) that an output gives: the upper half of the 128-bit product.

    >>> index_below(2**63, 16)
    8
    """
    return output * k >> 64


def stream(seed: int, start: int, count: int) -> NDArray[np.uint64]:
    """
    Outputs number *start* to *start + count - 1* (from 0) of the generator of *seed*.

    Raises:
        FormulaDomainError: *seed* is not a 64-bit unsigned integer.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if not 0 <= seed <= MASK:
        raise FormulaDomainError(f"resample seed must be in [0, {MASK}], was {seed}")
    z = np.arange(start + 1, start + count + 1, dtype=np.uint64)
    z *= np.uint64(INCREMENT)
    z += np.uint64(seed)
    z ^= z >> np.uint64(30)
    z *= np.uint64(FIRST_FACTOR)
    z ^= z >> np.uint64(27)
    z *= np.uint64(SECOND_FACTOR)
    z ^= z >> np.uint64(31)
    return z


def index_table(seed: int, n_resamples: int, k: int) -> NDArray[np.int64]:
    """
    Seed positions of every resample, from one stream for the whole call.

    Args:
        seed: Resample seed, a 64-bit unsigned integer.
        n_resamples: Number of resamples.
        k: Number of seeds; each resample draws as many.

    Returns:
        Shape (n_resamples, k), each in [0, k), in draw order.

    Raises:
        FormulaDomainError: *seed* is no 64-bit unsigned integer, or *k* is out of range.
    """
    return indices_below(stream(seed, 0, n_resamples * k), k).reshape(n_resamples, k)


def indices_below(outputs: NDArray[np.uint64], k: int) -> NDArray[np.int64]:
    """
    Index in [0, k) that each output gives, as :func:`index_below`.

    Args:
        outputs: Shape (n,); used up.
        k: Number of seeds, below 2^32.

    Raises:
        FormulaDomainError: *k* is out of range.
    """
    import numpy as np  # noqa: PLC0415  # most commands never need it

    if not 1 <= k < _SEEDS_LIMIT:
        raise FormulaDomainError(f"number of seeds must be in [1, 2^32), was {k}")
    # The product has up to 96 bits: the halves are multiplied apart, and what
    # the lower one carries is added. Nothing overflows, since k < 2^32.
    half, factor = np.uint64(32), np.uint64(k)
    carry = (outputs & np.uint64(2**32 - 1)) * factor >> half
    outputs >>= half
    outputs *= factor
    outputs += carry
    outputs >>= half
    return outputs.astype(np.int64)
