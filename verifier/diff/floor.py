"""
Differences between the Floor evidence of two bundles.

=================  ====================  ========================================
file               a row is named by     was in the past if
=================  ====================  ========================================
`calls`            seal                  posted before A was made
`envelopes`        address and nonce
`settlements`      call                  its last attempt was
`ledger`           call                  settled before A was made
`roots`            hour                  the hour was over
`raw/index`        hash, time, request
=================  ====================  ========================================

Nothing of these may change or go: calls are sealed, entries are chained, a table
is frozen. A row that should have been in A is a rewrite, any other new one an
extension. Agents may take another name. A ledger entry is compared by its body;
that its number, its link and its hash follow is the chain's business, so an
entry of which nothing else differs is only said to have moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.jsonread import read_json
from verifier.diff.explanation import Explanation
from verifier.diff.files import digest_entry, member_entry
from verifier.diff.lines import differing_lines
from verifier.diff.model import Effect, Entry, Kind
from verifier.diff.values import Change, Items, compare, json_text
from verifier.errors import ChangedError, EvidenceError
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.diff.evidence import Evidence
    from verifier.diff.files import FileChange
    from verifier.diff.lines import Line

__all__ = ["diff_floor"]

# Rank and standing of a row say where it stands.
LISTS: Final[Mapping[str, Items]] = {
    "": Items(("agent",), ordered=False),
    "rows": Items(("agent",), ordered=False),
    "unlisted": Items(("agent",), ordered=False),
    "attempts": Items(("at",)),
}


@dataclass(frozen=True, slots=True)
class _Table:
    """A file of lines: pointers to what names a row, and to its time."""

    path: str
    noun: str
    identity: tuple[str, ...]
    time: str | None = None
    follows: frozenset[str] = frozenset()


_TABLES: Final = {
    table.path: table
    for table in (
        _Table("floor/calls.jsonl", "call", ("/seal",), "/posted_at"),
        _Table("floor/envelopes.jsonl", "envelope", ("/address", "/message")),
        _Table("floor/settlements.jsonl", "settlement", ("/call",), "/attempts/-1/at"),
        _Table(
            "floor/ledger.jsonl",
            "entry of call",
            ("/body/call",),
            "/body/settled_at",
            frozenset({"/body/entry", "/body/prev", "/hash"}),
        ),
        _Table("floor/roots.jsonl", "root of hour", ("/hour",), "/hour"),
        _Table("raw/index.jsonl", "response", ("/sha256", "/fetched_at", "/request")),
    )
}


def diff_floor(a: Evidence, b: Evidence, changes: Sequence[FileChange]) -> Explanation:
    """
    Explain the files of the family that differ.

    Args:
        a: The bundle before.
        b: The bundle now.
        changes: Files of the family that differ, in the order of their paths.

    Raises:
        EvidenceError: A line that differs cannot be read; the error says in which bundle.
    """
    result = Explanation()
    for change in changes:
        table = _TABLES.get(change.path)
        if table is not None:
            result.add(change.path, _rows(a, b, table))
        elif change.path.endswith(".json") and change.kind is Kind.CHANGED:
            _document(a, b, change, result)
        elif change.path.startswith("raw/"):
            subject = f"response {change.path.rpartition('/')[2]}"
            result.entries.append(digest_entry(a, b, change, subject))
        else:
            result.rest.append(change)
    return result


def _rows(a: Evidence, b: Evidence, table: _Table) -> Iterator[Entry]:
    """Explain what A had, in its order, then what is new."""
    gone, come = differing_lines(a, b, table.path)
    new: dict[str, list[Line]] = {}
    for line in come:
        new.setdefault(_identity(_value(b, table, line), table), []).append(line)
    for line in gone:
        before = _value(a, table, line)
        others = new.get(_identity(before, table), [])
        if others:
            yield from _changed(b, table, before, others.pop(0))
        else:
            change = Change(Kind.REMOVED, "", "", before, None)
            where = Where(table.path, line[0])
            yield member_entry(change, Effect.REWRITE, _subject(before, table), where)
    for lines in new.values():
        for line in lines:
            yield _added(a, b, table, line)


def _changed(b: Evidence, table: _Table, before: JsonValue, line: Line) -> Iterator[Entry]:
    after = _value(b, table, line)
    found = list(compare(before, after, LISTS))
    told = [change for change in found if change.pointer not in table.follows]
    subject = _subject(after, table)
    for change in told or found[:1]:
        message = None if told else "moved in the chain: an entry before it is another"
        where = Where(table.path, line[0], change.pointer)
        yield member_entry(change, Effect.REWRITE, subject, where, message)


def _added(a: Evidence, b: Evidence, table: _Table, line: Line) -> Entry:
    row = _value(b, table, line)
    as_of = a.bundle.index.as_of
    time = None if table.time is None else _at(row, table.time)
    past = isinstance(time, str) and time < as_of and a.bundle.has(table.path)
    # An hour that A's time lies in was not over, so A has no root for it.
    if past and table.noun == "root of hour":
        past = str(time)[:13] < as_of[:13]
    return member_entry(
        Change(Kind.ADDED, "", "", None, row),
        Effect.REWRITE if past else Effect.EXTENSION,
        _subject(row, table),
        Where(table.path, line[0]),
        f"put into the past: A speaks of {as_of} and lacks it" if past else None,
    )


def _document(a: Evidence, b: Evidence, change: FileChange, result: Explanation) -> None:
    """Compare a rule set, the agents, or a frozen table."""
    path = change.path
    name = path.rpartition("/")[2].removesuffix(".json")
    subject = f"season {name}" if "/seasons/" in path else name
    try:
        before, after = read_json(a.read(path)), read_json(b.read(path))
    except ChangedError:
        raise
    except EvidenceError:
        result.entries.append(digest_entry(a, b, change, subject))
        return
    agents = path == "floor/agents.json"
    result.add(
        path,
        (
            member_entry(
                found, _effect(found, agents=agents), subject, Where(path, None, found.pointer)
            )
            for found in compare(before, after, LISTS)
        ),
    )


def _effect(change: Change, *, agents: bool) -> Effect:
    if agents and change.kind is Kind.ADDED:
        return Effect.EXTENSION
    if agents and change.pointer.endswith("/name"):
        return Effect.UPDATE
    return Effect.REWRITE


def _value(side: Evidence, table: _Table, line: Line) -> JsonValue:
    number, text = line
    return side.value(table.path, number, text)


def _at(value: JsonValue, pointer: str) -> JsonValue:
    """Follow a pointer as far as it leads; -1 is the last item of a list."""
    for key in pointer.split("/")[1:]:
        if isinstance(value, list) and value:
            value = value[-1]
        elif isinstance(value, dict):
            value = value.get(key)
        else:
            return None
    return value


def _identity(value: JsonValue, table: _Table) -> str:
    return json_text([_at(value, pointer) for pointer in table.identity])


def _subject(value: JsonValue, table: _Table) -> str:
    named = _at(value, table.identity[0])
    return f"{table.noun} {named if isinstance(named, str) else json_text(named)}"
