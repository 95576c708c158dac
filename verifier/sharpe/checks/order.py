"""
Step 5: rows stand in the order of deflated Sharpe, never of return.

Judged on the published scores; whether those are right is step 4. Unscored rows
come last. Within an exact tie the reference policies keep their declaration order;
where another policy takes part, the order of the tie is not judged. The printed
ranks follow the release's rule.
"""

from __future__ import annotations

from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from formulas.sharpe.ranking import REFERENCE_POLICIES, has_marks, rank_cells
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import ORDER

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.sharpe.board import Board
    from verifier.sharpe.context import BoardFile

__all__ = ["check_order"]


def check_order(file: BoardFile, board: Board) -> list[Finding]:
    """Judge order and ranks of one board."""
    claim = Claim(ORDER, file.name, Where(file.path, pointer="/rows"))
    for above, below in pairwise(board.rows):
        a, b = above.deflated_sharpe, below.deflated_sharpe
        if b is not None and (a is None or a < b):
            claim.fail(
                f"{below.policy} stands below {above.policy}, which has no higher score",
                published=f"{a!r} above {b!r}" if a is not None else f"no score above {b!r}",
                recomputed=below.policy,
                pointer=below.pointer,
            )
    for score, tied in groupby(board.rows, key=lambda row: row.deflated_sharpe):
        policies = [row.policy for row in tied]
        if score is not None and set(policies) <= set(REFERENCE_POLICIES):
            declared = [policy for policy in REFERENCE_POLICIES if policy in policies]
            if policies != declared and len(set(policies)) == len(policies):
                claim.fail(
                    "tied reference policies are not in their declaration order",
                    published=", ".join(policies),
                    recomputed=", ".join(declared),
                )
    scores = [row.deflated_sharpe for row in board.rows]
    cells = rank_cells(scores, marks=has_marks(board.release))
    for row, cell in zip(board.rows, cells, strict=True):
        claim.equal(f"the rank of {row.policy}", row.rank, cell, pointer=f"{row.pointer}/rank")
    return claim.close("by deflated Sharpe, with the ranks that the release prints")
