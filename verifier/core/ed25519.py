"""
Ed25519 public keys that may be trusted.

Of some keys anyone can sign anything: those of small order, whose multiples by eight
are the neutral element. RFC 8032 accepts them and so do libraries, so they are refused
here, wherever a key comes from.

Source: RFC 8032, section 5.1.7; Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.errors import FormatError

if TYPE_CHECKING:
    from Crypto.PublicKey.ECC import EccKey

__all__ = ["raw_key", "refuse_small_order"]

_COFACTOR: Final = 8


def raw_key(raw: bytes) -> EccKey:
    """
    Read a public key of 32 bytes.

    Raises:
        FormatError: They are no point of the curve, or one of small order.
    """
    from Crypto.Signature import eddsa  # noqa: PLC0415 - few commands verify signatures

    try:
        key = eddsa.import_public_key(raw)
    except ValueError:
        raise FormatError("is no public key of Ed25519") from None
    refuse_small_order(key)
    return key


def refuse_small_order(key: EccKey) -> None:
    """
    Refuse a key for which no secret is needed.

    Raises:
        FormatError: Its order divides eight.
    """
    if (key.pointQ * _COFACTOR).is_point_at_infinity():
        raise FormatError("is an Ed25519 key of small order, for which anyone can sign")
