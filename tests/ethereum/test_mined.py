"""What real chains have mined, taken apart and put together again."""

import json
from collections.abc import Collection
from typing import Any, Final, cast

import pytest
from shared import SHARED, needs_shared
from vectors import Row, cases, expected

from verifier.errors import FormatError
from verifier.ethereum.block import (
    header_from_rpc,
    receipt_from_rpc,
)
from verifier.ethereum.rlp import rlp_decode
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_root

CHAIN: Final = SHARED / "reference/bundles/arcana-demo/arcana/chain"


@needs_shared
@pytest.mark.parametrize("path", sorted(CHAIN.glob("*.json")), ids=lambda path: path.stem[:10])
def test_chain_file(path: Any) -> None:
    """Hash and sender of a recorded transaction, hash and roots of its block, are recomputed."""
    record = json.loads(path.read_bytes())
    if record["transaction"] is None:  # a node's "not known"
        with pytest.raises(FormatError):
            transaction_from_rpc(record["transaction"])
        return
    tx = transaction_from_rpc(record["transaction"])
    assert "0x" + tx.hash.hex() == record["transaction"]["hash"] == path.stem
    assert tx.sender() == record["transaction"]["from"]
    if record["block"] is not None:
        header = header_from_rpc(record["block"])
        assert "0x" + header.hash.hex() == record["block"]["hash"]
        assert header.number == int(record["block"]["number"], 16)
        if len(record["block"]["transactions"]) == 1:
            assert header.transactions_root == ordered_trie_root([tx.encoded])
            assert header.receipts_root == ordered_trie_root([receipt_from_rpc(record["receipt"])])


def hexed(raw: bytes) -> str:
    """Bytes as JSON-RPC data."""
    return "0x" + raw.hex()


def number(raw: bytes) -> str:
    """An RLP integer as a JSON-RPC quantity."""
    return hex(int.from_bytes(raw, "big"))


NAMES: Final = {
    0: "nonce gasPrice gas to value input v r s",
    1: "chainId nonce gasPrice gas to value input accessList v r s",
    2: "chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList v r s",
}


def mined(name: str, raw: str, kinds: Collection[int]) -> list[Any]:
    """The sound rows of a file whose item *raw* is of one of *kinds*; or the skipped one."""
    return [
        case
        for case in cases("ethereum", f"ethereum/{name}")
        if not (row := cast("Row", case.values[0]))
        or (expected(row) == "accept" and kind_of(bytes.fromhex(row[raw])) in kinds)
    ]


def kind_of(raw: bytes) -> int:
    """Type of an encoded transaction or receipt: the first byte, unless that begins a list."""
    return raw[0] if raw[0] < 0xC0 else 0


@pytest.mark.parametrize("row", mined("tx_inclusion", "tx_raw", NAMES))
def test_mined_transaction(row: Row) -> None:
    """A mined transaction, taken apart into its members, is put together to the same bytes."""
    raw = bytes.fromhex(row["tx_raw"])
    kind = kind_of(raw)
    rpc: Row = {"type": hex(kind)}
    for name, item in zip(NAMES[kind].split(), rlp_decode(raw[kind > 0 :]), strict=True):
        if isinstance(item, bytes):
            rpc[name] = (hexed(item) if item else None) if name == "to" else number(item)
            rpc[name] = hexed(item) if name == "input" else rpc[name]
        else:
            rpc[name] = [
                {"address": hexed(address_), "storageKeys": [hexed(key) for key in keys]}
                for address_, keys in cast("list[tuple[bytes, list[bytes]]]", item)
            ]
    tx = transaction_from_rpc(rpc)
    assert (tx.encoded, tx.hash.hex()) == (raw, row["tx_hash"])
    assert len(tx.sender()) == 42


@pytest.mark.parametrize("row", mined("receipt_inclusion", "receipt_raw", range(4)))
def test_mined_receipt(row: Row) -> None:
    """A mined receipt, taken apart into its members, is put together to the same bytes."""
    raw = bytes.fromhex(row["receipt_raw"])
    kind = kind_of(raw)
    status, gas, bloom, logs = cast("list[Any]", rlp_decode(raw[kind > 0 :]))
    rpc: Row = {
        "type": hex(kind),
        "status": number(status),
        "cumulativeGasUsed": number(gas),
        "logsBloom": hexed(bloom),
        "logs": [
            {
                "address": hexed(where),
                "topics": [hexed(topic) for topic in topics],
                "data": hexed(more),
            }
            for where, topics, more in logs
        ],
    }
    assert receipt_from_rpc(rpc) == raw
