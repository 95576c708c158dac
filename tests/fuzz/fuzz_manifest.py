"""
A manifest of any of the three schemes, as it was received.

What is read must be written again with the same bytes, where an escape of
U+FFFD counts as the character; what is refused names a place within the input.
A score that was read is recomputed, whatever its numbers and constants.
"""

from contextlib import suppress

from formulas.errors import FormulaConstantsError
from verifier.arcana.manifest import ManifestError, ScoreManifest, emit_manifest, parse_manifest
from verifier.arcana.recompute import VERSIONS, recompute


def one_input(data: bytes) -> None:
    """Read *data*, and recompute it if it is a score manifest."""
    try:
        manifest = parse_manifest(data)
    except ManifestError as error:
        refused(error, data)
        return
    written = emit_manifest(manifest)
    assert written == data or b"\\ufffd" in data
    assert parse_manifest(written) == manifest
    if isinstance(manifest, ScoreManifest) and manifest.formula in VERSIONS:
        with suppress(FormulaConstantsError):
            assert len(recompute(manifest).outputs) == 10


def refused(error: ManifestError, data: bytes) -> None:
    """Demand an error that can be shown."""
    assert error.kind in ("format", "not_canonical")
    assert error.offset is None or 0 <= error.offset <= len(data)
    assert error.line is None or 1 <= error.line <= data.count(b"\n") + 1
    assert str(error)
