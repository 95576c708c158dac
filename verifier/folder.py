"""
A folder of the caller's that a command keeps its work in.

It may come out of a repository that strangers write to, so nothing is written
through a link; one process holds it at a time; and a file in it is there whole
or as it was before, whenever the process ends.
"""

from __future__ import annotations

import fcntl
import os
import stat
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.errors import FormatError, LimitError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BESIDE", "FILE_BYTES", "beside", "content_of", "hold", "place_in", "put"]

BESIDE: Final = ".tallyproof-"
"""How the names of files begin that have not taken their places yet."""

FILE_BYTES: Final = 1 << 30
"""Most bytes of a file that is taken from such a folder."""


def hold(folder: Path, doing: str) -> int:
    """
    Make a folder if it is not there, and keep other processes from working in it.

    Args:
        folder: The folder.
        doing: What it is held for, in one word: another ``fetch`` is writing there.

    Returns:
        A file descriptor; closing it lets the folder go, as the end of the process does.

    Raises:
        UsageError: Another process holds it, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise UsageError(f"{folder}: another {doing} is writing there") from None
    return lock


def place_in(folder: Path, path: str) -> Path:
    """
    Find the place of a file in a folder.

    Args:
        folder: The folder.
        path: Relative to it, ``/`` between its parts, none of them ``..``.

    Raises:
        UsageError: There is a link on the way.
    """
    place = folder
    for part in path.split("/"):
        place /= part
        if place.is_symlink():
            raise UsageError(f"{place}: is a link, and nothing is written through links")
    return place


def content_of(place: Path) -> bytes:
    """
    Read a file of such a folder.

    Raises:
        OSError: It is not there, or cannot be read.
        FormatError: It is no file: a pipe would be waited for, and a device has no end.
        LimitError: It is larger than 1 GiB.
    """
    handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FormatError("is no file", file=str(place))
        content = file.read(FILE_BYTES + 1)
    if len(content) > FILE_BYTES:
        raise LimitError(f"over {FILE_BYTES} bytes", limit="folder_bytes", file=str(place))
    return content


def beside(place: Path) -> Path:
    """Name the file in which a file is written before it takes its place."""
    # Shorter than any name that a file system refuses, whatever the name is that it will get.
    return place.with_name(f"{BESIDE}{sha256(place.name.encode()).hexdigest()[:16]}")


def put(place: Path, content: bytes, *, lasting: bool) -> None:
    """
    Write a file, whole or not at all.

    Args:
        place: As :func:`place_in` found it; its folder is made if it is not there.
        content: All of it.
        lasting: Whether it must outlast a power cut, which takes a while; what can be had
            again need not.

    Raises:
        OSError: It cannot be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    written = beside(place)
    written.unlink(missing_ok=True)  # it may be a link
    with written.open("xb") as file:
        file.write(content)
        if lasting:
            # On the disk before the rename is, or the name could be left without content.
            file.flush()
            os.fsync(file.fileno())
    written.replace(place)
