"""
ARCANA's row files as a comparison sees them.

===============  =======================  =============================================
file             a row is named by        may move (update); all else is history
===============  =======================  =============================================
`agents`         agent_id                 name, status, creator_handle, portfolio_id
`seasons`        season_id                name
`snapshots`      portfolio_id, ts
`decisions`      id
`scores`         agent_id, season_id, ts
`anchors`        id                       see below
`formulas`       version                  all but the constants, which are prose
`reputations`    creator_id               everything: computed from the rows
`leaderboards`   season_id, category      everything: computed from the rows
===============  =======================  =============================================

An anchor goes from ``signed`` over ``broadcast`` to ``mined``, or ends as
``reverted`` or ``dropped``. Until it has ended, its transaction may be replaced,
and its block becomes known; after that neither moves. Root and leaves never do.

A row that carries a time is an extension only if that time had not passed when
A was made: a row put into the past is a rewrite.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.core.shape import Obj
from verifier.diff.model import Effect, Kind
from verifier.diff.values import Items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.core.jsonread import JsonValue
    from verifier.diff.evidence import Evidence
    from verifier.diff.values import Change

__all__ = ["LISTS", "TABLES", "Names", "Table", "row_of"]

_NAME: Final = 60

# Lists of rows and of manifests, by the names of their members.
LISTS: Final[Mapping[str, Items]] = {
    "agents": Items(("agent_id",)),
    "creator_peers": Items(("agent_id", "season_id", "ts")),
    "decisions": Items(("id",)),
    "leaves": Items(("leaf_index",)),
    "nav_series": Items(("ts",)),
    # Rank and score of a row say where it stands.
    "rows": Items(("agent_id",), ordered=False),
}

# Where an anchor can go from a status that it does not end in.
_NEXT: Final[Mapping[JsonValue, frozenset[JsonValue]]] = {
    "signed": frozenset({"broadcast", "mined", "reverted", "dropped"}),
    "broadcast": frozenset({"mined", "reverted", "dropped"}),
}


@dataclass(frozen=True, slots=True)
class Names:
    """Names of agents and seasons by their ids, for readers."""

    agents: Mapping[str, str] = field(default_factory=dict)
    seasons: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, a: Evidence, b: Evidence) -> Names:
        """Read the names of both bundles; those of B are newer."""
        found = []
        for table, key in (("agents", "agent_id"), ("seasons", "season_id")):
            path = f"arcana/{table}.jsonl"
            names: dict[str, str] = {}
            for side in (a, b):
                for number, line in side.lines(path):
                    value = side.value(path, number, line)
                    with side.blamed(path, number):
                        row = Obj(value, (key, "name"), open_ended=True)
                        names[row.text(key)] = _short(row.text("name"))
            found.append(names)
        return cls(*found)

    def agent(self, agent_id: str) -> str:
        """Write an agent's name in brackets behind what is already said."""
        name = self.agents.get(agent_id)
        return "" if name is None else f" ({name})"

    def season(self, season_id: str) -> str:
        """Write a season by its name, or by its id if it has none."""
        return self.seasons.get(season_id, season_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """
    What a comparison knows of one row file.

    Args:
        name: Name of the file without its ending.
        identity: Members that together name a row, all of them texts.
        subject: Names the row in words.
        judge: Class of a changed member, given the row as it was.
        time: Member that says when the row was recorded.
        seal: Member that holds the digest of the row's manifest.
        derived: Everything in the file is computed from other rows.
    """

    name: str
    identity: tuple[str, ...]
    subject: Callable[[Obj, Names], str]
    judge: Callable[[Change, Mapping[str, JsonValue]], Effect]
    time: str | None = None
    seal: str | None = None
    derived: bool = False

    @property
    def path(self) -> str:
        """Path of the file in a bundle."""
        return f"arcana/{self.name}.jsonl"


def row_of(value: JsonValue, table: Table) -> Obj:
    """
    Read a row as far as a comparison needs it.

    Raises:
        FormatError: No object, or a member that names the row is missing.
    """
    return Obj(value, table.identity, open_ended=True)


def _short(name: str) -> str:
    return name if len(name) <= _NAME else f"{name[:_NAME]}…"


def _movable(*members: str) -> Callable[[Change, Mapping[str, JsonValue]], Effect]:
    allowed = frozenset(members)
    return lambda change, _: Effect.UPDATE if change.top in allowed else Effect.REWRITE


def _derived(_change: Change, _row: Mapping[str, JsonValue]) -> Effect:
    return Effect.UPDATE


def _formula(change: Change, _row: Mapping[str, JsonValue]) -> Effect:
    return Effect.REWRITE if change.top in {"constants", "version"} else Effect.UPDATE


def _anchor(change: Change, row: Mapping[str, JsonValue]) -> Effect:
    open_still = row.get("status") in _NEXT
    match change.top:
        case "status":
            moves = change.after in _NEXT.get(change.before, frozenset())
        case "note" | "explorer_url" | "gas_cost_usd":
            moves = True
        case "block_number" | "mined_at" | "tx_hash" | "nonce" | "raw_tx":
            unknown = change.kind is Kind.ADDED or change.before is None
            moves = open_still or unknown
        case _:
            moves = False
    return Effect.UPDATE if moves else Effect.REWRITE


def _score(row: Obj, names: Names) -> str:
    agent_id = row.text("agent_id")
    return f"score {agent_id} {row.text('ts')}{names.agent(agent_id)}"


def _agent(row: Obj, names: Names) -> str:
    agent_id = row.text("agent_id")
    return f"agent {agent_id}{names.agent(agent_id)}"


TABLES: Final = (
    Table(
        name="agents",
        identity=("agent_id",),
        subject=_agent,
        judge=_movable("name", "status", "creator_handle", "portfolio_id"),
    ),
    Table(
        name="seasons",
        identity=("season_id",),
        subject=lambda row, names: f"season {names.season(row.text('season_id'))}",
        judge=_movable("name"),
    ),
    Table(
        name="snapshots",
        identity=("portfolio_id", "ts"),
        subject=lambda row, _: f"snapshot {row.text('portfolio_id')} {row.text('ts')}",
        judge=_movable(),
        time="ts",
        seal="seal",
    ),
    Table(
        name="decisions",
        identity=("id",),
        subject=lambda row, _: f"decision {row.text('id')}",
        judge=_movable(),
        time="ts",
        seal="commitment",
    ),
    Table(
        name="scores",
        identity=("agent_id", "season_id", "ts"),
        subject=_score,
        judge=_movable(),
        time="ts",
        seal="seal",
    ),
    Table(
        name="anchors",
        identity=("id",),
        subject=lambda row, _: f"anchor {row.text('id')}",
        judge=_anchor,
        time="created_at",
    ),
    Table(
        name="formulas",
        identity=("version",),
        subject=lambda row, _: f"formula {row.text('version')}",
        judge=_formula,
    ),
    Table(
        name="reputations",
        identity=("creator_id",),
        subject=lambda row, _: f"reputation {row.text('creator_id')}",
        judge=_derived,
        derived=True,
    ),
    Table(
        name="leaderboards",
        identity=("season_id", "category"),
        subject=lambda row, names: (
            f"{row.text('category')} board of {names.season(row.text('season_id'))}"
        ),
        judge=_derived,
        derived=True,
    ),
)
