r"""
ARCANA's manifests: the texts whose sha256 is the seal of a record.

A manifest is lines (:mod:`verifier.arcana.manifest_lines`) of JSON as Go writes
it (:mod:`verifier.arcana.gojson`), and its first line names what the others
are:

* ``arcana-score/v1``, 12 lines: :mod:`verifier.arcana.manifest_score`
* ``arcana-portfolio-snapshot/v1``, 9 lines: :mod:`verifier.arcana.manifest_snapshot`
* ``arcana-commitment/v1``, 21 lines: :mod:`verifier.arcana.manifest_commitment`

Only one text is right for what a manifest says: :mod:`verifier.arcana.manifest_scheme`.

>>> lines = ["arcana-portfolio-snapshot/v1", "portfolio_id: null", "agent_id: null"]
>>> lines += ["season_id: null", "ts: null", 'nav: "9.50"', "cash: null"]
>>> lines += ['holdings: {"SPY":1}', "previous_seal: null", ""]
>>> text = "\n".join(lines).encode()
>>> parse_manifest(text).nav
'9.50'
>>> emit_manifest(parse_manifest(text)) == text
True
"""

from __future__ import annotations

from typing import Final, TypeAlias

from verifier.arcana import manifest_commitment, manifest_score, manifest_snapshot
from verifier.arcana.gojson import escape_html
from verifier.arcana.manifest_commitment import CommitmentManifest
from verifier.arcana.manifest_lines import ManifestError, split_lines
from verifier.arcana.manifest_scheme import read_canonical
from verifier.arcana.manifest_score import (
    DecisionRef,
    NavPoint,
    Outputs,
    PeerRef,
    ScoreManifest,
)
from verifier.arcana.manifest_snapshot import SnapshotManifest

__all__ = [
    "CommitmentManifest",
    "DecisionRef",
    "Manifest",
    "ManifestError",
    "NavPoint",
    "Outputs",
    "PeerRef",
    "ScoreManifest",
    "SnapshotManifest",
    "emit_manifest",
    "parse_manifest",
]

Manifest: TypeAlias = ScoreManifest | SnapshotManifest | CommitmentManifest

_FORMATS: Final = {
    module.SCHEME: module for module in (manifest_score, manifest_snapshot, manifest_commitment)
}


def parse_manifest(data: bytes) -> Manifest:
    """
    Read a manifest, of whichever scheme it names.

    Args:
        data: Every byte of it.

    Raises:
        ManifestError: Not a manifest; its ``kind`` says whether the bytes are
            not of the scheme's shape, or not the canonical ones.
    """
    lines = split_lines(data)
    module = _FORMATS.get(lines[0])
    if module is None:
        raise ManifestError(f"unknown scheme {lines[0][:80]!r}", line=1, offset=0)
    manifest: Manifest = read_canonical(lines, module.KEYS, module.from_lines, module.to_text)
    return manifest


def emit_manifest(manifest: Manifest) -> bytes:
    """
    Write a manifest byte for byte as the platform does.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    match manifest:
        case ScoreManifest():
            text = manifest_score.to_text(manifest)
        case SnapshotManifest():
            text = manifest_snapshot.to_text(manifest)
        case CommitmentManifest():
            text = manifest_commitment.to_text(manifest)
    return escape_html(text).encode()
