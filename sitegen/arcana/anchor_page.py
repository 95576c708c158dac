"""The list of anchors, and the page of each: root, transaction, leaves, and how to check them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.arcana.words import agent_cell, moment, moment_cell
from sitegen.components import (
    Cell,
    Column,
    Row,
    Table,
    big_number,
    hash_chip,
    missing_cell,
    time,
    verdict,
)
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.shelf import Shelf
    from sitegen.components import Download
    from verifier.dossier.arcana_anchor import AnchorDossier
    from verifier.dossier.arcana_rows import Leaf

__all__ = ["anchor_page", "anchors_page"]

_KINDS: Final = {
    "decision": "decision",
    "portfolio_snapshot": "portfolio snapshot",
    "score": "score",
}


def anchors_page(shelf: Shelf, files: Sequence[Download]) -> Page:
    """List all anchors of the bundle."""
    anchors = shelf.arena.anchors
    rows = []
    for anchor in anchors:
        said = shelf.arena.anchor_verdict(anchor.anchor_id)
        rows.append(
            Row(
                f"anchor-{anchor.anchor_id}",
                (
                    Cell(str(anchor.anchor_id), href=shelf.anchor_page(anchor.anchor_id)),
                    Cell(anchor.status),
                    Cell(str(anchor.leaf_count)),
                    missing_cell("no block is stated")
                    if anchor.block_number is None
                    else Cell(f"{anchor.block_number:,}", sort=str(anchor.block_number)),
                    missing_cell("no time is stated")
                    if anchor.mined_at is None
                    else moment_cell(anchor.mined_at),
                    Cell(anchor.root, href=shelf.anchor_page(anchor.anchor_id)),
                    missing_cell("no transaction is named")
                    if anchor.tx_hash is None
                    else Cell(anchor.tx_hash, href=_record_path(shelf, anchor.tx_hash)),
                    Cell(said.value, verdict=said.value),
                ),
            )
        )
    problems = [each for each in shelf.arena.chain_findings if each.verdict is not Verdict.PASS]
    passing = sum(
        shelf.arena.anchor_verdict(anchor.anchor_id) is Verdict.PASS for anchor in anchors
    )
    leaves = sum(len(anchor.leaves) for anchor in anchors)
    return Page(
        path=shelf.anchors_page,
        template="arcana/anchors.html",
        title="Anchors",
        finding=f"{passing} of {count(len(anchors), 'anchor')} pass every check: their leaves hash "
        f"to their roots, and a transaction of a trusted sender holds each. They hold "
        f"{count(leaves, 'seal')}."
        if anchors
        else "The bundle holds no anchor.",
        trail=shelf.trail(Crumb("Anchors")),
        values={
            "table": Table(
                "anchors",
                "Anchors, by the platform's number",
                (
                    Column("id", "Anchor", "number"),
                    Column("status", "Status", "text"),
                    Column("leaves", "Leaves", "number"),
                    Column("block", "Block", "number"),
                    Column("mined", "Mined", "time"),
                    Column("root", "Root", "hash"),
                    Column("tx", "Transaction", "hash"),
                    Column("verdict", "Checks", "verdict"),
                ),
                rows,
            )
            if rows
            else None,
            "problems": problems,
            "senders": shelf.season.policy.arcana.senders,
            "chain_id": shelf.season.policy.arcana.chain_id,
            "files_": list(files),
        },
        season=shelf.season,
        data_sha256=shelf.digest("anchors"),
        command=shelf.command(),
        search="anchors transactions roots",
    )


def anchor_page(shelf: Shelf, dossier: AnchorDossier, files: Sequence[Download]) -> Page:
    """Make the page of an anchor."""
    anchor = dossier.anchor
    path = shelf.anchor_page(anchor.anchor_id)
    assert path is not None
    return Page(
        path=path,
        template="arcana/anchor.html",
        title=f"Anchor {anchor.anchor_id}",
        finding=_finding(dossier),
        trail=shelf.trail(
            Crumb("Anchors", shelf.anchors_page), Crumb(f"Anchor {anchor.anchor_id}")
        ),
        values={
            "anchor": anchor,
            "dossier": dossier,
            "headline": big_number(str(len(anchor.leaves)), "leaves under one root"),
            "verdict_line": verdict(dossier.verdict.value, f"anchor {anchor.anchor_id}"),
            "compared": _compared(dossier),
            "facts_": _facts(shelf, dossier),
            "leaves": _leaves_table(shelf, dossier),
            "problems": [each for each in dossier.findings if each.verdict is not Verdict.PASS],
            "sender": anchor.sender,
            "files_": list(files),
        },
        season=shelf.season,
        data_sha256=anchor.root if len(anchor.root) == 64 else None,
        command=shelf.command(),
        search=f"anchor {anchor.anchor_id} {anchor.tx_hash or ''}",
    )


def _finding(dossier: AnchorDossier) -> str:
    anchor = dossier.anchor
    held = count(len(anchor.leaves), "seal")
    if dossier.root_equal is None:
        tree = "has leaves that cannot be hashed"
    else:
        tree = (
            f"holds {held} that hash to its root"
            if dossier.root_equal
            else f"holds {held} that do not hash to its root"
        )
    if anchor.status != "mined":
        return f"This anchor {tree}. Its status is {anchor.status}: it anchors nothing yet."
    if dossier.chain is None:
        return f"This anchor {tree}. Unproven: no chain record of its transaction is in the bundle."
    if dossier.verdict is Verdict.PASS:
        return f"This anchor {tree}, and the recorded transaction carries that root."
    return f"This anchor {tree}. Not all of its checks pass: see below."


def _compared(dossier: AnchorDossier) -> Table:
    """Put what the anchor publishes beside what the chain record and the leaves give."""
    anchor, chain = dossier.anchor, dossier.chain
    pairs: list[tuple[str, str | None, str | None]] = [
        ("root", anchor.root, None if dossier.tree is None else dossier.tree.root),
        ("number of leaves", str(anchor.leaf_count), str(len(anchor.leaves))),
    ]
    if chain is not None:
        pairs += [
            ("transaction hash", anchor.tx_hash, chain.hash),
            ("signer", anchor.sender.lower(), chain.signer),
            ("sent to", anchor.sender.lower(), _lower(chain.to)),
            ("input", dossier.expected_input, _lower(chain.input)),
            ("chain id", str(anchor.chain_id), _text(chain.chain_id)),
            ("value sent", "0", _text(chain.value)),
            ("receipt's status", "0x1", chain.status),
            ("block", _text(anchor.block_number), _text(chain.block_number)),
        ]
        if anchor.nonce is not None:
            pairs.append(("nonce", str(anchor.nonce), _text(chain.nonce)))
    rows = [
        Row(
            "",
            (
                Cell(name),
                Cell("not stated" if published is None else published),
                Cell("not known" if found is None else found),
                Cell("equal", verdict="pass")
                if published is not None and published == found
                else Cell("differs", verdict="fail")
                if found is not None
                else Cell("not known", verdict="unproven"),
            ),
        )
        for name, published, found in pairs
    ]
    return Table(
        "compared",
        "Published, and as the leaves and the chain record give it",
        (
            Column("what", "What", "text", sortable=False),
            Column("published", "Published or demanded", "hash", sortable=False),
            Column("found", "Recomputed or recorded", "hash", sortable=False),
            Column("result", "Result", "verdict", sortable=False),
        ),
        rows,
        note="Root, transaction hash and signer are recomputed: from the leaves, from the "
        "transaction's own fields, and from its signature.",
    )


def _facts(shelf: Shelf, dossier: AnchorDossier) -> list[tuple[str, str | Markup]]:
    anchor, chain = dossier.anchor, dossier.chain
    facts: list[tuple[str, str | Markup]] = [
        ("scheme", anchor.scheme),
        ("status", anchor.status),
        ("chain", str(anchor.chain_id)),
        ("sender", Markup("<code>{}</code>").format(anchor.sender)),
        ("trusted by this season's policy", _trust(shelf, anchor.sender)),
    ]
    if anchor.tx_hash is not None:
        facts.append(("transaction", hash_chip(anchor.tx_hash)))
    if anchor.created_at is not None:
        facts.append(("made", moment(anchor.created_at)))
    if anchor.mined_at is not None:
        facts.append(("mined, as published", moment(anchor.mined_at)))
    if chain is not None and chain.block_time is not None and chain.block_time < 1 << 36:
        facts.append(("block's own time", time(chain.block_time * 1000)))
    if chain is not None and chain.index is not None:
        facts.append(("place in its block", str(chain.index)))
    return facts


def _trust(shelf: Shelf, sender: str) -> str:
    trusted = shelf.season.policy.arcana.senders
    if not trusted:
        return "not known: the policy names no sender, so who signed is unproven"
    return "yes" if sender.lower() in trusted else "no"


def _leaves_table(shelf: Shelf, dossier: AnchorDossier) -> Table:
    return Table(
        "leaves",
        "Leaves, in the order of the tree",
        (
            Column("index", "Leaf", "number"),
            Column("kind", "Kind", "text"),
            Column("agent", "Agent", "name"),
            Column("ts", "Recorded", "time"),
            Column("seal", "Seal", "hash"),
        ),
        [_leaf_row(shelf, leaf) for leaf in dossier.anchor.leaves],
        note="A leaf's hash is the SHA-256 of a zero byte and the seal's 32 bytes; a node's is "
        "that of a byte 1 and the two below. An odd last one moves up unchanged.",
    )


def _leaf_row(shelf: Shelf, leaf: Leaf) -> Row:
    kind = _KINDS.get(leaf.kind, leaf.kind)
    if leaf.decision_id is not None:
        kind = f"{kind} {leaf.decision_id}"
    return Row(
        f"leaf-{leaf.index}",
        (
            Cell(str(leaf.index)),
            Cell(kind),
            agent_cell(shelf, leaf.agent_id),
            moment_cell(leaf.ts),
            Cell(
                leaf.commitment,
                href=shelf.score_page(leaf.commitment) or shelf.manifest(leaf.commitment),
            ),
        ),
    )


def _record_path(shelf: Shelf, tx_hash: str) -> str | None:
    return shelf.evidence(f"arcana/chain/{tx_hash}.json")


def _text(value: int | None) -> str | None:
    return None if value is None else str(value)


def _lower(value: str | None) -> str | None:
    return None if value is None else value.lower()
