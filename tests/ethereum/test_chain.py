"""Transactions, receipts and headers rebuilt from JSON-RPC objects."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from coincurve import PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES, SHARED, needs_shared
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
from verifier.ethereum.signature import ORDER
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_root

CHAIN: Final = SHARED / "reference/bundles/arcana-demo/arcana/chain"
ANCHOR: Final = json.loads((FIXTURES / "vectors/ethereum/anchor-transaction.json").read_bytes())
ANCHOR_TX: Final[Row] = ANCHOR["rpc"]["eth_getTransactionByHash"]["result"]

# The example of EIP-155: its key is 32 bytes of 46.
EIP155: Final[Row] = {
    "nonce": "0x9",
    "gasPrice": "0x4a817c800",
    "gas": "0x5208",
    "to": "0x3535353535353535353535353535353535353535",
    "value": "0xde0b6b3a7640000",
    "input": "0x",
    "v": "0x25",
    "r": "0x28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276",
    "s": "0x67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83",
}


def test_anchor_transaction() -> None:
    """Raw form, hash, signing hash and sender of the composed anchor are recomputed."""
    tx = transaction_from_rpc(ANCHOR_TX)
    assert "0x" + tx.encoded.hex() == ANCHOR["raw_tx"]
    assert "0x" + tx.hash.hex() == ANCHOR["tx_hash"]
    assert "0x" + tx.signing_hash.hex() == ANCHOR["signing_hash"]
    assert tx.sender() == ANCHOR["sender"]


def test_legacy_transaction() -> None:
    """EIP-155's own example: a signature of type 0 that is bound to chain 1."""
    tx = transaction_from_rpc(EIP155)
    assert (
        tx.signing_hash.hex() == "daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53"
    )
    assert (tx.chain_id, tx.sender()) == (1, "0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f")


@needs_shared
@pytest.mark.parametrize("path", sorted(CHAIN.glob("*.json")), ids=lambda path: path.stem[:10])
def test_chain_file(path: Any) -> None:
    """Hash and sender of a recorded transaction, hash and roots of its block, are recomputed."""
    record = json.loads(path.read_bytes())
    if record["transaction"] is None:
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


def signed_rpc(key: PrivateKey, unsigned: Row) -> Row:
    """Sign an RPC object: its signing hash does not depend on the signature that it has."""
    digest = transaction_from_rpc({**unsigned, "r": "0x1", "s": "0x1"}).signing_hash
    raw = key.sign_recoverable(digest, hasher=None)
    r, s = (hex(int.from_bytes(raw[i : i + 32], "big")) for i in (0, 32))
    return {**unsigned, "r": r, "s": s, "v": hex(int(unsigned["v"], 16) + raw[64])}


quantity = st.integers(0, 2**64 - 1).map(hex)
data = st.binary(max_size=80).map(lambda raw: "0x" + raw.hex())
word = st.binary(min_size=32, max_size=32).map(lambda raw: "0x" + raw.hex())
address = st.binary(min_size=20, max_size=20).map(lambda raw: "0x" + raw.hex())
access = st.lists(
    st.fixed_dictionaries({"address": address, "storageKeys": st.lists(word, max_size=3)}),
    max_size=3,
)
unsigned = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["0x0", "0x1", "0x2"]),
        "chainId": st.just("0x1237"),
        "nonce": quantity,
        "gasPrice": quantity,
        "maxFeePerGas": quantity,
        "maxPriorityFeePerGas": quantity,
        "gas": quantity,
        "to": st.none() | address,
        "value": quantity,
        "input": data,
        "accessList": access,
    }
)


class TestTransaction:
    """A transaction is what its own fields say."""

    @staticmethod
    @given(unsigned, st.integers(1, ORDER - 1), st.booleans())
    def test_sender_is_the_signer(tx: Row, secret: int, protected: bool) -> None:  # noqa: FBT001 - drawn
        """Whatever the fields, the sender recovered is who signed, and a changed one is not."""
        key = PrivateKey.from_int(secret)
        base = (27 if not protected else 35 + 2 * 0x1237) if tx["type"] == "0x0" else 0
        rpc = signed_rpc(key, {**tx, "v": hex(base)})
        signer = transaction_from_rpc(rpc).sender()
        changed = {**rpc, "nonce": "0x1" if rpc["nonce"] == "0x0" else "0x0"}
        try:
            other = transaction_from_rpc(changed).sender()
        except FormatError:
            return
        assert other != signer == address_of(key)

    @staticmethod
    def test_high_s_is_refused() -> None:
        """The mirrored signature names the same signer and is refused."""
        s = int(ANCHOR_TX["s"], 16)
        mirrored = {**ANCHOR_TX, "s": hex(ORDER - s), "v": "0x1", "yParity": "0x1"}
        with pytest.raises(FormatError, match=r"s is not in 1\.\.n/2"):
            transaction_from_rpc(mirrored).sender()

    @staticmethod
    @pytest.mark.parametrize(
        ("r", "s"), [("0x0", "0x1"), ("0x1", "0x0"), (hex(ORDER), "0x1"), ("0x5", "0x1")]
    )
    def test_signature_of_nobody(r: str, s: str) -> None:
        """Numbers out of range, and an r that is no point's, recover no sender."""
        with pytest.raises(FormatError):
            transaction_from_rpc({**ANCHOR_TX, "r": r, "s": s}).sender()

    @staticmethod
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("nonce", "0x07"),
            ("nonce", "0x"),
            ("nonce", "7"),
            ("nonce", 7),
            ("nonce", None),
            ("nonce", "-0x7"),
            ("nonce", "0X7"),
            ("nonce", "0x7\n"),
            ("nonce", "0x1_0"),
            ("nonce", "0x" + "f" * 17),
            ("value", "0x" + "f" * 65),
            pytest.param("value", "0x" + "f" * 1_000_000, id="value-long"),
            pytest.param("gas", 10**5000, id="gas-huge"),
            ("gas", "0x٤"),
            ("input", "0x0"),
            ("input", "41"),
            ("input", "0xzz"),
            ("to", "0x00"),
            ("to", ""),
            ("accessList", None),
            ("accessList", {}),
            ("accessList", [[]]),
            ("accessList", [{"address": "0x00", "storageKeys": []}]),
            ("accessList", [{"address": "0x" + "00" * 20, "storageKeys": ["0x00"]}]),
            ("accessList", [{"address": "0x" + "00" * 20}]),
            ("r", "0x" + "0" * 64),
            ("chainId", None),
            ("type", "0x3"),
            ("type", "0x02"),
            ("type", []),
            ("v", "0x1b"),
            ("v", "0x1"),
            ("yParity", "0x1"),
        ],
    )
    def test_malformed_member(name: str, value: Any) -> None:
        """A member in any other spelling is refused, by its name and in one line."""
        with pytest.raises(FormatError) as caught:
            transaction_from_rpc({**ANCHOR_TX, name: value})
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200
        inside = ("address", "storageKeys", "entry")  # of an access list
        assert any(part in str(caught.value) for part in (name, *inside))

    @staticmethod
    @pytest.mark.parametrize("name", sorted(set(ANCHOR_TX) - {"v", "yParity", "hash", "from"}))
    def test_missing_member(name: str) -> None:
        """What is signed must be there; what is not is not missed."""
        rest = {key: value for key, value in ANCHOR_TX.items() if key != name}
        if name in {"blockHash", "blockNumber", "transactionIndex", "gasPrice"}:
            assert transaction_from_rpc(rest) == transaction_from_rpc(ANCHOR_TX)
        else:
            with pytest.raises(FormatError):
                transaction_from_rpc(rest)

    @staticmethod
    @pytest.mark.parametrize("name", ["v", "yParity"])
    def test_one_parity_is_enough(name: str) -> None:
        """Nodes give ``v``, ``yParity`` or both."""
        rest = {key: value for key, value in ANCHOR_TX.items() if key != name}
        assert transaction_from_rpc(rest) == transaction_from_rpc(ANCHOR_TX)
        with pytest.raises(FormatError, match="missing"):
            transaction_from_rpc({**rest, "v": None, "yParity": None})

    @staticmethod
    @pytest.mark.parametrize(
        "change", [{"v": "0x1d"}, {"v": "0x0"}, {"yParity": "0x1"}, {"chainId": "0x2"}]
    )
    def test_legacy_members_agree(change: Row) -> None:
        """A legacy ``v`` is 27, 28 or bound to a chain, and the other members agree with it."""
        assert transaction_from_rpc({**EIP155, "yParity": "0x0", "chainId": "0x1"}).chain_id == 1
        with pytest.raises(FormatError):
            transaction_from_rpc({**EIP155, **change})

    @staticmethod
    @pytest.mark.parametrize("value", [None, [], "0x", 1, 1.5, True])
    def test_no_object(value: Any) -> None:
        """What is no object is no transaction, block or receipt."""
        for read in (transaction_from_rpc, header_from_rpc, receipt_from_rpc):
            with pytest.raises(FormatError, match="is not a JSON object"):
                read(value)


def address_of(key: PrivateKey) -> str:
    """Address by the definition: the end of the hash of the uncompressed point."""
    from verifier.core.keccak import keccak256  # noqa: PLC0415 - beside its one use

    return "0x" + keccak256(key.public_key.format(compressed=False)[1:])[-20:].hex()


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
        encoded = [transaction_from_rpc(tx).encoded for tx in (EIP155, ANCHOR_TX)]
        assert transactions_root([EIP155, ANCHOR_TX]) == ordered_trie_root(encoded)

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


@pytest.mark.parametrize("read", [transaction_from_rpc, header_from_rpc, receipt_from_rpc])
def test_half_surrogates(read: Callable[[Any], Any]) -> None:
    """Text that no file can hold is refused like any other that is not hexadecimal."""
    everything = {**ANCHOR_TX, **BLOCK, **RECEIPT}
    for name in everything:
        try:
            read({**everything, name: "\ud800"})
        except FormatError as error:
            str(error).encode("ascii", "backslashreplace")
