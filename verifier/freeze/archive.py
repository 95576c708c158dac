"""
A bundle as the one zip archive that it has: the same bytes from any copy of it.

Members are stored, not packed, and stand in the order of the bytes of their
paths; all are dated 1980-01-01 and are plain files that everybody may read.
There are no extra fields but the Zip64 one, which a member of 2 GiB needs.
"""

from __future__ import annotations

import stat
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.bundle import Bundle

__all__ = ["write_archive"]

_UNIX: Final = 3
_MODE: Final = (stat.S_IFREG | 0o644) << 16
_DATE: Final = (1980, 1, 1, 0, 0, 0)


def write_archive(
    bundle: Bundle, out: IO[bytes], *, progress: Callable[[int, int], None] | None = None
) -> None:
    """
    Write a bundle as a zip, file after file.

    What is written is what is read now. Only opening the archive, and comparing
    its seal with the bundle's, tells that this is what was hashed before.

    Args:
        bundle: The bundle.
        out: A file that can be written and sought.
        progress: Called with the bytes done, and of how many.

    Raises:
        BundleError: A file can no longer be read.
    """
    from zipfile import ZIP_STORED, ZipFile, ZipInfo  # noqa: PLC0415 - not for reading seasons

    inventory = bundle.inventory
    total = sum(inventory.sizes)
    done = 0
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for path, size in zip(inventory.paths, inventory.sizes, strict=True):
            member = ZipInfo(path, _DATE)
            member.create_system = _UNIX
            member.external_attr = _MODE
            member.file_size = size
            with archive.open(member, "w") as file:
                for chunk in bundle.source.chunks(path, size):
                    file.write(chunk)
                    done += len(chunk)
                    if progress is not None:
                        progress(done, total)
