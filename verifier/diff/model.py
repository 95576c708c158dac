"""
What a comparison says: entries, and what they mean for history.

Every entry is of one class, named by :class:`Effect`:

* *extension*: something is there that was not, and nothing that existed is
  touched by it. This is how an arena that keeps its history goes on.
* *update*: something moved that is allowed to: a board, an agent's name, an
  anchor on its way to being mined, the time that the bundle speaks of.
* *rewrite*: something that existed was changed or removed, or something was
  added to a past that had been published without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.findings import Where

__all__ = ["Difference", "Effect", "Entry", "FileCounts", "Kind", "Side"]


class Kind(StrEnum):
    """What happened to the subject, or to the member of it that is named."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Effect(StrEnum):
    """What an entry means for history, the gravest first."""

    REWRITE = "rewrite"
    UPDATE = "update"
    EXTENSION = "extension"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One difference.

    Args:
        kind: What happened.
        effect: What that means for history.
        subject: What it happened to, in words.
        where: Its place in B, or in A if it was removed.
        member: Path to the member that changed, in the manner of a JSON pointer;
            an item of a list is named by what identifies it. None: all of it.
        before: What A has, as JSON text or as size and digest; None: nothing.
        after: The same for B.
        message: One sentence, where the class needs a reason.
    """

    kind: Kind
    effect: Effect
    subject: str
    where: Where
    member: str | None = None
    before: str | None = None
    after: str | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two things compared; a document that is no bundle has only a digest."""

    sha256: str
    as_of: str | None = None
    title: str | None = None


@dataclass(frozen=True, slots=True)
class FileCounts:
    """How many files differ, by their digests."""

    added: int
    removed: int
    changed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """
    All differences between A and B.

    Args:
        a: What was there before.
        b: What is there now.
        files: How many files differ.
        entries: The differences in meaning, in a fixed order.
        respelled: Files whose bytes differ and whose meaning does not.
    """

    a: Side
    b: Side
    files: FileCounts
    entries: tuple[Entry, ...]
    respelled: tuple[str, ...] = ()

    def count(self, effect: Effect) -> int:
        """Count the entries of one class."""
        return sum(entry.effect is effect for entry in self.entries)

    @property
    def relation(self) -> str:
        """``same``, or the class of the whole: a rewrite outweighs, then an extension."""
        for effect in (Effect.REWRITE, Effect.EXTENSION, Effect.UPDATE):
            if any(entry.effect is effect for entry in self.entries):
                return effect.value
        return "same"

    @property
    def keeps_history(self) -> bool:
        """Whether nothing that existed in A was changed or removed."""
        return self.count(Effect.REWRITE) == 0
