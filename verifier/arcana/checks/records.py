"""
Step 3, the records: each snapshot and decision row is what its manifest says.

A record is sealed from the day on which sealing began; a null seal before it
is exempt, one after it is unproven, and a seal on an older record is a
failure, since nothing is sealed afterwards (clarification 16). Snapshots
chain by portfolio, decisions by agent, artefacts included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.arcana.checks.catalogue import INPUTS_RECORDED
from verifier.arcana.checks.seals import check_manifest
from verifier.arcana.manifest import CommitmentManifest, SnapshotManifest
from verifier.claim import Claim
from verifier.findings import Where

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import DecisionRow, SnapshotRow
    from verifier.findings import Finding


def check_snapshot(context: Context, row: SnapshotRow) -> list[Finding]:
    """Check one row of snapshots.jsonl."""
    subject = f"snapshot {row.portfolio_id} {row.ts}"
    claim = Claim(INPUTS_RECORDED, subject, Where("arcana/snapshots.jsonl", row.line))
    _check_clock(claim, context, row.ts)
    if not check_sealed(claim, row.seal, row.ts, context.policy.arcana.sealing_start):
        return claim.found
    assert row.seal is not None
    manifest, found = check_manifest(
        context, row.seal, subject, SnapshotManifest, missing=INPUTS_RECORDED
    )
    if manifest is None:
        return found + claim.found
    claim.equal("portfolio_id", manifest.portfolio_id, row.portfolio_id)
    claim.equal("agent_id", manifest.agent_id, context.owners.get(row.portfolio_id))
    claim.equal("season_id", manifest.season_id, row.season_id)
    claim.equal("ts", manifest.ts, row.ts)
    claim.equal("nav", manifest.nav, row.nav)
    claim.equal("cash", manifest.cash, row.cash)
    if dict(manifest.holdings) != dict(row.holdings):
        claim.fail(
            "holdings differ",
            published=_holdings(manifest.holdings),
            recomputed=_holdings(row.holdings),
        )
    claim.equal("previous_seal", manifest.previous_seal, context.previous[row.seal])
    return found + claim.close("the snapshot's manifest says what the row says")


def check_decision(context: Context, row: DecisionRow) -> list[Finding]:
    """Check one row of decisions.jsonl."""
    subject = f"decision {row.decision_id}"
    claim = Claim(INPUTS_RECORDED, subject, Where("arcana/decisions.jsonl", row.line))
    _check_clock(claim, context, row.ts)
    if not check_sealed(claim, row.commitment, row.ts, context.policy.arcana.commitments_start):
        return claim.found
    assert row.commitment is not None
    manifest, found = check_manifest(
        context, row.commitment, subject, CommitmentManifest, missing=INPUTS_RECORDED
    )
    if manifest is None:
        return found + claim.found
    context.remember_decider(row.commitment, manifest.decider)
    claim.equal("agent_id", manifest.agent_id, row.agent_id)
    claim.equal("season_id", manifest.season_id, row.season_id)
    claim.equal("ts", manifest.ts, row.ts)
    claim.equal("action", manifest.action, row.action)
    claim.equal("decider", manifest.decider, row.decider)
    claim.equal("reason_code", manifest.reason_code, row.reason_code)
    claim.equal(
        "previous_commitment", manifest.previous_commitment, context.previous[row.commitment]
    )
    return found + claim.close("the decision's commitment says what the row says")


def check_portfolios(context: Context) -> list[Finding]:
    """Find portfolios without an owner, or with two (clarifications 6 and 37)."""
    found: list[Finding] = []
    for portfolio, rival in sorted(context.rival_owners.items()):
        claim = Claim(INPUTS_RECORDED, f"portfolio {portfolio}", Where("arcana/agents.jsonl"))
        claim.fail(
            "two agents have the same portfolio",
            published=rival,
            recomputed=context.owners[portfolio],
        )
        found += claim.found
    ownerless = {
        row.portfolio_id
        for row in context.tables.snapshots
        if row.portfolio_id not in context.owners
    }
    for portfolio in sorted(ownerless):
        claim = Claim(INPUTS_RECORDED, f"portfolio {portfolio}", Where("arcana/snapshots.jsonl"))
        claim.unproven("nothing in the bundle says whose portfolio this is")
        found += claim.found
    return found


def check_sealed(claim: Claim, seal: str | None, ts: str, since: str) -> bool:
    """Judge a record's seal by its date; tell whether there is a manifest to look at."""
    before = ts < f"{since[:-1]}.000000Z"
    if seal is None:
        if before:
            claim.exempt("recorded before sealing began")
        else:
            claim.unproven("recorded after sealing began, and not sealed")
    elif before:
        claim.fail("sealed although it was recorded before sealing began", published=seal)
    return seal is not None


def _check_clock(claim: Claim, context: Context, ts: str) -> None:
    if ts > f"{context.as_of[:-1]}.000000Z":
        claim.fail("recorded after the time of the bundle", published=ts, recomputed=context.as_of)


def _holdings(holdings: object) -> str:
    return str(dict(sorted(holdings.items()))) if isinstance(holdings, dict) else str(holdings)
