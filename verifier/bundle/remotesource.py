"""
A bundle in a store: a folder there, or an archive that is read by ranges.

Nothing is downloaded to the disk, a ``.tar.gz`` apart. What is read at a place in
the middle is read in blocks, the last of which stay in memory; nothing vouches
for them until they were hashed, as for the bytes of any other source. In another
process, a source connects again by its URL.
"""

from __future__ import annotations

import io
from array import array
from collections import OrderedDict
from typing import IO, TYPE_CHECKING, Any, Final, Self

from verifier.bundle.inventory import Listing, find
from verifier.bundle.paths import check_member
from verifier.bundle.sources import check_count, check_size, check_total
from verifier.bundle.store import Store
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.limits import BundleLimits

__all__ = ["BLOCK", "RemoteFile", "RemoteFolder", "open_remote"]

BLOCK: Final = 2 << 20
_KEPT: Final = 8


def open_remote(url: str) -> RemoteFolder | RemoteFile:
    """
    Find what a URL leads to; one that ends in a slash leads to a folder.

    Raises:
        BundleError: Nothing is there, or the store does not answer.
        UsageError: No store is known for the URL.
    """
    store = Store(url)
    try:
        size = None if url.endswith("/") else store.file_size()
    except BaseException:
        store.close()
        raise
    return RemoteFolder(store) if size is None else RemoteFile(store, size)


class _Blocks:
    """The blocks of a store's files that were read last."""

    __slots__ = ("_kept", "_store")

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()

    def at(self, path: str, whole: int, offset: int, size: int) -> bytes:
        """Return some bytes of a file of *whole* bytes, fewer at its end."""
        stop = min(offset + size, whole)
        found = []
        while offset < stop:
            number, start = divmod(offset, BLOCK)
            piece = self._block(path, whole, number)[start : start + stop - offset]
            found.append(piece)
            offset += len(piece)
        return b"".join(found)

    def _block(self, path: str, whole: int, number: int) -> bytes:
        block = self._kept.get((path, number))
        if block is None:
            start = number * BLOCK
            stop = min(start + BLOCK, whole)
            block = self._store.read(path, start, stop)
            if len(block) != stop - start:
                raise BundleError("the store gives fewer bytes than it stated")
            self._kept[path, number] = block
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end((path, number))
        return block


class RemoteFile:
    """
    An archive in a store.

    Args:
        store: The place of the archive.
        size: Its bytes.
    """

    __slots__ = ("_blocks", "_size", "_store")

    def __init__(self, store: Store, size: int) -> None:
        self._store = store
        self._size = size
        self._blocks = _Blocks(store)

    @property
    def name(self) -> str:
        """The URL, as it may be shown."""
        return self._store.name

    def at(self, offset: int, size: int) -> bytes:
        """Return some bytes."""
        return self._blocks.at("", self._size, offset, size)

    def open(self) -> IO[bytes]:
        """Open it from its beginning."""
        return io.BufferedReader(_Raw(self, self._size))

    def detached(self) -> Self:
        """Return a copy without connections."""
        return type(self)(self._store.detached(), self._size)

    def close(self) -> None:
        """Let go of all connections."""
        self._store.close()


class _Raw(io.RawIOBase):
    """An archive as Python reads files."""

    def __init__(self, file: RemoteFile, size: int) -> None:
        self._file = file
        self._size = size
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = base + offset
        return self._place

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - whatever Python hands over
        view = memoryview(buffer)
        data = self._file.at(self._place, len(view))
        view[: len(data)] = data
        self._place += len(data)
        return len(data)


class RemoteFolder:
    """
    A bundle that is a folder in a store.

    Args:
        store: The place of the folder.
        listing: Its files, when they were listed before.
    """

    __slots__ = ("_blocks", "_listing", "_store")

    def __init__(self, store: Store, listing: Listing | None = None) -> None:
        self._store = store
        self._listing = listing
        self._blocks = _Blocks(store)

    @property
    def packed_bytes(self) -> None:
        """A folder is not packed."""
        return

    def detached(self) -> Self:
        """Return a copy without connections, which can be pickled."""
        return type(self)(self._store.detached(), self._listing)

    def close(self) -> None:
        """Let go of all connections."""
        self._store.close()

    def listing(self, limits: BundleLimits) -> Listing:
        """List all files, folder by folder; limits hold while listing."""
        found: list[tuple[str, int]] = []
        count = total = 0
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            try:
                for entry in self._store.entries(folder):
                    count += 1
                    check_count(count, limits)
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    check_member(path, limits)
                    if entry.folder:
                        waiting.append(path)
                        continue
                    check_size(entry.size, path, limits)
                    total += entry.size
                    check_total(total, limits)
                    found.append((path, entry.size))
            except BundleError as error:
                if folder:
                    error.in_file(folder)
                raise
        found.sort()
        self._listing = Listing(
            tuple(path for path, _ in found), array("Q", (size for _, size in found))
        )
        return self._listing

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """Yield the bytes of a listed file."""
        try:
            yield from self._ranges(path, size)
        except BundleError as error:
            raise error.in_file(path) from None

    def _ranges(self, path: str, size: int) -> Iterator[bytes]:
        if not size:
            self._store.check_empty(path)
        start = 0
        while start < size:
            stop = min(start + BLOCK, size)
            # One byte more at the end tells whether the file has grown.
            data = self._store.read(path, start, stop + (stop == size))
            if len(data) < stop - start:
                raise BundleError("the store gives fewer bytes than it stated")
            yield data
            start += len(data)

    def part(self, path: str, offset: int, size: int) -> bytes:
        """Return some bytes of a listed file."""
        listing = self._listing
        at = None if listing is None else find(listing.paths, path)
        if listing is None or at is None:
            raise BundleError("is not in the bundle", file=path)
        try:
            return self._blocks.at(path, listing.sizes[at], offset, size)
        except BundleError as error:
            raise error.in_file(path) from None
