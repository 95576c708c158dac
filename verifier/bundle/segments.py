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

__all__ = ["Segment", "cut", "long_line"]


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
        limit: Bytes of a line at most; longer ones are found by whoever reads the lines,
            unless they are longer than a segment.

    Raises:
        LimitError: A line is longer than a segment and the limit.
        EvidenceError: The last line does not end in a newline.
    """
    held = bytearray()
    offset, line = 0, 1
    for chunk in chunks:
        held += chunk
        end = held.rfind(b"\n") + 1
        if len(held) - end > limit:
            raise long_line(path, line + held.count(b"\n"), limit)
        if len(held) < size or not end:
            continue
        made = _segment(path, offset, line, bytes(held[:end]))
        del held[:end]
        offset, line = offset + made.size, line + made.lines
        yield made
    if held and not held.endswith(b"\n"):
        raise EvidenceError(
            "the last line does not end in a newline",
            file=path,
            line=line + held.count(b"\n"),
            offset=offset + len(held),
        )
    if held:
        yield _segment(path, offset, line, bytes(held))


def _segment(path: str, offset: int, line: int, data: bytes) -> Segment:
    return Segment(path, offset, len(data), line, data.count(b"\n"), sha256(data).digest())


def long_line(path: str, number: int, limit: int) -> LimitError:
    """Say that a line is over the limit."""
    error = LimitError(f"a line of over {limit} bytes", limit="line_bytes", file=path)
    error.line = number
    return error
