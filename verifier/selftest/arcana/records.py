"""Step 3: snapshot and decision rows, and the manifests that seal them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import INPUTS_RECORDED
from verifier.arcana.context import manifest_path
from verifier.arcana.manifest import CommitmentManifest, SnapshotManifest, emit_manifest
from verifier.core.canon import canonical_bytes
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.arcana.inputs import raised
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.arcana.manifest import Manifest, ScoreManifest
    from verifier.arcana.rows import DecisionRow, SnapshotRow
    from verifier.selftest.mutations import Changes


def _snapshots(evidence: Evidence) -> Iterator[tuple[SnapshotRow, SnapshotManifest]]:
    for row in evidence.context.tables.snapshots:
        manifest = None if row.seal is None else evidence.context.readable(row.seal)
        if isinstance(manifest, SnapshotManifest):
            yield row, manifest


def _commitments(evidence: Evidence) -> Iterator[tuple[DecisionRow, CommitmentManifest]]:
    for row in evidence.context.tables.decisions:
        manifest = None if row.commitment is None else evidence.context.readable(row.commitment)
        if isinstance(manifest, CommitmentManifest):
            yield row, manifest


def _with_nav(manifest: ScoreManifest, ts: str, nav: str) -> ScoreManifest:
    navs = (point._replace(nav=nav) if point.ts == ts else point for point in manifest.nav_series)
    return replace(manifest, nav_series=tuple(navs))


def _sealed_nav(evidence: Evidence) -> Changes | None:
    """Raise a NAV in its row and in the scores, so that only its own manifest can tell."""
    for row, _ in _snapshots(evidence):
        forgery = Forgery(evidence)
        nav = raised(row.nav)
        forgery.put("snapshots", row.line, nav=nav)
        owner = evidence.context.owners[row.portfolio_id]
        forgery.rescore_all(owner, partial(_with_nav, ts=row.ts, nav=nav))
        return forgery.changes()
    return None


def _unsealed_nav(evidence: Evidence) -> Changes | None:
    """Raise a NAV in its row, so that only the scores that list it can tell."""
    for score, _ in evidence.scores():
        for row in evidence.context.snapshots.get((score.agent_id, score.season_id), ()):
            if row.seal is None and row.ts <= score.ts:
                forgery = Forgery(evidence)
                forgery.put("snapshots", row.line, nav=raised(row.nav))
                return forgery.changes()
    return None


def _resealed(
    evidence: Evidence,
    *,
    rows: Callable[[Evidence], Iterator[tuple[SnapshotRow | DecisionRow, Manifest]]],
    change: Callable[[Evidence, Manifest], Manifest],
) -> Changes | None:
    """Seal the first record anew that the change concerns, and leave its row as it is."""
    for row, manifest in rows(evidence):
        changed = change(evidence, manifest)
        if changed != manifest:
            seal = getattr(row, "commitment", None) or getattr(row, "seal", None)
            forgery = Forgery(evidence)
            forgery.reseal(seal, changed)
            return forgery.changes()
    return None


def _holdings(_: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, SnapshotManifest)
    doubled = {symbol: 2 * quantity for symbol, quantity in manifest.holdings.items()}
    return replace(manifest, holdings=doubled)


def _cash(_: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, SnapshotManifest)
    return replace(manifest, cash=None if manifest.cash is None else raised(manifest.cash))


def _snapshot_skips(evidence: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, SnapshotManifest)
    before = evidence.context.previous.get(manifest.previous_seal or "")
    return manifest if before is None else replace(manifest, previous_seal=before)


def _action(_: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, CommitmentManifest)
    return replace(manifest, action="sell" if manifest.action != "sell" else "buy")


def _decider(_: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, CommitmentManifest)
    return replace(manifest, decider=None if manifest.decider != "llm" else "protective")


def _commitment_skips(evidence: Evidence, manifest: Manifest) -> Manifest:
    assert isinstance(manifest, CommitmentManifest)
    before = evidence.context.previous.get(manifest.previous_commitment or "")
    return manifest if before is None else replace(manifest, previous_commitment=before)


def _without_manifest(
    evidence: Evidence,
    *,
    rows: Callable[[Evidence], Iterator[tuple[SnapshotRow | DecisionRow, Manifest]]],
) -> Changes | None:
    for row, _ in rows(evidence):
        seal = getattr(row, "commitment", None) or getattr(row, "seal", None)
        return {manifest_path(str(seal)): None}
    return None


def _unsealed(evidence: Evidence) -> Changes | None:
    """Unseal the last snapshot, which no other record names."""
    for row, _ in reversed(list(_snapshots(evidence))):
        if not evidence.referrers.get(row.seal or ""):
            forgery = Forgery(evidence)
            forgery.put("snapshots", row.line, seal=None)
            forgery.file(manifest_path(row.seal or ""), None)
            return forgery.changes()
    return None


def _backdated(evidence: Evidence) -> Changes | None:
    """Seal the last snapshot before sealing began, and have the chain and the scores name it."""
    context = evidence.context
    before = f"{context.policy.arcana.sealing_start[:-1]}.000000Z"
    sealed = {
        row.portfolio_id: (row, manifest) for row, manifest in reversed(list(_snapshots(evidence)))
    }
    for row in reversed(context.tables.snapshots):
        owner = context.owners.get(row.portfolio_id)
        if row.ts >= before or owner is None or row.portfolio_id not in sealed:
            continue
        first, manifest = sealed[row.portfolio_id]
        forgery = Forgery(evidence)
        seal = forgery.add_manifest(
            emit_manifest(
                SnapshotManifest(
                    portfolio_id=row.portfolio_id,
                    agent_id=owner,
                    season_id=row.season_id,
                    ts=row.ts,
                    nav=row.nav,
                    cash=row.cash,
                    holdings=row.holdings,
                    previous_seal=None,
                )
            )
        )
        forgery.put("snapshots", row.line, seal=seal)
        forgery.reseal(first.seal, replace(manifest, previous_seal=seal))
        forgery.rescore_all(owner, partial(_with_seal, ts=row.ts, seal=seal))
        return forgery.changes()
    return None


def _with_seal(manifest: ScoreManifest, ts: str, seal: str) -> ScoreManifest:
    navs = (point._replace(seal=seal) if point.ts == ts else point for point in manifest.nav_series)
    return replace(manifest, nav_series=tuple(navs))


def _after_as_of(evidence: Evidence) -> Changes | None:
    forgery = Forgery(evidence)
    lines = forgery.lines("snapshots")
    if not lines:
        return None
    late = f"{evidence.context.as_of[:-1]}.000001Z"
    last = forgery.row("snapshots", len(lines))
    lines.append(canonical_bytes({**last, "ts": late, "seal": None}))
    return forgery.changes()


def _not_counted(evidence: Evidence) -> Changes | None:
    for _, manifest in evidence.scores():
        for decision in manifest.decisions:
            forgery = Forgery(evidence)
            row = evidence.context.decision_rows[decision.id]
            forgery.put("decisions", row.line, counted=False)
            return forgery.changes()
    return None


def _portfolio_claimed(evidence: Evidence) -> Changes | None:
    agents = evidence.context.tables.agents
    owned = [agent for agent in agents if agent.portfolio_id is not None]
    others = [agent for agent in agents if agent.portfolio_id is None] + owned[1:]
    if not owned or not others:
        return None
    forgery = Forgery(evidence)
    forgery.put("agents", others[0].line, portfolio_id=owned[0].portfolio_id)
    return forgery.changes()


def _agent_gone(evidence: Evidence) -> Changes | None:
    for row, _ in evidence.scores():
        forgery = Forgery(evidence)
        del forgery.lines("agents")[evidence.context.agents[row.agent_id].line - 1]
        return forgery.changes()
    return None


def _mutation(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=INPUTS_RECORDED.id, what=what, apply=apply)


_SNAPSHOT: Final = partial(_resealed, rows=_snapshots)
_DECISION: Final = partial(_resealed, rows=_commitments)

MUTATIONS: Final = (
    _mutation(
        "nav-raised-everywhere",
        "A sealed NAV is raised in its row and all scores, not in its own manifest.",
        _sealed_nav,
    ),
    _mutation(
        "unsealed-nav-raised",
        "An unsealed NAV is raised in its row, not in the scores that list it.",
        _unsealed_nav,
    ),
    _mutation(
        "snapshot-holdings",
        "A snapshot is sealed with twice the holdings of its row.",
        partial(_SNAPSHOT, change=_holdings),
    ),
    _mutation(
        "snapshot-cash",
        "A snapshot is sealed with another cash than its row's.",
        partial(_SNAPSHOT, change=_cash),
    ),
    _mutation(
        "snapshot-chain-skips",
        "A snapshot names the seal before the one before it.",
        partial(_SNAPSHOT, change=_snapshot_skips),
    ),
    _mutation(
        "snapshot-manifest-missing",
        "The manifest of a sealed snapshot is taken away.",
        partial(_without_manifest, rows=_snapshots),
    ),
    _mutation(
        "snapshot-unsealed",
        "A snapshot after the sealing began has no seal.",
        _unsealed,
    ),
    _mutation(
        "snapshot-backdated",
        "A snapshot from before the sealing began is sealed, chain and scores follow.",
        _backdated,
    ),
    _mutation("snapshot-too-late", "A snapshot is later than the bundle's time.", _after_as_of),
    _mutation(
        "decision-other-action",
        "A decision is committed with another action than its row's.",
        partial(_DECISION, change=_action),
    ),
    _mutation(
        "decision-other-decider",
        "A decision is committed with another decider than its row's.",
        partial(_DECISION, change=_decider),
    ),
    _mutation(
        "decision-chain-skips",
        "A decision names the commitment before the one before it.",
        partial(_DECISION, change=_commitment_skips),
    ),
    _mutation(
        "commitment-missing",
        "The manifest of a committed decision is taken away.",
        partial(_without_manifest, rows=_commitments),
    ),
    _mutation("decision-not-counted", "A decision in a score is marked afterwards.", _not_counted),
    _mutation("portfolio-claimed", "A second agent has the same portfolio.", _portfolio_claimed),
    _mutation("agent-gone", "An agent with a sealed score is not listed.", _agent_gone),
)
