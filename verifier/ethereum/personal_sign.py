r"""
Messages signed by a wallet with ``personal_sign``, strictly.

The wallet signs ``K(19 || "Ethereum Signed Message:\n" || length || message)``, with the
number of the message's bytes in decimal. A signature is exactly 65 bytes, *r*, *s* and *v*
with *v* 27 or 28, ``0 < r < n`` and ``0 < s <= n/2``. The 64-byte form, *v* of 0 or 1
and the high *s* name the same signer and are refused all the same, so that a message and
its signer have one accepted byte string.

Whoever accepts a message for a purpose rebuilds its text from what he knows himself
and compares; he never searches it for fields.

Source:
    EIP-191, version 0x45; EIP-2.
"""

from __future__ import annotations

from typing import Final

from verifier.core.keccak import keccak256
from verifier.errors import FormatError
from verifier.ethereum.signature import recover_address

__all__ = ["personal_sign_digest", "recover_personal_sign", "recover_wire"]

_SIZE: Final = 65


def personal_sign_digest(message: bytes) -> bytes:
    """Return the 32 bytes that a wallet signs for *message*."""
    return keccak256(b"\x19Ethereum Signed Message:\n%d" % len(message) + message)


def recover_personal_sign(message: bytes, signature: bytes) -> str:
    """
    Return the address that signed *message*, ``0x`` and lower-case hex.

    Raises:
        FormatError: The signature is not in the one accepted form, or nobody's.
    """
    return recover_wire(personal_sign_digest(message), signature)


def recover_wire(digest: bytes, signature: bytes) -> str:
    """
    Return the address that signed a digest, from the 65 bytes that wallets send.

    Raises:
        FormatError: The signature is not in the one accepted form, or nobody's.
    """
    if len(signature) != _SIZE:
        raise FormatError(f"signature has {len(signature)} bytes, not {_SIZE}")
    v = signature[64]
    if v not in (27, 28):
        raise FormatError(f"signature's v is {v}, not 27 or 28")
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
    return recover_address(digest, r, s, v - 27)
