"""
The headers of a tar archive, as far as a bundle may use them.

See POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header", and
the GNU tar manual, "Basic Tar Format", for long names and binary numbers.
"""

from __future__ import annotations

import os
import re
from typing import IO, TYPE_CHECKING, Final, NamedTuple

from verifier.bundle.paths import printable
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Member", "members"]

_BLOCK: Final = 512
_ZEROS: Final = bytes(_BLOCK)
_EXTENSION: Final = 64 * 1024
_OCTAL: Final = re.compile(rb" *([0-7]+)[ \0]*")
_RECORD: Final = re.compile(rb"([1-9][0-9]{0,5}) ")
_SIZE: Final = re.compile(r"[0-9]{1,18}")
_KINDS: Final = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"6": "a pipe",
    b"S": "a sparse file",
}


class Member(NamedTuple):
    """A plain file or a folder, and where its bytes stand in the archive."""

    name: str
    folder: bool
    offset: int
    size: int


def members(file: IO[bytes]) -> Iterator[Member]:
    """
    Read the headers of a tar archive in order.

    Raises:
        BundleError: Damaged, cut off, or a member that a bundle cannot hold.
    """
    end = file.seek(0, os.SEEK_END)
    at = 0
    extended: dict[str, str] = {}
    while (header := _header(file, at)) != _ZEROS:
        kind = header[156:157]
        stated = extended.get("size")
        size = _number(header[124:136], at) if stated is None else int(stated)
        body = at + _BLOCK
        at = body + -(-size // _BLOCK) * _BLOCK
        if at > end:
            raise BundleError("its last member is cut off")
        if kind in {b"x", b"g", b"L"}:
            if size > _EXTENSION:
                raise BundleError(f"an extended header of {size} bytes")
            extended |= _extension(kind, file.read(size))
            continue
        member = _member(_name(header, extended), kind, body, size)
        extended = {}
        if member.name not in {"", "."} or not member.folder:
            yield member
    while rest := file.read(_EXTENSION):
        if rest.count(0) != len(rest):
            raise BundleError("data after the end of the archive")


def _header(file: IO[bytes], at: int) -> bytes:
    file.seek(at)
    header = file.read(_BLOCK)
    if len(header) < _BLOCK:
        raise BundleError("not a tar archive, or its end is cut off")
    if header != _ZEROS:
        _check(header, at)
    return header


def _member(name: str, kind: bytes, offset: int, size: int) -> Member:
    if kind == b"5":
        return Member(name.removesuffix("/"), folder=True, offset=offset, size=size)
    if kind not in {b"0", b"\0"}:
        what = _KINDS.get(kind, f"a member of type {kind.decode('latin-1')!r}")
        raise BundleError(f"is {what}", file=printable(name))
    return Member(name, folder=False, offset=offset, size=size)


def _check(header: bytes, at: int) -> None:
    if header[257:263] not in {b"ustar\0", b"ustar "}:
        raise BundleError("not a tar archive of a known form", offset=at)
    # The checksum counts its own eight bytes as spaces.
    if sum(header) - sum(header[148:156]) + 8 * 0x20 != _number(header[148:156], at):
        raise BundleError("a header whose checksum does not hold", offset=at)


def _number(field: bytes, at: int) -> int:
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    match = _OCTAL.fullmatch(field)
    if match is None:
        raise BundleError("a header with a malformed number", offset=at)
    return int(match[1], 8)


def _name(header: bytes, extended: dict[str, str]) -> str:
    name = extended.get("path")
    if name is None:
        raw = header[:100].partition(b"\0")[0]
        prefix = header[345:500].partition(b"\0")[0]
        if prefix and header[257:263] == b"ustar\0":
            raw = prefix + b"/" + raw
        name = raw.decode("utf-8", "surrogateescape")
    return name.removeprefix("./")


def _extension(kind: bytes, body: bytes) -> dict[str, str]:
    if kind == b"L":
        return {"path": body.partition(b"\0")[0].decode("utf-8", "surrogateescape")}
    records = _records(body)
    if any(key.startswith("GNU.sparse") for key in records):
        raise BundleError("holds a sparse file")
    known: dict[str, str] = {key: records[key] for key in ("path", "size") if key in records}
    if kind == b"g" and known:
        raise BundleError("a global header that names or sizes its members")
    if not _SIZE.fullmatch(known.get("size", "0")):
        raise BundleError("an extended header with a malformed size")
    return known


def _records(body: bytes) -> dict[str, str]:
    found = {}
    at = 0
    while at < len(body):
        match = _RECORD.match(body, at)
        stop = at + int(match[1]) if match else 0
        if match is None or not match.end() < stop <= len(body) or body[stop - 1] != ord("\n"):
            raise BundleError("a malformed extended header")
        key, equals, value = body[match.end() : stop - 1].partition(b"=")
        if not equals:
            raise BundleError("a malformed extended header")
        found[key.decode("utf-8", "replace")] = value.decode("utf-8", "surrogateescape")
        at = stop
    return found
