"""
Recomputing a score manifest, and telling how far two doubles lie apart.

Used by the audit's step 6, by ``arcana score`` and by ``explain``.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from formulas.arcana_score import v1

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import ModuleType

    from verifier.arcana.manifest import ScoreManifest

__all__ = [
    "VERSIONS",
    "bits_of",
    "describe_difference",
    "differences",
    "recompute",
    "ulps_between",
]

# The versions that manifests may name; there is no latest and no fallback.
VERSIONS: Final[Mapping[str, ModuleType]] = {v1.ID: v1}

Output = float | bool | None


def recompute(manifest: ScoreManifest) -> v1.Working:
    """
    Compute a score from what its manifest lists, under the version that it names.

    Raises:
        KeyError: The version is not in :data:`VERSIONS`.
        FormulaConstantsError: The stated constants are not of the version's shape.
    """
    working: v1.Working = VERSIONS[manifest.formula].score(
        navs=[point.nav for point in manifest.nav_series],
        cash=[point.cash for point in manifest.nav_series],
        actions=[decision.action for decision in manifest.decisions],
        strategy_type=manifest.strategy_type,
        peers=[peer.performance_score for peer in manifest.peers],
        constants=manifest.constants,
    )
    return working


def differences(
    published: Mapping[str, Output], recomputed: Mapping[str, Output]
) -> Iterator[tuple[str, Output, Output]]:
    """Yield (name, published, recomputed) for each output that is not the same bits."""
    for name in v1.OUTPUTS:
        if bits_of(published[name]) != bits_of(recomputed[name]):
            yield name, published[name], recomputed[name]


def bits_of(value: Output) -> str:
    """
    Write a double's 64 bits as big-endian hex; a boolean and null as themselves.

    >>> bits_of(59.0)
    '404d800000000000'
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return struct.pack(">d", value).hex()


def ulps_between(a: float, b: float) -> int:
    """
    Count the doubles from *a* to *b*.

    >>> ulps_between(1.0, 1.0000000000000002)
    1
    """
    return abs(_ordinal(a) - _ordinal(b))


def _ordinal(value: float) -> int:
    # Sign and magnitude to a number line, on which -0 and 0 are one step apart.
    bits = int(struct.unpack(">q", struct.pack(">d", value))[0])
    return bits if bits >= 0 else -(1 << 63) - bits - 1


def describe_difference(published: Output, recomputed: Output) -> str:
    """Say how two outputs differ, in units in the last place where both are numbers."""
    for value in (published, recomputed):
        if value is None or isinstance(value, bool):
            return "one of the two is no number"
    assert published is not None
    assert recomputed is not None
    ulps = ulps_between(published, recomputed)
    return f"{ulps} unit{'' if ulps == 1 else 's'} in the last place apart"
