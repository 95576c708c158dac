"""Finding a board, or a row of it, by what a report calls it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from verifier.sharpe.explain import explain_board, explain_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.explanation import Explanation
    from verifier.sharpe.context import Context

__all__ = ["find"]


def find(context: Context, subject: str) -> Iterator[tuple[str, Callable[[], Explanation]]]:
    """
    Yield everything that goes by a name, with how to explain it.

    Args:
        context: The bundle.
        subject: ``BOARD/POLICY`` for a row, ``BOARD`` for a board, or the subject of a
            finding on one of them, such as ``BOARD: A beats B``.
    """
    for file in context.boards:
        board = file.board
        if board is None:
            continue
        claims = [f"{file.name}: {each.better} beats {each.worse}" for each in board.claims]
        if subject in {file.name, *claims}:
            yield file.name, partial(explain_board, context, file, board)
        seen = set()
        for row in board.rows:
            name = f"{file.name}/{row.policy}"
            if subject in {name, f"{name} transfers"} and name not in seen:
                seen.add(name)
                yield name, partial(explain_row, context, file, board, row)
