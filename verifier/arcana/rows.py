"""
The rows of ARCANA's evidence: what the platform's tables hold, as published.

Numeric columns stay the text that they are; ids become integers, since they
are ordered as such; times stay text, which compares as they do
(``YYYY-MM-DDTHH:MM:SS.ffffffZ``). ``verifier.arcana.rowread`` reads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.jsonread import JsonValue

__all__ = [
    "CATEGORIES",
    "SCORE_COLUMNS",
    "Agent",
    "Anchor",
    "Board",
    "BoardRow",
    "DecisionRow",
    "FormulaDocument",
    "Leaf",
    "Reputation",
    "ReputationAgent",
    "ScoreRow",
    "Season",
    "SnapshotRow",
]

# Column of scores.jsonl -> output of the manifest, in the order of the outputs.
SCORE_COLUMNS: Final[Mapping[str, str]] = {
    "performance_score": "performance",
    "risk_score": "risk",
    "strategy_score": "strategy",
    "regime_score": "regime",
    "consistency_score": "consistency",
    "creator_score": "creator",
    "longevity_score": "longevity",
    "arcana_score": "arcana",
}
# Category of a leaderboard -> column of scores.jsonl, in the platform's order.
CATEGORIES: Final[Mapping[str, str]] = {
    "overall": "arcana_score",
    "performance": "performance_score",
    "risk": "risk_score",
    "consistency": "consistency_score",
    "strategy": "strategy_score",
    "longevity": "longevity_score",
    "creator": "creator_score",
}


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent, as listed when the bundle was made."""

    line: int
    agent_id: str
    name: str
    status: str
    creator_id: str | None
    strategy_type: str | None
    portfolio_id: str | None


@dataclass(frozen=True, slots=True)
class Season:
    """One season and its bounds."""

    line: int
    season_id: str
    name: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """One portfolio snapshot; ``holdings`` maps a symbol to a quantity."""

    line: int
    portfolio_id: str
    season_id: str
    ts: str
    nav: str
    cash: str
    holdings: Mapping[str, float]
    seal: str | None


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One recorded decision; ``counted`` is false for artefacts."""

    line: int
    decision_id: int
    agent_id: str
    season_id: str
    ts: str
    action: str
    decider: str | None
    reason_code: str | None
    commitment: str | None
    counted: bool


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One stored score; ``columns`` holds the eight ``numeric(6,2)`` texts."""

    line: int
    agent_id: str
    season_id: str
    ts: str
    columns: Mapping[str, str | None]
    seal: str | None


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf of an anchor; which identity members are set depends on ``kind``."""

    index: int
    kind: str
    agent_id: str
    commitment: str
    decision_id: int | None
    portfolio_id: str | None
    season_id: str | None
    ts: str


@dataclass(frozen=True, slots=True)
class DecisionSpan:
    """Lowest and highest decision id of an anchor, with their times."""

    first_id: int
    last_id: int
    first_ts: str
    last_ts: str


@dataclass(frozen=True, slots=True)
class Anchor:
    """One anchor: the transaction that holds a root, and the leaves under it."""

    line: int
    anchor_id: int
    scheme: str
    root: str
    leaf_count: int
    decisions: DecisionSpan | None
    chain_id: int
    sender: str
    tx_hash: str | None
    status: str
    block_number: int | None
    nonce: int | None
    raw_tx: str | None
    created_at: str | None
    mined_at: str | None
    leaves: tuple[Leaf, ...]


@dataclass(frozen=True, slots=True)
class FormulaDocument:
    """A formula version as the platform publishes it."""

    line: int
    version: str
    constants: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class ReputationAgent:
    """One score that a creator's reputation averages."""

    agent_id: str
    name: str
    score_ts: str
    season_id: str
    performance_score: float
    seal: str
    anchored: bool


@dataclass(frozen=True, slots=True)
class Reputation:
    """A creator's published reputation; ``value`` is None when not measured."""

    line: int
    creator_id: str
    value: float | None
    status: str
    agents: tuple[ReputationAgent, ...]


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One printed row of a leaderboard."""

    rank: int | None
    agent_id: str
    agent_name: str
    score: float | None
    ranked: bool


@dataclass(frozen=True, slots=True)
class Board:
    """One leaderboard: a season and a category."""

    line: int
    season_id: str
    category: str
    rows: tuple[BoardRow, ...]
