"""
The bytes of an archive, at any place of it.

Archives are read through this, so that it makes no difference to the reader of a
zip or tar whether they lie in a file or in a store.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Final, Protocol, Self

__all__ = ["ArchiveFile", "LocalFile"]

_BUFFER: Final = 64 * 1024


class ArchiveFile(Protocol):
    """A file that is an archive."""

    @property
    def name(self) -> str:
        """What it is called in messages."""

    def at(self, offset: int, size: int) -> bytes:
        """
        Return some bytes, fewer at the end.

        Raises:
            OSError: The system does not let them be read.
            BundleError: A store does not give them.
        """

    def open(self) -> IO[bytes]:
        """Open it from its beginning, seekable and buffered; errors as of :meth:`at`."""

    def detached(self) -> Self:
        """Return a copy without open handles, which can be pickled."""

    def close(self) -> None:
        """Close all handles; closing twice is fine."""


class LocalFile:
    """
    A file of this machine.

    Args:
        path: Where it lies.
    """

    __slots__ = ("_fd", "name")

    def __init__(self, path: str) -> None:
        self.name = path
        self._fd = -1

    def at(self, offset: int, size: int) -> bytes:
        """Return some bytes."""
        if self._fd < 0:
            self._fd = os.open(self.name, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._fd, size, offset)

    def open(self) -> IO[bytes]:
        """Open it from its beginning."""
        return Path(self.name).open("rb", buffering=_BUFFER)

    def detached(self) -> Self:
        """Return a copy without open handles."""
        # Whoever gets it may run in another folder.
        return type(self)(str(Path(self.name).absolute()))

    def close(self) -> None:
        """Close the handle."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
