"""
Checkpoints of a transparency log, and proofs that carry one.

A checkpoint is the text of a signed note, at least three lines::

    example.com/log
    20852163
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

the log's origin, the size of its tree in decimal and the root in base64; more
lines may follow, none of them empty. A proof of one entry is::

    c2sp.org/tlog-proof@v1
    extra b3B0aW9uYWwsIG5vdCBzaWduZWQ=
    index 73894
    gSKyXoYZUgZ6jduWYrkDOARinOMGJveXjgMkBTcdPlQ=

    (the checkpoint as a signed note, to the end)

where the line ``extra`` may be missing, and there are as many hashes as the
inclusion proof has. Numbers and base64 have one spelling each, hashes 32 bytes.
The tree without leaves has one root, sha256 of nothing.

Checking a proof:

1. The checkpoint is a signed note, signed by a key that the caller trusts.
2. Its origin is the log that the caller asks about.
3. The record, hashed by the verifier, is at ``index`` of the tree that the
   checkpoint's size and root describe.

Source:
    C2SP tlog-checkpoint and tlog-proof.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.merkle import MAX_PROOF, check_inclusion
from verifier.core.notes import parse_note, read_base64, read_text, verify_note
from verifier.core.schemes import HASH_SIZE, RFC9162
from verifier.errors import FormatError, ProofError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.notes import NoteKey

__all__ = [
    "Checkpoint",
    "TlogProof",
    "check_tlog_proof",
    "format_checkpoint",
    "format_tlog_proof",
    "parse_checkpoint",
    "parse_tlog_proof",
]

_HEADER: Final = "c2sp.org/tlog-proof@v1"
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,19}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """
    What a log commits to at one size.

    Args:
        origin: The log's name.
        size: Number of leaves.
        root: 32-byte root of the tree.
        extensions: Further lines, which mean nothing here.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TlogProof:
    """
    The claim that a log holds an entry.

    Args:
        index: Place of the entry, from 0.
        hashes: Inclusion proof, from the leaf's sibling upwards.
        checkpoint: The signed note, as it stands.
        extra: Data that nobody has signed; None without.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None


def parse_checkpoint(text: bytes) -> Checkpoint:
    """
    Read the text of a checkpoint, without its signatures.

    Raises:
        FormatError: Not of the form of a checkpoint, or the root of the tree without
            leaves is another than its own.
    """
    *lines, end = read_text(text, "checkpoint").split("\n")
    if end or len(lines) < 3 or not all(lines):
        raise FormatError("checkpoint is not at least three lines, each ended and none empty")
    size, root = _number(lines[1], "tree size"), _hash(lines[2], "root")
    if size == 0 and root != RFC9162.empty_root:
        raise FormatError("checkpoint of size 0 has not the root of the tree without leaves")
    return Checkpoint(lines[0], size, root, tuple(lines[3:]))


def format_checkpoint(checkpoint: Checkpoint) -> bytes:
    """Write the text of a checkpoint; :func:`parse_checkpoint` reads it back."""
    root = base64.b64encode(checkpoint.root).decode()
    lines = (checkpoint.origin, str(checkpoint.size), root, *checkpoint.extensions)
    return "".join(f"{line}\n" for line in lines).encode()


def parse_tlog_proof(data: bytes) -> TlogProof:
    """
    Read a proof; its checkpoint is left to :func:`check_tlog_proof`.

    Raises:
        FormatError: Not of the form of a proof.
    """
    head, blank, checkpoint = data.partition(b"\n\n")
    if not blank or not checkpoint.endswith(b"\n"):
        raise FormatError("proof has no checkpoint after a blank line, or no final newline")
    lines = read_text(head, "proof").split("\n")
    # The header, two named lines, and no more hashes than a proof can have.
    if lines.pop(0) != _HEADER or not 0 < len(lines) <= MAX_PROOF + 2:
        raise FormatError(f"proof does not begin with {_HEADER} and some lines")
    extra = None
    if lines[0].startswith("extra "):
        extra = read_base64(lines.pop(0).removeprefix("extra "), "extra data")
    if not lines or not lines[0].startswith("index "):
        raise FormatError("proof has no line with its index")
    index = _number(lines.pop(0).removeprefix("index "), "index")
    hashes = tuple(_hash(line, "hash of the proof") for line in lines)
    return TlogProof(index, hashes, checkpoint, extra)


def format_tlog_proof(proof: TlogProof) -> bytes:
    """Write a proof; :func:`parse_tlog_proof` reads it back."""
    lines = [_HEADER]
    if proof.extra is not None:
        lines.append(f"extra {base64.b64encode(proof.extra).decode()}")
    lines.append(f"index {proof.index}")
    lines += [base64.b64encode(hash_).decode() for hash_ in proof.hashes]
    return "".join(f"{line}\n" for line in lines).encode() + b"\n" + proof.checkpoint


def check_tlog_proof(
    record: bytes, proof: TlogProof, *, origin: str, keys: Sequence[NoteKey]
) -> Checkpoint:
    """
    Check that a log holds a record; the steps are those of the module's docstring.

    Args:
        record: The record itself, not its hash.
        proof: The proof as read.
        origin: Name of the log, from the caller.
        keys: The log's keys, from the caller.

    Returns:
        The checkpoint, signed by at least one of *keys*.

    Raises:
        FormatError: The checkpoint is malformed.
        ProofError: It is not signed, of another log, or the record is not at this index.
    """
    note = parse_note(proof.checkpoint)
    verify_note(note, keys)
    checkpoint = parse_checkpoint(note.text)
    if checkpoint.origin != origin:
        raise ProofError(f"checkpoint is of the log {checkpoint.origin[:80]!r}, not {origin!r}")
    leaf_hash = RFC9162.leaf(record)
    check_inclusion(leaf_hash, proof.index, checkpoint.size, proof.hashes, checkpoint.root)
    return checkpoint


def _number(text: str, what: str) -> int:
    if not _NUMBER.fullmatch(text) or int(text) >= 1 << 64:
        raise FormatError(f"{what} is not a plain decimal number below 2**64")
    return int(text)


def _hash(text: str, what: str) -> bytes:
    raw = read_base64(text, what)
    if len(raw) != HASH_SIZE:
        raise FormatError(f"{what} has {len(raw)} bytes, not {HASH_SIZE}")
    return raw
