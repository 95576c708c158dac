"""What a passing audit of boards rests on and does not establish, with its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.sharpe.normal import CDF_ERROR, INVERSE_ERROR
from verifier.sharpe.board import SealedSeeds
from verifier.sharpe.checks.seeds import bands_of
from verifier.sharpe.context import trace_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.sharpe.board import Board
    from verifier.sharpe.context import Context

__all__ = ["notes_of"]


def notes_of(context: Context, *, regenerated: int = 0) -> list[str]:
    """
    Write the notes that end every report on boards; none without a board.

    Args:
        context: The boards.
        regenerated: Number of series that were replayed from their seeds, and are the same.
    """
    boards = [(file.name, file.board) for file in context.boards if file.board is not None]
    notes = _notes(context, boards, regenerated) if boards else ()
    return [f"SharpeArena: {note}" for note in notes]


def _notes(context: Context, boards: list[tuple[str, Board]], regenerated: int) -> Iterator[str]:
    rows = [row for _, board in boards for row in board.rows]
    scored = sum(row.deflated_sharpe is not None for row in rows)
    pairs = [pair for _, board in boards for pair in board.pairs]
    claims = sum(len(board.claims) for _, board in boards)
    yield (
        f"{_count(len(boards), 'board')}, {_count(len(rows), 'row')}: {scored} scored, "
        f"{len(rows) - scored} unavailable; {_count(len(pairs), 'pair')} of neighbours, "
        f"{sum(pair.significant for pair in pairs)} of them significant; "
        f"{_count(claims, 'claim')}."
    )
    sealed = sum(isinstance(board.seeds, SealedSeeds) for _, board in boards)
    yield (
        f"a commitment covers the salt alone ({_count(sealed, 'sealed board')}): count, board, "
        "tier and settings could be chosen afterwards, salts can be searched, and nothing in the "
        "bundle proves when it was published."
    )
    chosen = [name for name, board in boards if _chosen(context, board)]
    listed = len(boards) - sealed
    names = f" ({', '.join(chosen)})" if chosen else ""
    yield (
        "a public list may be any part of its band in any order: choosing the list or its order "
        f"for a better figure is not visible. Of {_count(listed, 'list')}, {len(chosen)} "
        f"{'is' if len(chosen) == 1 else 'are'} not the first seeds of a band in order{names}."
    )
    series = sum(board.seed_count * len(board.rows) for _, board in boards) - regenerated
    if regenerated:
        yield (
            f"{_count(regenerated, 'return series', 'return series')} behind the rows are those "
            "that the installed package gives for their seeds."
        )
    if series:
        yield (
            f"{_count(series, 'return series', 'return series')} behind the rows are the "
            "environment's word until they are regenerated from the seeds."
        )
    traced = sum(
        context.bundle.has(trace_path(name, row.policy))
        for name, board in boards
        for row in board.rows
    )
    yield (
        "a single undisclosed setting, the cost model, the declared trials and the completeness "
        f"of traces ({traced} of {_count(len(rows), 'row')} with some) cannot be proved offline; "
        "series that the bundle holds twice are compared."
    )
    yield (
        "equal means equal to the kernel, whose normal distribution is off by at most "
        f"{CDF_ERROR} and its inverse, which sets the bar, by a relative {INVERSE_ERROR}."
    )


def _count(number: int, one: str, more: str | None = None) -> str:
    return f"{number} {one if number == 1 else more or f'{one}s'}"


def _chosen(context: Context, board: Board) -> bool:
    """Whether a public list is another than the first seeds of a band, in order."""
    if isinstance(board.seeds, SealedSeeds):
        return False
    public = None if context.seeds is None else bands_of(context.seeds)
    starts = () if public is None else (public.train.start, public.test.start)
    return not any(board.seeds == tuple(range(start, start + len(board.seeds))) for start in starts)
