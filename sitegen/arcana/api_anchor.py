"""
The evidence API's answers about anchors, as the platform shapes them.

``v1/anchors/leaves/<seal>.json``, ``v1/anchors/<id>.json`` and ``v1/anchors.json``
have the keys of the platform's read endpoints. What differs, since files ask
nobody:

* ``on_chain.reachable`` is null: no node was asked. What a node said when the
  bundle was made is in the bundle, and the checks are of that; a check without
  a record has ``ok`` null.
* ``status`` of a leaf is ``anchored`` only when every check holds; it is
  ``unproven`` when none fails and one could not be made.
* ``anchors.json`` is one page with everything; ``waiting`` is null.
* There is a file for each leaf and for each sealed score of the season. That
  there is none for a seal says nothing about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.api_values import check, finite, safe_id

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.api_values import Body
    from sitegen.arcana.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_anchor import AnchorDossier
    from verifier.dossier.arcana_rows import Anchor, Leaf

__all__ = ["anchor_body", "anchors_body", "leaf_body", "pending_body"]

HOW_TO_CHECK: Final = (
    "Hash the seal's 32 bytes behind a zero byte; at each step of the proof hash a byte 1, the "
    "left hash and the right hash. The result must be the anchor's root. Then ask any node of "
    "the chain for the transaction: its input is 0x415243414e410001 and the root, it succeeded, "
    "and it went from the sender to itself."
)
_NOT_ASKED: Final = "a file asks no node; the checks are of the answers stored in the bundle"
_NO_RECORD: Final = "a file asks no node, and the bundle holds no answer of one"


def leaf_body(shelf: Shelf, dossier: AnchorDossier, place: int) -> Body:
    """
    Answer for one leaf.

    Args:
        shelf: The season.
        dossier: Its anchor.
        place: Where it stands in the anchor's list, from 0.
    """
    leaf = dossier.anchor.leaves[place]
    proof = () if dossier.tree is None else dossier.tree.proof(place)
    reached = None if dossier.tree is None else dossier.tree.reached(place)
    checks: list[JsonValue] = [
        check(f"the leaf stands at index {leaf.index}", leaf.index == place),
        _tree_check(dossier),
        check("the proof reaches the root", reached == dossier.anchor.root),
        *_chain_checks(dossier),
    ]
    return {
        "seal": leaf.commitment,
        "kind": leaf.kind,
        "status": _status(dossier, checks),
        "anchor": _short(shelf, dossier.anchor),
        "leaf_index": leaf.index,
        "leaf_count": dossier.anchor.leaf_count,
        "proof": [{"sibling": step.sibling, "position": step.position} for step in proof],
        "expected_input": dossier.expected_input,
        "checks": checks,
        "on_chain": _on_chain(dossier),
        "how_to_check": HOW_TO_CHECK,
    }


def pending_body(seal: str) -> Body:
    """Answer for a seal that is in no anchor."""
    return {
        "seal": seal,
        "kind": None,
        "status": "pending",
        "anchor": None,
        "leaf_index": None,
        "leaf_count": None,
        "proof": None,
        "expected_input": None,
        "checks": [],
        "on_chain": None,
        "how_to_check": HOW_TO_CHECK,
    }


def anchor_body(shelf: Shelf, dossier: AnchorDossier) -> Body:
    """Answer for one anchor."""
    checks: list[JsonValue] = [_tree_check(dossier), *_chain_checks(dossier)]
    return {
        "anchor": _short(shelf, dossier.anchor),
        "leaves": [_leaf(leaf) for leaf in dossier.anchor.leaves],
        "checks": checks,
        "on_chain": _on_chain(dossier),
        "verified": dossier.anchor.status == "mined" and dossier.verdict.value == "pass",
        "how_to_check": HOW_TO_CHECK,
    }


def anchors_body(shelf: Shelf) -> Body:
    """Answer for all anchors of the bundle, on one page."""
    anchors = shelf.arena.anchors
    mined = [anchor for anchor in anchors if anchor.status == "mined"]
    costs = [shelf.arena.anchor_extras(anchor.anchor_id)["gas_cost_usd"] for anchor in mined]
    known = [cost for cost in costs if isinstance(cost, int | float)]
    times = [anchor.mined_at for anchor in mined if anchor.mined_at is not None]
    senders = {anchor.sender for anchor in mined}
    return {
        "scheme": anchors[-1].scheme if anchors else None,
        "items": [{**_short(shelf, anchor), "kinds": dict(_kinds(anchor))} for anchor in anchors],
        "page": 1,
        "page_size": len(anchors),
        "total": len(anchors),
        "has_more": False,
        "totals": {
            "mined": len(mined),
            "records_anchored": sum(len(anchor.leaves) for anchor in mined),
            "decisions_anchored": sum(_kinds(anchor).get("decision", 0) for anchor in mined),
            "gas_cost_usd": finite(sum(known)) if len(known) == len(mined) else None,
            "last_mined_at": max(times, default=None),
            "paid_by": next(iter(senders)) if len(senders) == 1 else None,
        },
        "waiting": None,
    }


def _short(shelf: Shelf, anchor: Anchor) -> Body:
    """Write an anchor as every answer holds it."""
    span = anchor.decisions
    extras = shelf.arena.anchor_extras(anchor.anchor_id)
    return {
        "id": safe_id(anchor.anchor_id),
        "scheme": anchor.scheme,
        "root": anchor.root,
        "leaf_count": anchor.leaf_count,
        "decisions": None
        if span is None
        else {
            "first_id": safe_id(span.first_id),
            "last_id": safe_id(span.last_id),
            "first_ts": span.first_ts,
            "last_ts": span.last_ts,
        },
        "chain_id": anchor.chain_id,
        "sender": anchor.sender,
        "tx_hash": anchor.tx_hash,
        "explorer_url": extras["explorer_url"],
        "status": anchor.status,
        "block_number": anchor.block_number,
        "gas_cost_usd": extras["gas_cost_usd"],
        "note": extras["note"],
        "created_at": anchor.created_at,
        "mined_at": anchor.mined_at,
    }


def _leaf(leaf: Leaf) -> Body:
    body: Body = {
        "leaf_index": leaf.index,
        "kind": leaf.kind,
        "agent_id": leaf.agent_id,
        "commitment": leaf.commitment,
    }
    if leaf.decision_id is not None:
        return {**body, "decision_id": safe_id(leaf.decision_id), "decision_ts": leaf.ts}
    if leaf.portfolio_id is not None:
        body["portfolio_id"] = leaf.portfolio_id
    return {**body, "season_id": leaf.season_id, "ts": leaf.ts}


def _kinds(anchor: Anchor) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for leaf in anchor.leaves:
        kinds[leaf.kind] = kinds.get(leaf.kind, 0) + 1
    return kinds


def _tree_check(dossier: AnchorDossier) -> Body:
    return check("the leaves hash to the root", bool(dossier.root_equal))


def _chain_checks(dossier: AnchorDossier) -> list[JsonValue]:
    anchor, chain = dossier.anchor, dossier.chain
    names = (
        "the transaction is on the chain",
        "it succeeded",
        "it went from the sender to itself",
        "its input is the payload with this root",
        "it is on the chain that the anchor names",
    )
    if chain is None:
        return [check(name, None) for name in names]
    sender = anchor.sender.lower()
    outcomes = (
        chain.hash is not None and chain.hash == anchor.tx_hash and chain.block_number is not None,
        chain.status == "0x1",
        chain.signer == sender and (chain.to or "").lower() == sender,
        (chain.input or "").lower() == dossier.expected_input.lower(),
        chain.chain_id == anchor.chain_id,
    )
    return [check(name, ok) for name, ok in zip(names, outcomes, strict=True)]


def _on_chain(dossier: AnchorDossier) -> Body:
    chain = dossier.chain
    return {
        "reachable": None,
        "block_number": None if chain is None else chain.block_number,
        "reason": _NO_RECORD if chain is None else _NOT_ASKED,
    }


def _status(dossier: AnchorDossier, checks: Sequence[JsonValue]) -> str:
    if dossier.anchor.status in {"signed", "broadcast"}:
        return "anchoring"
    if dossier.anchor.status != "mined":
        return "pending"
    said = [each["ok"] for each in checks if isinstance(each, dict)]
    if False in said or dossier.verdict.value == "fail":
        return "mismatch"
    return "unproven" if None in said else "anchored"
