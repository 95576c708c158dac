"""
Step 1: a manifest hashes to the seal that names it, and has the exact form.

The seal is known to the row and to the file name; the leaf of the anchor is
step 8's. A manifest that fails here is reported here only: the steps that
would read it are left out and say nothing (clarification 32).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from verifier.arcana.checks.catalogue import SEAL
from verifier.arcana.context import MANIFESTS, Context, manifest_path
from verifier.arcana.manifest import Manifest, ManifestError
from verifier.claim import Claim
from verifier.findings import Where

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.report.model import CheckInfo

_Kind = TypeVar("_Kind", bound=Manifest)


def check_manifest(
    context: Context, seal: str, subject: str, kind: type[_Kind], *, missing: CheckInfo
) -> tuple[_Kind | None, list[Finding]]:
    """
    Check one sealed record's manifest.

    Args:
        context: The bundle.
        seal: Seal that the row states.
        subject: The row, in words.
        kind: Class of manifest that such a row is sealed by.
        missing: The check that reports a manifest that is not there.

    Returns:
        The manifest where it may be read on, and the findings.
    """
    path = manifest_path(seal)
    if not context.bundle.has(path):
        absent = Claim(missing, subject, Where(path))
        absent.unproven("the sealed record's manifest is not in the bundle", published=seal)
        return None, absent.found
    claim = Claim(SEAL, subject, Where(path))
    claim.equal("the SHA-256 of the manifest", seal, context.bundle.digest(path))
    if claim.found:
        return None, claim.found
    try:
        manifest = context.manifest(seal)
    except ManifestError as error:
        claim.found.clear()
        place = Where(path, error.line, error.pointer)
        broken = Claim(SEAL, subject, place)
        broken.fail(
            f"the manifest is not in canonical form: {error.reason}"
            if error.kind == "not_canonical"
            else f"the manifest has not the shape of its scheme: {error.reason}"
        )
        return None, broken.found
    if not isinstance(manifest, kind):
        claim.fail(f"the manifest is a {type(manifest).__name__}, not a {kind.__name__}")
        return None, claim.found
    return manifest, claim.close("the manifest's bytes hash to the seal and are canonical")


def check_unclaimed(context: Context) -> list[Finding]:
    """Find manifests under a wrong name, and sealed records that no row names."""
    named = {
        seal
        for rows in (
            [row.seal for row in context.tables.snapshots],
            [row.commitment for row in context.tables.decisions],
            [row.seal for row in context.tables.scores],
        )
        for seal in rows
        if seal is not None
    }
    claims = []
    for path in context.bundle.paths:
        if not path.startswith(MANIFESTS):
            continue
        digest = context.bundle.digest(path)
        claim = Claim(SEAL, f"manifest {path.removeprefix(MANIFESTS)}", Where(path))
        if path != manifest_path(digest):
            stem = path.rpartition("/")[2].removesuffix(".txt")
            # A file under the name of a row's seal is judged with that row.
            if path != manifest_path(stem) or stem not in named:
                claim.fail(
                    "the file's name and folder are not those of its hash",
                    published=path,
                    recomputed=manifest_path(digest),
                )
        elif digest not in named:
            claim.fail("a sealed record that no row names")
        claims += claim.found
    return claims
