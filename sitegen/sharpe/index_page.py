"""The first page of a season of boards: the list of its boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.commands import audit_season
from sitegen.components import Cell, Column, Row, Table, verdict_cell
from sitegen.model import Page
from sitegen.numbers import count, integer
from sitegen.sharpe.words import sentences
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.components import Download
    from sitegen.sharpe.shelf import Shelf
    from sitegen.sharpe.summary import BoardSummary

__all__ = ["index_page"]


def index_page(boards: Sequence[BoardSummary], shelf: Shelf, tables: Sequence[Download]) -> Page:
    """Make the list of boards, each with what was found."""
    season = shelf.season
    return Page(
        path=shelf.home,
        template="sharpe/boards.html",
        title=season.title or season.id,
        finding=_finding(boards),
        trail=shelf.trail(),
        values={
            "boards_table": _table(boards, shelf),
            "unreadable": shelf.arena.unreadable,
            "not_established": sentences(shelf.arena.notes),
            "tables": tables,
        },
        season=season,
        data_sha256=str(season.record["table"]["sha256"]),  # type: ignore[index,call-overload]
        command=audit_season(season),
        search=f"season {season.id} boards {' '.join(board.name for board in boards)}",
    )


def _finding(boards: Sequence[BoardSummary]) -> str:
    figures = sum(board.figures for board in boards)
    same = sum(board.same for board in boards)
    entries = sum(board.entries for board in boards)
    scored = sum(board.scored for board in boards)
    passing = sum(board.verdict is Verdict.PASS for board in boards)
    return (
        f"{count(len(boards), 'board')} with {count(entries, 'entry', 'entries')}, "
        f"{integer(scored)} of them scored; {integer(same)} of {count(figures, 'figure')} "
        f"recompute to the same double; {passing} of {len(boards)} boards pass every check."
    )


def _table(boards: Sequence[BoardSummary], shelf: Shelf) -> Table:
    counted = (Verdict.PASS, Verdict.FAIL, Verdict.UNPROVEN, Verdict.EXEMPT)
    return Table(
        id="boards",
        caption="Boards of this season, and how many findings of each kind they have",
        columns=(
            Column("board", "board", "name"),
            Column("tier", "tier", "text"),
            Column("release", "release", "text"),
            Column("kernel", "kernel", "text"),
            Column("seeds", "seeds", "text"),
            Column("entries", "entries", "number"),
            *(Column(verdict.value, verdict.value, "number") for verdict in counted),
            Column("verdict", "verdict", "verdict"),
        ),
        rows=tuple(
            Row(
                id=f"board-{shelf.boards[board.name]}",
                cells=(
                    Cell(board.name, href=shelf.board_page(board.name)),
                    Cell(board.tier),
                    Cell(board.release),
                    Cell(board.kernel),
                    Cell(f"{board.seeds} {'sealed' if board.sealed else 'public'}"),
                    Cell(integer(board.entries)),
                    *(Cell(integer(board.counts[verdict])) for verdict in counted),
                    verdict_cell(board.verdict),
                ),
            )
            for board in boards
        ),
        note=(
            "Each board is ranked by itself, on deflated Sharpe. Scores of two boards are of two "
            "tiers or two releases and are not compared."
        ),
    )
