"""
Who signed a digest: strict recovery over secp256k1.

Of the two signatures ``(r, s)`` and ``(r, n - s)`` that name one signer, only
the one with the low *s* is accepted, so that a digest and a signer have one
signature for a given nonce and nobody else can turn it into a second.

Source:
    SEC 1, section 4.1.6 (recovery); EIP-2 (low *s*).
"""

from __future__ import annotations

from typing import Final

from verifier.core.keccak import keccak256
from verifier.errors import FormatError

__all__ = ["ORDER", "recover_address"]

ORDER: Final = 0xFFFFFFFF_FFFFFFFF_FFFFFFFF_FFFFFFFE_BAAEDCE6_AF48A03B_BFD25E8C_D0364141
"""The order *n* of secp256k1's base point."""


def recover_address(digest: bytes, r: int, s: int, parity: int) -> str:
    """
    Return the address whose key made the signature, ``0x`` and lower-case hex.

    Args:
        digest: The 32 bytes that were signed.
        r: First half of the signature.
        s: Second half of the signature.
        parity: 0 or 1, which of the two points with abscissa *r* was meant.

    Raises:
        FormatError: *r*, *s* or *parity* is out of range, *s* is high, or no
            key can have made this signature.
    """
    if not 0 < r < ORDER:
        raise FormatError("signature's r is not in 1..n-1")
    if not 0 < s <= ORDER // 2:
        raise FormatError("signature's s is not in 1..n/2")
    if parity not in (0, 1):
        raise FormatError(f"signature's parity is {parity}, not 0 or 1")

    from coincurve import PublicKey  # noqa: PLC0415  loads a C library; most commands need none

    compact = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([parity])
    try:
        key = PublicKey.from_signature_and_message(compact, digest, hasher=None)
    except ValueError:
        raise FormatError("no key can have made this signature") from None
    address = keccak256(key.format(compressed=False)[1:])[-20:]
    return "0x" + address.hex()
