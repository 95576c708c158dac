"""Differences between the rows of two ARCANA bundles, one file at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from verifier.diff.arcana_tables import LISTS, row_of
from verifier.diff.files import member_entry
from verifier.diff.lines import differing_lines
from verifier.diff.model import Effect, Entry, Kind
from verifier.diff.values import Change, compare
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.shape import Obj
    from verifier.diff.arcana_tables import Names, Table
    from verifier.diff.evidence import Evidence
    from verifier.diff.lines import Line

__all__ = ["RowDiff", "Seals"]

_SECOND = len("2026-09-20T03:30:00")


@dataclass(frozen=True, slots=True)
class Seals:
    """
    Seals of the rows that differ.

    Args:
        gone: Those that A's rows had and B's do not.
        come: Those that B's rows have and A's did not.
        replaced: For one row: subject, its seal in A, its seal in B.
    """

    gone: set[str] = field(default_factory=set)
    come: set[str] = field(default_factory=set)
    replaced: list[tuple[str, str, str]] = field(default_factory=list)

    def note(self, subject: str, old: str | None, new: str | None) -> None:
        """Remember the seals of a row that differs."""
        if old == new:
            return
        if old is not None:
            self.gone.add(old)
        if new is not None:
            self.come.add(new)
        if old is not None and new is not None:
            self.replaced.append((subject, old, new))


@dataclass(frozen=True, slots=True)
class RowDiff:
    """
    The comparison of one file of rows.

    Rows that are the same and stand elsewhere, or are spelled in another way,
    are no difference.

    Args:
        table: What is known of the file.
        a: The bundle before.
        b: The bundle now.
        names: Names for readers.
        seals: Takes up the seals of the rows that differ.
    """

    table: Table
    a: Evidence
    b: Evidence
    names: Names
    seals: Seals

    def entries(self) -> Iterator[Entry]:
        """
        Explain what differs: what A had, in its order, then what is new.

        Raises:
            EvidenceError: A line that differs is no row of the file.
        """
        gone, come = differing_lines(self.a, self.b, self.table.path)
        new = self._by_identity(self.b, come)
        for identity, lines in self._by_identity(self.a, gone).items():
            others = new.get(identity, [])
            for line in lines:
                if others:
                    yield from self._changed(line, others.pop(0))
                else:
                    yield self._removed(line)
        for lines in new.values():
            yield from map(self._added, lines)

    def _row(self, side: Evidence, line: Line) -> Obj:
        number, text = line
        value = side.value(self.table.path, number, text)
        with side.blamed(self.table.path, number):
            return row_of(value, self.table)

    def _by_identity(self, side: Evidence, lines: list[Line]) -> dict[tuple[str, ...], list[Line]]:
        """Gather lines by what names their row; values are read again when compared."""
        found: dict[tuple[str, ...], list[Line]] = {}
        for line in lines:
            row = self._row(side, line)
            with side.blamed(self.table.path, line[0]):
                identity = tuple(row.text(key) for key in self.table.identity)
            found.setdefault(identity, []).append(line)
        return found

    def _changed(self, old: Line, new: Line) -> Iterator[Entry]:
        table = self.table
        before, after = self._row(self.a, old), self._row(self.b, new)
        subject = table.subject(after, self.names)
        self.seals.note(subject, self._seal(self.a, before, old), self._seal(self.b, after, new))
        for change in compare(before.value, after.value, LISTS):
            line = old[0] if change.kind is Kind.REMOVED else new[0]
            where = Where(table.path, line, change.pointer)
            yield member_entry(change, table.judge(change, before.value), subject, where)

    def _removed(self, line: Line) -> Entry:
        table = self.table
        row = self._row(self.a, line)
        subject = table.subject(row, self.names)
        self.seals.note(subject, self._seal(self.a, row, line), None)
        change = Change(Kind.REMOVED, "", "", row.value, None)
        effect = Effect.UPDATE if table.derived else Effect.REWRITE
        return member_entry(change, effect, subject, Where(table.path, line[0]))

    def _added(self, line: Line) -> Entry:
        table = self.table
        row = self._row(self.b, line)
        subject = table.subject(row, self.names)
        self.seals.note(subject, None, self._seal(self.b, row, line))
        change = Change(Kind.ADDED, "", "", None, row.value)
        where = Where(table.path, line[0])
        as_of = self.a.bundle.index.as_of
        if table.derived:
            return member_entry(change, Effect.UPDATE, subject, where)
        if self._is_past(row, line, as_of):
            message = f"put into the past: A speaks of {as_of} and lacks it"
            return member_entry(change, Effect.REWRITE, subject, where, message)
        return member_entry(change, Effect.EXTENSION, subject, where)

    def _seal(self, side: Evidence, row: Obj, line: Line) -> str | None:
        if self.table.seal is None:
            return None
        with side.blamed(self.table.path, line[0]):
            return row.text_or_null(self.table.seal)

    def _is_past(self, row: Obj, line: Line, as_of: str) -> bool:
        """Tell whether A, if it has such rows at all, should have had this one."""
        if self.table.time is None or not self.a.bundle.has(self.table.path):
            return False
        with self.b.blamed(self.table.path, line[0]):
            # Within the same second the bundle may have been made before the row.
            return row.text(self.table.time)[:_SECOND] < as_of[:_SECOND]
