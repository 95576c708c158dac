"""Reading a single file that the caller names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.errors import EvidenceError, LimitError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE_BYTES", "read_file"]

FILE_BYTES: Final = 256 << 20


def read_file(path: Path) -> bytes:
    """
    Read a whole file.

    Raises:
        LimitError: It is larger than 256 MiB.
        EvidenceError: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except OSError as error:
        raise EvidenceError(f"cannot be read: {error.strerror}", file=str(path)) from None
    if len(data) > FILE_BYTES:
        raise LimitError(f"over {FILE_BYTES} bytes", limit="file of 256 MiB", file=str(path))
    return data
