"""Transactions rebuilt from JSON-RPC objects, and who signed them."""

import json
from typing import Any, Final

import pytest
from coincurve import PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES
from vectors import Row

from verifier.errors import FormatError
from verifier.ethereum.signature import ORDER, recover_address
from verifier.ethereum.transaction import transaction_from_rpc

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
    @pytest.mark.parametrize("parity", [-1, 2, 27])
    def test_parity(parity: int) -> None:
        """There are two points to choose from; libraries know two more and get none of them."""
        with pytest.raises(FormatError, match="parity"):
            recover_address(bytes(32), 1, 1, parity)

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


def address_of(key: PrivateKey) -> str:
    """Address by the definition: the end of the hash of the uncompressed point."""
    from verifier.core.keccak import keccak256  # noqa: PLC0415 - beside its one use

    return "0x" + keccak256(key.public_key.format(compressed=False)[1:])[-20:].hex()
