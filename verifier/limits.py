"""
Limits on what a bundle may make the verifier do.

A bundle is written by a stranger, so every count and size that it can choose
has an upper bound. The field names are the names of the limits in the caller's
policy and in the errors. The defaults let a year of a busy arena through (a
million calls with their raw responses) on an ordinary machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["RATIO_FREE_BYTES", "BundleLimits"]

KIB: Final = 1 << 10
MIB: Final = 1 << 20
GIB: Final = 1 << 30

RATIO_FREE_BYTES: Final = 64 * MIB
"""An archive that unpacks to no more than this is harmless, whatever its ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleLimits:
    """
    What a bundle may contain at most; counts and bytes, each at least 1.

    Args:
        files: Files and folders together.
        path_bytes: Bytes of one path in UTF-8.
        path_parts: Parts of one path, that is folders and the name.
        file_bytes: One file, unpacked.
        total_bytes: All files together, unpacked.
        read_bytes: One file that is taken into memory as a whole.
        line_bytes: One line of a file that is read by lines.
        sums_bytes: The file ``SHA256SUMS``.
        index_bytes: The file ``bundle.json``.
        archive_ratio: Unpacked bytes for each byte of an archive, once they exceed 64 MiB.
        spool_bytes: Temporary disk space for unpacking a ``.tar.gz``.
    """

    files: int = 4_000_000
    path_bytes: int = KIB
    path_parts: int = 32
    file_bytes: int = 4 * GIB
    total_bytes: int = 256 * GIB
    read_bytes: int = 256 * MIB
    line_bytes: int = 16 * MIB
    sums_bytes: int = GIB
    index_bytes: int = MIB
    archive_ratio: int = 200
    spool_bytes: int = 16 * GIB
