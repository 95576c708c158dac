"""
Step 8, one transaction: what it, its receipt and its block say, laid beside the anchor.

Each function looks at one thing, so that an audit puts them together into one
claim, and a check against a node tells them apart. A record may hold proofs
that the block's tries hold the transaction and the receipt: then these rest on
the block's hash alone, and on nobody's word.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from verifier.errors import FormatError, ProofError
from verifier.ethereum.block import (
    HEADER_FIELDS,
    Header,
    header_from_rpc,
    receipt_from_rpc,
    transactions_root,
)
from verifier.ethereum.fields import items, members, to_bytes
from verifier.ethereum.inclusion import check_indexed
from verifier.ethereum.trie import ordered_trie_root

if TYPE_CHECKING:
    from verifier.arcana.chainrecord import ChainRecord
    from verifier.arcana.rows import Anchor
    from verifier.claim import Claim
    from verifier.core.jsonread import JsonValue
    from verifier.ethereum.transaction import Transaction
    from verifier.policy import ArcanaPolicy

__all__ = [
    "ARCANA_CHAIN",
    "PAYLOAD",
    "check_block",
    "check_chain_ids",
    "check_payload",
    "check_place",
    "check_sender",
    "check_status",
    "header_of",
]

PAYLOAD: Final = "415243414e410001"  # "ARCANA", 00, 01; then the root
FEE_MARKET: Final = 2
ARCANA_CHAIN: Final = 4663
LONDON_FIELDS: Final = 16


def check_payload(claim: Claim, anchor: Anchor, transaction: Transaction) -> None:
    """Compare what the transaction's own fields say with the anchor."""
    claim.equal("the transaction's hash", anchor.tx_hash, _hex(transaction.hash))
    claim.equal("the transaction type", transaction.type, FEE_MARKET)
    claim.equal("the access list", len(transaction.access_list), 0)
    claim.equal("the value sent", transaction.value, 0)
    claim.equal("the input", _hex(transaction.input), f"0x{PAYLOAD}{anchor.root.lower()}")
    if anchor.nonce is not None:
        claim.equal("the nonce", anchor.nonce, transaction.nonce, pointer="/nonce")
    if anchor.raw_tx is not None:
        claim.equal(
            "the raw transaction",
            anchor.raw_tx.lower(),
            _hex(transaction.encoded),
            pointer="/raw_tx",
        )


def check_chain_ids(
    claim: Claim, policy: ArcanaPolicy, anchor: Anchor, transaction: Transaction
) -> None:
    """Anchor and transaction are of the chain that the policy names."""
    claim.equal("the anchor's chain id", anchor.chain_id, policy.chain_id)
    claim.equal("the transaction's chain id", transaction.chain_id, policy.chain_id)


def check_sender(
    claim: Claim,
    policy: ArcanaPolicy,
    anchor: Anchor,
    transaction: Transaction,
    record: ChainRecord,
) -> None:
    """One address signed, paid and was paid, and the policy trusts it."""
    assert isinstance(record.transaction, dict)
    assert isinstance(record.receipt, dict)
    sender = anchor.sender.lower()
    named = {
        "the transaction's from": _lower(record.transaction.get("from")),
        "the transaction's to": _hex(transaction.to),
        "the receipt's from": _lower(record.receipt.get("from")),
        "the receipt's to": _lower(record.receipt.get("to")),
    }
    claim.equal("the signer recovered from the transaction", transaction.sender(), sender)
    for what, address in named.items():
        claim.equal(what, address, sender)
    trusted = policy.senders
    if trusted and sender not in trusted:
        claim.fail(
            "the sender is none that the policy trusts",
            published=anchor.sender,
            recomputed=" or ".join(trusted),
            pointer="/sender",
        )


def check_status(claim: Claim, record: ChainRecord) -> None:
    """The transaction succeeded."""
    assert isinstance(record.receipt, dict)
    claim.equal("the receipt's status", record.receipt.get("status"), "0x1")


def check_place(claim: Claim, anchor: Anchor, record: ChainRecord) -> None:
    """Transaction, receipt and anchor name the same place on the chain."""
    transaction, receipt = record.transaction, record.receipt
    assert isinstance(transaction, dict)
    assert isinstance(receipt, dict)
    claim.equal("the transaction's stated hash", _lower(transaction.get("hash")), anchor.tx_hash)
    claim.equal(
        "the receipt's transaction hash", _lower(receipt.get("transactionHash")), anchor.tx_hash
    )
    # Silence on all sides is no agreement.
    block_hash = _lower(receipt.get("blockHash"))
    if anchor.block_number is None or block_hash is None or record.position()[1] is None:
        claim.fail(
            "block number, block hash and transaction index are not all stated",
            published=anchor.tx_hash,
        )
        return
    number = hex(anchor.block_number)
    for what, answer in (("transaction", transaction), ("receipt", receipt)):
        claim.equal(f"the {what}'s block number", _lower(answer.get("blockNumber")), number)
    claim.equal("the block hash", _lower(transaction.get("blockHash")), block_hash)
    claim.equal(
        "the transaction index",
        _lower(transaction.get("transactionIndex")),
        _lower(receipt.get("transactionIndex")),
    )


def header_of(block: dict[str, JsonValue], chain_id: int) -> Header:
    """
    Read the header of a block.

    ARCANA's chain has headers of London's 16 fields, and whatever else a node adds
    is not hashed; on any other chain it is what is there.

    Raises:
        FormatError: A field is missing or malformed.
    """
    if chain_id != ARCANA_CHAIN:
        return header_from_rpc(block)
    header = header_from_rpc({name: block.get(name) for name, _ in HEADER_FIELDS[:LONDON_FIELDS]})
    if len(header.items) != LONDON_FIELDS:
        raise FormatError("member baseFeePerGas is missing")
    return header


def check_block(
    claim: Claim,
    chain_id: int,
    anchor: Anchor,
    transaction: Transaction,
    record: ChainRecord,
) -> None:
    """
    Check that the block hashes to its hash, holds the transaction, and is no older than the leaves.

    Args:
        claim: Where to say what is wrong.
        chain_id: The chain that the record is of, which decides how a header is hashed.
        anchor: As published.
        transaction: Its transaction, rebuilt.
        record: What a node said.

    Raises:
        FormatError: The block is malformed.
    """
    assert isinstance(record.transaction, dict)
    assert isinstance(record.receipt, dict)
    block = members(record.block, "block")
    header = header_of(block, chain_id)
    claim.equal("the block's stated hash", _lower(block.get("hash")), _hex(header.hash))
    claim.equal(
        "the transaction's block hash",
        _lower(record.transaction.get("blockHash")),
        _hex(header.hash),
    )
    claim.equal("the block's number", header.number, anchor.block_number)
    listed = items(block, "transactions")
    index = record.position()[1]
    at_index = listed[index] if index is not None and index < len(listed) else None
    if isinstance(at_index, dict):
        at_index = at_index.get("hash")
    claim.equal("the transaction at its index in the block", _lower(at_index), anchor.tx_hash)
    _check_roots(claim, header, listed, transaction, record.receipt)
    if index is not None:
        _check_proofs(claim, header, index, transaction, record)
    for leaf in anchor.leaves:
        if _later_than(leaf.ts, header.timestamp):
            claim.fail(
                "a leaf was recorded after the block that holds it",
                published=leaf.ts,
                recomputed=f"block of second {header.timestamp} since 1970",
                pointer=f"/leaves/{leaf.index}",
            )


def _check_roots(
    claim: Claim,
    header: Header,
    listed: list[JsonValue],
    transaction: Transaction,
    receipt: JsonValue,
) -> None:
    """Check the tries as far as the block is there in full (clarification 39)."""
    alone = len(listed) == 1
    root = ordered_trie_root([transaction.encoded]) if alone else transactions_root(listed)
    if root is not None:
        claim.equal("the block's transactions root", header.transactions_root.hex(), root.hex())
    if alone:
        receipts = ordered_trie_root([receipt_from_rpc(receipt)])
        claim.equal("the block's receipts root", header.receipts_root.hex(), receipts.hex())


def _check_proofs(
    claim: Claim, header: Header, index: int, transaction: Transaction, record: ChainRecord
) -> None:
    """Check the proofs that the tries hold transaction and receipt, where they are given."""
    if record.transaction_proof is not None:
        _check_proof(
            *(claim, "transaction", header.transactions_root, index),
            *(transaction.encoded, record.transaction_proof),
        )
    if record.receipt_proof is not None:
        _check_proof(
            *(claim, "receipt", header.receipts_root, index),
            *(receipt_from_rpc(record.receipt), record.receipt_proof),
        )


def _check_proof(  # noqa: PLR0913, PLR0917 - what is known, and what is claimed of it
    claim: Claim, what: str, root: bytes, index: int, value: bytes, nodes: JsonValue
) -> None:
    proof = [to_bytes(node, f"node of {what}_proof") for node in items({"proof": nodes}, "proof")]
    try:
        check_indexed(root, index, value, proof)
    except ProofError as error:
        claim.fail(
            f"the proof that the block holds the {what} does not hold: {error}",
            published=root.hex(),
        )


def _later_than(ts: str, timestamp: int) -> bool:
    try:
        moment = datetime.fromisoformat(f"{ts[:19]}+00:00")
    except ValueError:
        return True  # a leaf without a time cannot be shown to be older than its block
    return int(moment.timestamp()) > timestamp


def _hex(data: bytes) -> str:
    return f"0x{data.hex()}"


def _lower(value: JsonValue) -> str | None:
    return value.lower() if isinstance(value, str) else None
