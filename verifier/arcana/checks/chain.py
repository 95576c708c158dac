"""
Step 8, the chain: an anchor's transaction is on it, and nobody else's.

A node's answers are claims. The hash is recomputed from the transaction's own
fields and the sender recovered from its signature, and only then compared
with what the anchor, the receipt and the policy say (clarifications 21 to 23,
30, 31 and 39). When the record holds the block, its header is hashed too.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import (
    ChainRecord,
    chain_path,
    comes_before,
    read_chain_record,
)
from verifier.arcana.checks.catalogue import ANCHOR
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.ethereum.block import (
    HEADER_FIELDS,
    Header,
    header_from_rpc,
    receipt_from_rpc,
    transactions_root,
)
from verifier.ethereum.fields import items, members
from verifier.ethereum.transaction import Transaction, transaction_from_rpc
from verifier.ethereum.trie import ordered_trie_root
from verifier.findings import Where

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import Anchor
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import ArcanaPolicy

PAYLOAD: Final = "415243414e410001"  # "ARCANA", 00, 01; then the root
FEE_MARKET: Final = 2
LONDON_FIELDS: Final = 16
_TX_HASH: Final = re.compile(r"0x[0-9a-f]{64}\Z")


def record_of(context: Context, anchor: Anchor) -> ChainRecord | None:
    """Read what the bundle holds of an anchor's transaction."""
    return None if anchor.tx_hash is None else read_chain_record(context.bundle, anchor.tx_hash)


def check_mined(
    claim: Claim, policy: ArcanaPolicy, anchor: Anchor, record: ChainRecord | None
) -> None:
    """Check the transaction, receipt and block of an anchor that says it is mined."""
    if anchor.tx_hash is None:
        claim.fail("a mined anchor names no transaction", pointer="/tx_hash")
        return
    if _TX_HASH.match(anchor.tx_hash) is None:
        claim.fail(
            "the transaction hash is not 0x and 64 lower-case hex digits",
            published=anchor.tx_hash,
            pointer="/tx_hash",
        )
        return
    if record is None:
        claim.unproven(
            "the chain record of the transaction is not there",
            published=chain_path(anchor.tx_hash),
        )
        return
    if not isinstance(record.transaction, dict) or not isinstance(record.receipt, dict):
        claim.fail("the chain does not know the transaction", published=anchor.tx_hash)
        return
    if record.receipt.get("blockNumber") is None:
        claim.fail("the transaction is in no block", published=anchor.tx_hash)
        return
    try:
        transaction = transaction_from_rpc(record.transaction)
        _check_transaction(claim, policy, anchor, transaction)
        _check_sender(claim, policy, anchor, transaction, record)
    except FormatError as error:
        claim.fail(f"the transaction cannot be rebuilt: {error}", published=anchor.tx_hash)
        return
    _check_place(claim, anchor, record)
    if record.block is not None:
        try:
            _check_block(claim, anchor, transaction, record)
        except FormatError as error:
            claim.fail(f"the block cannot be rebuilt: {error}", published=anchor.tx_hash)


def check_dropped(claim: Claim, anchor: Anchor, record: ChainRecord | None) -> None:
    """An anchor that was given up did not succeed on the chain."""
    if record is None or not isinstance(record.receipt, dict):
        return
    if record.receipt.get("status") == "0x1":
        claim.fail(
            "the chain says that the transaction succeeded",
            published=anchor.status,
            recomputed="mined",
            pointer="/status",
        )


def _check_transaction(
    claim: Claim, policy: ArcanaPolicy, anchor: Anchor, transaction: Transaction
) -> None:
    """Compare what the transaction itself says with the anchor and the policy."""
    claim.equal("the transaction's hash", anchor.tx_hash, _hex(transaction.hash))
    claim.equal("the transaction type", transaction.type, FEE_MARKET)
    claim.equal("the access list", len(transaction.access_list), 0)
    claim.equal("the value sent", transaction.value, 0)
    claim.equal("the input", _hex(transaction.input), f"0x{PAYLOAD}{anchor.root.lower()}")
    claim.equal("the anchor's chain id", anchor.chain_id, policy.chain_id)
    claim.equal("the transaction's chain id", transaction.chain_id, policy.chain_id)
    if anchor.nonce is not None:
        claim.equal("the nonce", anchor.nonce, transaction.nonce, pointer="/nonce")
    if anchor.raw_tx is not None:
        claim.equal(
            "the raw transaction",
            anchor.raw_tx.lower(),
            _hex(transaction.encoded),
            pointer="/raw_tx",
        )


def _check_sender(
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


def _check_place(claim: Claim, anchor: Anchor, record: ChainRecord) -> None:
    """Transaction, receipt and anchor name the same place on the chain."""
    transaction, receipt = record.transaction, record.receipt
    assert isinstance(transaction, dict)
    assert isinstance(receipt, dict)
    claim.equal("the receipt's status", receipt.get("status"), "0x1")
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


def _check_block(
    claim: Claim, anchor: Anchor, transaction: Transaction, record: ChainRecord
) -> None:
    """The block hashes to its hash, holds the transaction, and is no older than the leaves."""
    assert isinstance(record.transaction, dict)
    assert isinstance(record.receipt, dict)
    block = members(record.block, "block")
    # The chain's headers have London's 16 fields; whatever else a node adds is not hashed.
    header = header_from_rpc({name: block.get(name) for name, _ in HEADER_FIELDS[:LONDON_FIELDS]})
    if len(header.items) != LONDON_FIELDS:
        raise FormatError("member baseFeePerGas is missing")
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


def check_senders(context: Context) -> list[Finding]:
    """Without a trusted sender, all mined anchors share one, and whose it is stays unproven."""
    mined = [anchor for anchor in context.tables.anchors if anchor.status == "mined"]
    if context.policy.arcana.senders or not mined:
        return []
    claim = Claim(ANCHOR, "anchors", Where("arcana/anchors.jsonl"))
    senders = sorted({anchor.sender.lower() for anchor in mined})
    if len(senders) > 1:
        claim.fail(
            "the mined anchors have different senders",
            published=", ".join(senders),
            recomputed="one sender",
        )
    else:
        claim.unproven(
            "the policy names no trusted sender, so who wrote the anchors is not proved",
            published=senders[0],
        )
    return claim.found


def check_order(context: Context) -> list[Finding]:
    """Among the mined anchors of one sender, place and nonce rise with the id."""
    claim = Claim(ANCHOR, "anchors in order", Where("arcana/anchors.jsonl"))
    mined = [anchor for anchor in context.tables.anchors if anchor.status == "mined"]
    # What is not known of one anchor is passed over; its neighbours are still compared.
    places: dict[str, tuple[Anchor, tuple[int, int | None]]] = {}
    nonces: dict[str, tuple[Anchor, int]] = {}
    for anchor in sorted(mined, key=lambda anchor: anchor.anchor_id):
        sender = anchor.sender.lower()
        found = context.on_chain[anchor.line]
        if found.block is not None:
            place = (found.block, found.index)
            earlier, before = places.get(sender, (anchor, None))
            if before is not None and not comes_before(before, place):
                _fail_order(claim, "place", (earlier, before), (anchor, place))
            places[sender] = (anchor, place)
        if found.nonce is not None:
            earlier, used = nonces.get(sender, (anchor, None))
            if used is not None and used >= found.nonce:
                _fail_order(claim, "nonce", (earlier, used), (anchor, found.nonce))
            nonces[sender] = (anchor, found.nonce)
    return (
        claim.close("the anchors' ids, places on the chain and nonces rise together")
        if mined
        else []
    )


def _fail_order(
    claim: Claim, what: str, one: tuple[Anchor, object], two: tuple[Anchor, object]
) -> None:
    claim.fail(
        f"the {what} on the chain does not rise with the anchors' ids",
        published=f"{one[1]} of {one[0].anchor_id}, {two[1]} of {two[0].anchor_id}",
        recomputed="rising",
    )


def missing_nonces(context: Context) -> int:
    """Count the nonces that no mined anchor of its sender used, between first and last."""
    used: dict[str, set[int]] = {}
    for anchor in context.tables.anchors:
        nonce = context.on_chain[anchor.line].nonce if anchor.status == "mined" else None
        if nonce is not None:
            used.setdefault(anchor.sender.lower(), set()).add(nonce)
    return sum(max(nonces) - min(nonces) + 1 - len(nonces) for nonces in used.values())


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
