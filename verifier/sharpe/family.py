"""SharpeArena as a family: what there is to check in a bundle, and who checks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.family import Family, Item, Outcome
from verifier.sharpe.checks.catalogue import CHECKS
from verifier.sharpe.checks.complete import check_complete, check_orphans
from verifier.sharpe.checks.eligibility import check_eligibility
from verifier.sharpe.checks.figures import check_figures
from verifier.sharpe.checks.gaps import check_gaps
from verifier.sharpe.checks.order import check_order
from verifier.sharpe.checks.pairs import check_pairs
from verifier.sharpe.checks.pinned import check_bands, check_pinned
from verifier.sharpe.checks.returns import check_names, check_returns, check_twice
from verifier.sharpe.checks.seeds import check_commitments, check_seeds
from verifier.sharpe.context import Context, Files, kernel_of, load_context
from verifier.sharpe.notes import notes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from verifier.findings import Finding
    from verifier.sharpe.context import BoardFile

__all__ = ["SHARPE", "check_board"]


def _items(context: Context) -> list[Item]:
    return [
        ("bundle", 0, len(_WHOLE)),
        *(("board", at, at + 1) for at in range(len(context.boards))),
    ]


def _check(context: Context, item: Item) -> Outcome:
    kind, start, stop = item
    if kind == "board":
        return Outcome(check_board(context, context.boards[start]))
    return Outcome([each for check in _WHOLE[start:stop] for each in check(context)])


# Everything that is not about one board.
_WHOLE: Final[Sequence[Callable[[Context], Iterable[Finding]]]] = (
    lambda context: context.findings,
    check_bands,
    check_commitments,
    check_orphans,
    check_twice,
)


def check_board(context: Context, file: BoardFile) -> list[Finding]:
    """Check one board and everything behind it, step after step."""
    board = file.board
    if board is None:
        return check_complete(file)
    found = check_pinned(context, file, board)
    kernel = kernel_of(board)
    if kernel is None:
        return found
    files = Files(context.bundle)
    rows, of_returns = check_returns(files, file, board)
    found += check_seeds(context, file, board, rows)
    found += check_names(file, board)
    found += of_returns
    # Of a policy that stands twice, the first row is judged.
    judged = list({read.row.policy: read for read in reversed(rows)}.values())[::-1]
    for read in judged:
        found += check_figures(kernel, file, board, read)
    found += check_order(file, board)
    for read in judged:
        found += check_eligibility(files, kernel, file, board, read)
    found += check_pairs(kernel, file, board, rows)
    for read in judged:
        found += check_gaps(context, files, kernel, file, board, read.row)
    return found + check_complete(file, files.found)


def _knows(path: str) -> bool:
    # All of them: a file of no row is step 9's to report.
    return path.startswith("sharpe/")


SHARPE: Final = Family(
    name="sharpe",
    checks=CHECKS,
    load=load_context,
    items=_items,
    check=_check,
    notes=notes_of,
    knows=_knows,
)
