"""Notes, keys, checkpoints and proofs: refused, or written back byte for byte."""

from contextlib import suppress

from verifier.core.notes import NoteKey, format_note, parse_note, parse_note_key, verify_note
from verifier.core.tlog import (
    check_tlog_proof,
    format_checkpoint,
    format_tlog_proof,
    parse_checkpoint,
    parse_tlog_proof,
)
from verifier.errors import EvidenceError


def one_input(data: bytes) -> None:
    """Read the bytes as each of the texts; what is accepted has one spelling."""
    with suppress(EvidenceError):
        assert format_checkpoint(parse_checkpoint(data)) == data
    with suppress(EvidenceError):
        parse_note_key(data.decode(errors="surrogateescape"))
    with suppress(EvidenceError):
        note = parse_note(data)
        assert format_note(note) == data
        # A key that is no signer's: its signatures are looked at, none of them holds.
        first = note.signatures[0]
        verify_note(note, [NoteKey(first.name, data[:32].ljust(32, b"\0"))])
    with suppress(EvidenceError):
        proof = parse_tlog_proof(data)
        assert format_tlog_proof(proof) == data
        check_tlog_proof(b"record", proof, origin="log.example", keys=[])
