"""
One score manifest on its own, or with the evidence of a bundle.

On its own a manifest shows steps 1, 5 and 6: it is canonical, hashes to the
seal that it goes by, names a known formula, and its outputs follow from its
inputs. Whether those inputs are the record, and when it was sealed, takes a
bundle: then its row, its inputs' rows and manifests and their anchors are
checked as in an audit.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import CHECKS, FORMULA, RECOMPUTE, SEAL
from verifier.arcana.checks.score import check_formula, check_outputs
from verifier.arcana.manifest import ManifestError, ScoreManifest, parse_manifest
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.findings import Where
from verifier.report.model import Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import ScoreRow
    from verifier.bundle import Bundle
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["audit_score", "verify_score"]

_SCHEME: Final = b"arcana-score/v1"
_SEAL_NAME: Final = re.compile(r"([0-9a-f]{64})(\.txt)?\Z")


def verify_score(
    data: bytes,
    *,
    name: str,
    policy: Policy,
    seal: str | None = None,
    keep: Keep = "problems",
) -> Report:
    """
    Verify one score manifest without any other evidence.

    Args:
        data: The file's exact bytes.
        name: Its name; one of 64 hex digits is a seal that the bytes must hash to.
        policy: What the caller trusts.
        seal: The seal that it must have, where the caller knows it.
        keep: Which findings the report holds.

    Raises:
        FormatError: The file is no score manifest at all.
    """
    builder = ReportBuilder((SEAL, FORMULA, RECOMPUTE), keep=keep)
    for finding in _alone(data, name, policy, seal):
        builder.add(finding)
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        title=f"score manifest {hashlib.sha256(data).hexdigest()}",
        notes=[
            (
                "Only the manifest was examined: whether its inputs are the recorded ones, and "
                "whether it was anchored, takes a bundle (--evidence)."
            )
        ],
    )


def _alone(data: bytes, name: str, policy: Policy, seal: str | None) -> list[Finding]:
    subject = "manifest"
    claim = Claim(SEAL, subject, Where(name))
    manifest = _read(data, name, claim)
    digest = hashlib.sha256(data).hexdigest()
    named = _SEAL_NAME.match(name)
    claimed = seal or (named[1] if named else None)
    if claimed is not None:
        claim.equal("the SHA-256 of the manifest", claimed, digest)
    if manifest is None:
        return claim.found
    found = claim.close(
        "canonical, and hashes to its seal" if claimed else f"canonical; its seal is {digest}"
    )
    place = Where(name)
    found += check_formula(Claim(FORMULA, subject, place), manifest, policy.arcana.formulas)
    found += check_outputs(Claim(RECOMPUTE, subject, place), manifest)
    return found


def _read(data: bytes, name: str, claim: Claim) -> ScoreManifest | None:
    first = data.partition(b"\n")[0]
    # A score manifest with a blemish is a false claim; anything else is no input.
    if _SCHEME not in first:
        raise FormatError("is no score manifest: its first line is not arcana-score/v1", file=name)
    try:
        manifest = parse_manifest(data)
    except ManifestError as error:
        claim.fail(
            f"{'not canonical' if error.kind == 'not_canonical' else 'not the exact shape'}: "
            f"{error.reason}"
        )
        return None
    assert isinstance(manifest, ScoreManifest)
    return manifest


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
    from verifier.arcana.context import load_context  # noqa: PLC0415 - only with evidence
    from verifier.arcana.family import coverage_of  # noqa: PLC0415

    context = load_context(bundle, policy)
    digest = hashlib.sha256(data).hexdigest()
    row = next((row for row in context.tables.scores if row.seal == digest), None)
    builder = ReportBuilder(CHECKS, keep=keep)
    findings = _alone(data, name, policy, seal)
    if row is None:
        claim = Claim(SEAL, "manifest", Where(name))
        claim.fail("no score row of the bundle has this seal", published=digest)
        findings += claim.found
    else:
        findings += related_findings(context, row)
    for finding in findings:
        builder.add(finding)
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=bundle.sha256,
        as_of=context.as_of,
        title=f"score manifest {digest}",
        coverage=Counter(coverage_of(context, digest if row is not None else None)),
        notes=["Only this score, its inputs and their anchors were examined, not the bundle."],
    )


def related_findings(context: Context, row: ScoreRow) -> list[Finding]:
    """Check a score, the records that it lists, and the anchors that hold them."""
    from verifier.arcana.checks.anchor import check_anchor  # noqa: PLC0415 - needs the chain's code
    from verifier.arcana.checks.chain import check_senders  # noqa: PLC0415
    from verifier.arcana.checks.inputs import input_seals  # noqa: PLC0415
    from verifier.arcana.checks.records import check_decision, check_snapshot  # noqa: PLC0415
    from verifier.arcana.checks.score import check_score  # noqa: PLC0415

    findings = check_score(context, row)
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
