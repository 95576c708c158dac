"""Headers, receipts and roots of blocks rebuilt from JSON-RPC objects."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from shared import FIXTURES
from vectors import Row, cases, expected

from verifier.errors import FormatError
from verifier.ethereum.block import (
    Header,
    header_from_rlp,
    header_from_rpc,
    receipt_from_rpc,
    transactions_root,
)
from verifier.ethereum.rlp import rlp_decode
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_root

ANCHOR: Final = json.loads((FIXTURES / "vectors/ethereum/anchor-transaction.json").read_bytes())
ANCHOR_TX: Final[Row] = ANCHOR["rpc"]["eth_getTransactionByHash"]["result"]


@pytest.mark.parametrize("row", cases("ethereum", "ethereum/headers"))
def test_header(row: Row) -> None:
    """A header's bytes hash to the block hash, are strict RLP and hold the stated fields."""
    raw = bytes.fromhex(row["header_rlp"])
    if expected(row) == "reject":
        with pytest.raises((FormatError, AssertionError)):
            assert header_from_rlp(raw).hash.hex() == row["hash"]
        return
    header = header_from_rlp(raw)
    assert (header.hash.hex(), header.encoded) == (row["hash"], raw)
    if expected(row) == "accept":
        stated = {
            "number": header.number,
            "timestamp": header.timestamp,
            "parent": header.parent_hash.hex(),
            "transactions_root": header.transactions_root.hex(),
            "receipts_root": header.receipts_root.hex(),
        }
        assert stated == {name: row.get(name, stated[name]) for name in stated}


@pytest.mark.parametrize("row", cases("ethereum", "ethereum/rpc_headers"))
def test_rpc_header(row: Row) -> None:
    """The hash of an RPC block is recomputed from its fields; a node's lie shows."""
    if expected(row) == "accept":
        header = header_from_rpc(row["block"])
        assert header.hash.hex() == row["hash"]
        assert header.encoded.hex() == row["header_rlp"]
    else:
        with pytest.raises((FormatError, AssertionError)):
            assert header_from_rpc(row["block"]).hash.hex() == row["hash"]


LEGACY_TX: Final[Row] = {**ANCHOR_TX, "type": "0x0", "v": "0x1b", "yParity": None}

HEX32: Final = "0x" + "11" * 32
BLOCK: Final[Row] = {
    "parentHash": HEX32,
    "sha3Uncles": HEX32,
    "miner": "0x" + "22" * 20,
    "stateRoot": HEX32,
    "transactionsRoot": HEX32,
    "receiptsRoot": HEX32,
    "logsBloom": "0x" + "00" * 256,
    "difficulty": "0x0",
    "number": "0x10",
    "gasLimit": "0x1c9c380",
    "gasUsed": "0x0",
    "timestamp": "0x6aa5eb08",
    "extraData": "0x",
    "mixHash": HEX32,
    "nonce": "0x0000000000000000",
}
LATER: Final[Row] = {
    "baseFeePerGas": "0x7",
    "withdrawalsRoot": HEX32,
    "blobGasUsed": "0x0",
    "excessBlobGas": "0x0",
    "parentBeaconBlockRoot": HEX32,
    "requestsHash": HEX32,
}


class TestHeader:
    """A header is encoded with exactly the fields that are there."""

    @staticmethod
    @pytest.mark.parametrize("count", range(len(LATER) + 1))
    def test_whole_forks_only(count: int) -> None:
        """Fields of a fork come together; a header between two forks is refused."""
        block = {**BLOCK, **dict(list(LATER.items())[:count])}
        if 15 + count in (15, 16, 17, 20, 21):
            header = header_from_rpc(block)
            assert len(header.items) == 15 + count
            assert header_from_rlp(header.encoded) == header
            assert header_from_rpc({**dict.fromkeys(LATER), **block}) == header  # null is absent
        else:
            with pytest.raises(FormatError, match=f"header has {15 + count} fields"):
                header_from_rpc(block)

    @staticmethod
    @pytest.mark.parametrize("name", BLOCK)
    def test_missing_field(name: str) -> None:
        """Every field of the first fork is demanded by name."""
        with pytest.raises(FormatError, match=f"member {name} "):
            header_from_rpc({**BLOCK, name: None})

    @staticmethod
    @pytest.mark.parametrize("name", ["baseFeePerGas", "withdrawalsRoot", "blobGasUsed"])
    def test_gap(name: str) -> None:
        """A field left out before a later one is missed."""
        with pytest.raises(FormatError, match=f"member {name} "):
            header_from_rpc({**BLOCK, **LATER, name: None})

    @staticmethod
    @pytest.mark.parametrize(
        ("position", "item"),
        [
            (0, b"\x11" * 31),
            (2, b"\x22" * 21),
            (6, b""),
            (8, b"\x00\x10"),
            (8, b"\x01" * 33),
            (14, b"\x00" * 7),
        ],
    )
    def test_malformed_rlp_field(position: int, item: bytes) -> None:
        """Lengths and integers of the raw header are strict too."""
        fields = list(header_from_rpc(BLOCK).items)
        fields[position] = item
        with pytest.raises(FormatError, match="header field"):
            header_from_rlp(Header(tuple(fields)).encoded)

    @staticmethod
    def test_no_list() -> None:
        """A header is a list of strings."""
        with pytest.raises(FormatError, match="not an RLP list"):
            header_from_rlp(b"\x80")
        with pytest.raises(FormatError, match="parentHash is a list"):
            header_from_rlp(b"\xcf" + b"\xc0" * 15)


RECEIPT: Final[Row] = {
    "type": "0x2",
    "status": "0x1",
    "cumulativeGasUsed": "0x61a8",
    "logsBloom": "0x" + "00" * 256,
    "logs": [{"address": "0x" + "22" * 20, "topics": [HEX32], "data": "0x0102"}],
}


class TestReceipt:
    """A receipt is encoded as the receipts trie holds it."""

    @staticmethod
    def test_encoding() -> None:
        """Type byte, then status, gas, bloom and logs."""
        log = [b"\x22" * 20, [b"\x11" * 32], b"\x01\x02"]
        raw = receipt_from_rpc(RECEIPT)
        assert raw[0] == 2
        assert rlp_decode(raw[1:]) == [b"\x01", b"\x61\xa8", bytes(256), [log]]

    @staticmethod
    def test_variants() -> None:
        """Type 0 has no type byte, a failed one an empty status, an old one a state root."""
        legacy = receipt_from_rpc({**RECEIPT, "type": "0x0"})
        assert legacy == receipt_from_rpc(RECEIPT)[1:]
        assert rlp_decode(receipt_from_rpc({**RECEIPT, "status": "0x0"})[1:])[0] == b""
        old = {**RECEIPT, "type": "0x0", "status": None, "root": HEX32}
        assert rlp_decode(receipt_from_rpc(old))[0] == b"\x11" * 32

    @staticmethod
    @pytest.mark.parametrize(
        "change",
        [
            {"status": "0x2"},
            {"status": "0x01"},
            {"status": None},
            {"type": "0x80"},
            {"cumulativeGasUsed": "61a8"},
            {"logsBloom": "0x00"},
            {"logs": None},
            {"logs": [None]},
            {"logs": [{"address": "0x22", "topics": [], "data": "0x"}]},
            {"logs": [{"address": "0x" + "22" * 20, "topics": ["0x11"], "data": "0x"}]},
            {"logs": [{"address": "0x" + "22" * 20, "topics": None, "data": "0x"}]},
            {"logs": [{"address": "0x" + "22" * 20, "topics": []}]},
        ],
    )
    def test_malformed(change: Row) -> None:
        """A member in any other spelling is refused."""
        with pytest.raises(FormatError):
            receipt_from_rpc({**RECEIPT, **change})


class TestTransactionsRoot:
    """The root of a full block is recomputed where every transaction can be encoded."""

    @staticmethod
    def test_root() -> None:
        """Known types in full give the root, in their order."""
        encoded = [transaction_from_rpc(tx).encoded for tx in (LEGACY_TX, ANCHOR_TX)]
        assert transactions_root([LEGACY_TX, ANCHOR_TX]) == ordered_trie_root(encoded)

    @staticmethod
    @pytest.mark.parametrize(
        "other", [HEX32, None, {"type": "0x3"}, {"type": "0x6a"}, {"type": []}]
    )
    def test_no_telling(other: Any) -> None:
        """A bare hash or a type that is not known here leaves the root open."""
        assert transactions_root([ANCHOR_TX, other]) is None

    @staticmethod
    def test_malformed() -> None:
        """A known type that is malformed is an error, not an open question."""
        with pytest.raises(FormatError, match="member nonce"):
            transactions_root([{**ANCHOR_TX, "nonce": "0x07"}])


@pytest.mark.parametrize("value", [None, [], "0x", 1, 1.5, True])
def test_no_object(value: Any) -> None:
    """What is no object is no transaction, block or receipt."""
    for read in (transaction_from_rpc, header_from_rpc, receipt_from_rpc):
        with pytest.raises(FormatError, match="is not a JSON object"):
            read(value)


@pytest.mark.parametrize("read", [transaction_from_rpc, header_from_rpc, receipt_from_rpc])
def test_half_surrogates(read: Callable[[Any], Any]) -> None:
    """Text that no file can hold is refused like any other that is not hexadecimal."""
    everything = {**ANCHOR_TX, **BLOCK, **RECEIPT}
    for name in everything:
        try:
            read({**everything, name: "\ud800"})
        except FormatError as error:
            str(error).encode("ascii", "backslashreplace")
