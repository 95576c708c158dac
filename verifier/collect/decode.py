"""
Bodies as they were meant: of stated size, and unpacked within bounds.

The client asks for bodies that are not compressed, and takes ``gzip`` where a
server in between compresses all the same. Any other encoding is refused. What
comes out is counted while it comes out: never more than a chunk is unpacked
beyond the limit.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from verifier.collect.errors import CollectError, ExcessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["FREE_BYTES", "RATIO", "decoded"]

RATIO: Final = 200
"""Bytes that one compressed byte may become, once there are more than ``FREE_BYTES``."""
FREE_BYTES: Final = 8 << 20

_GZIP: Final = 16 + zlib.MAX_WBITS
_CHUNK: Final = 1 << 16


def decoded(chunks: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """
    Undo the content encoding of a body.

    Args:
        chunks: The body as it was sent.
        encoding: The header ``Content-Encoding``; empty without one.

    Yields:
        The body in pieces of at most 64 KiB where it was compressed.

    Raises:
        ExcessError: It unpacks to more than ``RATIO`` times its size.
        CollectError: The encoding is another, or the body is not of it.
    """
    match encoding.strip().lower():
        case "" | "identity":
            yield from chunks
        case "gzip" | "x-gzip":
            yield from _gunzip(chunks)
        case other:
            raise CollectError(f"an answer with the content encoding {other[:40]!r}")


def _gunzip(chunks: Iterable[bytes]) -> Iterator[bytes]:
    stream = zlib.decompressobj(_GZIP)
    packed = unpacked = 0
    for chunk in chunks:
        packed += len(chunk)
        rest = chunk
        while rest and not stream.eof:
            try:
                piece = stream.decompress(rest, _CHUNK)
            except zlib.error:
                raise CollectError("an answer that is said to be gzip and is not") from None
            rest = stream.unconsumed_tail
            unpacked += len(piece)
            if unpacked > max(FREE_BYTES, RATIO * packed):
                raise ExcessError(
                    f"{packed} bytes of gzip unpack to more than {RATIO} for one", limit="ratio"
                )
            yield piece
        if stream.eof and (rest or stream.unused_data):
            raise CollectError("an answer with bytes behind its gzip")
    if not stream.eof:
        raise CollectError("an answer whose gzip is cut off")
