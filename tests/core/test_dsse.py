"""DSSE envelopes: what is signed, by whom, and what is refused."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace
from typing import Any

import pytest
from Crypto.PublicKey import ECC
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.dsse import (
    Envelope,
    format_envelope,
    parse_envelope,
    pre_authentication,
    private_key,
    public_key,
    sign_envelope,
    verify_envelope,
)
from verifier.errors import EvidenceError, FormatError, ProofError

# RFC 8032 section 7.1, test 1: the secret key is 32 bytes, wrapped here as PKCS#8 (RFC 8410).
SECRET = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
PUBLIC = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")


def pem(der: bytes, label: str) -> bytes:
    """Write DER as PEM."""
    return f"-----BEGIN {label}-----\n{b64encode(der).decode()}\n-----END {label}-----\n".encode()


PRIVATE_PEM = pem(bytes.fromhex("302e020100300506032b657004220420") + SECRET, "PRIVATE KEY")
PUBLIC_PEM = pem(bytes.fromhex("302a300506032b6570032100") + PUBLIC, "PUBLIC KEY")


def test_pre_authentication_of_the_specification() -> None:
    """The worked example of DSSE: lengths are of bytes."""
    given_ = pre_authentication("http://example.com/HelloWorld", b"hello world")
    assert given_ == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("é", "ü".encode()) == "DSSEv1 2 é 2 ü".encode()


def test_key_of_the_standard() -> None:
    """The public key of RFC 8032's first test is the one that its secret gives."""
    assert private_key(PRIVATE_PEM).public_key() == public_key(PUBLIC_PEM)


@given(st.text(), st.binary(max_size=200))
def test_round_trip(kind: str, payload: bytes) -> None:
    """What is signed reads back and verifies; signing again gives the same bytes."""
    kind = kind.encode("utf-8", "replace").decode()
    envelope = sign_envelope(kind, payload, private_key(PRIVATE_PEM))
    again = parse_envelope(format_envelope(envelope))
    assert again == envelope == sign_envelope(kind, payload, private_key(PRIVATE_PEM))
    assert verify_envelope(again, [public_key(PUBLIC_PEM)])


@pytest.mark.parametrize("change", ["payload", "type", "signature"])
def test_any_change_is_noticed(change: str) -> None:
    """A signature holds for this payload of this type alone."""
    one = sign_envelope("t", b"payload", private_key(PRIVATE_PEM))
    (signature,) = one.signatures
    flipped = bytes([signature[0] ^ 1]) + signature[1:]
    other = Envelope(
        "u" if change == "type" else "t",
        b"Payload" if change == "payload" else b"payload",
        (flipped if change == "signature" else signature,),
        one.key_ids,
    )
    with pytest.raises(ProofError, match="no signature is by a key that you trust"):
        verify_envelope(other, [public_key(PUBLIC_PEM)])


def test_the_hint_of_the_key_decides_nothing() -> None:
    """A signature counts whatever its keyid says."""
    one = sign_envelope("t", b"x", private_key(PRIVATE_PEM))
    assert verify_envelope(
        Envelope("t", b"x", one.signatures, ("somebody else",)), [public_key(PUBLIC_PEM)]
    )


def test_private_and_public_are_told_apart() -> None:
    """Nobody is made to pass a private key round, and a public one signs nothing."""
    with pytest.raises(FormatError, match="private key; give the public one"):
        public_key(PRIVATE_PEM)
    with pytest.raises(FormatError, match="only a private one can sign"):
        private_key(PUBLIC_PEM)


@pytest.mark.parametrize(
    "data",
    [b"", b"x", b"-----BEGIN PUBLIC KEY-----\nAA==\n-----END PUBLIC KEY-----\n", b"\xff" * 9],
)
def test_no_key(data: bytes) -> None:
    """Bytes that are no key are one error."""
    with pytest.raises(FormatError):
        public_key(data)


def test_key_of_another_kind() -> None:
    """A curve that is not Ed25519 is refused by name."""
    other = ECC.generate(curve="P-256").public_key().export_key(format="PEM")
    with pytest.raises(FormatError, match="another kind than Ed25519"):
        public_key(other.encode())


@pytest.mark.parametrize("y", [0, 1, 2**255 - 20], ids=["order 4", "order 1", "order 2"])
def test_key_of_small_order(y: int) -> None:
    """A signature of the identity and zero verifies any bytes under it: it is nobody's key."""
    head = bytes.fromhex("302a300506032b6570032100")
    with pytest.raises(FormatError, match=r"is (not )?an Ed25519 key"):
        public_key(pem(head + y.to_bytes(32, "little"), "PUBLIC KEY"))


def test_a_signature_has_one_spelling() -> None:
    """The same with the group's order added to its second half is refused (RFC 8032, 5.1.7)."""
    signed = sign_envelope("t", b"x", private_key(PRIVATE_PEM))
    (signature,) = signed.signatures
    order = 2**252 + 27742317777372353535851937790883648493
    second = int.from_bytes(signature[32:], "little") + order
    other = replace(signed, signatures=(signature[:32] + second.to_bytes(32, "little"),))
    with pytest.raises(ProofError):
        verify_envelope(other, [public_key(PUBLIC_PEM)])


def _with(**members: Any) -> bytes:
    envelope = json.loads(format_envelope(sign_envelope("t", b"x", private_key(PRIVATE_PEM))))
    return json.dumps({**envelope, **members}).encode()


@pytest.mark.parametrize(
    "data",
    [
        _with(payload="eA"),
        _with(payload=1),
        _with(payloadType=None),
        _with(signatures=[]),
        _with(signatures={}),
        _with(signatures=[{}]),
        _with(signatures=[{"sig": "eA==", "keyid": 1}]),
        _with(signatures=[{"sig": "eA=="}] * 17),
        _with(more=1),
        b"[]",
        b"{",
    ],
)
def test_malformed(data: bytes) -> None:
    """What is no envelope is refused, with one of our errors."""
    with pytest.raises(EvidenceError):
        parse_envelope(data)


@given(st.binary())
def test_hostile_bytes(data: bytes) -> None:
    """Nothing but our errors escapes."""
    for read in (parse_envelope, public_key, private_key):
        with pytest.raises(EvidenceError):
            read(data)
