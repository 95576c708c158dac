"""
Step 8, the chain: an anchor's transaction is on it, and nobody else's.

A node's answers are claims. The hash is recomputed from the transaction's own
fields and the sender recovered from its signature, and only then compared
with what the anchor, the receipt and the policy say (clarifications 21 to 23,
30, 31 and 39). When the record holds the block, its header is hashed too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import (
    ChainRecord,
    chain_path,
    comes_before,
    read_chain_record,
)
from verifier.arcana.checks.catalogue import ANCHOR
from verifier.arcana.checks.mined import (
    PAYLOAD,
    check_block,
    check_chain_ids,
    check_payload,
    check_place,
    check_sender,
    check_status,
)
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.arcana.context import Context
    from verifier.arcana.rows import Anchor
    from verifier.findings import Finding
    from verifier.policy import ArcanaPolicy

__all__ = [
    "PAYLOAD",
    "check_dropped",
    "check_mined",
    "check_order",
    "check_senders",
    "missing_nonces",
    "record_of",
    "sender_findings",
]

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
        check_payload(claim, anchor, transaction)
        check_chain_ids(claim, policy, anchor, transaction)
        check_sender(claim, policy, anchor, transaction, record)
    except FormatError as error:
        claim.fail(f"the transaction cannot be rebuilt: {error}", published=anchor.tx_hash)
        return
    check_status(claim, record)
    check_place(claim, anchor, record)
    if record.block is not None:
        try:
            check_block(claim, policy.chain_id, anchor, transaction, record)
        except FormatError as error:
            claim.fail(f"the block cannot be rebuilt: {error}", published=anchor.tx_hash)
    elif record.transaction_proof is not None or record.receipt_proof is not None:
        claim.fail("a proof is there, and not the block that it is about", published=anchor.tx_hash)


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


def check_senders(context: Context) -> list[Finding]:
    """Without a trusted sender, all mined anchors share one, and whose it is stays unproven."""
    claim = Claim(ANCHOR, "anchors", Where("arcana/anchors.jsonl"))
    return sender_findings(claim, context.policy.arcana, context.tables.anchors)


def sender_findings(claim: Claim, policy: ArcanaPolicy, anchors: Iterable[Anchor]) -> list[Finding]:
    """Judge the senders of all mined anchors together; nothing where the policy names any."""
    mined = [anchor for anchor in anchors if anchor.status == "mined"]
    if policy.senders or not mined:
        return []
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
