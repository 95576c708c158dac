"""
One score manifest on its own: steps 1, 5 and 6.

It is canonical, hashes to the seal that it goes by, names a known formula, and
its outputs follow from its inputs. Whether those inputs are the record, and
when it was sealed, takes a bundle: see ``with_evidence``.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.arithmetic import check_formula, check_outputs
from verifier.arcana.checks.catalogue import FORMULA, RECOMPUTE, SEAL
from verifier.arcana.manifest_lines import ManifestError
from verifier.arcana.manifest_score import SCHEME, parse_score
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.findings import Where
from verifier.report.model import Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from verifier.arcana.manifest_score import ScoreManifest
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["check_alone", "verify_score"]

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
    for finding in check_alone(data, name, policy, seal):
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


def check_alone(data: bytes, name: str, policy: Policy, seal: str | None) -> list[Finding]:
    """Check what a manifest shows by itself; arguments as in :func:`verify_score`."""
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
    if SCHEME.encode() not in first:
        raise FormatError("is no score manifest: its first line is not arcana-score/v1", file=name)
    try:
        return parse_score(data)
    except ManifestError as error:
        claim.fail(
            f"{'not canonical' if error.kind == 'not_canonical' else 'not the exact shape'}: "
            f"{error.reason}"
        )
        return None
