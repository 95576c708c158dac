"""
``anchor check``: the anchors of a bundle, laid beside what a chain says of them now.

An audit judges the answers that a bundle holds. Here the nodes are asked, so
that three things can be seen that no stored answer shows: that they are of the
right chain, how many blocks stand on top of an anchor's, and that it is still
there. Everything else is the audit's own judgement of the same record
(:mod:`verifier.arcana.checks.mined`), told apart by check.

A node that cannot be asked, or that contradicts itself or another node, leaves no
verdict: that is an error and no finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import read_chain_record
from verifier.arcana.checks.chain import check_dropped, sender_findings
from verifier.arcana.checks.mined import (
    check_block,
    check_chain_ids,
    check_payload,
    check_place,
    check_sender,
    check_status,
)
from verifier.arcana.layout import read_tables
from verifier.claim import Claim
from verifier.collect.chain_answers import Answers, ask_all, ask_number, block_at
from verifier.errors import EvidenceError, FormatError, UsageError
from verifier.ethereum.fields import quantity
from verifier.ethereum.transaction import transaction_from_rpc
from verifier.findings import Where
from verifier.report.model import CheckInfo, Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from verifier.arcana.chainrecord import ChainRecord
    from verifier.arcana.rows import Anchor
    from verifier.bundle import Bundle
    from verifier.collect.chain_answers import Node
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["ANCHOR_CHECKS", "anchors_of", "check_anchors"]

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
class _Seen:
    """
    What is known of one anchor.

    Args:
        answers: What the nodes say now.
        stored: What the bundle says they said once.
        recorded: The block that the chain now has at the stored height; None where
            that was not asked, or the chain is not that high.
        right_chain: Whether the nodes are of the policy's chain.
    """

    answers: Answers
    stored: ChainRecord | None
    recorded: str | None
    right_chain: bool


def anchors_of(bundle: Bundle) -> tuple[Anchor, ...]:
    """
    Read the anchors of a bundle.

    Raises:
        UsageError: It has none.
        EvidenceError: Its rows cannot be read.
    """
    if not bundle.has(ANCHORS):
        raise UsageError(f"the bundle has no anchors: there is no {ANCHORS}")
    anchors = tuple(read_tables(bundle).anchors)
    if not anchors:
        raise UsageError(f"the bundle has no anchors: {ANCHORS} is empty")
    return anchors


def asked_hash(anchor: Anchor) -> str | None:
    """Give the hash of an anchor's transaction; None for one that no node can be asked about."""
    well_formed = anchor.tx_hash is not None and _TX_HASH.match(anchor.tx_hash)
    return anchor.tx_hash if well_formed else None


def check_anchors(
    bundle: Bundle,
    nodes: Sequence[Node],
    *,
    policy: Policy,
    keep: Keep = "problems",
    progress: Callable[[str, int, int], None] | None = None,
) -> Report:
    """
    Check every anchor of a bundle against the chain.

    Args:
        bundle: The evidence.
        nodes: The nodes to ask, which must say the same.
        policy: What the caller trusts: chain, senders, confirmations.
        keep: Which findings the report holds.
        progress: Called with what is done, how many anchors, and of how many.

    Raises:
        CollectError: A node cannot be asked or contradicts itself, or two disagree.
        EvidenceError: The bundle's rows cannot be read.
        UsageError: It has no anchors.
    """
    anchors = anchors_of(bundle)
    builder = ReportBuilder(ANCHOR_CHECKS, keep=keep)
    chain_ids = ask_number(nodes, "eth_chainId")
    right = [chain_id == policy.arcana.chain_id for chain_id in chain_ids]
    for finding in _check_nodes(nodes, chain_ids, policy):
        builder.add(finding)
    seen = []
    for done, anchor in enumerate(anchors):
        if progress is not None:
            progress("asking", done, len(anchors))
        seen.append(_see(bundle, nodes, anchor, policy, right_chain=all(right)))
    # Asked last, so that no answer is about a block that is higher.
    heads = ask_number(nodes, "eth_blockNumber")
    for anchor, known in zip(anchors, seen, strict=True):
        for finding in _judge(anchor, known, policy, min(heads)):
            builder.add(finding)
    for finding in sender_findings(
        Claim(SENDER, "anchors", Where(ANCHORS)), policy.arcana, anchors
    ):
        builder.add(finding)
    asked = ", ".join(
        f"{node.name} at block {head}" for node, head in zip(nodes, heads, strict=True)
    )
    return builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=bundle.sha256,
        title=bundle.index.title,
        notes=[
            f"Asked: {asked}. Another time, another node may say something else.",
            "What the anchors' leaves are is not looked at here: that is what an audit shows.",
        ],
        meaning="every anchor is on the chain, as the nodes that were asked tell it",
    )


def _check_nodes(
    nodes: Sequence[Node], chain_ids: Sequence[int], policy: Policy
) -> Iterator[Finding]:
    for node, chain_id in zip(nodes, chain_ids, strict=True):
        claim = Claim(CHAIN, f"node {node.name}")
        if chain_id != policy.arcana.chain_id:
            claim.unproven(
                f"the node is of another chain than {policy.arcana.chain_id}, which the policy "
                "names, so what it does not know shows nothing",
                published=str(chain_id),
            )
        yield from claim.close(f"the node is of chain {chain_id}")


def _see(
    bundle: Bundle, nodes: Sequence[Node], anchor: Anchor, policy: Policy, *, right_chain: bool
) -> _Seen:
    tx_hash = asked_hash(anchor)
    if tx_hash is None:
        return _Seen(Answers(None, None, None), None, None, right_chain)
    chain_id = policy.arcana.chain_id
    answers = ask_all(nodes, tx_hash, chain_id)
    stored = read_chain_record(bundle, tx_hash)
    height = None if stored is None else stored.position()[0]
    recorded = None
    if answers.receipt is None and height is not None:
        try:
            block = block_at(nodes[0], height, chain_id)
        except EvidenceError:
            block = None
        recorded = None if block is None else str(block["hash"])
    return _Seen(answers, stored, recorded, right_chain)


def _judge(anchor: Anchor, seen: _Seen, policy: Policy, head: int) -> Iterator[Finding]:
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
    if not _judge_mined(mined, anchor, seen):
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
    check_block(claims[BLOCK], arcana, anchor, transaction, record)
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


def _judge_other(claim: Claim, anchor: Anchor, seen: _Seen) -> None:
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


def _judge_mined(claim: Claim, anchor: Anchor, seen: _Seen) -> bool:
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
    if not seen.right_chain and answers.transaction is None:
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


def _judge_record(claim: Claim, seen: _Seen) -> None:
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
