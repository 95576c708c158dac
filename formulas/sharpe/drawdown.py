"""
Largest drawdown of a track of returns.

From wealth 1, multiply by 1 + r at each bar; the drawdown is 1 - wealth / peak,
the peak being the highest wealth so far, 1 included. It can exceed 1 where a
return is below -1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["maximum_drawdown"]


def maximum_drawdown(track: Sequence[float]) -> float:
    """
    Largest drawdown of *track* as a fraction; 0 for an empty track.

    Args:
        track: Shape (n_bars,), per-bar fractions, oldest first.

    >>> maximum_drawdown([0.5, -0.5, 0.1])
    0.5
    """
    wealth = peak = 1.0
    worst = 0.0
    for value in track:
        wealth *= 1.0 + value
        peak = max(peak, wealth)
        worst = max(worst, 1.0 - wealth / peak)
    return worst
