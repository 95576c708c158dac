"""
Decompression with bounded memory, for zip members and for ``.tar.gz``.

Nothing here trusts a stated size: data comes out in chunks, and who takes them
counts them and stops.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from verifier.bundle.sources import CHUNK
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["GZIP", "RAW", "inflate"]

RAW: Final = -15
GZIP: Final = 31


def inflate(pieces: Iterable[bytes], *, form: int) -> Iterator[bytes]:
    """
    Decompress a deflate stream, or gzip members one after another.

    Args:
        pieces: The compressed bytes in order.
        form: ``RAW`` for one bare stream, ``GZIP`` for gzip members.

    Yields:
        At most ``CHUNK`` bytes at a time, none of them empty.

    Raises:
        BundleError: Damaged, cut off, or followed by something else.
    """
    stream = zlib.decompressobj(form)
    try:
        for piece in pieces:
            left = piece
            while left:
                if stream.eof:
                    if form == RAW:
                        raise BundleError("data after the end of its compressed stream")
                    stream = zlib.decompressobj(form)
                data = stream.decompress(left, CHUNK)
                if data:
                    yield data
                left = stream.unconsumed_tail or stream.unused_data
        while not stream.eof:
            data = stream.decompress(b"", CHUNK)
            if not data:
                raise BundleError("its compressed stream is cut off")
            yield data
    except zlib.error as error:
        raise BundleError(f"its compressed stream is damaged: {error}") from None
