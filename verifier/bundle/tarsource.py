"""
A bundle in a tar archive, plain or compressed with gzip.

Both common forms are read: POSIX (``ustar`` with pax records) and GNU, with
long names and large sizes. A member is a plain file or a folder. Links,
devices, pipes and sparse files are refused. A leading ``./`` is dropped. The
archive ends with a block of zeros and has nothing but zeros after it.

A compressed archive cannot be read at any place but its start. It is unpacked
once into a private temporary folder, which closing the bundle deletes; the
limits ``spool_bytes`` and ``archive_ratio`` bound it while it is being written.
"""

from __future__ import annotations

import os
from array import array
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from verifier.bundle.archivefile import LocalFile
from verifier.bundle.inflate import GZIP, inflate
from verifier.bundle.inventory import Listing, find
from verifier.bundle.members import arrange, reordered
from verifier.bundle.paths import check_member
from verifier.bundle.sources import CHUNK, cannot_read, check_count
from verifier.bundle.tarformat import members
from verifier.errors import BundleError, LimitError
from verifier.limits import RATIO_FREE_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from tempfile import TemporaryDirectory

    from verifier.bundle.archivefile import ArchiveFile
    from verifier.limits import BundleLimits

__all__ = ["TarSource", "unpack_gzip"]


class _Table(NamedTuple):
    """All that reading a member needs, by its position in ``paths``."""

    paths: tuple[str, ...]
    offsets: array[int]


class TarSource:
    """
    A bundle that is a tar archive.

    Args:
        file: The archive, uncompressed, which the source closes.
        table: Its members, when it was listed before.
        spool: The temporary folder that it lies in, if this source owns one.
    """

    __slots__ = ("_file", "_spool", "_table")

    def __init__(
        self,
        file: ArchiveFile,
        table: _Table | None = None,
        spool: TemporaryDirectory[str] | None = None,
    ) -> None:
        self._file = file
        self._table = table
        self._spool = spool

    @property
    def packed_bytes(self) -> None:
        """An unpacked tar is no smaller than its files."""
        return

    def detached(self) -> Self:
        """Return a copy without open handles, which can be pickled."""
        return type(self)(self._file.detached(), self._table)

    def close(self) -> None:
        """Close all handles, and delete what was unpacked."""
        self._file.close()
        if self._spool is not None:
            self._spool.cleanup()

    def listing(self, limits: BundleLimits) -> Listing:
        """Read all headers."""
        names: list[str] = []
        offsets = array("Q")
        sizes = array("Q")
        try:
            with self._file.open() as file:
                for count, member in enumerate(members(file), 1):
                    check_count(count, limits)
                    check_member(member.name, limits)
                    if not member.folder:
                        names.append(member.name)
                        offsets.append(member.offset)
                        sizes.append(member.size)
        except OSError as error:
            raise cannot_read(error, self._file.name) from None
        _, paths, order = arrange(names)
        self._table = _Table(paths, reordered(offsets, order))
        return Listing(paths, reordered(sizes, order))

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """Yield the bytes of a member."""
        start = self._start(path)
        yield from self._between(path, start, start + size)

    def _between(self, path: str, start: int, stop: int) -> Iterator[bytes]:
        try:
            while start < stop:
                data = self._file.at(start, min(CHUNK, stop - start))
                if not data:
                    raise BundleError("the archive is cut off", file=path)
                start += len(data)
                yield data
        except OSError as error:
            raise cannot_read(error, path) from None

    def part(self, path: str, offset: int, size: int) -> bytes:
        """Return some bytes of a member, whose end the caller knows."""
        start = self._start(path) + offset
        return b"".join(self._between(path, start, start + size))

    def _start(self, path: str) -> int:
        table = self._table
        at = None if table is None else find(table.paths, path)
        if table is None or at is None:
            raise BundleError("is not in the archive", file=path)
        return table.offsets[at]


def unpack_gzip(file: ArchiveFile, limits: BundleLimits) -> TarSource:
    """
    Unpack a compressed tar archive into a private temporary folder.

    Args:
        file: The archive, which is closed.
        limits: How much it may unpack to.

    Raises:
        BundleError: Not gzip, damaged, or no room for it.
        LimitError: It unpacks to more than ``spool_bytes`` or ``archive_ratio``.
    """
    from tempfile import TemporaryDirectory  # noqa: PLC0415  # only this kind of bundle needs it

    try:
        spool = TemporaryDirectory(prefix="tallyproof-")
        try:
            target = Path(spool.name) / "bundle.tar"
            with file.open() as packed, target.open("wb") as unpacked:
                size = packed.seek(0, os.SEEK_END)
                packed.seek(0)
                unpacked.writelines(_bounded(packed, size, limits))
        except BaseException:
            spool.cleanup()
            raise
    except OSError as error:
        raise BundleError(
            f"cannot be unpacked: {error.strerror or error}", file=file.name
        ) from None
    file.close()
    return TarSource(LocalFile(str(target)), spool=spool)


def _bounded(packed: IO[bytes], packed_bytes: int, limits: BundleLimits) -> Iterator[bytes]:
    ratio_bytes = max(RATIO_FREE_BYTES, limits.archive_ratio * packed_bytes)
    total = 0
    for data in inflate(iter(lambda: packed.read(CHUNK), b""), form=GZIP):
        total += len(data)
        if total > limits.spool_bytes:
            raise LimitError(
                f"unpacks to more than {limits.spool_bytes} bytes", limit="spool_bytes"
            )
        if total > ratio_bytes:
            raise LimitError(
                f"{packed_bytes} bytes unpack to more than {ratio_bytes}", limit="archive_ratio"
            )
        yield data
