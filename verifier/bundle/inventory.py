"""
What is really in a bundle: each path with its size and its sha256.

Kept in flat arrays, since a year of an arena is millions of files: about a
hundred bytes a file, most of them the path itself. Paths are sorted by their
UTF-8 bytes, which is the order of their code points, so that a binary search
over the texts finds a path without any further index.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["SUMS", "Inventory", "Listing", "find"]

SUMS: Final = "SHA256SUMS"
_DIGEST: Final = 32
_BATCH: Final = 4096


def find(paths: tuple[str, ...], path: str) -> int | None:
    """Give the position of *path* in the sorted *paths*, or None."""
    at = bisect_left(paths, path)
    return at if at < len(paths) and paths[at] == path else None


@dataclass(frozen=True, slots=True)
class Listing:
    """
    The files of a source before they are read.

    Args:
        paths: Sorted by their UTF-8 bytes, each once.
        sizes: Bytes of each, as the file system or the archive states them.
    """

    paths: tuple[str, ...]
    sizes: array[int]


@dataclass(frozen=True, slots=True)
class Inventory:
    """
    The files of a source after all of them were hashed, ``SHA256SUMS`` included.

    Args:
        paths: Sorted by their UTF-8 bytes, each once.
        sizes: Bytes of each.
        digests: The sha256 of each, 32 bytes after 32 bytes.
    """

    paths: tuple[str, ...]
    sizes: array[int]
    digests: bytes

    def digest(self, at: int) -> str:
        """Return the sha256 of the file at a position, in lower-case hex."""
        return self.digests[at * _DIGEST : (at + 1) * _DIGEST].hex()

    def sums(self) -> Iterator[bytes]:
        """Yield, in pieces, the ``SHA256SUMS`` that is true of these files."""
        for start in range(0, len(self.paths), _BATCH):
            names = self.paths[start : start + _BATCH]
            yield "".join(
                f"{self.digest(at)}  {path}\n"
                for at, path in enumerate(names, start)
                if path != SUMS
            ).encode()

    def seal(self) -> str:
        """Return the sha256 of the ``SHA256SUMS`` that is true of these files."""
        whole = sha256()
        for piece in self.sums():
            whole.update(piece)
        return whole.hexdigest()

    def with_changes(self, changes: Mapping[str, bytes | None]) -> Inventory:
        """Return the inventory after files were replaced, added or (None) removed."""
        paths = list(self.paths)
        sizes = array("Q", self.sizes)
        digests = bytearray(self.digests)
        for path, content in changes.items():
            at = bisect_left(paths, path)
            there = at < len(paths) and paths[at] == path
            new = () if content is None else (content,)
            paths[at : at + there] = [path for _ in new]
            sizes[at : at + there] = array("Q", map(len, new))
            digests[at * _DIGEST : (at + there) * _DIGEST] = b"".join(
                sha256(data).digest() for data in new
            )
        return Inventory(tuple(paths), sizes, bytes(digests))
