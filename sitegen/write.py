"""
Writing the files of a site: each once, none outside, hashed on the way.

Every path is one that ``SHA256SUMS`` can list: relative, without ``.``, ``..`` or
empty parts, without controls and backslashes. A path that is written twice is a
fault of the build and is refused, since one of the two files would be lost.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from verifier.bundle.paths import check_collisions, path_fault, printable
from verifier.errors import BundleError, SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Writer", "Written", "check_paths", "hash_file"]

_CHUNK = 1 << 20
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Written:
    """A file as it was written: sha256 and bytes."""

    sha256: bytes
    size: int


class Writer:
    """
    Writes into one folder that nobody else writes to.

    Args:
        root: The folder.
    """

    __slots__ = ("_folders", "_root", "files")

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._folders: set[str] = {""}
        self.files: dict[str, Written] = {}

    def write(self, path: str, content: bytes) -> None:
        """
        Write one file.

        Raises:
            SiteError: The path is not allowed or was written before, or the disk is full.
        """
        self._write(path, (content,))

    def copy(self, path: str, chunks: Iterable[bytes], *, digest: str) -> None:
        """
        Write one file in pieces.

        Raises:
            SiteError: As :meth:`write` does, or the pieces do not hash to *digest*.
        """
        self._write(path, chunks)
        if self.files[path].sha256.hex() != digest:
            raise SiteError(f"{printable(path)}: changed while it was being copied")

    def _write(self, path: str, chunks: Iterable[bytes]) -> None:
        if fault := path_fault(path):
            raise SiteError(f"{printable(path)}: cannot be a file of the site: {fault}")
        try:
            path.encode()
        except UnicodeEncodeError:
            raise SiteError(f"{path!a}: cannot be a file of the site: not UTF-8") from None
        folder = path.rpartition("/")[0]
        whole = sha256()
        size = 0
        try:
            if folder not in self._folders:
                os.makedirs(f"{self._root}/{folder}", exist_ok=True)  # noqa: PTH103 - hot
                self._folders.add(folder)
            file = os.open(f"{self._root}/{path}", _NEW, 0o666)
            try:
                for chunk in chunks:
                    whole.update(chunk)
                    size += len(chunk)
                    rest = memoryview(chunk)
                    while rest:
                        rest = rest[os.write(file, rest) :]
            finally:
                os.close(file)
        except FileExistsError:
            raise SiteError(f"{printable(path)}: two parts of the site have this path") from None
        except OSError as error:
            raise SiteError(f"{printable(path)}: cannot be written: {error.strerror}") from None
        self.files[path] = Written(whole.digest(), size)


def check_paths(paths: Iterable[str]) -> None:
    """
    Refuse files that would be one on a file system that ignores case or normalises.

    Raises:
        SiteError: Names both.
    """
    try:
        check_collisions(sorted(paths))
    except BundleError as error:
        raise SiteError(f"two files of the site would be one on some system: {error}") from None


def hash_file(path: Path) -> Written:
    """Hash a file that lies on the disk."""
    whole = sha256()
    size = 0
    with path.open("rb") as file:
        for chunk in _chunks(file.fileno()):
            whole.update(chunk)
            size += len(chunk)
    return Written(whole.digest(), size)


def _chunks(file: int) -> Iterator[bytes]:
    while chunk := os.read(file, _CHUNK):
        yield chunk
