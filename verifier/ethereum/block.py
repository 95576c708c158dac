"""
Block headers and receipts, rebuilt from what a JSON-RPC node says about them.

The block hash is Keccak-256 of the header's RLP. The header has grown with the
forks, and only whole steps exist:

======  ==========================================================
fields  fork that added the last of them
======  ==========================================================
15      Frontier
16      London: ``baseFeePerGas``
17      Shanghai: ``withdrawalsRoot``
20      Cancun: ``blobGasUsed excessBlobGas parentBeaconBlockRoot``
21      Prague: ``requestsHash``
======  ==========================================================

A header is encoded with exactly the fields that are there, in the order of
:data:`HEADER_FIELDS`. Anyone can make a header that hashes to its own claim, so
the hash proves nothing until it is found in a place that is trusted.

A receipt is encoded as ``rlp([status, cumulativeGasUsed, logsBloom, logs])``
(before Byzantium the 32-byte ``root`` instead of the status), behind its type byte
unless the type is 0.

Source:
    Ethereum Yellow Paper, section 4.3; EIP-658, EIP-1559, EIP-2718, EIP-4788,
    EIP-4844, EIP-4895, EIP-7685.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.keccak import keccak256
from verifier.errors import FormatError
from verifier.ethereum import fields
from verifier.ethereum.rlp import int_to_rlp, rlp_decode, rlp_encode
from verifier.ethereum.transaction import is_supported, transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_root

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue
    from verifier.ethereum.rlp import RlpItem

__all__ = [
    "HEADER_FIELDS",
    "Header",
    "header_from_rlp",
    "header_from_rpc",
    "receipt_from_rpc",
    "transactions_root",
]

_QUANTITY: Final = 0  # in place of a length
_ANY: Final = None

HEADER_FIELDS: Final[tuple[tuple[str, int | None], ...]] = (
    ("parentHash", 32),
    ("sha3Uncles", 32),
    ("miner", 20),
    ("stateRoot", 32),
    ("transactionsRoot", 32),
    ("receiptsRoot", 32),
    ("logsBloom", 256),
    ("difficulty", _QUANTITY),
    ("number", _QUANTITY),
    ("gasLimit", _QUANTITY),
    ("gasUsed", _QUANTITY),
    ("timestamp", _QUANTITY),
    ("extraData", _ANY),
    ("mixHash", 32),
    ("nonce", 8),
    ("baseFeePerGas", _QUANTITY),
    ("withdrawalsRoot", 32),
    ("blobGasUsed", _QUANTITY),
    ("excessBlobGas", _QUANTITY),
    ("parentBeaconBlockRoot", 32),
    ("requestsHash", 32),
)
"""Name in JSON-RPC and length in bytes; 0 for a quantity, None for any length."""

_COUNTS: Final = (15, 16, 17, 20, 21)
_POSITION: Final = {name: i for i, (name, _) in enumerate(HEADER_FIELDS)}


@dataclass(frozen=True, slots=True)
class Header:
    """
    A block header, well formed and nothing more.

    Args:
        items: The fields as RLP strings, in the order of :data:`HEADER_FIELDS`.
    """

    items: tuple[bytes, ...]

    @property
    def encoded(self) -> bytes:
        """The header's RLP."""
        return rlp_encode(self.items)

    @property
    def hash(self) -> bytes:
        """The 32-byte block hash."""
        return keccak256(self.encoded)

    @property
    def number(self) -> int:
        """Height of the block."""
        return self._quantity("number")

    @property
    def timestamp(self) -> int:
        """Seconds since 1970-01-01T00:00:00Z."""
        return self._quantity("timestamp")

    @property
    def parent_hash(self) -> bytes:
        """Hash of the block before."""
        return self.items[_POSITION["parentHash"]]

    @property
    def transactions_root(self) -> bytes:
        """Root of the trie of the block's transactions."""
        return self.items[_POSITION["transactionsRoot"]]

    @property
    def receipts_root(self) -> bytes:
        """Root of the trie of the block's receipts."""
        return self.items[_POSITION["receiptsRoot"]]

    def _quantity(self, name: str) -> int:
        return int.from_bytes(self.items[_POSITION[name]], "big")


def header_from_rpc(value: JsonValue) -> Header:
    """
    Read the header out of the block object of ``eth_getBlockByNumber`` or ``…ByHash``.

    Raises:
        FormatError: A member is missing or not spelled as JSON-RPC demands, or
            the fields that are there are of no known fork.
    """
    obj = fields.members(value, "block")
    count = len(HEADER_FIELDS)
    while not fields.is_given(obj, HEADER_FIELDS[count - 1][0]) and count > _COUNTS[0]:
        count -= 1
    _check_count(count)
    return Header(
        tuple(
            int_to_rlp(fields.quantity(obj, name, bits=256))
            if length == _QUANTITY
            else fields.data(obj, name, length=length)
            for name, length in HEADER_FIELDS[:count]
        )
    )


def header_from_rlp(data: bytes) -> Header:
    """
    Read a header from its RLP.

    Raises:
        FormatError: Not strict RLP, or not a list of header fields.
    """
    decoded = rlp_decode(data)
    if isinstance(decoded, bytes):
        raise FormatError("header is not an RLP list")
    _check_count(len(decoded))
    items = []
    for item, (name, length) in zip(decoded, HEADER_FIELDS, strict=False):
        if not isinstance(item, bytes):
            raise FormatError(f"header field {name} is a list")
        if length == _QUANTITY:
            if len(item) > 32 or item[:1] == b"\0":
                raise FormatError(f"header field {name} is not a quantity")
        elif length is not None and len(item) != length:
            raise FormatError(f"header field {name} has {len(item)} bytes, not {length}")
        items.append(item)
    return Header(tuple(items))


def _check_count(count: int) -> None:
    if count not in _COUNTS:
        raise FormatError(f"header has {count} fields, which no fork has")


def transactions_root(transactions: Sequence[JsonValue]) -> bytes | None:
    """
    Recompute ``transactionsRoot`` from the transactions of a full block.

    Returns:
        The root; None if any of them is only a hash or of a type that cannot be
        encoded here, so that there is no telling.

    Raises:
        FormatError: A transaction of a known type is malformed.
    """
    if not all(map(is_supported, transactions)):
        return None
    return ordered_trie_root([transaction_from_rpc(tx).encoded for tx in transactions])


def receipt_from_rpc(value: JsonValue) -> bytes:
    """
    Return the encoding of a receipt as the receipts trie holds it.

    Args:
        value: Result of ``eth_getTransactionReceipt``; a missing type means 0.

    Raises:
        FormatError: A member is missing or not spelled as JSON-RPC demands.
    """
    obj = fields.members(value, "receipt")
    kind = fields.quantity(obj, "type", bits=8) if "type" in obj else 0
    # EIP-2718 ends the type bytes where the heads of RLP lists may begin.
    if kind > 0x7F:
        raise FormatError(f"member type is {kind}, beyond 127")
    if fields.is_given(obj, "status"):
        outcome = int_to_rlp(fields.quantity(obj, "status", bits=8))
        if outcome not in (b"", b"\1"):
            raise FormatError("member status is neither 0x0 nor 0x1")
    else:
        outcome = fields.data(obj, "root", length=32)
    logs: list[RlpItem] = []
    for entry in fields.items(obj, "logs"):
        log = fields.members(entry, "entry of logs")
        topics = [fields.to_bytes(t, "topic", length=32) for t in fields.items(log, "topics")]
        address, payload = fields.data(log, "address", length=20), fields.data(log, "data")
        logs.append([address, topics, payload])
    body = rlp_encode(
        [
            outcome,
            int_to_rlp(fields.quantity(obj, "cumulativeGasUsed")),
            fields.data(obj, "logsBloom", length=256),
            logs,
        ]
    )
    return bytes([kind]) + body if kind else body
