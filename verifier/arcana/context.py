"""
What all checks of ARCANA share: the rows of a bundle, indexed once.

A context is built before the first check and never changes. Its indexes
answer the questions that the checks ask: whose portfolio is this, which rows
of this agent are due at that time, which seal came before, which mined
anchor holds this seal.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import chain_place
from verifier.arcana.layout import Tables, read_tables
from verifier.arcana.manifest import Manifest, ManifestError, SnapshotManifest, parse_manifest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.arcana.chainrecord import ChainPlace
    from verifier.arcana.rows import Agent, Anchor, DecisionRow, Leaf, ScoreRow, SnapshotRow
    from verifier.bundle import Bundle
    from verifier.policy import Policy

__all__ = ["Anchorage", "Context", "load_context", "manifest_path"]

MANIFESTS: Final = "arcana/manifests/"


@dataclass(frozen=True, slots=True)
class Anchorage:
    """Where a seal stands in an anchor; block and index are None where the chain is silent."""

    anchor: Anchor
    leaf: Leaf
    block: int | None
    index: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """
    The rows of one bundle and the indexes over them.

    Args:
        bundle: The evidence.
        policy: What the caller trusts.
        as_of: The clock of this audit, RFC 3339 UTC.
        tables: All rows.
        agents: Agents by id.
        owners: Agent id by portfolio id.
        snapshots: Rows by (agent id, season id), oldest first.
        decisions: Counted rows by (agent id, season id), by id.
        decision_rows: All decision rows by id.
        snapshot_rows: All snapshot rows by (portfolio id, time).
        score_rows: All score rows by (agent id, season id, time).
        rival_owners: Second agent that claims a portfolio, by portfolio id.
        peers: Score rows by creator id, in the order in which a score lists them.
        previous: Seal of the record before, by seal, in each kind's own chain.
        anchored: Places of a seal in anchors that were not given up.
        mined: Place of a seal in a mined anchor.
        on_chain: Place of an anchor that was not given up, by its line.
        latest: Last score row of each agent id, by season id.
        mined_agents: Agents with a score in a mined anchor, by season id.
        board_lines: First line of a leaderboard, by (season id, category).
    """

    bundle: Bundle
    policy: Policy
    as_of: str
    tables: Tables
    agents: Mapping[str, Agent]
    owners: Mapping[str, str]
    rival_owners: Mapping[str, str]
    snapshots: Mapping[tuple[str, str], tuple[SnapshotRow, ...]]
    decisions: Mapping[tuple[str, str], tuple[DecisionRow, ...]]
    decision_rows: Mapping[int, DecisionRow]
    snapshot_rows: Mapping[tuple[str, str], SnapshotRow]
    score_rows: Mapping[tuple[str, str, str], ScoreRow]
    peers: Mapping[str, tuple[ScoreRow, ...]]
    previous: Mapping[str, str | None]
    anchored: Mapping[str, tuple[Anchorage, ...]]
    mined: Mapping[str, Anchorage]
    on_chain: Mapping[int, ChainPlace]
    latest: Mapping[str, Mapping[str, ScoreRow]]
    mined_agents: Mapping[str, frozenset[str]]
    board_lines: Mapping[tuple[str, str], int]
    _deciders: dict[str, str | None] = field(default_factory=dict)

    def manifest(self, seal: str) -> Manifest | None:
        """
        Read the manifest that a seal names.

        Returns:
            None when it is not in the bundle.

        Raises:
            ManifestError: It is there and has not the exact form.
        """
        path = manifest_path(seal)
        return parse_manifest(self.bundle.read(path)) if self.bundle.has(path) else None

    def readable(self, seal: str) -> Manifest | None:
        """Read a manifest; None also when step 1 has to refuse it."""
        return _readable(self.bundle, seal)

    def remember_decider(self, commitment: str, decider: str | None) -> None:
        """Keep what :meth:`decider` would read again; a season's scores ask for each many times."""
        self._deciders[commitment] = decider

    def decider(self, commitment: str | None, row: DecisionRow | None) -> str | None:
        """Name who decided: the manifest's word where it is in the bundle, else the row's."""
        if commitment is not None and commitment not in self._deciders:
            manifest = self.readable(commitment)
            self._deciders[commitment] = getattr(manifest, "decider", None)
        decider = self._deciders.get(commitment) if commitment is not None else None
        return decider if decider is not None else (row.decider if row is not None else None)


def manifest_path(seal: str) -> str:
    """Name the file that holds the manifest of a seal."""
    return f"{MANIFESTS}{seal[:2]}/{seal}.txt"


def load_context(bundle: Bundle, policy: Policy) -> Context:
    """
    Read and index all rows of a bundle.

    Raises:
        EvidenceError: A row file or a chain file cannot be read.
    """
    tables = read_tables(bundle)
    agents = {agent.agent_id: agent for agent in tables.agents}
    owners, rivals = _owners(bundle, tables)
    snapshots: dict[tuple[str, str], list[SnapshotRow]] = defaultdict(list)
    for row in sorted(tables.snapshots, key=lambda row: row.ts):
        owner = owners.get(row.portfolio_id)
        if owner is not None:
            snapshots[owner, row.season_id].append(row)
    on_chain = {
        anchor.line: chain_place(bundle, anchor)
        for anchor in tables.anchors
        if anchor.status not in {"reverted", "dropped"}
    }
    anchored = _anchored(tables, on_chain)
    return Context(
        bundle=bundle,
        policy=policy,
        as_of=policy.as_of or bundle.index.as_of,
        tables=tables,
        agents=agents,
        owners=owners,
        rival_owners=rivals,
        snapshots={key: tuple(found) for key, found in snapshots.items()},
        decisions=_counted_decisions(tables),
        decision_rows={row.decision_id: row for row in tables.decisions},
        snapshot_rows={(row.portfolio_id, row.ts): row for row in tables.snapshots},
        score_rows={(row.agent_id, row.season_id, row.ts): row for row in tables.scores},
        peers=_peers(tables, agents),
        previous=_chains(tables),
        anchored=anchored,
        mined={
            seal: place
            for seal, places in anchored.items()
            for place in reversed(places)
            if place.anchor.status == "mined"
        },
        on_chain=on_chain,
        latest=_latest(tables),
        mined_agents=_mined_agents(tables),
        # The last of these to be put in is the first of the file.
        board_lines={
            (board.season_id, board.category): board.line for board in reversed(tables.boards)
        },
    )


def _readable(bundle: Bundle, seal: str) -> Manifest | None:
    path = manifest_path(seal)
    if not bundle.has(path) or bundle.digest(path) != seal:
        return None
    try:
        return parse_manifest(bundle.read(path))
    except ManifestError:
        return None


def _owners(bundle: Bundle, tables: Tables) -> tuple[dict[str, str], dict[str, str]]:
    """Map each portfolio to its agent, and to a rival (clarifications 6 and 37)."""
    owners: dict[str, str] = {}
    rivals: dict[str, str] = {}
    for agent in tables.agents:
        if agent.portfolio_id is None:
            continue
        owner = owners.setdefault(agent.portfolio_id, agent.agent_id)
        if owner != agent.agent_id:
            rivals[agent.portfolio_id] = agent.agent_id
    for row in tables.snapshots:
        # The first sealed snapshot names the owner; the others are checked against it.
        if row.seal is not None and row.portfolio_id not in owners:
            manifest = _readable(bundle, row.seal)
            if isinstance(manifest, SnapshotManifest) and manifest.agent_id is not None:
                owners[row.portfolio_id] = manifest.agent_id
    return owners, rivals


def _anchored(
    tables: Tables, on_chain: Mapping[int, ChainPlace]
) -> dict[str, tuple[Anchorage, ...]]:
    """Map each seal to its places in anchors that were not given up."""
    anchored: dict[str, list[Anchorage]] = defaultdict(list)
    for anchor in tables.anchors:
        place = on_chain.get(anchor.line)
        if place is not None:
            for leaf in anchor.leaves:
                anchored[leaf.commitment].append(Anchorage(anchor, leaf, place.block, place.index))
    return {seal: tuple(places) for seal, places in anchored.items()}


def _latest(tables: Tables) -> dict[str, dict[str, ScoreRow]]:
    latest: dict[str, dict[str, ScoreRow]] = defaultdict(dict)
    for row in tables.scores:
        season = latest[row.season_id]
        known = season.get(row.agent_id)
        if known is None or row.ts > known.ts:
            season[row.agent_id] = row
    return dict(latest)


def _mined_agents(tables: Tables) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for anchor in tables.anchors:
        if anchor.status == "mined":
            for leaf in anchor.leaves:
                if leaf.kind == "score" and leaf.season_id is not None:
                    found[leaf.season_id].add(leaf.agent_id)
    return {season: frozenset(agents) for season, agents in found.items()}


def _counted_decisions(tables: Tables) -> dict[tuple[str, str], tuple[DecisionRow, ...]]:
    found: dict[tuple[str, str], list[DecisionRow]] = defaultdict(list)
    for row in tables.decisions:
        if row.counted:
            found[row.agent_id, row.season_id].append(row)
    return {
        key: tuple(sorted(listed, key=lambda row: row.decision_id)) for key, listed in found.items()
    }


def _peers(tables: Tables, agents: Mapping[str, Agent]) -> dict[str, tuple[ScoreRow, ...]]:
    found: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in tables.scores:
        agent = agents.get(row.agent_id)
        if agent is not None and agent.creator_id is not None:
            found[agent.creator_id].append(row)
    ordered: dict[str, tuple[ScoreRow, ...]] = {}
    for creator, listed in found.items():
        listed.sort(key=lambda row: (row.agent_id, row.season_id))
        listed.sort(key=lambda row: row.ts, reverse=True)
        ordered[creator] = tuple(listed)
    return ordered


def _chains(tables: Tables) -> dict[str, str | None]:
    """Map each seal to the one before it in its chain: portfolio, agent, or agent and season."""
    previous: dict[str, str | None] = {}
    latest: dict[tuple[str, ...], str] = {}

    def link(chain: tuple[str, ...], seal: str | None) -> None:
        if seal is not None:
            previous[seal] = latest.get(chain)
            latest[chain] = seal

    for snapshot in sorted(tables.snapshots, key=lambda row: row.ts):
        link(("snapshot", snapshot.portfolio_id), snapshot.seal)
    for decision in sorted(tables.decisions, key=lambda row: row.decision_id):
        link(("decision", decision.agent_id), decision.commitment)
    for score in sorted(tables.scores, key=lambda row: row.ts):
        link(("score", score.agent_id, score.season_id), score.seal)
    return previous
