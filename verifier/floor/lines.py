"""
The rows of one file: held in memory where the file is short, read again where it is long.

Every line was read and hashed once, so a line that is read again is known to be
the same by its hash. Rows that are asked for one after the other are read
together. Some megabytes of rows are kept, since checks come back to them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, overload

from verifier.errors import ChangedError

if TYPE_CHECKING:
    from array import array

    from verifier.bundle import Bundle
    from verifier.floor.digests import DigestIndex, Digests

__all__ = ["Keyed", "Lines", "Reader", "runs"]

Row = TypeVar("Row")

Reader = Callable[[int, bytes, Any], Row]
"""Makes a row of a place from 0, a line, and what the reader was told to look at."""

KEPT: Final = 4 << 20
"""Rows whose lines have so many bytes are kept, some thousands where they are short."""
_TOGETHER: Final = 512
# Rows that are likely to be asked for next: at most so many, of at most so many bytes.
_AHEAD: Final = 32
_AHEAD_BYTES: Final = 64 << 10


class Lines(Sequence[Row]):
    """
    Rows that are read again when they are asked for.

    Args:
        bundle: Holds the file.
        path: The file.
        ends: Of every line the offset after its newline.
        digests: The sha256 of every line, without its newline.
        read: Makes a row.
        beside: What the reader looks at besides the line.
    """

    __slots__ = (
        *("_beside", "_bundle", "_digests", "_ends", "_held", "_kept", "_next", "_path", "_read"),
    )

    def __init__(  # noqa: PLR0913, PLR0917  as pickle hands them over
        self,
        bundle: Bundle,
        path: str,
        ends: array[int],
        digests: Digests,
        read: Reader[Row],
        beside: object,
    ) -> None:
        self._bundle = bundle
        self._path = path
        self._ends = ends
        self._digests = digests
        self._read = read
        self._beside = beside
        self._kept: OrderedDict[int, Row] = OrderedDict()
        self._held = 0
        self._next = 0

    def __reduce__(self) -> tuple[object, ...]:
        # What is kept stays here: it can be read again.
        parts = (self._bundle, self._path, self._ends, self._digests, self._read, self._beside)
        return Lines, parts

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        if isinstance(place, slice):
            places = range(len(self))[place]
            return self._keep(places, self._several(places))
        at = range(len(self))[place]
        known = self._kept.get(at)
        if known is None:
            places = self._ahead(at) if at == self._next else range(at, at + 1)
            known = self._keep(places, self._several(places))[0]
        self._next = at + 1
        return known

    def _ahead(self, at: int) -> range:
        """Say what to read with a row, where rows are asked for one after the other."""
        most = (self._ends[at - 1] if at else 0) + _AHEAD_BYTES
        stop = bisect_right(self._ends, most, at, min(at + _AHEAD, len(self)))
        return range(at, max(at + 1, stop))

    def _keep(self, places: range, rows: list[Row]) -> list[Row]:
        for at, row in zip(places, rows, strict=True):
            if at not in self._kept:
                self._kept[at] = row
                self._held += self._size(at)
        while self._held > KEPT:
            self._held -= self._size(self._kept.popitem(last=False)[0])
        return rows

    def _size(self, place: int) -> int:
        return self._ends[place] - (self._ends[place - 1] if place else 0)

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), _TOGETHER):
            yield from self._several(range(start, min(start + _TOGETHER, len(self))))

    def _several(self, places: range) -> list[Row]:
        if not places:
            return []
        if places.step != 1:
            return [self[place] for place in places]
        offset = self._ends[places.start - 1] if places.start else 0
        data = self._bundle.part(self._path, offset, self._ends[places.stop - 1] - offset)
        found = []
        for place, line in zip(places, data.split(b"\n"), strict=False):
            if sha256(line).digest() != self._digests[place]:
                raise ChangedError("changed after it was hashed", file=self._path)
            found.append(self._read(place, line, self._beside))
        return found


class Keyed(Mapping[str, Row]):
    """
    Rows by a hash in lower-case hex.

    Args:
        rows: All rows.
        index: Their hashes.
        find: Which place of a hash counts: the first of it or the last.
    """

    __slots__ = ("_find", "_index", "_rows")

    def __init__(
        self, rows: Sequence[Row], index: DigestIndex, find: Literal["first", "last"]
    ) -> None:
        self._rows = rows
        self._index = index
        self._find = find

    def place(self, key: str) -> int | None:
        """Give the place of a row."""
        try:
            digest = bytes.fromhex(key)
        except ValueError:
            return None
        if digest.hex() != key:
            return None
        return self._index.first(digest) if self._find == "first" else self._index.last(digest)

    def __getitem__(self, key: str) -> Row:
        place = self.place(key)
        if place is None:
            raise KeyError(key)
        return self._rows[place]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self.place(key) is not None

    def __iter__(self) -> Iterator[str]:
        return (digest.hex() for digest in self._index.distinct())

    def __len__(self) -> int:
        return sum(1 for _ in self._index.distinct())


def runs(ends: array[int], size: int) -> Iterator[tuple[int, int]]:
    """Cut rows into runs of about *size* bytes, as (first place, one past the last)."""
    start = begin = 0
    for place, end in enumerate(ends):
        if end - begin >= size or place + 1 == len(ends):
            yield start, place + 1
            start, begin = place + 1, end
