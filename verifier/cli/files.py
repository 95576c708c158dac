"""Reading a single file that the caller names."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from verifier.errors import EvidenceError, LimitError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILE_BYTES", "read_file"]

FILE_BYTES: Final = 256 << 20


def read_file(path: Path) -> bytes:
    """
    Read a whole file, or all that comes through a pipe.

    Raises:
        LimitError: It is larger than 256 MiB.
        EvidenceError: It cannot be read, or is a pipe that nobody writes to.
    """
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            data = file.read(FILE_BYTES + 1)
            if not data and stat.S_ISFIFO(os.fstat(file.fileno()).st_mode):
                raise EvidenceError("is a pipe that nobody writes to", file=str(path))
    except OSError as error:
        raise EvidenceError(f"cannot be read: {error.strerror}", file=str(path)) from None
    if len(data) > FILE_BYTES:
        raise LimitError(f"over {FILE_BYTES} bytes", limit="input_bytes", file=str(path))
    return data


def _without_waiting(path: str, flags: int) -> int:
    # Opening a named pipe waits for its writer, for ever if there is none.
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    return handle
