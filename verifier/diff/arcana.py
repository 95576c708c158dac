"""
Differences between the ARCANA evidence of two bundles.

Rows come first, file by file. A row whose seal was replaced is followed by what
its two manifests say differently: constants, inputs, outputs. Manifests that
come and go with their rows are not named again; a manifest that does so alone
is. Chain records are compared by what the node answered: an answer that was
not there before is an update.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.arcana.manifest import parse_manifest
from verifier.core.jsonread import read_json
from verifier.diff.arcana_rows import RowDiff, Seals
from verifier.diff.arcana_tables import LISTS, TABLES, Names
from verifier.diff.explanation import Explanation
from verifier.diff.files import FileChange, digest_entry, member_entry, size_and_digest
from verifier.diff.model import Effect, Entry, Kind
from verifier.diff.values import Change, compare
from verifier.errors import ChangedError, EvidenceError
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.diff.evidence import Evidence

__all__ = ["diff_arcana"]

_TABLES: Final = {table.path: table for table in TABLES}
_MANIFEST: Final = re.compile(r"arcana/manifests/[^/]+/([^/]+)\.txt")
_CHAIN: Final = re.compile(r"arcana/chain/([^/]+)\.json")


def diff_arcana(a: Evidence, b: Evidence, changes: Sequence[FileChange]) -> Explanation:
    """
    Explain the files of the family that differ.

    Args:
        a: The bundle before.
        b: The bundle now.
        changes: Files of the family that differ, in the order of their paths.

    Raises:
        EvidenceError: A row that differs cannot be read; the error says in which bundle.
    """
    result = Explanation()
    seals = Seals()
    differing = {change.path for change in changes}
    tables = [table for table in TABLES if table.path in differing]
    names = Names.of(a, b) if tables else Names()
    for table in tables:
        replaced = len(seals.replaced)
        result.add(table.path, RowDiff(table, a, b, names, seals).entries())
        for subject, old, new in seals.replaced[replaced:]:
            result.entries += _manifests(a, b, _path(old), _path(new), subject)
    for change in changes:
        if change.path in _TABLES:
            continue
        if named := _MANIFEST.fullmatch(change.path):
            result.entries += _manifest_file(a, b, change, named[1], seals)
        elif (named := _CHAIN.fullmatch(change.path)) and change.kind is Kind.CHANGED:
            _chain(a, b, change, named[1], result)
        elif named:
            result.entries.append(digest_entry(a, b, change, f"chain record {named[1]}"))
        else:
            result.rest.append(change)
    return result


def _path(seal: str) -> str:
    return f"arcana/manifests/{seal[:2]}/{seal}.txt"


def _manifest_file(
    a: Evidence, b: Evidence, change: FileChange, seal: str, seals: Seals
) -> Iterator[Entry]:
    with_row = {Kind.ADDED: seals.come, Kind.REMOVED: seals.gone}.get(change.kind, set())
    if seal in with_row and change.path == _path(seal):
        return
    yield digest_entry(a, b, change, f"manifest {seal}")
    if change.kind is Kind.CHANGED:
        yield from _manifests(a, b, change.path, change.path, f"seal {seal}")


def _manifests(a: Evidence, b: Evidence, old: str, new: str, subject: str) -> Iterator[Entry]:
    """Compare what two manifests say, or their bytes where one cannot be read."""
    if not (a.bundle.has(old) and b.bundle.has(new)):
        return
    subject = f"manifest of {subject}"
    before, after = _document(a, old), _document(b, new)
    if before is None or after is None:
        yield Entry(
            kind=Kind.CHANGED,
            effect=Effect.REWRITE,
            subject=subject,
            where=Where(new),
            before=size_and_digest(a, old),
            after=size_and_digest(b, new),
            message=f"{'A' if before is None else 'B'} has bytes that are no manifest",
        )
        return
    keys = list(after)
    for change in compare(dict(before), dict(after), LISTS):
        file, line = (old, None) if change.kind is Kind.REMOVED else (new, None)
        if change.top in keys:
            line = keys.index(change.top) + 2
        pointer = change.pointer.removeprefix(f"/{change.top}")
        where = Where(file, line, pointer or None)
        yield member_entry(change, Effect.REWRITE, subject, where)


def _document(side: Evidence, path: str) -> dict[str, JsonValue] | None:
    """Read the lines of a manifest into one object, or give None if it is not one."""
    data = side.read(path)
    try:
        parse_manifest(data)
        lines = (line.partition(b": ") for line in data[:-1].split(b"\n")[1:])
        return {key.decode(): read_json(text, big_integers="keep") for key, _, text in lines}
    except EvidenceError:
        return None


def _chain(a: Evidence, b: Evidence, change: FileChange, tx_hash: str, result: Explanation) -> None:
    subject = f"chain record {tx_hash}"
    try:
        before, after = read_json(a.read(change.path)), read_json(b.read(change.path))
    except ChangedError:
        raise
    except EvidenceError:
        result.entries.append(digest_entry(a, b, change, subject))
        return
    result.add(
        change.path,
        (
            member_entry(
                found,
                Effect.UPDATE if _is_late(found) else Effect.REWRITE,
                subject,
                Where(change.path, pointer=found.pointer),
            )
            for found in compare(before, after)
        ),
    )


def _is_late(change: Change) -> bool:
    """Tell whether the node answered what it had not answered before."""
    return change.kind is Kind.ADDED or (change.kind is Kind.CHANGED and change.before is None)
