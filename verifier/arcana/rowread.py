"""
Reading the lines of ARCANA's row files.

Shapes are those of ``spec/arcana.md`` with its clarifications 3 to 9. A row of
another shape cannot be judged and raises :class:`~verifier.errors.FormatError`.
Ids and the like, which stand in many rows, are kept once.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from verifier.arcana.rows import (
    SCORE_COLUMNS,
    Agent,
    Anchor,
    Board,
    BoardRow,
    DecisionRow,
    DecisionSpan,
    FormulaDocument,
    Leaf,
    Reputation,
    ReputationAgent,
    ScoreRow,
    Season,
    SnapshotRow,
)
from verifier.core.shape import Obj, pointer_to
from verifier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.jsonread import JsonValue

__all__ = [
    "leaf_value",
    "read_agent",
    "read_anchor",
    "read_board",
    "read_decision",
    "read_formula",
    "read_leaf",
    "read_reputation",
    "read_score",
    "read_season",
    "read_snapshot",
]

# Column that unranked rows leave empty.
_NULLABLE_COLUMNS: Final = frozenset({"arcana_score", "risk_score", "consistency_score"})


def read_agent(line: int, value: JsonValue) -> Agent:
    """Read a line of ``agents.jsonl``."""
    row = Obj(
        value,
        (
            "agent_id",
            "name",
            "status",
            "creator_id",
            "creator_handle",
            "strategy_type",
            "portfolio_id",
        ),
    )
    row.text_or_null("creator_handle")
    return Agent(
        line,
        row.word("agent_id"),
        row.text("name"),
        row.text("status"),
        row.text_or_null("creator_id"),
        row.text_or_null("strategy_type"),
        row.text_or_null("portfolio_id"),
    )


def read_season(line: int, value: JsonValue) -> Season:
    """Read a line of ``seasons.jsonl``."""
    row = Obj(value, ("season_id", "name", "start", "end"))
    return Season(line, *(row.text(key) for key in ("season_id", "name", "start", "end")))


def read_snapshot(line: int, value: JsonValue) -> SnapshotRow:
    """Read a line of ``snapshots.jsonl``."""
    row = Obj(value, ("portfolio_id", "season_id", "ts", "nav", "cash", "holdings", "seal"))
    holdings = Obj(row.mapping("holdings"), (), pointer="/holdings", open_ended=True)
    return SnapshotRow(
        line,
        row.word("portfolio_id"),
        row.word("season_id"),
        row.text("ts"),
        row.text("nav"),
        row.text("cash"),
        {sys.intern(symbol): holdings.number(symbol) for symbol in holdings.value},
        row.text_or_null("seal"),
    )


def read_decision(line: int, value: JsonValue) -> DecisionRow:
    """Read a line of ``decisions.jsonl``."""
    row = Obj(
        value,
        (
            "id",
            "agent_id",
            "season_id",
            "ts",
            "action",
            "decider",
            "reason_code",
            "commitment",
            "counted",
        ),
    )
    return DecisionRow(
        line,
        row.decimal_id("id"),
        row.word("agent_id"),
        row.word("season_id"),
        row.text("ts"),
        row.word("action"),
        row.word_or_null("decider"),
        row.word_or_null("reason_code"),
        row.text_or_null("commitment"),
        row.boolean("counted"),
    )


def read_score(line: int, value: JsonValue) -> ScoreRow:
    """Read a line of ``scores.jsonl``."""
    row = Obj(value, ("agent_id", "season_id", "ts", "seal", *SCORE_COLUMNS))
    return ScoreRow(
        line,
        row.word("agent_id"),
        row.word("season_id"),
        row.text("ts"),
        {
            column: row.text_or_null(column) if column in _NULLABLE_COLUMNS else row.text(column)
            for column in SCORE_COLUMNS
        },
        row.text_or_null("seal"),
    )


_ANCHOR_MEMBERS: Final = (
    "id",
    "scheme",
    "root",
    "leaf_count",
    "decisions",
    "chain_id",
    "sender",
    "tx_hash",
    "explorer_url",
    "status",
    "block_number",
    "gas_cost_usd",
    "note",
    "created_at",
    "mined_at",
    "leaves",
)


def read_anchor(line: int, value: JsonValue) -> Anchor:
    """Read a line of ``anchors.jsonl``."""
    row = Obj(value, _ANCHOR_MEMBERS, ("nonce", "raw_tx"))
    span = None
    if row.value["decisions"] is not None:
        inner = Obj(
            row.value["decisions"],
            ("first_id", "last_id", "first_ts", "last_ts"),
            pointer="/decisions",
        )
        span = DecisionSpan(
            inner.decimal_id("first_id"),
            inner.decimal_id("last_id"),
            inner.text("first_ts"),
            inner.text("last_ts"),
        )
    return Anchor(
        line,
        row.decimal_id("id"),
        row.text("scheme"),
        row.text("root"),
        row.integer("leaf_count"),
        span,
        row.integer("chain_id"),
        row.text("sender"),
        row.text_or_null("tx_hash"),
        row.text("status"),
        row.integer_or_null("block_number"),
        row.integer_or_null("nonce"),
        row.text_or_null("raw_tx"),
        row.text("created_at"),
        row.text_or_null("mined_at"),
        tuple(read_leaf(pointer, item) for pointer, item in row.items("leaves")),
    )


_LEAF_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = {
    "decision": ("decision_id", "decision_ts"),
    "portfolio_snapshot": ("portfolio_id", "season_id", "ts"),
    "score": ("season_id", "ts"),
}


def read_leaf(pointer: str, value: JsonValue) -> Leaf:
    """Read one leaf of an anchor; *pointer* says where it stands."""
    common = ("leaf_index", "kind", "agent_id", "commitment")
    kind = Obj(value, common, pointer=pointer, open_ended=True).word("kind")
    if kind not in _LEAF_MEMBERS:
        raise FormatError(
            f"must be one of {', '.join(_LEAF_MEMBERS)}", pointer=pointer_to(pointer, "kind")
        )
    leaf = Obj(value, (*common, *_LEAF_MEMBERS[kind]), pointer=pointer)
    decision = kind == "decision"
    return Leaf(
        leaf.integer("leaf_index"),
        kind,
        leaf.word("agent_id"),
        leaf.text("commitment"),
        leaf.decimal_id("decision_id") if decision else None,
        leaf.word("portfolio_id") if kind == "portfolio_snapshot" else None,
        None if decision else leaf.word("season_id"),
        leaf.text("decision_ts" if decision else "ts"),
    )


def leaf_value(leaf: Leaf) -> JsonValue:
    """Write a leaf as the anchor lists it: what :func:`read_leaf` reads."""
    value: dict[str, JsonValue] = {
        "leaf_index": leaf.index,
        "kind": leaf.kind,
        "agent_id": leaf.agent_id,
        "commitment": leaf.commitment,
    }
    if leaf.decision_id is not None:
        return {**value, "decision_id": str(leaf.decision_id), "decision_ts": leaf.ts}
    if leaf.portfolio_id is not None:
        value["portfolio_id"] = leaf.portfolio_id
    return {**value, "season_id": leaf.season_id, "ts": leaf.ts}


def read_formula(line: int, value: JsonValue) -> FormulaDocument:
    """Read a line of ``formulas.jsonl``; steps and notes are prose and not compared."""
    row = Obj(value, ("version", "constants", "steps", "notes"), ("source", "how_to_recompute"))
    return FormulaDocument(line, row.text("version"), row.mapping("constants"))


def read_reputation(line: int, value: JsonValue) -> Reputation:
    """Read a line of ``reputations.jsonl``."""
    row = Obj(value, ("creator_id", "value", "status", "agents"))
    agents = []
    for pointer, item in row.items("agents"):
        agent = Obj(
            item,
            (
                "agent_id",
                "name",
                "score_ts",
                "season_id",
                "performance_score",
                "seal",
                "anchored",
            ),
            pointer=pointer,
        )
        agents.append(
            ReputationAgent(
                agent.word("agent_id"),
                agent.text("name"),
                agent.text("score_ts"),
                agent.word("season_id"),
                agent.number("performance_score"),
                agent.text("seal"),
                agent.boolean("anchored"),
            )
        )
    return Reputation(
        line,
        row.text("creator_id"),
        row.number_or_null("value"),
        row.text("status"),
        tuple(agents),
    )


def read_board(line: int, value: JsonValue) -> Board:
    """Read a line of ``leaderboards.jsonl``."""
    row = Obj(value, ("season_id", "category", "rows"))
    rows = []
    for pointer, item in row.items("rows"):
        entry = Obj(item, ("rank", "agent_id", "agent_name", "score", "ranked"), pointer=pointer)
        rows.append(
            BoardRow(
                entry.integer_or_null("rank"),
                entry.word("agent_id"),
                entry.text("agent_name"),
                entry.number_or_null("score"),
                entry.boolean("ranked"),
            )
        )
    return Board(line, row.word("season_id"), row.text("category"), tuple(rows))
