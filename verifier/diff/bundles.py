"""
Comparing two bundles, or two JSON documents.

Files are compared by digest first; only what differs is read. Each family then
explains its own files by meaning, and what it leaves is explained by form.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.bundle.index import FAMILIES, INDEX
from verifier.core.jsonread import read_json
from verifier.diff.evidence import Evidence
from verifier.diff.explanation import Explanation
from verifier.diff.files import changed_files, changed_members, diff_file, diff_index
from verifier.diff.model import Difference, FileCounts, Kind, Side
from verifier.diff.values import compare
from verifier.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.diff.files import FileChange

__all__ = ["FAMILY_DIFFS", "diff_bundles", "diff_documents"]


def _arcana(a: Evidence, b: Evidence, changes: Sequence[FileChange]) -> Explanation:
    from verifier.diff.arcana import diff_arcana  # noqa: PLC0415 - only when ARCANA evidence differs

    return diff_arcana(a, b, changes)


def _floor(a: Evidence, b: Evidence, changes: Sequence[FileChange]) -> Explanation:
    from verifier.diff.floor import diff_floor  # noqa: PLC0415 - only when Floor evidence differs

    return diff_floor(a, b, changes)


FAMILY_DIFFS: Final[
    Mapping[str, Callable[[Evidence, Evidence, Sequence[FileChange]], Explanation]]
] = {"arcana": _arcana, "floor": _floor}


def diff_bundles(a: Bundle, b: Bundle) -> Difference:
    """
    Say what changed from A to B, by meaning.

    Args:
        a: The bundle before.
        b: The bundle now.

    Raises:
        EvidenceError: What differs cannot be read; the error says in which bundle.
    """
    changes = list(changed_files(a, b))
    one, other = Evidence("A", a), Evidence("B", b)
    result = Explanation()
    by_family: dict[str, list[FileChange]] = {}
    rest: list[FileChange] = []
    for change in changes:
        if change.path == INDEX:
            result.add(INDEX, diff_index(a.index, b.index))
            continue
        family = FAMILIES.get(change.path.partition("/")[0], "")
        if family in FAMILY_DIFFS:
            by_family.setdefault(family, []).append(change)
        else:
            rest.append(change)
    for family, files in by_family.items():
        found = FAMILY_DIFFS[family](one, other, files)
        result.entries += found.entries
        result.respelled += found.respelled
        rest += found.rest
    for change in rest:
        result.add(change.path, diff_file(one, other, change))
    counts = Counter(change.kind for change in changes)
    return Difference(
        a=Side(a.sha256, a.index.as_of, a.index.title),
        b=Side(b.sha256, b.index.as_of, b.index.title),
        files=FileCounts(counts[Kind.ADDED], counts[Kind.REMOVED], counts[Kind.CHANGED]),
        entries=tuple(result.entries),
        respelled=tuple(result.respelled),
    )


def diff_documents(a: bytes, b: bytes, *, name: str) -> Difference:
    """
    Say what changed from one JSON document to another, such as a frozen season.

    A document is taken to be final, so every change of it is a rewrite.

    Args:
        a: The document before.
        b: The document now.
        name: What to call both.

    Raises:
        JsonError: One of them is not strict JSON.
        LimitError: One of them is over a limit.
    """
    before, after = _document("A", a, name), _document("B", b, name)
    entries = tuple(changed_members(compare(before, after), name, name))
    return Difference(
        a=Side(sha256(a).hexdigest()),
        b=Side(sha256(b).hexdigest()),
        files=FileCounts(0, 0, int(a != b)),
        entries=entries,
        respelled=(name,) if a != b and not entries else (),
    )


def _document(side: str, data: bytes, name: str) -> JsonValue:
    try:
        return read_json(data)
    except EvidenceError as error:
        raise error.in_file(f"{side}: {name}") from None
