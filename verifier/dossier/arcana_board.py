"""
The dossier of one ARCANA leaderboard: each published row beside the recomputed one.

Agents without a score in the season stand on no board. They are listed apart,
with the reason, since a reader who misses a name should find it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.arcana.checks.public import check_board, expected_rows
from verifier.arcana.rows import CATEGORIES
from verifier.dossier.arcana_evidence import worst
from verifier.dossier.arcana_score import unranked_reason
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.arcana.context import Context
    from verifier.arcana.rows import Board, BoardRow, ScoreRow, Season
    from verifier.findings import Finding

__all__ = ["CATEGORIES", "BoardDossier", "Seat", "Unseated", "read_board"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """
    One agent's row.

    Args:
        agent_id: Whose.
        published: As the board prints it; None when it leaves the agent out.
        recomputed: As the score rows give it; None when they give none.
        row: The agent's latest score row of the season, None when there is none.
        reason: Why the agent has no rank; None when it has one.
    """

    agent_id: str
    published: BoardRow | None
    recomputed: BoardRow | None
    row: ScoreRow | None
    reason: str | None

    @property
    def shown(self) -> BoardRow:
        """The row as published, or as recomputed where nothing was published."""
        row = self.published or self.recomputed
        assert row is not None  # a seat is made from one of the two
        return row

    @property
    def equal(self) -> bool:
        """Whether rank, name, score and standing are the recomputed ones."""
        return self.published == self.recomputed


@dataclass(frozen=True, slots=True)
class Unseated:
    """A listed agent that stands on no board of the season, and why."""

    agent_id: str
    name: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardDossier:
    """
    One leaderboard.

    Args:
        season: The season it ranks.
        category: ``overall`` or the component that it ranks on.
        published: Whether the bundle holds it; if not, the seats are in recomputed order.
        seats: In published order, then what is left out of it.
        unseated: Listed agents without a score in the season, by id.
        findings: What an audit says of it; empty when it is not published.
        verdict: The gravest of these, unproven when it is not published.
    """

    season: Season
    category: str
    published: bool
    seats: tuple[Seat, ...]
    unseated: tuple[Unseated, ...]
    findings: tuple[Finding, ...]
    verdict: Verdict

    @property
    def ranked(self) -> int:
        """How many agents are ranked."""
        return sum(seat.shown.ranked for seat in self.seats)


def read_board(context: Context, season: Season, category: str) -> BoardDossier:
    """
    Lay a leaderboard beside the one that the score rows give.

    Args:
        context: The bundle.
        season: Whose board.
        category: A key of :data:`CATEGORIES`.
    """
    recomputed = expected_rows(context, season.season_id, CATEGORIES[category])
    line = context.board_lines.get((season.season_id, category))
    board = next((found for found in context.tables.boards if found.line == line), None)
    findings = () if board is None else tuple(check_board(context, board))
    latest = context.latest.get(season.season_id, {})
    return BoardDossier(
        season=season,
        category=category,
        published=board is not None,
        seats=tuple(_seats(context, board, recomputed, latest)),
        unseated=_unseated(context, latest),
        findings=findings,
        verdict=worst(findings) if findings else Verdict.UNPROVEN,
    )


def _seats(
    context: Context,
    board: Board | None,
    recomputed: dict[str, BoardRow],
    latest: Mapping[str, ScoreRow],
) -> list[Seat]:
    listed = () if board is None else board.rows
    named = {row.agent_id for row in listed}
    rest = sorted(
        (row for agent_id, row in recomputed.items() if agent_id not in named),
        key=lambda row: (not row.ranked, -(row.score or 0.0), row.agent_name, row.agent_id),
    )
    pairs: list[tuple[BoardRow | None, BoardRow | None]] = [
        (row, recomputed.get(row.agent_id)) for row in listed
    ]
    pairs += [(None, row) for row in rest]
    seats = []
    for published, own in pairs:
        shown = published or own
        assert shown is not None
        row = latest.get(shown.agent_id)
        seats.append(
            Seat(
                agent_id=shown.agent_id,
                published=published,
                recomputed=own,
                row=row,
                reason=None if row is None else unranked_reason(context, row),
            )
        )
    return seats


def _unseated(context: Context, latest: Mapping[str, ScoreRow]) -> tuple[Unseated, ...]:
    return tuple(
        Unseated(
            agent.agent_id,
            agent.name,
            agent.status,
            "no portfolio, so no score is made"
            if agent.portfolio_id is None
            else "no score in this season",
        )
        for agent in sorted(context.tables.agents, key=lambda agent: agent.agent_id)
        if agent.agent_id not in latest
    )
