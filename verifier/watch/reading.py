"""
One reading of a publisher, and whether it extends what was seen before.

A reading is a list of documents. Its facts are those of all of them, and that each
is served; where two state the same fact, the later must be what the earlier may become. The last
ledger of each scope is a log too: its entries are numbered from 0 without a gap
and chained, and they are the leaves of an RFC 9162 tree in that order.

A reading extends the facts of all before it when

1. every fact is there, with a value that may follow the one before
   (:mod:`verifier.watch.kinds`): what vanished was rewritten by leaving it out,
   and a document that answers 404 leaves out all that it held;
2. each log's old tree is the beginning of its new one, by a consistency proof
   that is made from the new entries and checked against the old root.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.hashchain import body_link, walk
from verifier.core.merkle import check_consistency, consistency_proof, root
from verifier.errors import EvidenceError, ProofError
from verifier.watch.documents import records
from verifier.watch.kinds import KINDS, Rule, differing, value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from verifier.core.jsonread import JsonValue

__all__ = ["GONE", "Change", "Document", "Facts", "Log", "Reading", "compare", "read"]

Facts = dict[str, dict[str, "JsonValue"]]
"""Values by kind and key."""

GONE: Final = frozenset({404, 410})
_LEDGER: Final = "floor/ledger"
_COMING_AND_GOING: Final = frozenset(
    {"api-leaderboard"}
)  # there is none before a season's first score
_ORDER: Final = tuple(KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """
    What was asked and came back.

    Args:
        role: How the body is read (:mod:`verifier.watch.documents`).
        scope: What it belongs to.
        method: Of the request.
        url: That was asked.
        answered: Where the answer came from.
        status: HTTP status; 200, or one that says that nothing is there.
        headers: Those that were kept.
        at: When it was complete, ms since 1970 UTC.
        body: Its exact bytes.
    """

    role: str
    scope: str
    method: str
    url: str
    answered: str
    status: int
    headers: tuple[tuple[str, str], ...]
    at: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Log:
    """
    A ledger as a tree.

    Args:
        leaves: Leaf hashes in the order in which the entries were served.
        faults: Why it is no log: numbers with a gap, or a broken chain.
    """

    leaves: tuple[bytes, ...]
    faults: tuple[str, ...]

    @property
    def root(self) -> bytes:
        """Root of the tree."""
        return root(self.leaves)


@dataclass(frozen=True, slots=True)
class Change:
    """
    A fact that is not what it was.

    Args:
        kind: Name of its kind.
        key: Its key.
        what: ``changed``, ``vanished``, ``moved`` (an entry of a ledger), or
            ``twofold`` (never seen before, and served in two versions at once).
        before: Value that was seen first.
        after: Value now; None if it vanished.
    """

    kind: str
    key: str
    what: str
    before: JsonValue
    after: JsonValue

    def sentence(self) -> str:
        """Say what happened."""
        title = KINDS[self.kind].title
        named = f"{title} {self.key}"
        if self.what == "moved":
            return f"{named} is no longer in its place"
        if self.what == "vanished":
            return f"{named} is no longer there"
        if self.what == "twofold":
            return f"{named} is served in two versions that contradict each other"
        members = differing(self.kind, self.before, self.after)
        return f"{named} is not what it was" + (f": {', '.join(members)}" if members else "")


@dataclass(frozen=True, slots=True)
class Reading:
    """
    What a publisher shows at one time.

    Args:
        documents: In the order in which they were read.
        facts: Of all of them.
        logs: By scope.
        conflicts: Facts that two documents state differently.
    """

    documents: tuple[Document, ...]
    facts: Facts
    logs: dict[str, Log]
    conflicts: tuple[Change, ...]


def read(documents: Sequence[Document]) -> Reading:
    """
    Read documents.

    Raises:
        EvidenceError: One of them is not of the form of its role; it is named by its URL.
    """
    facts: Facts = {}
    logs: dict[str, Log] = {}
    conflicts = []
    for document in documents:
        if document.status in GONE:
            continue
        if document.role not in _COMING_AND_GOING:
            facts.setdefault("document", {})[document.url] = document.role
        entries: list[JsonValue] = []
        try:
            for kind, key, record in records(document.role, document.scope, document.body):
                value = value_of(kind, record)
                known = facts.setdefault(kind, {})
                if document.role == "ledger":
                    entries.append(record)
                if key in known and differing(kind, known[key], value) is not None:
                    conflicts.append(Change(kind, key, "twofold", known[key], value))
                    continue
                known[key] = value
        except EvidenceError as error:
            raise error.in_file(document.url) from None
        if document.role == "ledger":
            logs[document.scope] = _log(entries)
    return Reading(tuple(documents), facts, logs, tuple(conflicts))


def compare(
    before: Mapping[str, Mapping[str, JsonValue]],
    logs: Mapping[str, Sequence[bytes]],
    reading: Reading,
) -> tuple[Change, ...]:
    """
    Say what of the facts of all readings before is not as it was.

    Args:
        before: Those facts.
        logs: Leaf hashes of each log as it was, by scope.
        reading: The new reading.

    Returns:
        What contradicts them, in the order of the kinds and by key; nothing if it extends them.
    """
    found = list(_changes(before, reading))
    if not any(change.kind == _LEDGER for change in found):
        for scope, old in logs.items():
            new = reading.logs.get(scope, Log((), ()))
            if not _extends(old, new):
                found.append(_parting(scope, old, new))
    return tuple(sorted(found, key=lambda each: (_ORDER.index(each.kind), _natural(each.key))))


def _changes(before: Mapping[str, Mapping[str, JsonValue]], reading: Reading) -> Iterable[Change]:
    for kind, known in before.items():
        now = reading.facts.get(kind, {})
        for key, value in known.items():
            if key not in now:
                if KINDS[kind].rule is not Rule.PASSING:
                    yield Change(kind, key, "vanished", value, None)
            elif differing(kind, value, now[key]) is not None:
                yield Change(kind, key, "changed", value, now[key])
    for conflict in reading.conflicts:
        known_value = before.get(conflict.kind, {}).get(conflict.key)
        if known_value is None:
            continue
        now_value = reading.facts[conflict.kind][conflict.key]
        if differing(conflict.kind, known_value, now_value) is None:
            yield Change(conflict.kind, conflict.key, "changed", known_value, conflict.after)


def _extends(old: Sequence[bytes], new: Log) -> bool:
    if not old or len(new.leaves) < len(old):
        return not old
    proof = consistency_proof(new.leaves, len(old))
    try:
        check_consistency(len(old), len(new.leaves), proof, root(old), new.root)
    except ProofError:
        return False
    return True


def _parting(scope: str, old: Sequence[bytes], new: Log) -> Change:
    """Name the first entry at which a log is no longer the old one."""
    at, leaf = next((at, leaf) for at, leaf in enumerate(old) if new.leaves[at : at + 1] != (leaf,))
    key = f"{scope}/{at}" if scope else str(at)
    if leaf not in new.leaves:
        return Change(_LEDGER, key, "vanished", leaf.hex(), None)
    now = new.leaves[at].hex() if at < len(new.leaves) else None
    return Change(_LEDGER, key, "moved", leaf.hex(), now)


def _log(entries: list[JsonValue]) -> Log:
    leaves = tuple(bytes.fromhex(str(value_of(_LEDGER, entry))) for entry in entries)
    chain = walk(entries, body_link)
    if chain.broken is None:
        return Log(leaves, ())
    return Log(leaves, (f"entry {chain.broken.index}: {chain.broken.reason}",))


def _natural(key: str) -> tuple[object, ...]:
    """Sort numbers by value, so that entry 9 comes before entry 10."""
    head, _, tail = key.rpartition("/")
    return (head, 0, int(tail), "") if tail.isdecimal() and tail.isascii() else (head, 1, 0, tail)
