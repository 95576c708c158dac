"""
A bundle in a zip archive.

Read by the central directory, as every reader does, but strictly: the archive
ends with that directory and its end record; every member is a plain file or a
folder, stored or deflated, not encrypted, with a name in UTF-8 that its own
header repeats; members do not overlap. Zip64 is read. What a member unpacks to
is counted as it is unpacked, and must be the stated size and checksum exactly.

Written out here, on top of ``zlib``, because the headers of a stranger's
archive decide how much memory and time their reader spends: this one keeps
about fifty bytes a member besides the path, whatever the headers say.
"""

from __future__ import annotations

import os
import zlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from verifier.bundle.inflate import RAW, inflate
from verifier.bundle.inventory import Listing, find
from verifier.bundle.members import arrange, reordered
from verifier.bundle.paths import check_member
from verifier.bundle.sources import cannot_read, check_count
from verifier.bundle.zipformat import DEFLATED, Entry, Local, directory_of, entries, local_header
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.bundle.archivefile import ArchiveFile
    from verifier.limits import BundleLimits

__all__ = ["ZipSource"]

_INPUT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class _Table:
    """All that reading a member needs, by its position in ``paths``."""

    top: str
    paths: tuple[str, ...]
    methods: array[int]
    offsets: array[int]
    stops: array[int]
    packed: array[int]
    checksums: array[int]


class ZipSource:
    """
    A bundle that is a zip archive.

    Args:
        file: The archive, which the source closes.
        table: Its members, when it was listed before.
    """

    __slots__ = ("_file", "_packed_bytes", "_table")

    def __init__(self, file: ArchiveFile, table: _Table | None = None) -> None:
        self._file = file
        self._table = table
        self._packed_bytes = 0

    @property
    def packed_bytes(self) -> int:
        """Size of the archive."""
        return self._packed_bytes

    def part(self, _path: str, _offset: int, _size: int) -> None:
        """Members are packed: they are read from their beginning."""

    def detached(self) -> Self:
        """Return a copy without open handles, which can be pickled."""
        return type(self)(self._file.detached(), self._table)

    def close(self) -> None:
        """Close all handles."""
        self._file.close()

    def listing(self, limits: BundleLimits) -> Listing:
        """Read the central directory."""
        found: list[Entry] = []
        try:
            with self._file.open() as file:
                self._packed_bytes = file.seek(0, os.SEEK_END)
                place = directory_of(file, self._packed_bytes)
                check_count(place.stated, limits)
                for entry in entries(file, place):
                    check_member(entry.name.removesuffix("/"), limits)
                    if not entry.name.endswith("/"):
                        found.append(entry)
        except OSError as error:
            raise cannot_read(error, self._file.name) from None
        self._table, listing = _tabulate(found, place.start)
        return listing

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """Unpack a member, and insist on its stated size and checksum."""
        table = self._table
        at = None if table is None else find(table.paths, path)
        if table is None or at is None:
            raise BundleError("is not in the archive", file=path)
        try:
            yield from self._unpacked(table, at, size)
        except OSError as error:
            raise cannot_read(error, path) from None
        except BundleError as error:
            raise error.in_file(path) from None

    def _unpacked(self, table: _Table, at: int, size: int) -> Iterator[bytes]:
        pieces = self._packed(table, at)
        total = checksum = 0
        for data in inflate(pieces, form=RAW) if table.methods[at] == DEFLATED else pieces:
            total += len(data)
            if total > size:
                raise BundleError(f"unpacks to more than its stated {size} bytes")
            checksum = zlib.crc32(data, checksum)
            yield data
        if total < size:
            raise BundleError(f"unpacks to {total} bytes, stated are {size}")
        if checksum != table.checksums[at]:
            raise BundleError("its checksum in the archive does not hold")

    def _packed(self, table: _Table, at: int) -> Iterator[bytes]:
        offset = table.offsets[at]
        name = f"{table.top}{table.paths[at]}".encode()
        local = local_header(self._file.at(offset, Local.size + len(name)))
        if local.name != name or local.method != table.methods[at]:
            raise BundleError("its own header and the central directory disagree")
        start = offset + local.length
        stop = start + table.packed[at]
        if stop > table.stops[at]:
            raise BundleError("overlaps the next member")
        while start < stop:
            piece = self._file.at(start, min(_INPUT, stop - start))
            if not piece:
                raise BundleError("the archive is cut off")
            start += len(piece)
            yield piece


def _tabulate(found: list[Entry], end: int) -> tuple[_Table, Listing]:
    stops = [0] * len(found)
    stop = end
    for at in sorted(range(len(found)), key=lambda at: found[at].offset, reverse=True):
        entry = found[at]
        if entry.least_stop > stop:
            raise BundleError("overlaps the next member", file=entry.name)
        stops[at] = stop
        stop = entry.offset
    top, paths, order = arrange([entry.name for entry in found])
    table = _Table(
        top=top,
        paths=paths,
        methods=array("B", (found[at].method for at in order)),
        offsets=array("Q", (found[at].offset for at in order)),
        stops=reordered(stops, order),
        packed=array("Q", (found[at].packed for at in order)),
        checksums=array("I", (found[at].checksum for at in order)),
    )
    return table, Listing(paths, array("Q", (found[at].size for at in order)))
