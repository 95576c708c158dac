"""
Comparing two frozen seasons: their evidence, their tables, and their records.

The evidence is compared as that of any two bundles. Table and record are final,
so every difference of theirs is a rewrite, whatever the evidence says; hashes of
what is compared anyway are left out.
"""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.diff.bundles import diff_bundles
from verifier.diff.files import changed_members
from verifier.diff.model import FileCounts, Side
from verifier.diff.values import compare

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.diff.model import Difference
    from verifier.freeze import FrozenSeason

__all__ = ["diff_seasons"]

_COMPARED: Final = frozenset({"bundle", "table"})


def diff_seasons(a: FrozenSeason, b: FrozenSeason) -> Difference:
    """
    Say what changed from one frozen season to another, by meaning.

    The digest of each side is that of its ``season.json``, which covers all of it.

    Args:
        a: The season before.
        b: The season now.

    Raises:
        EvidenceError: What differs cannot be read; the error says in which of them.
    """
    evidence = diff_bundles(a.bundle, b.bundle)
    tables = compare(read_json(a.table), read_json(b.table))
    records = compare(_record(a), _record(b))
    changed = sum(
        one != other
        for one, other in (
            (a.table, b.table),
            (a.report, b.report),
            (a.policy_text, b.policy_text),
            (a.record, b.record),
        )
    )
    files = evidence.files
    return replace(
        evidence,
        a=_side(a),
        b=_side(b),
        files=FileCounts(files.added, files.removed, files.changed + changed),
        entries=(
            *changed_members(records, f"frozen season {b.id}", "season.json"),
            *changed_members(tables, f"table of {b.id}", "table.json"),
            *evidence.entries,
        ),
    )


def _record(season: FrozenSeason) -> JsonValue:
    return {name: value for name, value in season.record.items() if name not in _COMPARED}


def _side(season: FrozenSeason) -> Side:
    record = canonical_bytes(dict(season.record))
    return Side(sha256(record).hexdigest(), season.as_of, season.title)
