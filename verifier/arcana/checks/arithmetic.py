"""
Steps 5 and 6: the formula is the one named, and its outputs follow from the inputs.

Both look at nothing but the manifest. Outputs are compared as the 64 bits of
their doubles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.errors import FormulaConstantsError
from verifier.arcana.recompute import VERSIONS, describe_difference, differences, recompute

if TYPE_CHECKING:
    from collections.abc import Collection

    from verifier.arcana.manifest import ScoreManifest
    from verifier.arcana.recompute import Output
    from verifier.claim import Claim
    from verifier.findings import Finding


def check_formula(claim: Claim, manifest: ScoreManifest, allowed: Collection[str]) -> list[Finding]:
    """Step 5: the version is known and trusted, and the constants are its own."""
    version = VERSIONS.get(manifest.formula)
    if version is None:
        claim.unproven("this release does not know the formula version", published=manifest.formula)
    elif manifest.formula not in allowed:
        claim.unproven("the policy does not trust the formula version", published=manifest.formula)
    if version is not None and not version.same_constants(manifest.constants, version.CONSTANTS):
        claim.fail("the constants are not those of the version", published=manifest.formula)
    return claim.close("the version is known and its constants are the published ones")


def check_outputs(claim: Claim, manifest: ScoreManifest) -> list[Finding]:
    """Step 6: all ten outputs, bit for bit, with the constants that the manifest states."""
    if manifest.formula not in VERSIONS:
        return []
    if isinstance(manifest.outputs, str):
        claim.fail("the outputs could not be written as numbers", published=manifest.outputs)
        return claim.found
    try:
        working = recompute(manifest)
    except FormulaConstantsError:
        # Step 5 has said that the constants are wrong; nothing can be computed with these.
        return []
    for name, published, recomputed in differences(manifest.outputs, working.outputs):
        claim.fail(
            f"{name} is not what the formula gives: " + describe_difference(published, recomputed),
            published=_show(published),
            recomputed=_show(recomputed),
            pointer=f"/outputs/{name}",
        )
    return claim.close("all ten outputs are equal to the last bit")


def _show(value: Output) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else repr(float(value))
