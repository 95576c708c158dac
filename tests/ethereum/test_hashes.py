"""Keccak-256, RLP and tries against public vectors and their own definitions."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vectors import Row, cases, expected

from verifier.core.keccak import keccak256
from verifier.errors import FormatError
from verifier.ethereum.rlp import MAX_DEPTH, int_to_rlp, rlp_decode, rlp_encode
from verifier.ethereum.trie import ordered_trie_root, trie_root

items: st.SearchStrategy[Any] = st.recursive(
    st.binary(max_size=70), lambda below: st.lists(below, max_size=6), max_leaves=30
)


@pytest.mark.parametrize("row", cases("ethereum", "eip191/keccak256"))
def test_keccak(row: Row) -> None:
    """The digest is Keccak's, and never that of SHA3-256."""
    same = keccak256(bytes.fromhex(row["data_hex"])).hex() == row["keccak256"]
    assert same == (expected(row) == "accept")


def to_item(value: Any) -> Any:
    """A value of the RLP suite as an item: numbers, decimal numbers behind ``#``, text, lists."""
    if isinstance(value, list):
        return [to_item(entry) for entry in value]
    if isinstance(value, int):
        return int_to_rlp(value)
    return int_to_rlp(int(value[1:])) if value.startswith("#") else value.encode()


@pytest.mark.parametrize("row", cases("ethereum", "ethereum/rlp"))
def test_rlp(row: Row) -> None:
    """A value and its encoding lead to each other; every other encoding is refused."""
    data = bytes.fromhex(row["rlp"])
    if expected(row) == "accept":
        assert rlp_encode(to_item(row["value"])) == data
        assert rlp_decode(data) == to_item(row["value"])
    else:
        with pytest.raises(FormatError):
            rlp_decode(data)


class TestRlp:
    """A value has exactly one encoding."""

    @staticmethod
    @given(items)
    def test_round_trip(item: Any) -> None:
        """Decoding what was encoded gives the item back."""
        assert rlp_decode(rlp_encode(item)) == item

    @staticmethod
    @given(st.binary(max_size=90))
    def test_no_second_spelling(data: bytes) -> None:
        """Bytes are either refused or the encoding of what they decode to."""
        try:
            item = rlp_decode(data)
        except FormatError:
            return
        assert rlp_encode(item) == data

    @staticmethod
    def test_depth_is_limited() -> None:
        """Nesting up to the limit is read, beyond it is an error and not a crash."""
        assert rlp_decode(b"\xc2\xc1\xc0") == [[[]]]
        nested: Any = []
        for _ in range(MAX_DEPTH - 1):
            nested = [nested]
        assert rlp_decode(rlp_encode(nested)) == nested
        with pytest.raises(FormatError, match="nest deeper"):
            rlp_decode(rlp_encode([nested]))

    @staticmethod
    def test_announced_length_is_not_believed() -> None:
        """A length far beyond the data is refused at once."""
        with pytest.raises(FormatError, match="has only"):
            rlp_decode(b"\xbf" + b"\xff" * 8 + b"data")


@pytest.mark.parametrize("row", cases("ethereum", "ethereum/trie_roots"))
def test_trie(row: Row) -> None:
    """The root depends on what the trie holds in the end, not on how it came there."""
    entries: dict[bytes, bytes] = {}
    for key, value in row["ops"]:
        place = keccak256(bytes.fromhex(key)) if row["secure"] else bytes.fromhex(key)
        entries[place] = bytes.fromhex(value or "")
    assert trie_root(entries).hex() == row["root"]


class TestTrie:
    """The root commits to every entry."""

    @staticmethod
    @given(
        st.dictionaries(st.binary(max_size=5), st.binary(min_size=1, max_size=40), min_size=1),
        st.data(),
    )
    def test_every_entry_counts(entries: dict[bytes, bytes], draw: st.DataObject) -> None:
        """Order does not matter; a value changed or an entry gone does."""
        top = trie_root(entries)
        assert trie_root(dict(reversed(entries.items()))) == top
        key = draw.draw(st.sampled_from(list(entries)))
        assert trie_root({**entries, key: entries[key] + b"\0"}) != top
        assert trie_root({**entries, key: b""}) != top

    @staticmethod
    def test_ordered_keys_are_rlp_of_the_index() -> None:
        """The trie of a block maps rlp(0), rlp(1), … to its items."""
        values = [bytes([i % 256]) * 40 for i in range(300)]
        entries = {rlp_encode(int_to_rlp(i)): value for i, value in enumerate(values)}
        assert ordered_trie_root(values) == trie_root(entries)
        assert ordered_trie_root(values[::-1]) != ordered_trie_root(values)
