"""Bodies that were compressed on the way: whole and as they were, or refused."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.collect.decode import FREE_BYTES, RATIO, decoded
from verifier.collect.errors import CollectError, ExcessError


def pieces(data: bytes, size: int) -> list[bytes]:
    """Cut data as a network would."""
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(st.binary(max_size=2000), st.integers(1, 300), st.sampled_from(["gzip", "x-gzip", " GZip "]))
def test_gzip_gives_back_what_was_packed(data: bytes, size: int, encoding: str) -> None:
    """Wherever it was cut."""
    packed = gzip.compress(data, mtime=0)
    assert b"".join(decoded(pieces(packed, size), encoding)) == data
    assert b"".join(decoded(pieces(data, size), "")) == data
    assert b"".join(decoded(pieces(data, size), "identity")) == data


@given(st.binary(max_size=200), st.integers(1, 40), st.data())
def test_damaged_gzip_is_refused(data: bytes, size: int, draw: st.DataObject) -> None:
    """Cut off, followed by something, or altered: never taken for other bytes."""
    packed = gzip.compress(data, mtime=0)
    at = draw.draw(st.integers(0, len(packed) - 1))
    for damaged in (packed[:at], packed + b"x", packed + packed):
        with pytest.raises(CollectError):
            list(decoded(pieces(damaged, size), "gzip"))
    altered = bytearray(packed)
    altered[at] ^= draw.draw(st.integers(1, 255))
    try:
        found = b"".join(decoded(pieces(bytes(altered), size), "gzip"))
    except CollectError:
        return
    assert found == data  # a byte of the header that says nothing about the content


def test_a_bomb_is_not_unpacked() -> None:
    """No more comes out than the limits allow, and a chunk."""
    bomb = gzip.compress(bytes(8 * FREE_BYTES), mtime=0)
    sizes: list[int] = []
    with pytest.raises(ExcessError, match="limit ratio"):
        sizes.extend(map(len, decoded([bomb], "gzip")))
    assert max(sizes) <= 1 << 16
    assert sum(sizes) <= max(FREE_BYTES, RATIO * len(bomb))


def test_what_compresses_well_is_no_bomb() -> None:
    """Below the free size, the ratio does not matter."""
    data = bytes(FREE_BYTES)
    assert b"".join(decoded([gzip.compress(data, mtime=0)], "gzip")) == data


@pytest.mark.parametrize("encoding", ["br", "zstd", "deflate", "gzip, gzip", "x" * 100])
def test_other_encodings_are_refused(encoding: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(CollectError, match="content encoding"):
        list(decoded([zlib.compress(b"x")], encoding))
