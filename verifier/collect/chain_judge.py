"""
What the chain says of one anchor, judged check by check.

The judgements of transaction, receipt and block are the audit's own
(:mod:`verifier.arcana.checks.mined`), told apart by check. Here are those that only
a chain that is asked can answer: whether the transaction is still there, how
deep it lies, and whether the bundle's record is still true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.chain import check_dropped
from verifier.arcana.checks.mined import (
    check_block,
    check_chain_ids,
    check_payload,
    check_place,
    check_sender,
    check_status,
)
from verifier.claim import Claim
from verifier.errors import FormatError
from verifier.ethereum.fields import quantity
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.findings import Where
from verifier.report.model import CheckInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.arcana.chainrecord import ChainRecord
    from verifier.arcana.rows import Anchor
    from verifier.collect.chain_answers import Answers
    from verifier.findings import Finding
    from verifier.policy import Policy

__all__ = ["ANCHORS", "ANCHOR_CHECKS", "CHAIN", "SENDER", "Seen", "asked_hash", "judge"]

CHAIN: Final = CheckInfo(
    id="anchor/chain", step=1, title="nodes, anchor and transaction are of the policy's chain"
)
MINED: Final = CheckInfo(
    id="anchor/mined", step=2, title="the transaction is in a block of the chain"
)
PAYLOAD: Final = CheckInfo(
    id="anchor/payload", step=3, title="the transaction holds the root and nothing else"
)
SENDER: Final = CheckInfo(
    id="anchor/sender", step=4, title="one trusted address signed, sent and received it"
)
STATUS: Final = CheckInfo(id="anchor/status", step=5, title="the transaction succeeded")
BLOCK: Final = CheckInfo(
    id="anchor/block", step=6, title="its block hashes to its hash and holds it at its place"
)
CONFIRMATIONS: Final = CheckInfo(
    id="anchor/confirmations", step=7, title="enough blocks stand on top of it"
)
RECORD: Final = CheckInfo(
    id="anchor/record", step=8, title="the bundle's record of the chain is what the chain says"
)
ANCHOR_CHECKS: Final = (CHAIN, MINED, PAYLOAD, SENDER, STATUS, BLOCK, CONFIRMATIONS, RECORD)

ANCHORS: Final = "arcana/anchors.jsonl"
_TX_HASH: Final = re.compile(r"0x[0-9a-f]{64}\Z")
_GIVEN_UP: Final = frozenset({"reverted", "dropped"})


@dataclass(frozen=True, slots=True)
class Seen:
    """
    What is known of one anchor.

    Args:
        answers: What the nodes say now.
        stored: What the bundle says they said once.
        recorded: The block that the chain now has at the stored height; None where
            that was not asked, or the chain is not that high.
        chain_id: The chain that the nodes are of.
    """

    answers: Answers
    stored: ChainRecord | None
    recorded: str | None
    chain_id: int


def asked_hash(anchor: Anchor) -> str | None:
    """Give the hash of an anchor's transaction; None for one that no node can be asked about."""
    well_formed = anchor.tx_hash is not None and _TX_HASH.match(anchor.tx_hash)
    return anchor.tx_hash if well_formed else None


def judge(anchor: Anchor, seen: Seen, policy: Policy, head: int) -> Iterator[Finding]:
    """
    Judge one anchor.

    Args:
        anchor: As the bundle publishes it.
        seen: What is known of its transaction.
        policy: What the caller trusts.
        head: Height of the chain.
    """
    claims = {
        check: Claim(check, f"anchor {anchor.anchor_id}", Where(ANCHORS, anchor.line))
        for check in ANCHOR_CHECKS
    }
    mined = claims[MINED]
    if anchor.status != "mined":
        _judge_other(mined, anchor, seen)
        yield from mined.found
        return
    receipt = seen.answers.receipt
    if not _judge_mined(mined, anchor, seen, policy.arcana.chain_id):
        yield from mined.found
        return
    assert receipt is not None
    number = quantity(receipt, "blockNumber")
    yield from mined.close(f"block {number} of the chain holds the transaction")
    record = seen.answers.record
    arcana = policy.arcana
    try:
        transaction = transaction_from_rpc(record.transaction)
    except FormatError as error:
        claims[PAYLOAD].fail(f"the transaction is of no kind that an anchor has: {error}")
        yield from claims[PAYLOAD].found
        return
    check_chain_ids(claims[CHAIN], arcana, anchor, transaction)
    check_payload(claims[PAYLOAD], anchor, transaction)
    try:
        check_sender(claims[SENDER], arcana, anchor, transaction, record)
    except FormatError as error:
        claims[SENDER].fail(f"the signer cannot be recovered: {error}")
    check_status(claims[STATUS], record)
    check_place(claims[BLOCK], anchor, record)
    check_block(claims[BLOCK], seen.chain_id, anchor, transaction, record)
    _judge_depth(claims[CONFIRMATIONS], arcana.confirmations, number, head)
    _judge_record(claims[RECORD], seen)
    for check, message in (
        (CHAIN, f"anchor and transaction are of chain {arcana.chain_id}"),
        (PAYLOAD, "the input is the root behind the prefix, in a transaction that moves nothing"),
        (SENDER, f"{anchor.sender} signed it"),
        (STATUS, "the transaction succeeded"),
        (BLOCK, f"block {number} hashes to its hash and holds the transaction"),
        (CONFIRMATIONS, f"at least {arcana.confirmations} blocks stand on top"),
        (RECORD, "the bundle records the same block"),
    ):
        yield from claims[check].close(message)


def _judge_other(claim: Claim, anchor: Anchor, seen: Seen) -> None:
    """Judge an anchor that does not say it is mined."""
    if anchor.status in _GIVEN_UP:
        check_dropped(claim, anchor, seen.answers.record)
        if not claim.found:
            claim.exempt(f"the anchor was given up as {anchor.status}, and claims nothing")
    elif seen.answers.receipt is None:
        claim.unproven(f"the anchor is {anchor.status} and not mined yet", published=anchor.tx_hash)
    else:
        claim.exempt(
            f"the bundle says {anchor.status}; by now the chain has it",
            published=anchor.status,
            recomputed=f"block {quantity(seen.answers.receipt, 'blockNumber')}",
        )


def _judge_mined(claim: Claim, anchor: Anchor, seen: Seen, chain_id: int) -> bool:
    """Tell whether the chain has the transaction in a block; say why if not."""
    answers = seen.answers
    if asked_hash(anchor) is None:
        claim.fail(
            "a mined anchor names no transaction hash of 0x and 64 lower-case hex digits",
            published=anchor.tx_hash,
            pointer="/tx_hash",
        )
        return False
    if answers.receipt is not None:
        here = str(answers.receipt["blockHash"]).lower()
        there = None if answers.block is None else str(answers.block["hash"]).lower()
        if here == there:
            return True
        claim.fail(
            "the transaction was reorganised away: the chain has another block at its height",
            published=here,
            recomputed=there or "no block",
        )
        return False
    if seen.chain_id != chain_id and answers.transaction is None:
        claim.unproven(
            "the transaction is not known to the node, which is of another chain",
            published=anchor.tx_hash,
        )
        return False
    where = "it waits to be mined" if answers.transaction is not None else "it is not known"
    stored = None if seen.stored is None else seen.stored.receipt
    if isinstance(stored, dict) and stored.get("blockHash") is not None:
        claim.fail(
            f"the transaction was reorganised away: the bundle records its block, and now {where}",
            published=str(stored["blockHash"]),
            recomputed=seen.recorded or "no block",
        )
    elif answers.transaction is not None:
        claim.fail(
            "the transaction is not mined yet: the node knows it, and it is in no block",
            published=anchor.tx_hash,
        )
    else:
        claim.fail(
            "the chain does not know the transaction: it was never sent, or is gone",
            published=anchor.tx_hash,
        )
    return False


def _judge_depth(claim: Claim, wanted: int, number: int, head: int) -> None:
    if head - number < wanted:
        claim.unproven(
            f"fewer than {wanted} blocks stand on top of it, so it may still be reorganised away",
            published=str(max(head - number, 0)),
        )


def _judge_record(claim: Claim, seen: Seen) -> None:
    if seen.stored is None:
        claim.exempt("the bundle holds no record of the chain; `anchor record` makes one")
        return
    stored = seen.stored.receipt if isinstance(seen.stored.receipt, dict) else {}
    assert seen.answers.receipt is not None
    known, now = stored.get("blockHash"), str(seen.answers.receipt["blockHash"])
    if not isinstance(known, str) or known.lower() != now.lower():
        claim.fail(
            "the chain has the transaction in another block than the bundle records",
            published=str(known) if isinstance(known, str) else "no block",
            recomputed=now,
        )
