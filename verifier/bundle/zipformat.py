"""
The records of a zip archive, as far as a bundle may use them.

See APPNOTE.TXT of PKWARE, sections 4.3.7 (local header), 4.3.12 (central
directory), 4.3.14 to 4.3.16 (end records) and 4.5.3 (Zip64 extra field).
"""

from __future__ import annotations

import stat
import struct
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from verifier.bundle.paths import printable
from verifier.bundle.sources import kind_of_mode
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DEFLATED", "Directory", "Entry", "Local", "directory_of", "entries", "local_header"]

DEFLATED: Final = 8
Local: Final = struct.Struct("<4s5H3L2H")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END: Final = struct.Struct("<4s4H2LH")
_LOCATOR: Final = struct.Struct("<4sLQL")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_STORED: Final = 0
_FULL16: Final = 0xFFFF
_FULL32: Final = 0xFFFFFFFF
_ENCRYPTED: Final = 1 << 0 | 1 << 6 | 1 << 13
_ZIP64: Final = 1


class Directory(NamedTuple):
    """Where the central directory stands, and how many entries it states."""

    start: int
    stop: int
    stated: int


class Entry(NamedTuple):
    """A member as the central directory describes it."""

    name: str
    method: int
    offset: int
    least_stop: int
    packed: int
    size: int
    checksum: int


class LocalHeader(NamedTuple):
    """What a member's own header repeats, and how long that header is."""

    name: bytes
    method: int
    length: int


def directory_of(file: IO[bytes], size: int) -> Directory:
    """
    Find the central directory from the end of the archive.

    Raises:
        BundleError: No end record, or one that does not fit the archive.
    """
    start = max(0, size - _END.size - _FULL16)
    file.seek(start)
    tail = file.read()
    at = len(tail) - _END.size
    while at >= 0:
        at = tail.rfind(b"PK\5\6", 0, at + 4)
        if at >= 0 and _END.unpack_from(tail, at)[7] == len(tail) - at - _END.size:
            break
        at -= 1
    if at < 0:
        raise BundleError("not a zip archive, or its end is cut off")
    _, disk, first_disk, here, count, length, offset, _ = _END.unpack_from(tail, at)
    stop = start + at
    if _FULL16 in {disk, first_disk, here, count} or _FULL32 in {length, offset}:
        file.seek(max(0, stop - _LOCATOR.size))
        record = file.read(_LOCATOR.size)
        if len(record) == _LOCATOR.size and record.startswith(b"PK\6\7"):
            where = _LOCATOR.unpack(record)[2]
            if where > stop - _LOCATOR.size - _END64.size:
                raise BundleError("its Zip64 end record is not where it should be")
            file.seek(where)
            fields = _END64.unpack(file.read(_END64.size))
            if fields[0] != b"PK\6\6" or where + 12 + fields[1] != stop - _LOCATOR.size:
                raise BundleError("its Zip64 end record is not where it should be")
            disk, first_disk, here, count, length, offset = fields[4:]
            stop = where
    if disk or first_disk or here != count:
        raise BundleError("an archive of several parts")
    if offset + length != stop or count * _CENTRAL.size > length:
        raise BundleError("its central directory does not fit the archive")
    return Directory(offset, stop, count)


def entries(file: IO[bytes], place: Directory) -> Iterator[Entry]:
    """
    Read the central directory.

    Raises:
        BundleError: Damaged, or a member that a bundle cannot hold.
    """
    file.seek(place.start)
    left = place.stop - place.start
    for _ in range(place.stated):
        fixed = file.read(_CENTRAL.size)
        if len(fixed) < _CENTRAL.size or not fixed.startswith(b"PK\1\2"):
            raise BundleError("its central directory is damaged")
        fields = _CENTRAL.unpack(fixed)
        rest = file.read(sum(fields[10:13]))
        left -= len(fixed) + sum(fields[10:13])
        if left < 0:
            raise BundleError("its central directory is damaged")
        name = rest[: fields[10]].decode("utf-8", "surrogateescape")
        try:
            yield _entry(name, fields, rest[fields[10] : fields[10] + fields[11]], place.start)
        except BundleError as error:
            raise error.in_file(printable(name)) from None
    if left:
        raise BundleError("its central directory holds more than it states")


def _entry(name: str, fields: tuple[int, ...], extra: bytes, end: int) -> Entry:
    flags, method, checksum = fields[3], fields[4], fields[7]
    if flags & _ENCRYPTED:
        raise BundleError("is encrypted")
    if method not in {_STORED, DEFLATED}:
        raise BundleError(f"is packed by method {method}, allowed are stored and deflated")
    size, packed, offset = _wide((fields[9], fields[8], fields[16]), extra)
    _check_kind(name, fields[15] >> 16, size)
    if method == _STORED and size != packed:
        raise BundleError("is stored, but its two sizes differ")
    least_stop = offset + Local.size + fields[10] + packed
    if least_stop > end:
        raise BundleError("lies outside the archive")
    return Entry(name, method, offset, least_stop, packed, size, checksum)


def _check_kind(name: str, mode: int, size: int) -> None:
    # Archives made on systems without modes have none.
    kind = kind_of_mode(mode) if stat.S_IFMT(mode) else None
    if kind is not None:
        raise BundleError(f"is {kind}")
    folder = name.endswith("/")
    if (folder and size) or (stat.S_ISDIR(mode) and not folder):
        raise BundleError("is a folder and a file at once")


def _wide(fields: tuple[int, int, int], extra: bytes) -> list[int]:
    """Take from the Zip64 field, in its fixed order, what did not fit into 32 bits."""
    wide = iter(_zip64(extra))
    return [next(wide, value) if value == _FULL32 else value for value in fields]


def _zip64(extra: bytes) -> list[int]:
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        at += 4
        if kind == _ZIP64:
            body = extra[at : at + length]
            return list(struct.unpack_from(f"<{len(body) // 8}Q", body))
        at += length
    return []


def local_header(record: bytes) -> LocalHeader:
    """
    Read a member's own header, with as much of its name as the record holds.

    Raises:
        BundleError: No header, or one that says the member is encrypted.
    """
    if len(record) < Local.size or not record.startswith(b"PK\3\4"):
        raise BundleError("its own header is missing")
    fields = Local.unpack_from(record)
    if fields[2] & _ENCRYPTED:
        raise BundleError("is encrypted")
    name = record[Local.size : Local.size + fields[9]]
    # A longer name than the record holds is told apart by its length.
    if fields[9] != len(name):
        raise BundleError("its own header and the central directory disagree")
    return LocalHeader(name, fields[3], Local.size + fields[9] + fields[10])
