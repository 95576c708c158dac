"""
The dossier of one anchor: its tree recomputed, its transaction, its leaves and their proofs.

Every proof of a tree comes from its levels, which are hashed once; a tree has
at most a few thousand leaves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from verifier.arcana.chainrecord import chain_path
from verifier.arcana.checks.anchor import TREE, check_anchor
from verifier.arcana.checks.chain import PAYLOAD, record_of
from verifier.core.schemes import scheme
from verifier.dossier.arcana_evidence import worst
from verifier.errors import FormatError
from verifier.ethereum.transaction import transaction_from_rpc

if TYPE_CHECKING:
    from verifier.arcana.chainrecord import ChainRecord
    from verifier.arcana.context import Context
    from verifier.arcana.rows import Anchor, Leaf
    from verifier.findings import Finding, Verdict

__all__ = ["AnchorDossier", "ChainView", "ProofStep", "Tree", "read_anchor"]

_HASH: Final = re.compile(r"[0-9a-f]{64}\Z")


@dataclass(frozen=True, slots=True)
class ProofStep:
    """One neighbour on the way up, and the side on which it stands; 64 hex digits."""

    sibling: str
    position: Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class Tree:
    """The levels of an anchor's tree, from the leaf hashes up to the root."""

    levels: tuple[tuple[bytes, ...], ...]

    @property
    def root(self) -> str:
        """The root over the leaves, 64 hex digits."""
        return self.levels[-1][0].hex()

    def proof(self, place: int) -> tuple[ProofStep, ...]:
        """List the neighbours from a leaf, counted from 0, to the root."""
        steps: list[ProofStep] = []
        for level in self.levels[:-1]:
            sibling = place ^ 1
            # An odd last node moves up without a neighbour.
            if sibling < len(level):
                side: Literal["left", "right"] = "left" if place % 2 else "right"
                steps.append(ProofStep(level[sibling].hex(), side))
            place //= 2
        return tuple(steps)

    def reached(self, place: int) -> str:
        """Hash a leaf, counted from 0, up along its proof: the root that it leads to, in hex."""
        node, join = self.levels[0][place], scheme(TREE).node
        for step in self.proof(place):
            sibling = bytes.fromhex(step.sibling)
            node = join(sibling, node) if step.position == "left" else join(node, sibling)
        return node.hex()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainView:
    """
    What the stored answers of a node say, beside what follows from them.

    Args:
        path: The file of the bundle that holds them.
        status: The receipt's status, ``0x1`` for success; None where it states none.
        block_number: As the receipt states it.
        index: Of the transaction in its block, as the receipt states it.
        input: Of the transaction, ``0x`` and hex.
        sender: ``from``, as the node states it.
        signer: The address recovered from the signature.
        hash: The hash computed from the transaction's own fields.
        nonce: Of the transaction.
        chain_id: Of the transaction.
        to: To whom it was sent.
        value: What it sent, in wei.
        block_time: Seconds since 1970 of the block, where the block is stored.
        problem: Why the transaction cannot be rebuilt; None when it can.
    """

    path: str
    status: str | None
    block_number: int | None
    index: int | None
    input: str | None
    sender: str | None
    signer: str | None
    hash: str | None
    nonce: int | None
    chain_id: int | None
    to: str | None
    value: int | None
    block_time: int | None
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnchorDossier:
    """
    One anchor.

    Args:
        anchor: As published, with its leaves.
        tree: Its tree; None when a leaf is no hash, or there is none.
        expected_input: The input that its transaction must have, from the published root.
        chain: What the chain record says; None when the bundle holds none.
        findings: What an audit says of it.
        verdict: The gravest of these.
    """

    anchor: Anchor
    tree: Tree | None
    expected_input: str
    chain: ChainView | None
    findings: tuple[Finding, ...]
    verdict: Verdict

    @property
    def root_equal(self) -> bool | None:
        """Whether the leaves hash to the published root; None when that cannot be computed."""
        return None if self.tree is None else self.tree.root == self.anchor.root

    def place_of(self, leaf: Leaf) -> int:
        """Return where a leaf stands in the list, from 0, whatever number it is given there."""
        return next(place for place, found in enumerate(self.anchor.leaves) if found is leaf)


def read_anchor(context: Context, anchor: Anchor) -> AnchorDossier:
    """Check an anchor and lay out what it was checked with."""
    findings = tuple(check_anchor(context, anchor))
    record = record_of(context, anchor)
    return AnchorDossier(
        anchor=anchor,
        tree=_tree(anchor),
        expected_input=f"0x{PAYLOAD}{anchor.root}",
        chain=None if record is None else _chain(str(anchor.tx_hash), record),
        findings=findings,
        verdict=worst(findings),
    )


def _tree(anchor: Anchor) -> Tree | None:
    seals = [leaf.commitment for leaf in anchor.leaves]
    if not seals or any(_HASH.match(seal) is None for seal in seals):
        return None
    made_by = scheme(TREE)
    levels = [[made_by.leaf(bytes.fromhex(seal)) for seal in seals]]
    while len(levels[-1]) > 1:
        levels.append(made_by.level(levels[-1]))
    return Tree(tuple(tuple(level) for level in levels))


def _chain(tx_hash: str, record: ChainRecord) -> ChainView:
    stated = record.transaction if isinstance(record.transaction, dict) else {}
    receipt = record.receipt if isinstance(record.receipt, dict) else {}
    block = record.block if isinstance(record.block, dict) else {}
    number, index = record.position()
    transaction, problem = None, None
    try:
        transaction = transaction_from_rpc(record.transaction)
        signer = transaction.sender()
    except FormatError as error:
        problem = str(error)
        signer = None
    return ChainView(
        path=chain_path(tx_hash),
        status=_text(receipt.get("status")),
        block_number=number,
        index=index,
        input=_text(stated.get("input")),
        sender=_text(stated.get("from")),
        signer=signer,
        hash=None if transaction is None else f"0x{transaction.hash.hex()}",
        nonce=None if transaction is None else transaction.nonce,
        chain_id=None if transaction is None else transaction.chain_id,
        to=_text(stated.get("to")),
        value=None if transaction is None else transaction.value,
        block_time=_seconds(_text(block.get("timestamp"))),
        problem=problem,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(quantity: str | None) -> int | None:
    # A malformed quantity is for the check of the block to report.
    if quantity is None or re.fullmatch(r"0x[0-9a-f]{1,16}", quantity) is None:
        return None
    return int(quantity, 16)
