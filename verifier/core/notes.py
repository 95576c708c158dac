"""
Signed notes: text that one or more keys have signed with Ed25519.

A note is UTF-8 text ending in a newline, a blank line, and signature lines::

    This is an example message.

    — example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Z…

The text ends at the last blank line; it is signed with its final newline and
without the blank one. No control character but the newline occurs. A
signature line is an em dash, the key's name without spaces and ``+``, and in base64
the 4-byte key id followed by the signature.

A verifier key is written ``name+id+key``: the id in eight hexadecimal digits, and in
base64 the byte 01 for Ed25519 and the 32-byte public key. The id is the start of
``sha256(name || 0a || 01 || public key)``.

Verifying a note, with the keys that the caller trusts:

1. The note has the form above, and at most :data:`MAX_SIGNATURES` signatures.
2. Signatures by other keys than the caller's are ignored; name and id together
   say whose one is.
3. Every signature by one of the caller's keys verifies over the text.
4. At least one was by one of the caller's keys.

Source:
    C2SP signed-note.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.core.ed25519 import raw_key
from verifier.errors import FormatError, ProofError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from Crypto.PublicKey.ECC import EccKey

__all__ = [
    "MAX_SIGNATURES",
    "Note",
    "NoteKey",
    "NoteSignature",
    "format_note",
    "parse_note",
    "parse_note_key",
    "read_base64",
    "read_text",
    "verify_note",
]

MAX_SIGNATURES: Final = 100
"""Signatures in the longest note that is read; the format demands room for 16."""

_DASH: Final = "\u2014 "
_ED25519: Final = b"\x01"
_KEY: Final = re.compile(r"([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)")
_CONTROLS: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """
    One signature line.

    Args:
        name: Name of the key that is said to have signed.
        key_id: 4-byte id of that key.
        signature: What follows the id, 64 bytes if the key is an Ed25519 one.
    """

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Note:
    """
    A note whose signatures nobody has checked.

    Args:
        text: What was signed, with its final newline.
        signatures: The signature lines, in order.
    """

    text: bytes
    signatures: tuple[NoteSignature, ...]


@dataclass(frozen=True, slots=True)
class NoteKey:
    """
    An Ed25519 key that may sign notes.

    Args:
        name: Name of the key.
        public_key: Its 32 bytes.
    """

    name: str
    public_key: bytes

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that stand for this key in signature lines."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public_key).digest()[:4]


def read_text(data: bytes, what: str) -> str:
    """
    Decode UTF-8 in which no control character but the newline occurs.

    Raises:
        FormatError: It is not that; *what* it is goes into the error.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise FormatError(f"{what} is not UTF-8", offset=error.start) from None
    if _CONTROLS.search(text):
        raise FormatError(f"{what} contains a control character")
    return text


def read_base64(text: str, what: str) -> bytes:
    """
    Decode base64 in its one spelling: padded, and without stray bits or characters.

    Raises:
        FormatError: It is not that; *what* it is goes into the error.
    """
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise FormatError(f"{what} is not base64") from None
    if base64.b64encode(raw).decode() != text:
        raise FormatError(f"{what} is not base64 in its one spelling")
    return raw


def parse_note_key(text: str) -> NoteKey:
    """
    Read a verifier key.

    Raises:
        FormatError: It is malformed, of another algorithm or of small order, or its id is
            not its own.
    """
    # Command lines and JSON can hold halves of surrogate pairs, which no file can.
    text = read_text(text.encode("utf-8", "surrogatepass"), "verifier key")
    match = _KEY.fullmatch(text)
    if match is None or not _is_name(match[1]):
        raise FormatError("verifier key is not name+id+key")
    raw = read_base64(match[3], "verifier key")
    if len(raw) != 33 or raw[:1] != _ED25519:
        raise FormatError("verifier key is not an Ed25519 key")
    key = NoteKey(match[1], raw[1:])
    _public(key)
    if key.key_id.hex() != match[2]:
        raise FormatError(f"verifier key {key.name} has the id {key.key_id.hex()}, not {match[2]}")
    return key


def parse_note(data: bytes) -> Note:
    """
    Read a note; its text means nothing until :func:`verify_note` has passed.

    Raises:
        FormatError: Not of the form of a note.
    """
    text = read_text(data, "note")
    body, blank, lines = text.rpartition("\n\n")
    if not blank or not lines.endswith("\n"):
        raise FormatError("note has no signature after a blank line, or no final newline")
    signatures = lines[:-1].split("\n")
    if len(signatures) > MAX_SIGNATURES:
        raise FormatError(f"note has {len(signatures)} signatures, more than {MAX_SIGNATURES}")
    return Note((body + "\n").encode(), tuple(map(_parse_signature, signatures)))


def format_note(note: Note) -> bytes:
    """Write a note; :func:`parse_note` reads it back."""
    lines = [
        f"{_DASH}{s.name} {base64.b64encode(s.key_id + s.signature).decode()}\n"
        for s in note.signatures
    ]
    return note.text + "".join(["\n", *lines]).encode()


def verify_note(note: Note, keys: Sequence[NoteKey]) -> tuple[str, ...]:
    """
    Return the names of the trusted keys that signed a note, in the order of its lines.

    Args:
        note: The note as read.
        keys: Keys that the caller trusts, each of them once.

    Raises:
        FormatError: Two of the *keys* have one name and id, or one is no key to trust.
        ProofError: A signature by one of the keys is wrong, or there is none.
    """
    trusted = {(key.name, key.key_id): key for key in keys}
    if len(trusted) != len(keys):
        raise FormatError("two verifier keys have the same name and id")
    names: dict[str, None] = {}  # in order, each once
    for signature in note.signatures:
        key = trusted.get((signature.name, signature.key_id))
        if key is not None:
            _verify(key, note.text, signature.signature)
            names[key.name] = None
    if not names:
        raise ProofError("note is signed by none of the trusted keys")
    return tuple(names)


def _parse_signature(line: str) -> NoteSignature:
    name, space, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not space or not _is_name(name):
        raise FormatError("signature line of a note is not a dash, a name and base64")
    raw = read_base64(encoded, "signature of a note")
    if len(raw) < 5:
        raise FormatError("signature of a note has no bytes after the key id")
    return NoteSignature(name, raw[:4], raw[4:])


def _is_name(text: str) -> bool:
    return bool(text) and "+" not in text and not any(map(str.isspace, text))


def _public(key: NoteKey) -> EccKey:
    try:
        return raw_key(key.public_key)
    except FormatError as error:
        raise FormatError(f"verifier key {key.name} {error.reason}") from None


def _verify(key: NoteKey, text: bytes, signature: bytes) -> None:
    from Crypto.Signature import eddsa  # noqa: PLC0415 - few commands read notes

    public = _public(key)
    try:
        eddsa.new(public, "rfc8032").verify(text, signature)
    except ValueError:
        raise ProofError(f"signature of {key.name} under the note is wrong") from None
