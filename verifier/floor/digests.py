"""
Hashes in flat memory: a column of them, and the index that finds one.

A year of a busy arena is millions of rows with several hashes each. As texts in
dictionaries they take some 200 bytes each; here they take 32, and 12 more where
they are looked up.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["SIZE", "DigestIndex", "Digests"]

SIZE: Final = 32


class Digests:
    """
    A column of hashes.

    Args:
        data: 32 bytes after 32 bytes.
    """

    __slots__ = ("data",)

    def __init__(self, data: bytearray) -> None:
        self.data = data

    def __len__(self) -> int:
        return len(self.data) // SIZE

    def __getitem__(self, place: int) -> bytes:
        return bytes(self.data[place * SIZE : (place + 1) * SIZE])

    def __iter__(self) -> Iterator[bytes]:
        return (self[place] for place in range(len(self)))

    def append(self, digest: bytes) -> None:
        """Add a hash."""
        self.data += digest

    def extend(self, other: Digests) -> None:
        """Add the hashes of another column."""
        self.data += other.data

    def clear(self) -> None:
        """Forget all hashes: nobody asks for them any more."""
        self.data = bytearray()

    def hex(self, place: int) -> str:
        """Give one as 64 lower-case hex digits."""
        return self[place].hex()


class DigestIndex:
    """
    Finds the places of a hash in a column.

    The first 8 bytes are searched first. A publisher can make them equal for as
    many rows as it likes, so among equals the whole hash is searched for, too.

    Args:
        column: The hashes.
    """

    __slots__ = ("_column", "_heads", "_places")

    def __init__(self, column: Digests) -> None:
        data = column.data
        self._column = column
        self._places = array("I")
        # One part after the other, by the first byte: sorting all at once takes 100 bytes a hash.
        parts = [array("I") for _ in range(256)]
        for place, first in enumerate(data[::SIZE]):
            parts[first].append(place)
        for part in parts:
            self._places.extend(sorted(part, key=column.__getitem__))
        self._heads = array(
            "Q", (int.from_bytes(data[at * SIZE : at * SIZE + 8], "big") for at in self._places)
        )

    def first(self, digest: bytes) -> int | None:
        """Give the first place of a hash."""
        at = self._find(digest)
        return None if at is None else self._places[at]

    def last(self, digest: bytes) -> int | None:
        """Give the last place of a hash."""
        at = self._find(digest)
        if at is None:
            return None
        head = self._heads[at]
        if at + 1 < len(self._heads) and self._heads[at + 1] == head:
            # A publisher can repeat one hash in every row: they are not gone through one by one.
            stop = bisect_right(self._heads, head, at)
            at = bisect_right(self._places, digest, at, stop, key=self._column.__getitem__) - 1
        return self._places[at]

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Yield every place whose hash stood before, with the first place of that hash."""
        first = -1
        for at, place in enumerate(self._places):
            if at and self._column[place] == self._column[self._places[at - 1]]:
                yield place, first
            else:
                first = place

    def distinct(self) -> Iterator[bytes]:
        """Yield every hash once, in the order of their bytes."""
        before = b""
        for place in self._places:
            digest = self._column[place]
            if digest != before:
                yield digest
            before = digest

    def _find(self, digest: bytes) -> int | None:
        """Give where in the order the first place of a hash stands."""
        head = int.from_bytes(digest[:8], "big")
        at = bisect_left(self._heads, head)
        if at == len(self._heads) or self._heads[at] != head:
            return None
        if self._column[self._places[at]] != digest:
            stop = bisect_right(self._heads, head, at)
            at = bisect_left(self._places, digest, at, stop, key=self._column.__getitem__)
            if at == stop or self._column[self._places[at]] != digest:
                return None
        return at
