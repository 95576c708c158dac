r"""
DSSE envelopes: bytes, their type, and Ed25519 signatures over both.

::

    {"payload":"<base64>","payloadType":"<type>",
     "signatures":[{"keyid":"<hex>","sig":"<base64>"}]}

What is signed is ``DSSEv1``, the length of the type, the type, the length of
the payload and the payload, parted by spaces, so that neither can be taken for
the other. ``keyid`` is a hint and no more: a signature counts when the key that
the caller trusts verifies it. Ours is the sha256 of the key's 32 bytes.

>>> pre_authentication("a/b", b"hello")
b'DSSEv1 3 a/b 5 hello'

Source:
    Dead Simple Signing Envelope 1.0, https://github.com/secure-systems-lab/dsse
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.ed25519 import refuse_small_order
from verifier.core.jsonread import read_json
from verifier.core.notes import read_base64
from verifier.core.shape import Obj
from verifier.errors import FormatError, ProofError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from Crypto.PublicKey.ECC import EccKey

__all__ = [
    "Envelope",
    "format_envelope",
    "parse_envelope",
    "pre_authentication",
    "private_key",
    "public_key",
    "sign_envelope",
    "verify_envelope",
]

MAX_SIGNATURES: Final = 16


@dataclass(frozen=True, slots=True)
class Envelope:
    """
    An envelope whose signatures nobody has checked.

    Args:
        payload_type: What the payload is.
        payload: Its bytes.
        signatures: 64 bytes each, whoever made them.
        key_ids: What each signature says about its key; empty where it says nothing.
    """

    payload_type: str
    payload: bytes
    signatures: tuple[bytes, ...]
    key_ids: tuple[str, ...]


def pre_authentication(payload_type: str, payload: bytes) -> bytes:
    """Write type and payload as they are signed."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def private_key(pem: bytes) -> EccKey:
    """
    Read an Ed25519 private key: PKCS#8 in PEM, without a password.

    Raises:
        FormatError: It is not one.
    """
    key = _key(pem)
    if not key.has_private():
        raise FormatError("is a public key, and only a private one can sign")
    return key


def public_key(pem: bytes) -> EccKey:
    """
    Read an Ed25519 public key: SubjectPublicKeyInfo in PEM.

    Raises:
        FormatError: It is not one, or is private: nobody should pass that round.
    """
    key = _key(pem)
    if key.has_private():
        raise FormatError("is a private key; give the public one")
    return key


def sign_envelope(payload_type: str, payload: bytes, key: EccKey) -> Envelope:
    """Sign with one key; Ed25519 needs no randomness, so equal bytes give an equal envelope."""
    from Crypto.Signature import eddsa  # noqa: PLC0415 - few commands sign

    signature = eddsa.new(key, "rfc8032").sign(pre_authentication(payload_type, payload))
    return Envelope(payload_type, payload, (signature,), (_key_id(key),))


def verify_envelope(envelope: Envelope, keys: Sequence[EccKey]) -> tuple[str, ...]:
    """
    Return the ids of the trusted keys that signed.

    Raises:
        ProofError: None of the keys did.
    """
    from Crypto.Signature import eddsa  # noqa: PLC0415

    signed = pre_authentication(envelope.payload_type, envelope.payload)
    found = []
    for key in keys:
        for signature in envelope.signatures:
            try:
                eddsa.new(key, "rfc8032").verify(signed, signature)
            except ValueError:
                continue
            found.append(_key_id(key))
            break
    if not found:
        raise ProofError("no signature is by a key that you trust")
    return tuple(found)


def parse_envelope(data: bytes) -> Envelope:
    """
    Read an envelope; its payload means nothing until :func:`verify_envelope` has passed.

    Raises:
        EvidenceError: Not JSON, or not of the form of an envelope.
    """
    outer = Obj(read_json(data), ("payload", "payloadType", "signatures"))
    listed = outer.value["signatures"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_SIGNATURES:
        raise FormatError(f"is not a list of 1 to {MAX_SIGNATURES}", pointer="/signatures")
    signatures, key_ids = [], []
    for index, value in enumerate(listed):
        one = Obj(value, ("sig",), ("keyid",), pointer=f"/signatures/{index}")
        signatures.append(read_base64(one.text("sig"), "signature of the envelope"))
        key_ids.append(one.text("keyid") if "keyid" in one.value else "")
    payload = read_base64(outer.text("payload"), "payload of the envelope")
    return Envelope(outer.text("payloadType"), payload, tuple(signatures), tuple(key_ids))


def format_envelope(envelope: Envelope) -> bytes:
    """Write an envelope in canonical JSON and a newline."""
    return (
        canonical_bytes(
            {
                "payload": base64.b64encode(envelope.payload).decode(),
                "payloadType": envelope.payload_type,
                "signatures": [
                    {"keyid": key_id, "sig": base64.b64encode(signature).decode()}
                    for key_id, signature in zip(envelope.key_ids, envelope.signatures, strict=True)
                ],
            }
        )
        + b"\n"
    )


def _key(pem: bytes) -> EccKey:
    from Crypto.PublicKey import ECC  # noqa: PLC0415

    try:
        key = ECC.import_key(pem)
    except (ValueError, IndexError, TypeError, KeyError, UnicodeDecodeError):
        raise FormatError("is not an Ed25519 key in PEM") from None
    if key.curve != "Ed25519":
        raise FormatError("is a key of another kind than Ed25519")
    refuse_small_order(key)
    return key


def _key_id(key: EccKey) -> str:
    return sha256(key.public_key().export_key(format="raw")).hexdigest()
