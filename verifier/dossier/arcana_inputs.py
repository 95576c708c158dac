"""The inputs of one ARCANA score, each beside the row that should say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.dossier.arcana_evidence import Coverage, Evidence, evidence_of

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.manifest import ScoreManifest
    from verifier.arcana.rows import ScoreRow

__all__ = ["DecisionInput", "Inputs", "PeerInput", "SnapshotInput", "read_inputs"]


@dataclass(frozen=True, slots=True)
class SnapshotInput:
    """One portfolio snapshot as listed; NAV and cash are column text, in the account's money."""

    ts: str
    nav: str
    cash: str
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """One decision as listed; who decided comes from its own manifest or row, None if unknown."""

    id: int
    ts: str
    action: str
    decider: str | None
    reason_code: str | None
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class PeerInput:
    """One score of another agent of the same creator, in points."""

    agent_id: str
    season_id: str
    ts: str
    performance_score: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """
    All inputs of one score, in the order in which its manifest lists them.

    Args:
        snapshots: Portfolio snapshots.
        decisions: Decisions.
        peers: Scores of the creator's other agents.
        snapshots_left_out: Times of recorded snapshots that were due and are not listed.
        decisions_left_out: Ids of recorded decisions of the same kind.
    """

    snapshots: tuple[SnapshotInput, ...]
    decisions: tuple[DecisionInput, ...]
    peers: tuple[PeerInput, ...]
    snapshots_left_out: tuple[str, ...]
    decisions_left_out: tuple[int, ...]

    def coverage_by_kind(self) -> dict[str, Coverage]:
        """Count the states of snapshots, decisions and peers apart."""
        return {
            "portfolio snapshots": Coverage.of(item.evidence.state for item in self.snapshots),
            "decisions": Coverage.of(item.evidence.state for item in self.decisions),
            "creator peer scores": Coverage.of(item.evidence.state for item in self.peers),
        }

    @property
    def coverage(self) -> Coverage:
        """Count the states of all inputs."""
        return sum(self.coverage_by_kind().values(), start=Coverage.of(()))


def read_inputs(context: Context, row: ScoreRow, manifest: ScoreManifest) -> Inputs:
    """Lay each input that a manifest lists beside the recorded row."""
    return Inputs(
        snapshots=_snapshots(context, row, manifest),
        decisions=_decisions(context, manifest),
        peers=_peers(context, manifest),
        snapshots_left_out=_snapshots_left_out(context, row, manifest),
        decisions_left_out=_decisions_left_out(context, row, manifest),
    )


def _snapshots(
    context: Context, row: ScoreRow, manifest: ScoreManifest
) -> tuple[SnapshotInput, ...]:
    recorded = {
        (item.ts, item.nav, item.cash, item.seal)
        for item in context.snapshots.get((row.agent_id, row.season_id), ())
    }
    since = context.policy.arcana.sealing_start
    return tuple(
        SnapshotInput(
            point.ts,
            point.nav,
            point.cash,
            evidence_of(
                context,
                point.seal,
                point.ts,
                since=since,
                recorded=(point.ts, point.nav, point.cash, point.seal) in recorded,
            ),
        )
        for point in manifest.nav_series
    )


def _decisions(context: Context, manifest: ScoreManifest) -> tuple[DecisionInput, ...]:
    since = context.policy.arcana.commitments_start
    found = []
    for listed in manifest.decisions:
        row = context.decision_rows.get(listed.id)
        recorded = row is not None and (row.agent_id, row.ts, row.action, row.commitment) == (
            manifest.agent_id,
            listed.ts,
            listed.action,
            listed.commitment,
        )
        found.append(
            DecisionInput(
                listed.id,
                listed.ts,
                listed.action,
                context.decider(listed.commitment, row),
                None if row is None else row.reason_code,
                evidence_of(context, listed.commitment, listed.ts, since=since, recorded=recorded),
            )
        )
    return tuple(found)


def _peers(context: Context, manifest: ScoreManifest) -> tuple[PeerInput, ...]:
    since = context.policy.arcana.sealing_start
    found = []
    for peer in manifest.peers:
        row = context.score_rows.get((peer.agent_id, peer.season_id, peer.ts))
        recorded = row is not None and (_number(row.columns["performance_score"]), row.seal) == (
            peer.performance_score,
            peer.seal,
        )
        found.append(
            PeerInput(
                peer.agent_id,
                peer.season_id,
                peer.ts,
                peer.performance_score,
                evidence_of(context, peer.seal, peer.ts, since=since, recorded=recorded),
            )
        )
    return tuple(found)


def _snapshots_left_out(
    context: Context, row: ScoreRow, manifest: ScoreManifest
) -> tuple[str, ...]:
    listed = {point.ts for point in manifest.nav_series}
    return tuple(
        item.ts
        for item in context.snapshots.get((row.agent_id, row.season_id), ())
        if item.ts <= row.ts and item.ts not in listed
    )


def _decisions_left_out(
    context: Context, row: ScoreRow, manifest: ScoreManifest
) -> tuple[int, ...]:
    listed = {decision.id for decision in manifest.decisions}
    return tuple(
        item.decision_id
        for item in context.decisions.get((row.agent_id, row.season_id), ())
        if item.ts <= row.ts and item.decision_id not in listed
    )


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None  # the malformed column is a failure of the layout
