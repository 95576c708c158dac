"""
Order of a board and the rank that it prints.

* Order: by deflated Sharpe, highest first; unscored rows last. The sort is
  stable, so tied reference policies keep their declaration order.
* Rank up to release 0.25.0: the position.
* Rank from 0.26.0: rows with an exactly equal neighbour share the first position
  of their group, with ``=``; a row whose neighbour differs but prints the same
  four decimals gets its position with ``~``; an unscored row gets ``-``. ``=``
  takes precedence, and ``~`` looks at both neighbours, tied groups included.

Never by return: a return is luck until it is deflated.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["REFERENCE_POLICIES", "has_marks", "neighbours", "order", "rank_cells"]

REFERENCE_POLICIES: Final = (
    "flat",
    "equal_weight_long",
    "momentum",
    "min_variance",
    "max_sharpe",
    "kelly_vol_target",
)
"""The reference policies, in their declaration order."""

FIRST_MARKED_RELEASE: Final = (0, 26, 0)


def has_marks(release: str) -> bool:
    """
    Whether a release prints marks in its ranks.

    Args:
        release: Version of SharpeArena, such as ``0.31.0``.

    >>> has_marks("0.9.0"), has_marks("0.26.0")
    (False, True)
    """
    return tuple(int(part) for part in release.split(".")) >= FIRST_MARKED_RELEASE


def order(scores: Sequence[float | None]) -> list[int]:
    """
    Positions of the rows in the order of the board.

    Args:
        scores: Deflated Sharpe of each row, None where it is unavailable.

    >>> order([0.2, None, 0.9, 0.2])
    [2, 0, 3, 1]
    """

    def key(row: int) -> tuple[bool, float]:
        score = scores[row]
        return (True, 0.0) if score is None else (False, -score)

    return sorted(range(len(scores)), key=key)


def rank_cells(scores: Sequence[float | None], *, marks: bool) -> list[str]:
    """
    Printed ranks of rows that are already in order.

    Args:
        scores: Deflated Sharpe of each row in printed order, None where unavailable.
        marks: Whether the release marks ties.

    >>> rank_cells([0.9, 0.5, 0.5, 0.49999, None], marks=True)
    ['1', '2=', '2=', '4~', '-']
    """
    cells: list[str] = []
    first = 0
    for row, score in enumerate(scores):
        if row and score != scores[row - 1]:
            first = row
        if score is None:
            cells.append("-")
            continue
        if not marks:
            cells.append(str(row + 1))
            continue
        beside = [scores[i] for i in (row - 1, row + 1) if 0 <= i < len(scores)]
        if score in beside:
            cells.append(f"{first + 1}=")
        elif f"{score:.4f}" in [f"{other:.4f}" for other in beside if other is not None]:
            cells.append(f"{row + 1}~")
        else:
            cells.append(str(row + 1))
    return cells


def neighbours(scores: Sequence[float | None]) -> list[tuple[int, int]]:
    """
    Rows that the pairwise table compares: each scored row with the next one.

    >>> neighbours([0.2, None, 0.9])
    [(2, 0)]
    """
    ranked = [row for row in order(scores) if scores[row] is not None]
    return list(pairwise(ranked))
