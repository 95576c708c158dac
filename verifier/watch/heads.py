"""
Heads, in the formats that witnesses of transparency logs read.

Two kinds of logs have a head at each observation: each ledger (a leaf is an entry's
canonical JSON) and the observer's own log, whose leaves are the files of its
observations. The origin of both says that they are the observer's word::

    tallyproof-watch/example.org/arena/floor/ledger
    tallyproof-watch/example.org/arena/observations

With a key, the folder ``checkpoints/<number>/`` holds for each log:

=====================  ==================================================================
``<log>.checkpoint``   a C2SP tlog-checkpoint, signed with Ed25519 by a key of the log's name
``<log>.vkey``         that verifier key, ``name+id+key``
``<log>.tlog-proof``   a C2SP tlog-proof of the newest entry, with the checkpoint
``<log>.witness``      the consistency proof from the checkpoint before, as the body of a
                       C2SP tlog-witness request ``add-checkpoint``
=====================  ==================================================================

Without a key there is only ``<log>.unsigned``, the checkpoint's text that nobody has
signed. It says the same, to those who trust the folder.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from verifier.core.merkle import consistency_proof, inclusion_proof, root
from verifier.core.notes import Note, NoteKey, NoteSignature, format_note, parse_note, verify_note
from verifier.core.tlog import (
    Checkpoint,
    TlogProof,
    format_checkpoint,
    format_tlog_proof,
    parse_checkpoint,
)
from verifier.errors import FormatError, ProofError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from Crypto.PublicKey.ECC import EccKey

__all__ = ["OBSERVATIONS", "Growth", "check_head", "head_files", "origin_of"]

OBSERVATIONS: Final = "observations"

_PLAIN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}")


@dataclass(frozen=True, slots=True)
class Growth:
    """
    A log at one observation.

    Args:
        name: ``observations``, or a scope and ``/ledger``.
        leaves: All leaf hashes.
        old_size: How many of them there were before; 0 at first.
    """

    name: str
    leaves: Sequence[bytes]
    old_size: int

    @property
    def file(self) -> str:
        """Begin of the names of its files."""
        flat = self.name.replace("/", "-")
        return flat if _PLAIN.fullmatch(flat) else sha256(self.name.encode()).hexdigest()[:16]


def origin_of(url: str, log: str) -> str:
    """
    Name a log for those who read its checkpoints.

    >>> origin_of("https://example.org/arena/", "floor/ledger")
    'tallyproof-watch/example.org/arena/floor/ledger'
    """
    parts = urlsplit(url)
    place = f"tallyproof-watch/{parts.netloc}{parts.path.rstrip('/')}/{log}"
    # A key's name holds neither a plus sign nor a space, and neither does its origin then.
    return re.sub(r"[^\x21-\x2a\x2c-\x7e]", lambda found: f"%{ord(found[0]):02X}", place)


def head_files(url: str, growth: Growth, keys: Sequence[EccKey]) -> Iterator[tuple[str, bytes]]:
    """
    Write the files of a log's head.

    Args:
        url: What is watched.
        growth: The log.
        keys: Private Ed25519 keys of the observer; the first one's verifier key is written.

    Yields:
        Name and content of each file.
    """
    leaves = growth.leaves
    size = len(leaves)
    origin = origin_of(url, growth.name)
    text = format_checkpoint(Checkpoint(origin, size, root(leaves)))
    if not keys:
        yield f"{growth.file}.unsigned", text
        return
    note = format_note(Note(text, tuple(_sign(origin, text, key) for key in keys)))
    yield f"{growth.file}.checkpoint", note
    yield f"{growth.file}.vkey", "".join(f"{_vkey(origin, key)}\n" for key in keys).encode()
    if size:
        proof = TlogProof(size - 1, tuple(inclusion_proof(leaves, size - 1)), note)
        yield f"{growth.file}.tlog-proof", format_tlog_proof(proof)
    old = growth.old_size
    steps = consistency_proof(leaves, old) if old else []
    lines = [f"old {old}", *(base64.b64encode(step).decode() for step in steps)]
    yield f"{growth.file}.witness", "".join(f"{line}\n" for line in lines).encode() + b"\n" + note


def check_head(
    url: str, growth: Growth, files: Mapping[str, bytes], keys: Sequence[EccKey]
) -> None:
    """
    Check that a head on disk is that of a log.

    Args:
        url: What is watched.
        growth: The log as it is.
        files: The head's files by name.
        keys: Keys of the observer: with any, the head must be signed by one of them.

    Raises:
        EvidenceError: It is malformed, unsigned though a key was given, or of another log.
    """
    origin = origin_of(url, growth.name)
    signed = files.get(f"{growth.file}.checkpoint")
    text = files.get(f"{growth.file}.unsigned")
    if signed is not None:
        note = parse_note(signed)
        if keys:
            verify_note(note, [NoteKey(origin, _public(key)) for key in keys])
        text = note.text
    elif text is None:
        raise FormatError(f"there is no checkpoint of the log {growth.name}")
    elif keys:
        raise ProofError(f"the checkpoint of the log {growth.name} is not signed by a given key")
    found = parse_checkpoint(text)
    if found.origin != origin:
        raise ProofError(f"checkpoint is of the log {found.origin[:80]!r}, not {origin!r}")
    if (found.size, found.root) != (len(growth.leaves), root(growth.leaves)):
        raise ProofError(f"the log {growth.name} is not the one that the checkpoint states")


def _sign(name: str, text: bytes, key: EccKey) -> NoteSignature:
    from Crypto.Signature import eddsa  # noqa: PLC0415 - few observers sign

    signature = eddsa.new(key, "rfc8032").sign(text)
    return NoteSignature(name, NoteKey(name, _public(key)).key_id, signature)


def _vkey(name: str, key: EccKey) -> str:
    public = _public(key)
    encoded = base64.b64encode(b"\x01" + public).decode()
    return f"{name}+{NoteKey(name, public).key_id.hex()}+{encoded}"


def _public(key: EccKey) -> bytes:
    raw: bytes = key.public_key().export_key(format="raw")
    return raw
