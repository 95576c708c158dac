"""Inclusion proofs of ledger entries of the Floor, and how they are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.floor.primitives import HOUR_MS, format_time
from verifier.claim import Claim
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.merkle import check_inclusion, inclusion_proof, root
from verifier.core.schemes import scheme
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError, ProofError
from verifier.findings import Where
from verifier.floor.checks.ledger import LEDGER_FILE
from verifier.floor.checks.roots import leaves
from verifier.floor.context import load_context
from verifier.floor.fields import time
from verifier.floor.ledger import Entry, read_entry
from verifier.proof.form import ANCHOR, FORMAT, INCLUSION, RECORD, TREE, digest

if TYPE_CHECKING:
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.policy import Policy

__all__ = ["EntryProof", "judge_entry", "prove_entry", "read_entry_proof"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryProof:
    """What a proof file says; *hour* in ms."""

    seal: str
    entry: Entry
    hour: int
    scheme: str
    index: int
    count: int
    path: tuple[bytes, ...]
    root: str


def prove_entry(bundle: Bundle, seal: str, policy: Policy) -> bytes | None:
    """
    Write the proof of an entry, named by its hash or by the seal of its call.

    Returns:
        None if the bundle has no such entry, or no root over it yet.

    Raises:
        EvidenceError: The bundle's rows cannot be read.
    """
    context = load_context(bundle, policy)
    known = context.entries.get(seal)
    entry = next((each for each in context.tables.entries if each.hash == seal), known)
    if entry is None:
        return None
    hour = entry.settled_at // HOUR_MS * HOUR_MS
    if all(each.hour != hour for each in context.tables.roots):
        return None
    own = [context.tables.entries[place] for place in context.hours[hour]]
    hashes, index = leaves(own), own.index(entry)
    line = next(text for number, text in bundle.lines(LEDGER_FILE) if number == entry.line)
    record = read_json(line)
    assert isinstance(record, dict)
    value: JsonValue = {
        "format": FORMAT,
        "hour": format_time(hour),
        "record": {
            "body": record["body"],
            "family": "floor",
            "kind": "entry",
            "seal": entry.hash,
        },
        "tree": {
            "scheme": TREE,
            "leaf_index": index,
            "leaf_count": len(own),
            "proof": [item.hex() for item in inclusion_proof(hashes, index)],
            "root": root(hashes, scheme(TREE)).hex(),
        },
    }
    return canonical_bytes(value) + b"\n"


def read_entry_proof(value: JsonValue) -> EntryProof:
    """
    Read a proof file.

    Raises:
        EvidenceError: It has not the shape, or its record is no entry.
    """
    obj = Obj(value, ("format", "hour", "record", "tree"))
    if obj.text("format") != FORMAT:
        raise FormatError(f"is no {FORMAT}", pointer="/format")
    record = Obj(obj.value["record"], ("body", "family", "kind", "seal"), pointer="/record")
    if record.text("kind") != "entry":
        raise FormatError("must be an entry", pointer="/record/kind")
    tree = Obj(
        obj.value["tree"],
        ("scheme", "leaf_index", "leaf_count", "proof", "root"),
        pointer="/tree",
    )
    seal = digest(record.value["seal"], "/record/seal").hex()
    try:
        entry = read_entry(1, canonical_bytes({"body": record.value["body"], "hash": seal}))
    except EvidenceError as error:
        raise FormatError(error.reason, pointer=f"/record{error.pointer or ''}") from None
    return EntryProof(
        seal=seal,
        entry=entry,
        hour=time(obj, "hour"),
        scheme=tree.text("scheme"),
        index=tree.integer("leaf_index"),
        count=tree.integer("leaf_count"),
        path=tuple(digest(item, pointer) for pointer, item in tree.items("proof")),
        root=digest(tree.value["root"], "/tree/root").hex(),
    )


def judge_entry(proof: EntryProof, name: str, trusted: str | None) -> tuple[Finding, ...]:
    """
    Judge the three steps of a proof that was read.

    Args:
        proof: The proof.
        name: The file's name.
        trusted: The root of the hour as the caller knows it.
    """
    place, subject = Where(name), f"entry {proof.seal}"
    record = Claim(RECORD, subject, place)
    record.equal(
        "the SHA-256 of the body", proof.seal, proof.entry.body_sha256, pointer="/record/seal"
    )
    inclusion = Claim(INCLUSION, subject, place)
    try:
        tree = scheme(proof.scheme, allowed=(TREE,))
        leaf = tree.leaf(bytes.fromhex(proof.seal))
        check_inclusion(
            leaf, proof.index, proof.count, proof.path, bytes.fromhex(proof.root), scheme=tree
        )
    except ProofError as error:
        inclusion.fail(f"the proof does not hold: {error}", published=proof.root)
    anchor = Claim(ANCHOR, subject, place)
    anchor.equal(
        "the hour of settled_at",
        format_time(proof.hour),
        format_time(proof.entry.settled_at // HOUR_MS * HOUR_MS),
        pointer="/hour",
    )
    if trusted is None:
        anchor.unproven(
            "the Floor's roots are in no chain: name the root of the hour that you trust",
            published=proof.root,
        )
    else:
        anchor.equal("the root that you trust", proof.root, trusted, pointer="/tree/root")
    return (
        *record.close("the body hashes to the entry's hash"),
        *inclusion.close(f"leaf {proof.index} of {proof.count} under the root"),
        *anchor.close(f"the root of {format_time(proof.hour)} that the caller trusts"),
    )
