"""
Chain records: what an RPC node said about an anchor's transaction.

``arcana/chain/<tx hash>.json`` holds ``{"transaction", "receipt", "block"}``,
JSON-RPC results as they were received; a node's "not known" is a null. With a
block there may be ``transaction_proof`` and ``receipt_proof``, each a list of the
nodes (``0x`` and hex) from the header's root down to the item: what a light
client needs to trust the block's hash alone. The file must be JSON; what its
values are is for step 8 to judge.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError
from verifier.ethereum.fields import quantity
from verifier.ethereum.transaction import transaction_from_rpc

if TYPE_CHECKING:
    from verifier.arcana.rows import Anchor
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

__all__ = [
    "ChainPlace",
    "ChainRecord",
    "chain_path",
    "chain_place",
    "comes_before",
    "read_chain_record",
]


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """The stored answers of a node; each is None where the node knew nothing."""

    transaction: JsonValue
    receipt: JsonValue
    block: JsonValue
    transaction_proof: JsonValue = None
    receipt_proof: JsonValue = None

    def position(self) -> tuple[int | None, int | None]:
        """Return (block number, transaction index) as the receipt states them."""
        receipt = self.receipt if isinstance(self.receipt, dict) else {}
        return _quantity(receipt, "blockNumber"), _quantity(receipt, "transactionIndex")


@dataclass(frozen=True, slots=True)
class ChainPlace:
    """
    Where on the chain an anchor's transaction is; None for what nothing tells.

    Args:
        block: Number of its block, the receipt's or else the anchor's.
        index: Its index in the block, as the receipt states it.
        nonce: The transaction's own, or else the anchor's.
    """

    block: int | None
    index: int | None
    nonce: int | None


def comes_before(one: tuple[int, int | None], two: tuple[int, int | None]) -> bool:
    """
    Tell whether a (block, transaction index) is before another, as far as they are known.

    >>> comes_before((7, 2), (7, 1)), comes_before((7, None), (7, 1))
    (False, True)
    """
    if one[0] != two[0] or one[1] is None or two[1] is None:
        return one[0] <= two[0]
    return one[1] < two[1]


def chain_path(tx_hash: str) -> str:
    """Name the chain file of a transaction."""
    return f"arcana/chain/{tx_hash}.json"


def read_chain_record(bundle: Bundle, tx_hash: str) -> ChainRecord | None:
    """
    Read the chain file of a transaction; None when the bundle has none.

    Raises:
        EvidenceError: The file is no JSON, or no object with these members.
    """
    path = chain_path(tx_hash)
    if not bundle.has(path):
        return None
    try:
        record = Obj(
            read_json(bundle.read(path)), ("transaction", "receipt"), ("block",), open_ended=True
        )
    except EvidenceError as error:
        raise error.in_file(path) from None
    return ChainRecord(
        record.value["transaction"],
        record.value["receipt"],
        *map(record.value.get, ("block", "transaction_proof", "receipt_proof")),
    )


def chain_place(bundle: Bundle, anchor: Anchor) -> ChainPlace:
    """
    Find where on the chain an anchor is, as far as its record or the anchor says.

    Raises:
        EvidenceError: As :func:`read_chain_record`.
    """
    record = None if anchor.tx_hash is None else read_chain_record(bundle, anchor.tx_hash)
    if record is None:
        return ChainPlace(anchor.block_number, None, anchor.nonce)
    block, index = record.position()
    try:
        nonce: int | None = transaction_from_rpc(record.transaction).nonce
    except FormatError:
        nonce = anchor.nonce  # step 8 reports the transaction itself
    return ChainPlace(anchor.block_number if block is None else block, index, nonce)


def _quantity(receipt: dict[str, JsonValue], name: str) -> int | None:
    # A malformed quantity is step 8's to report; here it is merely unknown.
    try:
        return quantity(receipt, name)
    except FormatError:
        return None
