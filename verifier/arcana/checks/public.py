"""
Step 10: creators' reputations and leaderboards, recomputed from the rows.

What is not in the bundle is not a claim (clarification 28). A creator without
a sealed score is "not measured", never 0; equal scores share a rank and the
next one skips; unranked agents stand last, without a rank.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import LEADERBOARDS, REPUTATION
from verifier.arcana.rows import CATEGORIES, BoardRow, ReputationAgent
from verifier.claim import Claim
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.arcana.context import Context
    from verifier.arcana.rows import Board, Reputation, ScoreRow
    from verifier.findings import Finding

MEASURED: Final = "measured"
NOT_MEASURED: Final = "not_measured"


def check_reputation(context: Context, reputation: Reputation) -> list[Finding]:
    """Check one line of reputations.jsonl (clarification 25)."""
    claim = Claim(
        REPUTATION,
        f"reputation {reputation.creator_id}",
        Where("arcana/reputations.jsonl", reputation.line),
    )
    agents = averaged_agents(context, reputation.creator_id)
    # Added in the order of the agents' ids, divided once: another order has other last bits.
    total = 0.0
    for agent in agents:
        total += agent.performance_score
    value = total / len(agents) if agents else None
    claim.equal("value", _number(reputation.value), _number(value), pointer="/value")
    claim.equal(
        "status", reputation.status, MEASURED if agents else NOT_MEASURED, pointer="/status"
    )
    for index, (published, recomputed) in enumerate(zip(reputation.agents, agents, strict=False)):
        for member in (item.name for item in fields(ReputationAgent)):
            claim.equal(
                f"{member} of an agent averaged",
                getattr(published, member),
                getattr(recomputed, member),
                pointer=f"/agents/{index}/{member}",
            )
    claim.equal("the number of agents averaged", len(reputation.agents), len(agents))
    return claim.close(
        f"the mean over {len(agents)} agents' latest sealed scores" if agents else "not measured"
    )


def averaged_agents(context: Context, creator_id: str) -> list[ReputationAgent]:
    """List the scores that a creator's reputation averages, in agent-id order."""
    latest: dict[str, ScoreRow] = {}
    for row in context.peers.get(creator_id, ()):
        # The rows come newest first; the first sealed one of an agent is its latest.
        if row.seal is not None and context.agents[row.agent_id].status == "active":
            latest.setdefault(row.agent_id, row)
    averaged = []
    for agent_id, row in sorted(latest.items()):
        performance = _column(row, "performance_score")
        assert row.seal is not None
        if performance is not None:
            averaged.append(
                ReputationAgent(
                    agent_id,
                    context.agents[agent_id].name,
                    row.ts,
                    row.season_id,
                    performance,
                    row.seal,
                    row.seal in context.mined,
                )
            )
    return averaged


def check_board(context: Context, board: Board) -> list[Finding]:
    """Check one line of leaderboards.jsonl (clarifications 26 to 28)."""
    claim = Claim(
        LEADERBOARDS,
        f"leaderboard {board.season_id} {board.category}",
        Where("arcana/leaderboards.jsonl", board.line),
    )
    column = CATEGORIES.get(board.category)
    if column is None:
        claim.fail(
            "the category cannot be ranked on",
            published=board.category,
            recomputed=", ".join(CATEGORIES),
            pointer="/category",
        )
        return claim.found
    if context.board_lines[board.season_id, board.category] != board.line:
        claim.fail("the board stands twice", published=board.category)
    expected = expected_rows(context, board.season_id, column)
    _check_rows(claim, board.rows, expected)
    _check_row_order(claim, board.rows)
    _check_anchored_absent(claim, context, board)
    return claim.close("rows, ranks, ties and order follow from the scores")


def expected_rows(context: Context, season_id: str, column: str) -> dict[str, BoardRow]:
    """Recompute the row of every agent that has a score in a season."""
    latest = context.latest.get(season_id, {})
    scores = {agent: _column(row, column) for agent, row in latest.items()}
    ranked = {
        agent: score
        for agent, score in scores.items()
        if score is not None and latest[agent].columns["arcana_score"] is not None
    }
    rank: dict[float, int] = {}
    for place, score in enumerate(sorted(ranked.values(), reverse=True), start=1):
        rank.setdefault(score, place)
    return {
        agent: BoardRow(
            rank[ranked[agent]] if agent in ranked else None,
            agent,
            context.agents[agent].name if agent in context.agents else "",
            score,
            agent in ranked,
        )
        for agent, score in scores.items()
    }


def _check_rows(claim: Claim, rows: Iterable[BoardRow], expected: dict[str, BoardRow]) -> None:
    seen: set[str] = set()
    for index, row in enumerate(rows):
        pointer = f"/rows/{index}"
        if row.agent_id in seen:
            claim.fail("an agent stands twice", published=row.agent_id, pointer=pointer)
        seen.add(row.agent_id)
        recomputed = expected.get(row.agent_id)
        if recomputed is None:
            claim.fail(
                "an agent without a score in the season stands on the board",
                published=row.agent_id,
                pointer=pointer,
            )
        elif row != recomputed:
            claim.fail(
                "a row differs", published=_show(row), recomputed=_show(recomputed), pointer=pointer
            )
    for agent_id in sorted(expected.keys() - seen):
        claim.fail("an agent is left out", recomputed=_show(expected[agent_id]))


def _check_row_order(claim: Claim, rows: tuple[BoardRow, ...]) -> None:
    """Ranked first, score falling, null last; equal names by id (clarification 26)."""
    namesakes: dict[tuple[tuple[bool, bool, float], str], BoardRow] = {}
    for index, row in enumerate(rows):
        above = rows[max(0, index - 1)]
        # Between equal scores rows of other names may stand between two of one name.
        namesake = namesakes.get((_place(row), row.agent_name), row)
        namesakes[_place(row), row.agent_name] = row
        for earlier, wrong in (
            (above, _place(above) > _place(row)),
            (namesake, namesake.agent_id > row.agent_id),
        ):
            if wrong:
                claim.fail(
                    "the rows are out of order",
                    published=f"{earlier.agent_id} before {row.agent_id}",
                    pointer=f"/rows/{index}",
                )


def _place(row: BoardRow) -> tuple[bool, bool, float]:
    return not row.ranked, row.score is None, -(row.score or 0.0)


def _check_anchored_absent(claim: Claim, context: Context, board: Board) -> None:
    """A mined score leaf of the season has its agent on the board (clarification 27)."""
    listed = {row.agent_id for row in board.rows}
    anchored = context.mined_agents.get(board.season_id, frozenset())
    for agent_id in sorted(anchored - listed):
        claim.fail(
            "an agent with an anchored score in the season is not on the board",
            recomputed=agent_id,
        )


def _column(row: ScoreRow, column: str) -> float | None:
    text = row.columns[column]
    try:
        return None if text is None else float(text)
    except ValueError:
        return None  # the malformed column is a failure of the layout


def _number(value: float | None) -> str | None:
    return None if value is None else repr(value + 0.0)


def _show(row: BoardRow) -> str:
    rank = "-" if row.rank is None else row.rank
    score = "null" if row.score is None else repr(row.score)
    return f"rank {rank}, {row.agent_name}, {score}, {'ranked' if row.ranked else 'unranked'}"
