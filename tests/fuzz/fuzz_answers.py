"""
Answers of a server: packed bodies in any pieces, and every document that is watched.

A packed body unpacks to the same bytes however it was cut, or is an error; and it
never gives more than the limit on its ratio.
"""

import gzip
from contextlib import suppress

from verifier.collect.decode import FREE_BYTES, RATIO, decoded
from verifier.collect.errors import CollectError
from verifier.errors import EvidenceError
from verifier.watch.documents import ROLES, records


def unpacked(data: bytes, step: int) -> bytes | None:
    """The body, sent in pieces of that size; None if it is refused."""
    pieces = (data[at : at + step] for at in range(0, len(data), step))
    try:
        return b"".join(decoded(pieces, "gzip"))
    except CollectError:
        return None


def one_input(data: bytes) -> None:
    """Unpack the bytes, pack and unpack them, and read them in every role."""
    whole = unpacked(data, 1 << 16)
    assert whole == unpacked(data, 4_093)
    assert len(whole or b"") <= max(FREE_BYTES, RATIO * len(data))
    assert unpacked(gzip.compress(data, 1), 4_093) in (data, None)
    for role in ROLES:
        with suppress(EvidenceError):
            list(records(role, "scope", data))
