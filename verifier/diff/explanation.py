"""What a family makes of the files that differ."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.diff.files import FileChange
    from verifier.diff.model import Entry

__all__ = ["Explanation"]


@dataclass(slots=True)
class Explanation:
    """
    Gathers what is said about files.

    Args:
        entries: The differences in meaning.
        respelled: Files without any.
        rest: Files that the family has no words for.
    """

    entries: list[Entry] = field(default_factory=list)
    respelled: list[str] = field(default_factory=list)
    rest: list[FileChange] = field(default_factory=list)

    def add(self, path: str, found: Iterable[Entry]) -> None:
        """Take up the entries of one file; a file without entries was only respelled."""
        known = len(self.entries)
        self.entries += found
        if len(self.entries) == known:
            self.respelled.append(path)
