"""Signed notes, checkpoints and proofs of a transparency log."""

import base64
from dataclasses import replace
from typing import Final

import pytest
from Crypto.Signature import eddsa
from hypothesis import given
from hypothesis import strategies as st
from vectors import Row, cases, expected

from verifier.core.merkle import inclusion_proof, root
from verifier.core.notes import (
    Note,
    NoteKey,
    NoteSignature,
    format_note,
    parse_note,
    parse_note_key,
    verify_note,
)
from verifier.core.schemes import RFC9162
from verifier.core.tlog import (
    Checkpoint,
    TlogProof,
    check_tlog_proof,
    format_checkpoint,
    format_tlog_proof,
    parse_checkpoint,
    parse_tlog_proof,
)
from verifier.errors import EvidenceError, FormatError, ProofError

ORIGIN: Final = "log.example/arena"

lines = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
hashes = st.binary(min_size=32, max_size=32)


class Signer:
    """A log that signs notes, for tests alone."""

    def __init__(self, name: str = ORIGIN, seed: int = 1) -> None:
        self._key = eddsa.import_private_key(bytes([seed]) * 32)
        public = self._key.public_key().export_key(format="raw")
        self.key = NoteKey(name, public)

    def sign(self, text: bytes) -> NoteSignature:
        """Sign the text of a note."""
        signature = eddsa.new(self._key, "rfc8032").sign(text)
        return NoteSignature(self.key.name, self.key.key_id, signature)


LOG: Final = Signer()
OTHER: Final = Signer("witness.example", 2)
RECORDS: Final = [f"record {i}".encode() for i in range(7)]
LEAVES: Final = [RFC9162.leaf(record) for record in RECORDS]
CHECKPOINT: Final = Checkpoint(ORIGIN, len(LEAVES), root(LEAVES))


def signed(checkpoint: Checkpoint, *signers: Signer) -> bytes:
    """A checkpoint as a signed note."""
    text = format_checkpoint(checkpoint)
    return format_note(Note(text, tuple(signer.sign(text) for signer in signers)))


PROOF: Final = TlogProof(4, tuple(inclusion_proof(LEAVES, 4)), signed(CHECKPOINT, LOG, OTHER))


@pytest.mark.parametrize("row", cases("merkle", "merkle/signed_notes"))
def test_signed_note(row: Row) -> None:
    """Good notes name their signers and are written back unchanged; the others are refused."""
    data = bytes.fromhex(row["note_hex"])
    if expected(row) == "accept":
        note = parse_note(data)
        assert list(verify_note(note, list(map(parse_note_key, row["vkeys"])))) == row["verified"]
        assert format_note(note) == data
    else:
        with pytest.raises(EvidenceError):
            verify_note(parse_note(data), list(map(parse_note_key, row["vkeys"])))


@pytest.mark.parametrize("row", cases("merkle", "merkle/checkpoints"))
def test_checkpoint(row: Row) -> None:
    """A checkpoint has one spelling, and a root of 32 bytes."""
    body = bytes.fromhex(row["body_hex"])
    if expected(row) == "accept":
        checkpoint = parse_checkpoint(body)
        assert checkpoint == Checkpoint(row["origin"], row["size"], bytes.fromhex(row["root"]))
        assert format_checkpoint(checkpoint) == body
    else:
        with pytest.raises(FormatError):
            parse_checkpoint(body)


@pytest.mark.parametrize("row", cases("merkle", "merkle/tlog_proofs"))
def test_tlog_proof(row: Row) -> None:
    """A proof has one spelling, and hashes of 32 bytes."""
    data = bytes.fromhex(row["proof_hex"])
    if expected(row) == "accept":
        proof = parse_tlog_proof(data)
        assert (proof.index, [hash_.hex() for hash_ in proof.hashes]) == (
            row["index"],
            row["hashes"],
        )
        assert proof.extra == (row["extra"].encode() if "extra" in row else None)
        assert format_tlog_proof(proof) == data
    else:
        with pytest.raises(FormatError):
            parse_tlog_proof(data)


class TestNotes:
    """C2SP signed-note."""

    @staticmethod
    @given(st.lists(lines, min_size=1), st.integers(1, 3))
    def test_round_trip(text: list[str], count: int) -> None:
        """What was signed is read back, and the signers are named in order."""
        body = "".join(f"{line}\n" for line in text).encode()
        signers = [LOG, OTHER, Signer("third", 3)][:count]
        note = Note(body, tuple(signer.sign(body) for signer in signers))
        assert parse_note(format_note(note)) == note
        keys = [signer.key for signer in signers]
        assert verify_note(note, keys) == tuple(key.name for key in keys)

    @staticmethod
    def test_unknown_signers_are_ignored() -> None:
        """Verifiers MUST ignore signatures from unknown keys, even of a known name."""
        text = b"text\n"
        namesake = Signer(ORIGIN, 9)
        note = Note(text, (namesake.sign(text), OTHER.sign(b"else\n"), LOG.sign(text)))
        assert verify_note(note, [LOG.key]) == (ORIGIN,)
        with pytest.raises(ProofError, match="none of the trusted keys"):
            verify_note(note, [Signer("nobody", 5).key])
        with pytest.raises(ProofError, match="none of the trusted keys"):
            verify_note(note, [])

    @staticmethod
    def test_one_wrong_signature_spoils_the_note() -> None:
        """A wrong signature by a trusted key is refused, even beside a good one by another."""
        text = b"text\n"
        note = Note(text, (LOG.sign(text), OTHER.sign(b"else\n")))
        with pytest.raises(ProofError, match=r"signature of witness\.example"):
            verify_note(note, [LOG.key, OTHER.key])
        short = replace(LOG.sign(text), signature=b"short")
        with pytest.raises(ProofError):
            verify_note(Note(text, (short,)), [LOG.key])

    @staticmethod
    def test_repeated_signature_counts_once() -> None:
        """A signer is named once, however often he signed."""
        text = b"text\n"
        assert verify_note(Note(text, (LOG.sign(text),) * 3), [LOG.key]) == (ORIGIN,)

    @staticmethod
    @pytest.mark.parametrize(
        "damage",
        [
            lambda note: note.replace(b"\n\n", b"\n"),
            lambda note: note[:-1],
            lambda note: note + b"\n",
            lambda note: note + b"\n\n",
            lambda note: note.replace("—".encode(), b"-"),
            lambda note: note.replace(b"log.example/arena ", b""),
            lambda note: note.replace(b"log.example/arena ", b"log.example arena "),
            lambda note: note.replace(b"log.example/arena ", b"log+arena "),
            lambda note: note.replace(b"log.example/arena ", "log\u00a0arena ".encode()),
            lambda note: note.replace(b"=\n", b"\n"),
            lambda note: note.replace(b"=\n", b"==\n"),
            lambda note: b"\x00" + note,
            lambda note: note.replace(b"\n", b"\r\n"),
            lambda note: b"\xff" + note,
            lambda note: b"\xed\xa0\x80" + note,
            lambda note: note[: note.rindex(b" ") + 1] + b"AAAA\n",
            lambda note: note + note[note.rindex("—".encode()) :] * 100,
        ],
    )
    def test_damaged_form(damage: object) -> None:
        """A note of any other form is refused."""
        note = format_note(Note(b"text\n", (LOG.sign(b"text\n"),)))
        parse_note(note)
        assert callable(damage)
        with pytest.raises(FormatError):
            parse_note(damage(note))

    @staticmethod
    def test_verifier_keys() -> None:
        """A verifier key carries an id that is its own, and no other algorithm."""
        encoded = base64.b64encode(b"\x01" + LOG.key.public_key).decode()
        good = f"{ORIGIN}+{LOG.key.key_id.hex()}+{encoded}"
        assert parse_note_key(good) == LOG.key
        cosigner = base64.b64encode(b"\x04" + LOG.key.public_key).decode()
        for bad in (
            "",
            ORIGIN,
            f"{ORIGIN}+00000000+{encoded}",
            f"{ORIGIN}+{LOG.key.key_id.hex().upper()}Z+{encoded}",
            f"log arena+{LOG.key.key_id.hex()}+{encoded}",
            f"other+{LOG.key.key_id.hex()}+{encoded}",
            f"\ud800+{LOG.key.key_id.hex()}+{encoded}",
            f"log\x1barena+{LOG.key.key_id.hex()}+{encoded}",
            f"{ORIGIN}+{LOG.key.key_id.hex()}+{cosigner}",
            f"{ORIGIN}+{LOG.key.key_id.hex()}+{encoded[:-4]}",
        ):
            with pytest.raises(FormatError):
                parse_note_key(bad)

    @staticmethod
    def test_key_that_is_no_point() -> None:
        """A public key that is no point of the curve verifies nothing."""
        key = NoteKey(ORIGIN, b"\xff" * 32)
        note = Note(b"text\n", (NoteSignature(ORIGIN, key.key_id, bytes(64)),))
        with pytest.raises(FormatError, match="no public key of Ed25519"):
            verify_note(note, [key])

    @staticmethod
    @pytest.mark.parametrize("y", [0, 1, 2**255 - 20], ids=["order 4", "order 1", "order 2"])
    def test_key_of_small_order(y: int) -> None:
        """Anyone can sign for it, so it is refused as a key, and what it signs is not believed."""
        key = NoteKey(ORIGIN, y.to_bytes(32, "little"))
        encoded = base64.b64encode(b"\x01" + key.public_key).decode()
        text = f"{ORIGIN}+{key.key_id.hex()}+{encoded}"
        neutral = (1).to_bytes(32, "little") + bytes(32)
        note = Note(b"text\n", (NoteSignature(ORIGIN, key.key_id, neutral),))
        # Older releases of pycryptodome refuse some of them themselves.
        with pytest.raises(FormatError, match=r"small order|no public key"):
            parse_note_key(text)
        with pytest.raises(FormatError, match=r"small order|no public key"):
            verify_note(note, [key])


class TestTexts:
    """Checkpoints and proofs are written in the one spelling that is read."""

    @staticmethod
    @given(lines, st.integers(1, 2**64 - 1), hashes, st.lists(lines, max_size=3))
    def test_checkpoint_round_trip(
        origin: str, size: int, top: bytes, extensions: list[str]
    ) -> None:
        """What is written is read back."""
        checkpoint = Checkpoint(origin, size, top, tuple(extensions))
        assert parse_checkpoint(format_checkpoint(checkpoint)) == checkpoint

    @staticmethod
    @given(st.integers(0, 2**64 - 1), st.lists(hashes, max_size=64), st.none() | st.binary())
    def test_proof_round_trip(index: int, proof: list[bytes], extra: bytes | None) -> None:
        """What is written is read back."""
        written = TlogProof(index, tuple(proof), PROOF.checkpoint, extra)
        assert parse_tlog_proof(format_tlog_proof(written)) == written

    @staticmethod
    @pytest.mark.parametrize(
        "damage",
        [
            lambda text: text.replace(b"@v1", b"@v2"),
            lambda text: b"\n" + text,
            lambda text: text.replace(b"index 4", b"index 04"),
            lambda text: text.replace(b"index 4", b"index +4"),
            lambda text: text.replace(b"index 4", b"index  4"),
            lambda text: text.replace(b"index 4", b"index 18446744073709551616"),
            lambda text: text.replace(b"index 4", "index ٤".encode()),
            lambda text: text.replace(b"index 4\n", b""),
            lambda text: text.replace(b"index 4\n", b"index 4\nextra AAAA\n"),
            lambda text: text.replace(b"index 4\n", b"extra AAAA\nextra AAAA\nindex 4\n"),
            lambda text: text.replace(b"index 4\n", b"extra AAB=\nindex 4\n"),
            lambda text: text.replace(b"index 4\n", b"index 4\n" + b"A" * 43 + b"=\n") * 70,
            lambda text: text.replace(b"\n", b"\r\n"),
            lambda text: text[:-1],
            lambda text: text.split(b"\n\n", maxsplit=1)[0],
            lambda text: text.replace(b"=\n", b"\n", 1),
        ],
    )
    def test_damaged_proof(damage: object) -> None:
        """A proof in any other spelling is refused."""
        assert callable(damage)
        data = damage(format_tlog_proof(PROOF))
        with pytest.raises(EvidenceError):
            check_tlog_proof(RECORDS[4], parse_tlog_proof(data), origin=ORIGIN, keys=[LOG.key])

    @staticmethod
    def test_too_many_hashes() -> None:
        """No more hashes are read than a proof can have."""
        with pytest.raises(FormatError, match="some lines"):
            parse_tlog_proof(format_tlog_proof(replace(PROOF, hashes=(bytes(32),) * 1000)))


class TestCheck:
    """A log holds a record if a checkpoint that it signed says so."""

    @staticmethod
    @pytest.mark.parametrize("index", range(len(RECORDS)))
    def test_accepted(index: int) -> None:
        """Every record of the log has a proof that survives being written and read."""
        proof = replace(PROOF, index=index, hashes=tuple(inclusion_proof(LEAVES, index)))
        read = parse_tlog_proof(format_tlog_proof(proof))
        found = check_tlog_proof(RECORDS[index], read, origin=ORIGIN, keys=[LOG.key])
        assert found == CHECKPOINT

    @staticmethod
    @pytest.mark.parametrize(
        ("record", "proof"),
        {
            "another record": (RECORDS[3], PROOF),
            "its leaf hash": (LEAVES[4], PROOF),
            "another index": (RECORDS[4], replace(PROOF, index=5)),
            "an index beyond": (RECORDS[4], replace(PROOF, index=7)),
            "a hash less": (RECORDS[4], replace(PROOF, hashes=PROOF.hashes[1:])),
            "a hash more": (RECORDS[4], replace(PROOF, hashes=(*PROOF.hashes, bytes(32)))),
            "a hash changed": (RECORDS[4], replace(PROOF, hashes=(bytes(32), *PROOF.hashes[1:]))),
            "another signer": (RECORDS[4], replace(PROOF, checkpoint=signed(CHECKPOINT, OTHER))),
            "no signature": (
                RECORDS[4],
                replace(PROOF, checkpoint=format_checkpoint(CHECKPOINT)),
            ),
            "another log": (
                RECORDS[4],
                replace(PROOF, checkpoint=signed(replace(CHECKPOINT, origin="other"), LOG)),
            ),
            "another size": (
                RECORDS[4],
                replace(PROOF, checkpoint=signed(replace(CHECKPOINT, size=5), LOG)),
            ),
            "another root": (
                RECORDS[4],
                replace(PROOF, checkpoint=signed(replace(CHECKPOINT, root=bytes(32)), LOG)),
            ),
            "size changed after signing": (
                RECORDS[4],
                replace(PROOF, checkpoint=PROOF.checkpoint.replace(b"\n7\n", b"\n8\n")),
            ),
        }.values(),
    )
    def test_refused(record: bytes, proof: TlogProof) -> None:
        """A proof with one thing changed is refused."""
        with pytest.raises(EvidenceError):
            check_tlog_proof(record, proof, origin=ORIGIN, keys=[LOG.key])
