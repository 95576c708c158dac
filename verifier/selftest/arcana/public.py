"""Steps 9 and 10: participation, reputations and leaderboards."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana.checks.catalogue import LEADERBOARDS, PARTICIPATION, REPUTATION
from verifier.arcana.checks.score import MIN_CHOSEN, PROTECTIVE
from verifier.arcana.manifest import CommitmentManifest
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation, Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.arcana.manifest import DecisionRef, ScoreManifest
    from verifier.policy import Policy
    from verifier.selftest.mutations import Changes

Rows = list[dict[str, Any]]


def _chosen(evidence: Evidence, manifest: ScoreManifest) -> list[DecisionRef]:
    context = evidence.context
    return [
        item
        for item in manifest.decisions
        if context.decider(item.commitment, context.decision_rows.get(item.id)) != PROTECTIVE
    ]


def _protective(evidence: Evidence) -> Changes | None:
    """Turn decisions into protective exits, in rows and commitments, until four are chosen."""
    context = evidence.context
    chosen = [_chosen(evidence, manifest) for _, manifest in evidence.ranked()]
    enough = [items for items in chosen if len(items) >= MIN_CHOSEN]
    if not enough:
        return None
    forgery = Forgery(evidence)
    for item in min(enough, key=len)[MIN_CHOSEN - 1 :]:
        forgery.put("decisions", context.decision_rows[item.id].line, decider=PROTECTIVE)
        manifest = None if item.commitment is None else context.readable(item.commitment)
        if isinstance(manifest, CommitmentManifest):
            forgery.reseal(item.commitment, replace(manifest, decider=PROTECTIVE))
    return forgery.changes()


def _published(policy: Policy) -> Policy:
    return replace(policy, arcana=replace(policy.arcana, participation="published"))


def _reputation(
    evidence: Evidence, *, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Changes | None:
    """Change members of the first reputation that the change concerns."""
    for reputation in evidence.context.tables.reputations:
        forgery = Forgery(evidence)
        members = change(forgery.row("reputations", reputation.line))
        if members is not None:
            forgery.put("reputations", reputation.line, **members)
            return forgery.changes()
    return None


def _zero(row: dict[str, Any]) -> dict[str, Any] | None:
    return {"value": 0} if row["value"] is None else None


def _last_bit(row: dict[str, Any]) -> dict[str, Any] | None:
    value = row["value"]
    return None if value is None else {"value": math.nextafter(value, math.inf)}


def _agent_left_out(row: dict[str, Any]) -> dict[str, Any] | None:
    """Average over all agents but the worst."""
    agents = sorted(row["agents"], key=lambda agent: float(agent["performance_score"]))[1:]
    if not agents:
        return None
    kept = [agent for agent in row["agents"] if agent in agents]
    total = 0.0
    for agent in kept:
        total += agent["performance_score"]
    return {"agents": kept, "value": total / len(kept)}


def _not_anchored(row: dict[str, Any]) -> dict[str, Any] | None:
    if not row["agents"]:
        return None
    first, *rest = row["agents"]
    return {"agents": [{**first, "anchored": not first["anchored"]}, *rest]}


def _status(row: dict[str, Any]) -> dict[str, Any] | None:
    return {"status": "measured"} if row["status"] == "not_measured" else None


def _board(evidence: Evidence, *, change: Callable[[Rows], Rows | None]) -> Changes | None:
    """Print other rows on the first leaderboard that the change concerns."""
    for board in evidence.context.tables.boards:
        forgery = Forgery(evidence)
        rows = change(forgery.row("leaderboards", board.line)["rows"])
        if rows is not None:
            forgery.put("leaderboards", board.line, rows=list(rows))
            return forgery.changes()
    return None


def _ranks_exchanged(rows: Rows) -> Rows | None:
    if len(rows) < 2 or rows[1]["rank"] in {None, rows[0]["rank"]}:
        return None
    one, two, *rest = rows
    return [{**two, "rank": one["rank"]}, {**one, "rank": two["rank"]}, *rest]


def _order(rows: Rows) -> Rows | None:
    if len(rows) < 2 or rows[0]["score"] == rows[1]["score"]:
        return None
    return [rows[1], rows[0], *rows[2:]]


def _tie_broken(rows: Rows) -> Rows | None:
    for index in range(1, len(rows)):
        rank = rows[index]["rank"]
        if rank is not None and rank == rows[index - 1]["rank"]:
            return [*rows[:index], {**rows[index], "rank": rank + 1}, *rows[index + 1 :]]
    return None


def _left_out(rows: Rows) -> Rows | None:
    """Leave out the last ranked agent, so that no other rank changes."""
    ranked = [index for index, row in enumerate(rows) if row["ranked"]]
    return [*rows[: ranked[-1]], *rows[ranked[-1] + 1 :]] if ranked else None


def _unranked_ranked(rows: Rows) -> Rows | None:
    for index, row in enumerate(rows):
        if not row["ranked"]:
            ranked = {**row, "rank": index + 1, "ranked": True}
            return [*rows[:index], ranked, *rows[index + 1 :]]
    return None


def _score(rows: Rows) -> Rows | None:
    if not rows or rows[0]["score"] is None:
        return None
    return [{**rows[0], "score": rows[0]["score"] + 1}, *rows[1:]]


def _name(rows: Rows) -> Rows | None:
    return [{**rows[0], "agent_name": f"{rows[0]['agent_name']}."}, *rows[1:]] if rows else None


def _regime(evidence: Evidence) -> Changes | None:
    if not evidence.context.tables.boards:
        return None
    forgery = Forgery(evidence)
    forgery.put("leaderboards", len(forgery.lines("leaderboards")), category="regime")
    return forgery.changes()


def _board_twice(evidence: Evidence) -> Changes | None:
    """Repeat a board, with another name on it so that the lines differ."""
    if not evidence.context.tables.boards:
        return None
    forgery = Forgery(evidence)
    lines = forgery.lines("leaderboards")
    lines.insert(0, lines[0])
    rows = forgery.row("leaderboards", 1)["rows"]
    forgery.put("leaderboards", 1, rows=list(_name(rows) or rows))
    return forgery.changes()


def _of_reputation(
    name: str, what: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Mutation:
    return Mutation(
        name=name, aims_at=REPUTATION.id, what=what, apply=partial(_reputation, change=change)
    )


def _of_board(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=LEADERBOARDS.id, what=what, apply=apply)


MUTATIONS: Final = (
    Mutation(
        name="too-few-chosen",
        aims_at=PARTICIPATION.id,
        what="Decisions of a ranked score become protective exits, until four are chosen.",
        apply=_protective,
        rule=Rule(text='participation = "published"', tighten=_published),
    ),
    _of_reputation("zero-for-not-measured", "A creator not measured has a value of 0.", _zero),
    _of_reputation("measured-without-score", "A creator not measured is measured.", _status),
    _of_reputation("reputation-last-bit", "A value's last bit is changed.", _last_bit),
    _of_reputation("worst-agent-left-out", "A mean leaves out the worst.", _agent_left_out),
    _of_reputation("anchored-turned", "An anchored score is said not to be.", _not_anchored),
    _of_board(
        "ranks-exchanged", "The first two change ranks.", partial(_board, change=_ranks_exchanged)
    ),
    _of_board(
        "rows-exchanged", "The first two rows change places.", partial(_board, change=_order)
    ),
    _of_board(
        "tie-broken", "Of two equal scores one ranks lower.", partial(_board, change=_tie_broken)
    ),
    _of_board("agent-left-out", "A ranked agent is left out.", partial(_board, change=_left_out)),
    _of_board(
        "unranked-ranked", "An unranked agent has a rank.", partial(_board, change=_unranked_ranked)
    ),
    _of_board("board-score", "The first score is a point higher.", partial(_board, change=_score)),
    _of_board("board-name", "An agent has another name.", partial(_board, change=_name)),
    _of_board("board-of-regime", "A board ranks on what measures nothing.", _regime),
    _of_board("board-twice", "A leaderboard stands twice.", _board_twice),
)
