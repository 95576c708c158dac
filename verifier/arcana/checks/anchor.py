"""
Step 8, the anchors: leaves, root, and that the leaves are the recorded rows.

An anchor's leaves are numbered in order, hash to its root, and each leaf of a
listed agent is a recorded row with that identity and seal (clarifications 20
and 39). What the chain says about it is in ``checks.chain``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import ANCHOR
from verifier.arcana.checks.chain import check_dropped, check_mined, record_of
from verifier.arcana.rows import DecisionSpan
from verifier.claim import Claim
from verifier.core.merkle import root as merkle_root
from verifier.core.schemes import scheme
from verifier.findings import Where

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import Anchor, Leaf, ScoreRow
    from verifier.findings import Finding

# Scheme of an anchor -> kinds that its leaves may have. Tree and payload are the same.
ANCHOR_SCHEMES: Final = {
    "arcana-anchor/v1": frozenset({"decision"}),
    "arcana-anchor/v2": frozenset({"decision", "portfolio_snapshot", "score"}),
}
TREE: Final = "rfc9162-sha256"
STATUSES: Final = ("signed", "broadcast", "mined", "reverted", "dropped")
_HASH: Final = re.compile(r"[0-9a-f]{64}\Z")


def check_anchor(context: Context, anchor: Anchor) -> list[Finding]:
    """Check one anchor: its tree, its records, and its transaction."""
    place = Where("arcana/anchors.jsonl", anchor.line)
    claim = Claim(ANCHOR, f"anchor {anchor.anchor_id}", place)
    if anchor.status not in STATUSES:
        claim.fail("the status is unknown", published=anchor.status, pointer="/status")
    if TREE not in context.policy.arcana.schemes:
        claim.unproven("the policy does not trust the anchors' tree scheme", published=TREE)
    _check_tree(claim, anchor)
    _check_span(claim, anchor)
    for leaf in anchor.leaves:
        _check_leaf(claim, context, anchor, leaf)
    if anchor.status == "mined":
        check_mined(claim, context.policy.arcana, anchor, record_of(context, anchor))
    elif anchor.status in {"reverted", "dropped"}:
        check_dropped(claim, anchor, record_of(context, anchor))
    return claim.close(
        "the leaves hash to the root, and the transaction on the chain holds it"
        if anchor.status == "mined"
        else f"the leaves hash to the root; nothing is claimed of a {anchor.status} transaction"
    )


def check_score_anchored(context: Context, row: ScoreRow) -> list[Finding]:
    """Step 8, one score: its seal is a leaf of a mined anchor, or not anchored yet."""
    assert row.seal is not None
    claim = Claim(ANCHOR, f"score {row.agent_id} {row.ts}", Where("arcana/scores.jsonl", row.line))
    place = context.mined.get(row.seal)
    if place is None:
        claim.unproven("the score's seal is not yet a leaf of a mined anchor", published=row.seal)
        return claim.found
    return claim.close(f"leaf {place.leaf.index} of mined anchor {place.anchor.anchor_id}")


def _check_tree(claim: Claim, anchor: Anchor) -> None:
    kinds = ANCHOR_SCHEMES.get(anchor.scheme)
    if kinds is None:
        claim.fail("the scheme is unknown", published=anchor.scheme, pointer="/scheme")
    for place, leaf in enumerate(anchor.leaves):
        if leaf.index != place:
            claim.fail(
                "the leaves are not numbered from 0 in order",
                published=leaf.index,
                recomputed=place,
                pointer=f"/leaves/{place}/leaf_index",
            )
            break
    for place, leaf in enumerate(anchor.leaves):
        if kinds is not None and leaf.kind not in kinds:
            claim.fail(
                f"a leaf of {anchor.scheme} is no {leaf.kind}", pointer=f"/leaves/{place}/kind"
            )
    claim.equal("the number of leaves", anchor.leaf_count, len(anchor.leaves))
    malformed = [leaf for leaf in anchor.leaves if _HASH.match(leaf.commitment) is None]
    if malformed or not anchor.leaves:
        claim.fail(
            "a leaf's seal is not 64 lower-case hex digits" if malformed else "there is no leaf",
            published=malformed[0].commitment if malformed else None,
            recomputed="at least one leaf" if not malformed else None,
        )
        return
    tree = scheme(TREE)
    computed = merkle_root([tree.leaf(bytes.fromhex(leaf.commitment)) for leaf in anchor.leaves])
    claim.equal("the root over the leaves", anchor.root, computed.hex())


def _check_span(claim: Claim, anchor: Anchor) -> None:
    decisions = sorted(
        (leaf.decision_id, leaf.ts) for leaf in anchor.leaves if leaf.decision_id is not None
    )
    span = None
    if decisions:
        (first_id, first_ts), (last_id, last_ts) = decisions[0], decisions[-1]
        span = DecisionSpan(first_id, last_id, first_ts, last_ts)
    claim.equal(
        "the span of the decisions", _show(anchor.decisions), _show(span), pointer="/decisions"
    )


def _show(span: DecisionSpan | None) -> str | None:
    if span is None:
        return None
    return f"{span.first_id} at {span.first_ts} to {span.last_id} at {span.last_ts}"


def _check_leaf(claim: Claim, context: Context, anchor: Anchor, leaf: Leaf) -> None:
    pointer = f"/leaves/{leaf.index}"
    if anchor.status not in {"reverted", "dropped"}:
        places = context.anchored[leaf.commitment]
        if len(places) > 1 and places[0].leaf is not leaf:
            claim.fail(
                "the record is in another anchor already",
                published=leaf.commitment,
                recomputed=f"anchor {places[0].anchor.anchor_id}",
                pointer=pointer,
            )
    # Rows of agents that the bundle leaves out (private ones) cannot be looked up. The seal of a
    # row that is there is nobody else's, whoever the leaf names.
    if leaf.agent_id not in context.agents and leaf.commitment not in context.previous:
        return
    recorded = _recorded_seal(context, leaf)
    if recorded != leaf.commitment:
        claim.fail(
            f"a {leaf.kind} leaf is no recorded row with that identity and seal",
            published=leaf.commitment,
            recomputed=recorded or "no sealed row of that identity",
            pointer=pointer,
        )


def _recorded_seal(context: Context, leaf: Leaf) -> str | None:
    """Return the seal of the row that a leaf identifies, if there is one."""
    if leaf.decision_id is not None:
        decision = context.decision_rows.get(leaf.decision_id)
        if decision is None or (decision.agent_id, decision.ts) != (leaf.agent_id, leaf.ts):
            return None
        return decision.commitment
    assert leaf.season_id is not None
    if leaf.portfolio_id is not None:
        snapshot = context.snapshot_rows.get((leaf.portfolio_id, leaf.ts))
        owner = context.owners.get(leaf.portfolio_id)
        if snapshot is None or (snapshot.season_id, owner) != (leaf.season_id, leaf.agent_id):
            return None
        return snapshot.seal
    score = context.score_rows.get((leaf.agent_id, leaf.season_id, leaf.ts))
    return None if score is None else score.seal
