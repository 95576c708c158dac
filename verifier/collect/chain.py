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

from typing import TYPE_CHECKING

from verifier.arcana.chainrecord import read_chain_record
from verifier.arcana.checks.chain import sender_findings
from verifier.arcana.layout import read_tables
from verifier.claim import Claim
from verifier.collect.chain_answers import Answers, ask_all, ask_chain_id, ask_number, hash_at
from verifier.collect.chain_judge import (
    ANCHOR_CHECKS,
    ANCHORS,
    CHAIN,
    SENDER,
    Seen,
    asked_hash,
    judge,
)
from verifier.errors import UsageError
from verifier.findings import Where
from verifier.report.model import Report, ReportBuilder
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.arcana.rows import Anchor
    from verifier.bundle import Bundle
    from verifier.collect.chain_answers import Node
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import Keep

__all__ = ["ANCHOR_CHECKS", "anchors_of", "check_anchors"]


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
    chain_id = ask_chain_id(nodes)
    for node in nodes:
        for finding in _check_node(node, chain_id, policy):
            builder.add(finding)
    seen = []
    for done, anchor in enumerate(anchors):
        if progress is not None:
            progress("asking", done, len(anchors))
        seen.append(_see(bundle, nodes, anchor, chain_id))
    # Asked last, so that no answer is about a block that is higher.
    heads = ask_number(nodes, "eth_blockNumber")
    for anchor, known in zip(anchors, seen, strict=True):
        for finding in judge(anchor, known, policy, min(heads)):
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


def _check_node(node: Node, chain_id: int, policy: Policy) -> list[Finding]:
    claim = Claim(CHAIN, f"node {node.name}")
    if chain_id != policy.arcana.chain_id:
        claim.unproven(
            f"the node is of another chain than {policy.arcana.chain_id}, which the policy "
            "names, so what it does not know shows nothing",
            published=str(chain_id),
        )
    return claim.close(f"the node is of chain {chain_id}")


def _see(bundle: Bundle, nodes: Sequence[Node], anchor: Anchor, chain_id: int) -> Seen:
    tx_hash = asked_hash(anchor)
    if tx_hash is None:
        return Seen(Answers(None, None, None), None, None, chain_id)
    answers = ask_all(nodes, tx_hash, chain_id)
    stored = read_chain_record(bundle, tx_hash)
    height = None if stored is None else stored.position()[0]
    recorded = None
    if answers.receipt is None and height is not None:
        recorded = hash_at(nodes[0], height, chain_id)
    return Seen(answers, stored, recorded, chain_id)
