r"""
ARCANA's manifests: the texts whose sha256 is the seal of a record.

A manifest is lines (:mod:`verifier.arcana.manifest_lines`) of JSON as Go writes
it (:mod:`verifier.arcana.gojson`), and its first line names what the others
are:

* ``arcana-score/v1``, 12 lines: :mod:`verifier.arcana.manifest_score`
* ``arcana-portfolio-snapshot/v1``, 9 lines: :mod:`verifier.arcana.manifest_snapshot`
* ``arcana-commitment/v1``, 21 lines: :mod:`verifier.arcana.manifest_commitment`

Only one text is right for what a manifest says. So reading ends with writing
what was read, and comparing all bytes: spaces, other spellings of a number,
keys twice, out of order or unknown, needless escapes, all give other bytes.
One spelling is free: Go writes bytes that are not UTF-8 as ``\ufffd``, and the
character U+FFFD itself as it is, and reading cannot tell the two apart.

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

import re
from typing import Final, TypeAlias

from verifier.arcana import manifest_commitment, manifest_score, manifest_snapshot
from verifier.arcana.gojson import escape_html
from verifier.arcana.manifest_commitment import CommitmentManifest
from verifier.arcana.manifest_lines import ManifestError, read_lines, split_lines
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

_ESCAPE: Final = re.compile(r"\\(?:ufffd|.)", re.DOTALL)


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
    manifest: Manifest = module.from_lines(read_lines(lines, module.KEYS))
    given = "\n".join(lines) + "\n"
    canonical = _text(manifest)
    if given != canonical and _unescaped(given) != canonical:
        raise _not_canonical(given, canonical)
    return manifest


def emit_manifest(manifest: Manifest) -> bytes:
    """
    Write a manifest byte for byte as the platform does.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    return _text(manifest).encode()


def _text(manifest: Manifest) -> str:
    match manifest:
        case ScoreManifest():
            text = manifest_score.to_text(manifest)
        case SnapshotManifest():
            text = manifest_snapshot.to_text(manifest)
        case CommitmentManifest():
            text = manifest_commitment.to_text(manifest)
    return escape_html(text)


def _unescaped(text: str) -> str:
    """Write U+FFFD as itself; an escaped backslash before ``ufffd`` is not its escape."""
    return _ESCAPE.sub(lambda found: "\ufffd" if found[0] == r"\ufffd" else found[0], text)


def _not_canonical(given: str, canonical: str) -> ManifestError:
    pairs = enumerate(zip(given, canonical, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(given), len(canonical)))
    return ManifestError(
        f"not canonical: {given[at : at + 20]!r} must be {canonical[at : at + 20]!r}",
        kind="not_canonical",
        line=given.count("\n", 0, at) + 1,
        offset=len(given[:at].encode()),
    )
