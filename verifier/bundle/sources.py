"""
Where the bytes of a bundle come from: a directory, a zip, a tar, a store.

A source lists its files and hands out their bytes in chunks; it knows nothing
of hashes. It refuses what is not a plain file (links, devices, pipes), and it
never yields more bytes than it stated. A source carries no open handle until
it is first read, and :meth:`Source.detached` gives a copy without one that can
be pickled, so that worker processes read for themselves.

The directory source opens every folder and file relative to the folder above
it and never follows a link, so that nothing outside the bundle is read even if
somebody exchanges a folder for a link meanwhile. The bundle's own path was
named by the caller and may be a link.
"""

from __future__ import annotations

import os
import stat
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, Self

from verifier.bundle.inventory import Listing
from verifier.bundle.paths import check_member, printable
from verifier.errors import BundleError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.limits import BundleLimits

__all__ = [
    "CHUNK",
    "Container",
    "DirectorySource",
    "Source",
    "cannot_read",
    "check_count",
    "check_size",
    "check_total",
    "kind_of_mode",
]

CHUNK: Final = 256 * 1024
_OPEN_PARTS: Final = 16
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Without O_NONBLOCK a pipe put in place of a file would hang the opening.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ORDINARY: Final = frozenset((stat.S_IFREG, stat.S_IFDIR))
_KINDS: Final = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
}


class Source(Protocol):
    """Where the bytes of listed files come from."""

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """
        Yield the bytes of a listed file in order, none of the chunks empty.

        Args:
            path: The file.
            size: Its size as it was listed. At most one byte more is yielded,
                which tells that the file has grown.

        Raises:
            BundleError: It cannot be read, or is not what was listed.
        """

    def part(self, path: str, offset: int, size: int) -> bytes | None:
        """
        Return some bytes of a listed file, fewer at its end.

        Returns:
            None if the file can only be read from its beginning, as what is packed.

        Raises:
            BundleError: It cannot be read, or is not what was listed.
        """

    def detached(self) -> Self:
        """Return a copy without open handles, which can be pickled."""

    def close(self) -> None:
        """Close all handles; closing twice is fine."""


class Container(Source, Protocol):
    """A source that can say what it holds: a directory or an archive."""

    @property
    def packed_bytes(self) -> int | None:
        """Size of the archive, or None for what is not packed."""

    def listing(self, limits: BundleLimits) -> Listing:
        """
        List all plain files.

        Raises:
            BundleError: A member that is not a plain file or folder, or whose
                path is not safe; an archive that is damaged.
            LimitError: More members than the limits allow.
        """


def cannot_read(error: OSError, file: str) -> BundleError:
    """Say that the operating system does not let a file be read."""
    return BundleError(f"cannot be read: {error.strerror or error}", file=file)


def check_count(count: int, limits: BundleLimits) -> None:
    """Refuse more members than the limits allow."""
    if count > limits.files:
        raise LimitError(f"more than {limits.files} files and folders", limit="files")


def check_size(size: int, path: str, limits: BundleLimits) -> None:
    """Refuse a file that is larger than the limits allow."""
    if size > limits.file_bytes:
        raise LimitError(
            f"{size} bytes, allowed are {limits.file_bytes}", limit="file_bytes", file=path
        )


def check_total(total: int, limits: BundleLimits) -> None:
    """Refuse more bytes than the limits allow all files to have together."""
    if total > limits.total_bytes:
        raise LimitError(
            f"{total} bytes in all, allowed are {limits.total_bytes}", limit="total_bytes"
        )


def kind_of_mode(mode: int) -> str | None:
    """Name what a file mode stands for, or None for a plain file or a folder."""
    kind = stat.S_IFMT(mode)
    return None if kind in _ORDINARY else _KINDS.get(kind, "a special file")


class DirectorySource:
    """
    A bundle that is a directory.

    Args:
        root: The directory.
    """

    __slots__ = ("_folder", "_folder_fd", "_parts", "_root", "_root_fd")

    def __init__(self, root: str) -> None:
        # Files that are read in parts stay open: they are few.
        self._parts: dict[str, int] = {}
        self._root = root
        self._root_fd = -1
        self._folder = ""
        self._folder_fd = -1

    @property
    def packed_bytes(self) -> None:
        """A directory is not packed."""
        return

    def detached(self) -> Self:
        """Return a copy without open handles, which can be pickled."""
        # Whoever gets it may run in another folder.
        return type(self)(str(Path(self._root).absolute()))

    def close(self) -> None:
        """Close all handles."""
        for fd in {self._root_fd, self._folder_fd, *self._parts.values()} - {-1}:
            os.close(fd)
        self._parts.clear()
        self._root_fd = self._folder_fd = -1
        self._folder = ""

    def listing(self, limits: BundleLimits) -> Listing:
        """List all plain files, folder by folder."""
        found: list[tuple[str, int]] = []
        count = 0
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            try:
                with os.scandir(self._open_folder(folder)) as entries:
                    for entry in entries:
                        count += 1
                        check_count(count, limits)
                        path = f"{folder}/{entry.name}" if folder else entry.name
                        check_member(path, limits)
                        status = entry.stat(follow_symlinks=False)
                        kind = kind_of_mode(status.st_mode)
                        if kind is not None:
                            raise BundleError(f"is {kind}", file=printable(path))
                        if stat.S_ISDIR(status.st_mode):
                            waiting.append(path)
                        else:
                            found.append((path, status.st_size))
            except OSError as error:
                raise cannot_read(error, printable(folder) or self._root) from None
        found.sort()
        return Listing(tuple(path for path, _ in found), array("Q", (size for _, size in found)))

    def chunks(self, path: str, size: int) -> Iterator[bytes]:
        """Yield the bytes of a listed file."""
        fd = self._open_file(path)
        try:
            left = size + 1
            while left:
                asked = min(left, CHUNK)
                data = os.read(fd, asked)
                if data:
                    yield data
                # A short read is the end of a plain file. What took its place
                # meanwhile, a pipe or a folder, gives an error or other bytes.
                left = left - len(data) if len(data) == asked else 0
        except OSError as error:
            raise cannot_read(error, path) from None
        finally:
            os.close(fd)

    def part(self, path: str, offset: int, size: int) -> bytes:
        """Return some bytes of a listed file."""
        fd = self._parts.get(path)
        if fd is None:
            while len(self._parts) >= _OPEN_PARTS:
                os.close(self._parts.pop(next(iter(self._parts))))
            fd = self._parts[path] = self._open_file(path)
        try:
            return os.pread(fd, size, offset)
        except OSError as error:
            raise cannot_read(error, path) from None

    def _open_file(self, path: str) -> int:
        folder, _, name = path.rpartition("/")
        try:
            return os.open(name, _FILE, dir_fd=self._open_folder(folder))
        except OSError as error:
            raise cannot_read(error, path) from None

    def _open_folder(self, folder: str) -> int:
        """Open a folder part by part; the last one stays open for its next file."""
        if self._root_fd < 0:
            self._root_fd = os.open(self._root, _FOLDER & ~os.O_NOFOLLOW)
        if not folder:
            return self._root_fd
        if folder != self._folder or self._folder_fd < 0:
            fd = self._root_fd
            for part in folder.split("/"):
                above, fd = fd, -1
                try:
                    fd = os.open(part, _FOLDER, dir_fd=above)
                finally:
                    if above != self._root_fd:
                        os.close(above)
            if self._folder_fd >= 0:
                os.close(self._folder_fd)
            self._folder, self._folder_fd = folder, fd
        return self._folder_fd
