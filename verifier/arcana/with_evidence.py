"""
One score with all that a bundle holds about it.

Its row, its inputs' rows and manifests, and the anchors that hold them are
checked as in an audit; the rest of the bundle is not looked at.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from verifier.arcana.checks.anchor import check_anchor
from verifier.arcana.checks.catalogue import CHECKS, SEAL
from verifier.arcana.checks.chain import check_senders
from verifier.arcana.checks.inputs import input_seals
from verifier.arcana.checks.records import check_decision, check_snapshot
from verifier.arcana.checks.score import check_score
from verifier.arcana.context import load_context
from verifier.arcana.manifest import ScoreManifest
from verifier.arcana.single import check_alone
from verifier.claim import Claim
from verifier.findings import Where
from verifier.report.model import Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.arcana.context import Context
    from verifier.arcana.rows import ScoreRow
    from verifier.bundle import Bundle
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["audit_score"]


def audit_score(  # noqa: PLR0913 - a file, what it must be, and the evidence
    data: bytes,
    *,
    name: str,
    bundle: Bundle,
    policy: Policy,
    seal: str | None = None,
    keep: Keep = "problems",
) -> Report:
    """
    Verify one score with all that a bundle holds about it.

    Args:
        data: The manifest's exact bytes.
        name: Its name, for messages.
        bundle: The evidence; its clock is the policy's, or its own.
        policy: What the caller trusts.
        seal: The seal that it must have, where the caller knows it.
        keep: Which findings the report holds.

    Raises:
        EvidenceError: The bundle's rows cannot be read.
    """
    context = load_context(bundle, policy)
    digest = hashlib.sha256(data).hexdigest()
    row = next((row for row in context.tables.scores if row.seal == digest), None)
    builder = ReportBuilder(CHECKS, keep=keep)
    findings = check_alone(data, name, policy, seal)
    coverage: Mapping[str, int] = {}
    if row is None:
        claim = Claim(SEAL, "manifest", Where(name))
        claim.fail("no score row of the bundle has this seal", published=digest)
        findings += claim.found
    else:
        scored = check_score(context, row)
        coverage = scored.coverage
        findings += scored.findings
        findings += _related_findings(context, row)
    for finding in findings:
        builder.add(finding)
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=bundle.sha256,
        as_of=context.as_of,
        title=f"score manifest {digest}",
        coverage=coverage,
        notes=["Only this score, its inputs and their anchors were examined, not the bundle."],
    )


def _related_findings(context: Context, row: ScoreRow) -> list[Finding]:
    """Check the records that a score lists, and the anchors that hold them."""
    findings: list[Finding] = []
    assert row.seal is not None
    manifest = context.readable(row.seal)
    seals = {row.seal}
    if isinstance(manifest, ScoreManifest):
        seals.update(input_seals(manifest))
    for snapshot in context.tables.snapshots:
        if snapshot.seal in seals:
            findings += check_snapshot(context, snapshot)
    for decision in context.tables.decisions:
        if decision.commitment in seals:
            findings += check_decision(context, decision)
    holding = {context.mined[seal].anchor.anchor_id for seal in seals if seal in context.mined}
    for anchor in context.tables.anchors:
        if anchor.anchor_id in holding:
            findings += check_anchor(context, anchor)
    return findings + check_senders(context)
