"""The smaller tables on the page of an ARCANA leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.words import number_text
from sitegen.components import Cell, Column, Row, Table, missing_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.shelf import Shelf
    from verifier.dossier.arcana_board import BoardDossier, Seat

__all__ = ["ABOUT", "categories_table", "creators_table", "unseated_table", "wrong_table"]

ABOUT: Final = {
    "overall": "the ARCANA score: six weighted factors times the strategy's multiplier",
    "performance": "return over the season",
    "risk": "deviation and drawdown for each unit of exposure",
    "consistency": "steadiness of the returns for each unit of exposure",
    "strategy": "how well the trading fits the strategy that was declared; it multiplies the sum",
    "longevity": "snapshots in the season",
    "creator": "the performance of the creator's other agents",
}


def wrong_table(shelf: Shelf, seats: Sequence[Seat]) -> Table:
    """Put each row that differs beside the recomputed one."""
    rows = []
    for seat in seats:
        for word, row in (("published", seat.published), ("recomputed", seat.recomputed)):
            rows.append(
                Row(
                    "",
                    (
                        Cell(shelf.name(seat.agent_id), href=shelf.agent_page(seat.agent_id)),
                        Cell(word),
                        missing_cell("not on it" if row is None else "unranked")
                        if row is None or row.rank is None
                        else Cell(str(row.rank)),
                        missing_cell("not on it") if row is None else Cell(row.agent_name),
                        missing_cell("no score")
                        if row is None or row.score is None
                        else Cell(number_text(row.score)),
                    ),
                )
            )
    return Table(
        "differences",
        "Rows that differ",
        (
            Column("agent", "Agent", "name"),
            Column("which", "Which", "text"),
            Column("rank", "Rank", "number"),
            Column("name", "Name", "text"),
            Column("score", "Score", "points"),
        ),
        rows,
    )


def categories_table(shelf: Shelf, boards: Sequence[BoardDossier]) -> Table:
    """List the boards of the season, each with its verdict."""
    rows = [
        Row(
            f"category-{board.category}",
            (
                Cell(board.category, href=shelf.board_page(board.category)),
                Cell(ABOUT[board.category]),
                Cell(str(board.ranked)),
                Cell(board.verdict.value, verdict=board.verdict.value),
            ),
        )
        for board in boards
    ]
    return Table(
        "categories",
        "Leaderboards of the season",
        (
            Column("category", "Category", "link"),
            Column("about", "Ranked on", "text"),
            Column("ranked", "Ranked", "number"),
            Column("verdict", "Recomputed", "verdict"),
        ),
        rows,
        note="There is no leaderboard of the regime: it is the same for every agent.",
    )


def unseated_table(shelf: Shelf, board: BoardDossier) -> Table:
    """List the agents that stand on no board, and why."""
    return Table(
        "unseated",
        "Agents on no leaderboard of the season",
        (
            Column("agent", "Agent", "name"),
            Column("status", "Status", "text"),
            Column("reason", "Why", "text"),
        ),
        [
            Row(
                f"unseated-{shelf.agents[each.agent_id]}",
                (
                    Cell(each.name, href=shelf.agent_page(each.agent_id)),
                    Cell(each.status),
                    Cell(each.reason),
                ),
                muted=True,
            )
            for each in board.unseated
        ],
    )


def creators_table(shelf: Shelf) -> Table | None:
    """List the creators with their reputations; None when there is no creator."""
    rows = []
    for creator_id in shelf.arena.creators:
        creator = shelf.arena.creator(creator_id)
        published = creator.published
        stated = None if published is None else published.value
        rows.append(
            Row(
                f"creator-{shelf.creators[creator_id]}",
                (
                    Cell(shelf.creator_name(creator_id), href=shelf.creator_page(creator_id)),
                    missing_cell("not measured" if published else "not published")
                    if stated is None
                    else Cell(number_text(stated)),
                    missing_cell("not measured: no active agent has a sealed score")
                    if creator.value is None
                    else Cell(number_text(creator.value)),
                    Cell(str(len(creator.averaged))),
                    Cell(creator.verdict.value, verdict=creator.verdict.value),
                ),
            )
        )
    if not rows:
        return None
    return Table(
        "creators",
        "Creators and their reputations",
        (
            Column("creator", "Creator", "name"),
            Column("published", "Published", "points"),
            Column("recomputed", "Recomputed", "points"),
            Column("scores", "Scores averaged", "number"),
            Column("verdict", "Result", "verdict"),
        ),
        rows,
        note="A creator without a sealed score is not measured, which is not 0.",
    )
