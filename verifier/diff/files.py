"""
Files that no family explains, and the index of a bundle.

JSON is compared by pointer and JSON lines line by line; of any other file, and
of what does not parse, size and digest are shown. Nothing is known about such a
file, so whatever changed in it is a rewrite. Only whole lines or files that
were added are extensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.bundle.index import INDEX
from verifier.core.jsonread import read_json
from verifier.diff.lines import differing_lines
from verifier.diff.model import Effect, Entry, Kind
from verifier.diff.values import Change, compare, json_text
from verifier.errors import ChangedError, EvidenceError
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.bundle import Bundle, BundleIndex
    from verifier.core.jsonread import JsonValue
    from verifier.diff.evidence import Evidence

__all__ = [
    "FileChange",
    "changed_files",
    "changed_members",
    "diff_file",
    "diff_index",
    "digest_entry",
    "member_entry",
    "size_and_digest",
    "whole_effect",
]


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file that is in one bundle only, or has other bytes in the other."""

    path: str
    kind: Kind


def changed_files(a: Bundle, b: Bundle) -> Iterator[FileChange]:
    """Compare all files by their digests, in the order of their paths."""
    for path in sorted({*a.paths, *b.paths}, key=str.encode):
        if not b.has(path):
            yield FileChange(path, Kind.REMOVED)
        elif not a.has(path):
            yield FileChange(path, Kind.ADDED)
        elif a.digest(path) != b.digest(path):
            yield FileChange(path, Kind.CHANGED)


def whole_effect(kind: Kind) -> Effect:
    """Class of what happened to something that must not change."""
    return Effect.EXTENSION if kind is Kind.ADDED else Effect.REWRITE


def size_and_digest(side: Evidence, path: str) -> str:
    """Describe a file that cannot be compared otherwise."""
    return f"{side.bundle.size(path)} bytes, sha256 {side.bundle.digest(path)}"


def digest_entry(a: Evidence, b: Evidence, change: FileChange, subject: str) -> Entry:
    """Describe a changed file by size and digest."""
    before, after = (
        size_and_digest(side, change.path) if side.bundle.has(change.path) else None
        for side in (a, b)
    )
    return Entry(
        kind=change.kind,
        effect=whole_effect(change.kind),
        subject=subject,
        where=Where(change.path),
        before=before,
        after=after,
    )


def changed_members(
    changes: Iterator[Change], subject: str, file: str, line: int | None = None
) -> Iterator[Entry]:
    """Describe changes of a value that must not change; the place is that of the value."""
    for change in changes:
        yield member_entry(change, Effect.REWRITE, subject, Where(file, line, change.pointer))


def member_entry(
    change: Change, effect: Effect, subject: str, where: Where, message: str | None = None
) -> Entry:
    """Describe the change of one member."""
    return Entry(
        kind=change.kind,
        effect=effect,
        subject=subject,
        where=where,
        member=change.member or None,
        before=None if change.kind is Kind.ADDED else json_text(change.before),
        after=None if change.kind is Kind.REMOVED else json_text(change.after),
        message=message,
    )


def diff_file(a: Evidence, b: Evidence, change: FileChange) -> list[Entry]:
    """
    Explain one file by its form alone; no entries: its meaning is the same.

    Raises:
        LimitError: A file of JSON lines differs in more than ``read_bytes``.
        ChangedError: A file is no longer what was hashed.
    """
    path = change.path
    if change.kind is Kind.CHANGED and path.endswith(".jsonl"):
        return list(_jsonl(a, b, path))
    if change.kind is Kind.CHANGED and path.endswith(".json"):
        try:
            before, after = read_json(a.read(path)), read_json(b.read(path))
        except ChangedError:
            raise
        except EvidenceError:
            return [digest_entry(a, b, change, path)]
        return list(changed_members(compare(before, after), path, path))
    return [digest_entry(a, b, change, path)]


def _jsonl(a: Evidence, b: Evidence, path: str) -> Iterator[Entry]:
    gone, come = differing_lines(a, b, path)
    new = dict(come)
    for number, line in gone:
        other = new.pop(number, None)
        subject = f"{path} line {number}"
        before = _value(line)
        if other is None:
            lost = Change(Kind.REMOVED, "", "", before, None)
            yield member_entry(lost, Effect.REWRITE, subject, Where(path, number))
        else:
            yield from changed_members(compare(before, _value(other)), subject, path, number)
    for number, line in new.items():
        won = Change(Kind.ADDED, "", "", None, _value(line))
        yield member_entry(won, Effect.EXTENSION, f"{path} line {number}", Where(path, number))


def _value(line: bytes) -> JsonValue:
    """Read a line as JSON, or as a text where it is none."""
    try:
        return read_json(line)
    except EvidenceError:
        return line.decode("utf-8", "backslashreplace")


def diff_index(a: BundleIndex, b: BundleIndex) -> Iterator[Entry]:
    """Explain what two bundles say they are."""
    for change in compare(_index_value(a), _index_value(b)):
        if change.top in {"as_of", "title"}:
            effect = Effect.UPDATE
        elif change.kind is Kind.ADDED:
            effect = Effect.EXTENSION
        else:
            effect = Effect.REWRITE
        older = change.top == "as_of" and b.as_of < a.as_of
        yield member_entry(
            change, effect, "bundle", Where(INDEX), "B is older than A" if older else None
        )


def _index_value(index: BundleIndex) -> JsonValue:
    """Write an index so that families and seasons are named, since their order says nothing."""
    return {
        "arena": index.arena,
        "as_of": index.as_of,
        "families": dict.fromkeys(index.families, "listed"),
        "seasons": {f"{season.family} {season.id}": season.sha256 for season in index.seasons},
        "title": index.title,
    }
