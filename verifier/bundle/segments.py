"""
Segments of a long file of lines, so that several processes read it.

A segment is a run of whole lines with the hash of its bytes. The hashes are taken
in the one pass over the file that also compares it with what was hashed when the
bundle was opened. So a process that reads a segment and finds its hash has read
the bytes that the bundle's seal covers.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from verifier.errors import EvidenceError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Segment", "cut", "cut_off", "long_line"]


@dataclass(frozen=True, slots=True)
class Segment:
    """
    A run of lines.

    Args:
        path: The file.
        offset: Its first byte.
        size: Its bytes.
        line: Number of its first line, from 1.
        lines: How many it has.
        digest: The sha256 of its bytes.
    """

    path: str
    offset: int
    size: int
    line: int
    lines: int
    digest: bytes


def cut(path: str, chunks: Iterable[bytes], size: int, limit: int) -> Iterator[Segment]:
    """
    Cut a file at the first newline after every *size* bytes.

    Args:
        path: The file.
        chunks: Its bytes.
        size: Bytes of a segment, about.
        limit: Bytes of a line at most; longer ones that are whole are found by whoever
            reads the lines, as is a last line without an end, and others before they are held.

    Raises:
        LimitError: A line goes on beyond the limit.
    """
    held = bytearray()
    offset, line = 0, 1
    for chunk in chunks:
        start = max(size - 1, len(held))
        held += chunk
        while end := held.find(b"\n", start) + 1:
            made = _segment(path, offset, line, bytes(held[:end]))
            del held[:end]
            offset, line, start = offset + made.size, line + made.lines, size - 1
            yield made
        if len(held) - held.rfind(b"\n") - 1 > limit:
            raise long_line(path, line + held.count(b"\n"), limit)
    if held:
        yield _segment(path, offset, line, bytes(held))


def _segment(path: str, offset: int, line: int, data: bytes) -> Segment:
    return Segment(path, offset, len(data), line, data.count(b"\n"), sha256(data).digest())


def long_line(path: str, number: int, limit: int) -> LimitError:
    """Say that a line is over the limit."""
    error = LimitError(f"a line of over {limit} bytes", limit="line_bytes", file=path)
    error.line = number
    return error


def cut_off(path: str, number: int, end: int) -> EvidenceError:
    """Say that the last line has no end."""
    return EvidenceError(
        "the last line does not end in a newline", file=path, line=number, offset=end
    )
