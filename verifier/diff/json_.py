"""
A comparison as canonical JSON (RFC 8785) and one newline, format ``tallyproof-diff/1``.

``relation`` is ``same``, ``extension``, ``update`` or ``rewrite``. ``before`` and
``after`` are JSON texts, or size and digest of a file, and null where there is
nothing. Texts from the bundles are not escaped beyond what JSON asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.core.canon import canonical_bytes
from verifier.diff.model import Effect
from verifier.version import VERSION

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.diff.model import Difference, Entry, Side

__all__ = ["render"]


def render(difference: Difference) -> bytes:
    """Render a comparison for other programs."""
    document: JsonValue = {
        "format": "tallyproof-diff/1",
        "tool": {"name": "tallyproof", "version": VERSION},
        "relation": difference.relation,
        "a": _side(difference.a),
        "b": _side(difference.b),
        "files": {
            "added": difference.files.added,
            "removed": difference.files.removed,
            "changed": difference.files.changed,
        },
        "counts": {effect.value: difference.count(effect) for effect in Effect},
        "entries": [_entry(entry) for entry in difference.entries],
        "respelled": list(difference.respelled),
    }
    return canonical_bytes(document) + b"\n"


def _side(side: Side) -> JsonValue:
    return {"sha256": side.sha256, "as_of": side.as_of, "title": side.title}


def _entry(entry: Entry) -> JsonValue:
    where = entry.where
    return {
        "kind": entry.kind.value,
        "class": entry.effect.value,
        "subject": entry.subject,
        "member": entry.member,
        "before": entry.before,
        "after": entry.after,
        "message": entry.message,
        "where": {"file": where.file, "line": where.line, "pointer": where.pointer or None},
    }
