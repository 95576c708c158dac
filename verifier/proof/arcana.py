"""
Inclusion proofs of ARCANA's sealed records, and how they are judged.

``anchor.leaf`` is the leaf as the anchor lists it. A file in the shape of the
platform's ``GET /v1/anchors/leaves/:seal`` is read too; it holds no manifest
and no chain record, so whose it is and whether it was mined stays unproven. The
proofs of ``anchor build`` have that shape, and name the tree's scheme in ``tree``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana.chainrecord import ChainRecord, read_chain_record
from verifier.arcana.checks.chain import PAYLOAD, check_mined
from verifier.arcana.context import load_context, manifest_path
from verifier.arcana.manifest import (
    CommitmentManifest,
    ManifestError,
    ScoreManifest,
    SnapshotManifest,
    parse_manifest,
)
from verifier.arcana.rowread import leaf_value, read_leaf
from verifier.arcana.rows import Anchor, Leaf
from verifier.claim import Claim
from verifier.core.canon import canonical_bytes
from verifier.core.merkle import inclusion_proof
from verifier.core.schemes import scheme
from verifier.core.shape import Obj, pointer_to
from verifier.core.steps import Step, check_steps
from verifier.errors import FormatError, ProofError, UsageError
from verifier.findings import Where
from verifier.proof.form import ANCHOR, FORMAT, INCLUSION, RECORD, TREE, digest, known_sides

if TYPE_CHECKING:
    from verifier.arcana.manifest import Manifest
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy

__all__ = ["judge_record", "prove_record", "read_record_proof"]

_KINDS: Final = {
    "decision": CommitmentManifest,
    "portfolio_snapshot": SnapshotManifest,
    "score": ScoreManifest,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordProof:
    """What a proof file says; None where its shape has no such member."""

    seal: str
    kind: str | None
    manifest: str | None
    scheme: str
    index: int
    count: int
    steps: tuple[Step, ...]
    root: str
    status: str
    expected_input: str | None
    anchor: Anchor | None
    chain: ChainRecord | None


def prove_record(bundle: Bundle, seal: str, policy: Policy) -> bytes | None:
    """
    Write the proof of a sealed record; None if no mined anchor of the bundle has it.

    Raises:
        UsageError: The anchor is malformed.
        EvidenceError: The bundle's rows cannot be read.
    """
    place = load_context(bundle, policy).mined.get(seal)
    if place is None:
        return None
    anchor, leaf = place.anchor, place.leaf
    tree = scheme(TREE)
    try:
        hashes = [tree.leaf(bytes.fromhex(item.commitment)) for item in anchor.leaves]
        path = inclusion_proof(hashes, leaf.index)
    except (ValueError, ProofError) as error:
        raise UsageError(f"anchor {anchor.anchor_id} is malformed: {error}") from None
    record = None if anchor.tx_hash is None else read_chain_record(bundle, anchor.tx_hash)
    name = manifest_path(seal)
    manifest = bundle.read(name).decode(errors="replace") if bundle.has(name) else None
    value: JsonValue = {
        "format": FORMAT,
        "record": {"family": "arcana", "kind": leaf.kind, "manifest": manifest, "seal": seal},
        "tree": {
            "scheme": TREE,
            "leaf_index": leaf.index,
            "leaf_count": anchor.leaf_count,
            "proof": [item.hex() for item in path],
            "root": anchor.root,
        },
        "anchor": {
            "id": str(anchor.anchor_id),
            "scheme": anchor.scheme,
            "chain_id": anchor.chain_id,
            "sender": anchor.sender,
            "tx_hash": anchor.tx_hash,
            "block_number": anchor.block_number,
            "leaf": leaf_value(leaf),
        },
        "chain": None
        if record is None
        else {
            "transaction": record.transaction,
            "receipt": record.receipt,
            "block": record.block,
        },
    }
    return canonical_bytes(value) + b"\n"


def judge_record(proof: RecordProof, name: str, policy: Policy) -> tuple[Finding, ...]:
    """Judge the three steps of a proof that was read."""
    place = Where(name)
    subject = f"record {proof.seal}"
    return (
        *_check_record(Claim(RECORD, subject, place), proof),
        *_check_inclusion(Claim(INCLUSION, subject, place), proof, policy),
        *_check_anchor(Claim(ANCHOR, subject, place), proof, policy),
    )


def _check_record(claim: Claim, proof: RecordProof) -> list[Finding]:
    if proof.manifest is None:
        claim.unproven("the proof does not hold the record itself", published=proof.seal)
        return claim.found
    data = proof.manifest.encode()
    claim.equal("the SHA-256 of the record", proof.seal, hashlib.sha256(data).hexdigest())
    try:
        _check_identity(claim, proof, parse_manifest(data))
    except ManifestError as error:
        claim.fail(f"the record is no manifest in exact form: {error}")
    return claim.close("the record's bytes hash to the seal")


def _check_identity(claim: Claim, proof: RecordProof, manifest: Manifest) -> None:
    """Whose the leaf is, and of when, is what the record says; a decision's id no record holds."""
    assert proof.anchor is not None
    if not isinstance(manifest, _KINDS.get(proof.kind or "", ())):
        claim.fail(f"the record is a {type(manifest).__name__}", published=proof.kind)
    for leaf in proof.anchor.leaves:
        claim.equal("the leaf's kind", leaf.kind, proof.kind, pointer="/anchor/leaf/kind")
        claim.equal("the leaf's agent", leaf.agent_id, manifest.agent_id)
        claim.equal("the leaf's time", leaf.ts, manifest.ts)
        if leaf.season_id is not None:
            claim.equal("the leaf's season", leaf.season_id, manifest.season_id)
        if isinstance(manifest, SnapshotManifest):
            claim.equal("the leaf's portfolio", leaf.portfolio_id, manifest.portfolio_id)


def _check_inclusion(claim: Claim, proof: RecordProof, policy: Policy) -> list[Finding]:
    if proof.status == "pending":
        claim.unproven("the platform says that the seal is in no anchor yet")
        return claim.found
    try:
        tree = scheme(proof.scheme, allowed=policy.arcana.schemes)
        check_steps(
            tree.leaf(bytes.fromhex(proof.seal)),
            proof.index,
            proof.count,
            proof.steps,
            bytes.fromhex(proof.root),
            scheme=tree,
        )
    except ProofError as error:
        claim.fail(f"the proof does not hold: {error}", published=proof.root)
    if proof.expected_input is not None:
        claim.equal("the input", proof.expected_input.lower(), f"0x{PAYLOAD}{proof.root}")
    return claim.close(f"leaf {proof.index} of {proof.count} under the root")


def _check_anchor(claim: Claim, proof: RecordProof, policy: Policy) -> list[Finding]:
    anchor = proof.anchor
    if anchor is None or proof.status != "anchored":
        claim.unproven("the proof names no mined anchor", published=proof.status)
        return claim.found
    claim.equal("the anchor's root", anchor.root, proof.root)
    claim.equal("the anchor's number of leaves", anchor.leaf_count, proof.count)
    for leaf in anchor.leaves:
        claim.equal("the leaf's seal", leaf.commitment, proof.seal)
        claim.equal("the leaf's index", leaf.index, proof.index)
    check_mined(claim, policy.arcana, anchor, proof.chain)
    if not policy.arcana.senders:
        claim.unproven(
            "the policy names no trusted sender, so who wrote the anchor is not proved",
            published=anchor.sender,
        )
    return claim.close(f"anchor {anchor.anchor_id}, transaction {anchor.tx_hash}")


def read_record_proof(value: JsonValue) -> RecordProof:
    """
    Read a proof file of either shape.

    Raises:
        EvidenceError: It has neither shape.
    """
    obj = Obj(value, (), open_ended=True)
    if "format" in obj.value:
        return _read_own(value)
    return _read_platform(value)


def _read_own(value: JsonValue) -> RecordProof:
    obj = Obj(value, ("format", "record", "tree", "anchor", "chain"))
    if obj.text("format") != FORMAT:
        raise FormatError(f"is no {FORMAT}", pointer="/format")
    record = Obj(obj.value["record"], ("family", "kind", "manifest", "seal"), pointer="/record")
    if record.text("family") != "arcana":
        raise FormatError("must be arcana", pointer="/record/family")
    tree = Obj(
        obj.value["tree"],
        ("scheme", "leaf_index", "leaf_count", "proof", "root"),
        pointer="/tree",
    )
    known = known_sides(tree.integer("leaf_index"), tree.integer("leaf_count"))
    hashes = [digest(item, pointer) for pointer, item in tree.items("proof")]
    return RecordProof(
        seal=digest(record.value["seal"], "/record/seal").hex(),
        kind=record.text("kind"),
        manifest=record.text_or_null("manifest"),
        scheme=tree.text("scheme"),
        index=tree.integer("leaf_index"),
        count=tree.integer("leaf_count"),
        # The sides follow from index and count; a proof of another length fails as such.
        steps=tuple(
            Step(item, known[place] if place < len(known) else "left")
            for place, item in enumerate(hashes)
        ),
        root=digest(tree.value["root"], "/tree/root").hex(),
        status="anchored",
        expected_input=None,
        anchor=_read_anchor(obj.value["anchor"], tree, with_leaf=True),
        chain=_read_chain(obj.value["chain"]),
    )


def _read_platform(value: JsonValue) -> RecordProof:
    """Read the shape of ``GET /v1/anchors/leaves/:seal``."""
    obj = Obj(value, ("seal",), open_ended=True)
    seal = digest(obj.value["seal"], "/seal").hex()
    status = obj.text("status") if "status" in obj.value else "unknown"
    if status == "pending":
        return RecordProof(
            seal=seal,
            kind=None,
            manifest=None,
            scheme=TREE,
            index=0,
            count=0,
            steps=(),
            root="",
            status=status,
            expected_input=None,
            anchor=None,
            chain=None,
        )
    obj = Obj(value, ("seal", "leaf_index", "leaf_count", "proof"), open_ended=True)
    anchor = None
    if obj.value.get("anchor") is not None:
        anchor = _read_anchor(obj.value["anchor"], obj, with_leaf=False)
    root = anchor.root if anchor is not None else obj.text("root")
    steps = []
    for pointer, item in obj.items("proof"):
        step = Obj(item, ("sibling", "position"), pointer=pointer)
        position = step.text("position")
        if position not in {"left", "right"}:
            raise FormatError("must be left or right", pointer=pointer_to(pointer, "position"))
        sibling = digest(step.value["sibling"], pointer_to(pointer, "sibling"))
        steps.append(Step(sibling, "left" if position == "left" else "right"))
    return RecordProof(
        seal=seal,
        kind=None,
        manifest=None,
        scheme=obj.text("tree") if "tree" in obj.value else TREE,
        index=obj.integer("leaf_index"),
        count=obj.integer("leaf_count"),
        steps=tuple(steps),
        root=digest(root, "/anchor/root").hex(),
        status=status,
        expected_input=obj.text_or_null("expected_input"),
        anchor=anchor,
        chain=None,
    )


def _read_anchor(value: JsonValue, tree: Obj, *, with_leaf: bool) -> Anchor:
    members = ("id", "scheme", "chain_id", "sender", "tx_hash", "block_number")
    obj = Obj(
        value,
        (*members, "leaf") if with_leaf else members,
        pointer="/anchor",
        open_ended=not with_leaf,
    )
    leaves: tuple[Leaf, ...] = ()
    if with_leaf:
        leaves = (read_leaf("/anchor/leaf", obj.value["leaf"]),)
    identity = obj.value["id"]
    return Anchor(
        line=1,
        # The platform's answers have a number here, its rows a text.
        anchor_id=obj.integer("id") if isinstance(identity, int) else obj.decimal_id("id"),
        scheme=obj.text("scheme"),
        root=obj.text("root") if not with_leaf else tree.text("root"),
        leaf_count=tree.integer("leaf_count"),
        decisions=None,
        chain_id=obj.integer("chain_id"),
        sender=obj.text("sender"),
        tx_hash=obj.text_or_null("tx_hash"),
        status="mined",
        block_number=obj.integer_or_null("block_number"),
        nonce=None,
        raw_tx=None,
        created_at=None,
        mined_at=None,
        leaves=leaves,
    )


def _read_chain(value: JsonValue) -> ChainRecord | None:
    if value is None:
        return None
    chain = Obj(value, ("transaction", "receipt", "block"), pointer="/chain")
    return ChainRecord(chain.value["transaction"], chain.value["receipt"], chain.value["block"])
