"""
The evidence as the site offers it: every file of a bundle, and the bundle as one zip.

A file lies at ``evidence/<first 16 hex of the bundle's sha256>/<its path>`` with its
exact bytes, so that the site itself can be audited. Two seasons of one bundle share
one copy.
"""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sitegen.model import Copy
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from verifier.bundle import Bundle

__all__ = ["EvidenceChapter"]

_SHARE: Final = 256
"""Files that one unit copies."""

_CHUNK: Final = 1 << 20
_ARCHIVE: Final = "zip"


class EvidenceChapter:
    """
    Copies one bundle.

    Args:
        bundle: The bundle, opened and hashed.
        folder: Where its files go, ending in ``/``.
        archive: The zip that it was opened from.
    """

    def __init__(self, bundle: Bundle, folder: str, archive: Path) -> None:
        self._bundle = bundle
        self._folder = folder
        self._archive = archive

    def units(self) -> Sequence[str]:
        """Name the shares, and the archive."""
        shares = range(0, len(self._bundle.inventory.paths), _SHARE)
        return (*map(str, shares), _ARCHIVE)

    def artifacts(self, unit: str) -> Iterator[Copy]:
        """Copy one share."""
        if unit == _ARCHIVE:
            yield Copy(
                path=f"{self._folder.rstrip('/')}.zip",
                chunks=partial(_file_chunks, self._archive),
                sha256=_digest(self._archive),
            )
            return
        inventory = self._bundle.inventory
        for at in range(int(unit), min(int(unit) + _SHARE, len(inventory.paths))):
            path = inventory.paths[at]
            yield Copy(
                path=self._folder + path,
                chunks=partial(self._bundle.source.chunks, path, inventory.sizes[at]),
                sha256=inventory.digest(at),
            )


def _file_chunks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise SiteError(f"{path}: cannot be read: {error.strerror}") from None


def _digest(path: Path) -> str:
    whole = sha256()
    for chunk in _file_chunks(path):
        whole.update(chunk)
    return whole.hexdigest()
