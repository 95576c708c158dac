"""
Hash chains: a ledger in which every entry covers the one before it.

An entry holds a number, the hash of the entry before (``prev``), and what it
records; its own hash is SHA-256 over the canonical JSON of all that. A walk
demands of the entry at position i, in this order:

1. it is well formed;
2. its ``prev`` is the hash of entry i - 1, or 64 zeros for entry 0;
3. its number is i;
4. its hash is the one recomputed;
5. its subject (the call that it settles) was not the subject of an earlier entry.

The walk stops at the first entry that fails, since nothing after it is linked to
what came before. A chain whose links all hold may still be cut short or rebuilt
from some entry on: only its head, ``{count, hash}``, published elsewhere, shows
that it is whole. Without a head that is not known, and never taken for granted.

Two layouts of an entry are known:

* `body_link`: ``{"body": {"entry", "prev", "call", ...}, "hash"}``, the hash over
  the body;
* `flat_link`: ``{"seq", "prev", "call", ..., "hash"}``, the hash over the entry
  without its ``hash``. Its values are integers and text alone: a double such as
  ``100.0`` hashes like ``100``, so two spellings would share one hash.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar, cast

from verifier.core.seals import RecordSeal, seal_of_record
from verifier.errors import EvidenceError, FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from verifier.core.jsonscan import JsonValue

__all__ = [
    "NO_ENTRY",
    "Break",
    "Chain",
    "Completeness",
    "Head",
    "Link",
    "body_link",
    "flat_link",
    "walk",
]

# What the first entry has for a predecessor, and an empty chain for a head.
NO_ENTRY: Final = RecordSeal(bytes(32))

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class Link:
    """
    What chains one entry to the others.

    Args:
        number: The position that the entry claims, from 0.
        prev: Hash of the entry before, as the entry states it.
        published: Hash of this entry, as stated.
        recomputed: Hash of this entry, as it should be.
        subject: What may have one entry only; None if anything may have many.
    """

    number: int
    prev: RecordSeal
    published: RecordSeal
    recomputed: RecordSeal
    subject: str | None = None


@dataclass(frozen=True, slots=True)
class Break:
    """The first entry that fails: its position from 0, and why."""

    index: int
    reason: str
    published: str | None = None
    recomputed: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """How many entries a chain has and the hash of its last, as published elsewhere."""

    count: int
    hash: RecordSeal


class Completeness(StrEnum):
    """What a walk and a published head show together."""

    WHOLE = "whole"
    BROKEN = "a link is broken"
    OTHER_HASH = "head hash differs"
    OTHER_COUNT = "head count differs"
    OTHER_HEAD = "count and head hash differ"
    NOT_SHOWN = "links intact, completeness not shown"


@dataclass(frozen=True, slots=True)
class Chain:
    """
    Result of a walk.

    Args:
        count: Entries whose links hold, from the first on.
        head: Hash of the last of them; 64 zeros if there is none.
        broken: The entry at which the walk stopped; None if it came to the end.
    """

    count: int
    head: RecordSeal
    broken: Break | None

    def completeness(self, published: Head | None) -> Completeness:
        """
        Compare with the published head.

        Args:
            published: From anywhere but the chain itself; None if there is none.
        """
        if self.broken:
            return Completeness.BROKEN
        if published is None:
            return Completeness.NOT_SHOWN
        same_hash = self.head == published.hash
        if self.count != published.count:
            return Completeness.OTHER_COUNT if same_hash else Completeness.OTHER_HEAD
        return Completeness.WHOLE if same_hash else Completeness.OTHER_HASH


def walk(entries: Iterable[E], link: Callable[[E], Link]) -> Chain:
    """
    Follow a chain from its first entry to its end or to the first break.

    Args:
        entries: Oldest first.
        link: Reads an entry, for example `body_link`; an `EvidenceError` that it
            raises is a break.
    """
    head = NO_ENTRY
    # Where each hash stands; the beginning counts as an entry before entry 0.
    positions = {head.digest: -1}
    subjects: dict[str, int] = {}
    index = -1
    for index, entry in enumerate(entries):
        try:
            this = link(entry)
        except EvidenceError as error:
            return Chain(index, head, Break(index, error.reason))
        broken = _broken(index, this, head, positions, subjects)
        if broken:
            return Chain(index, head, broken)
        head = this.recomputed
        positions[head.digest] = index
        if this.subject is not None:
            subjects[this.subject] = index
    return Chain(index + 1, head, None)


def _broken(
    index: int,
    this: Link,
    head: RecordSeal,
    positions: dict[bytes, int],
    subjects: dict[str, int],
) -> Break | None:
    if this.prev != head:
        reason = "prev is not the hash of the entry before" if index else "prev is not 64 zeros"
        if this.recomputed.digest in positions:
            reason = f"entry {positions[this.recomputed.digest]} repeated"
        elif this.prev.digest in positions:
            sibling = positions[this.prev.digest] + 1
            reason = f"second entry with the same prev: entry {sibling} has it already"
        return Break(index, reason, this.prev.hex, head.hex)
    if this.number != index:
        return Break(index, "number is not the position", str(this.number), str(index))
    if this.published != this.recomputed:
        reason = "hash is not that of the entry"
        return Break(index, reason, this.published.hex, this.recomputed.hex)
    if this.subject is not None and this.subject in subjects:
        return Break(index, f"call already settled by entry {subjects[this.subject]}")
    return None


def body_link(entry: JsonValue) -> Link:
    """
    Read an entry of the layout ``{"body", "hash"}``.

    Raises:
        FormatError: A field of the chain is missing or malformed.
        JsonError: The body has no canonical form.
    """
    members = _object(entry, "entry")
    if members.keys() != {"body", "hash"}:
        raise FormatError("entry has not exactly the members body and hash")
    body = _object(members["body"], "body")
    return Link(
        number=_integer(body, "entry"),
        prev=_seal(body, "prev"),
        published=_seal(members, "hash"),
        recomputed=seal_of_record(body),
        subject=_text(body, "call"),
    )


def flat_link(entry: JsonValue) -> Link:
    """
    Read an entry that holds its own hash beside what is hashed.

    Raises:
        FormatError: A field of the chain is missing or malformed, or a value is
            neither an integer nor text.
        JsonError: The entry has no canonical form.
    """
    members = dict(_object(entry, "entry"))
    published = _seal(members, "hash")
    del members["hash"]
    for name, value in members.items():
        if type(value) not in (int, str):
            raise FormatError(f"{name!a} is neither an integer nor text")
    return Link(
        number=_integer(members, "seq"),
        prev=_seal(members, "prev"),
        published=published,
        recomputed=seal_of_record(cast("JsonValue", members)),
        subject=_text(members, "call"),
    )


def _object(value: JsonValue, what: str) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise FormatError(f"{what} is no object")
    return value


def _integer(members: dict[str, JsonValue], name: str) -> int:
    value = members.get(name)
    if type(value) is not int:
        raise FormatError(f"{name} is missing or no integer")
    return value


def _text(members: dict[str, JsonValue], name: str) -> str:
    value = members.get(name)
    if not isinstance(value, str):
        raise FormatError(f"{name} is missing or no text")
    return value


def _seal(members: dict[str, JsonValue], name: str) -> RecordSeal:
    return RecordSeal.parse(_text(members, name))
