"""
Keccak-256, Ethereum's hash: the padding of the original submission, not SHA3-256's.

>>> keccak256(b"").hex()
'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.schemes import Hashed

__all__ = ["keccak", "keccak256"]


def keccak(data: bytes) -> Hashed:
    """Start a hash with *data*, as the constructors of ``hashlib`` do."""
    # Imported here: most commands never hash anything of a chain.
    from Crypto.Hash import keccak as library  # noqa: PLC0415

    hashed: Hashed = library.new(data=data, digest_bits=256)
    return hashed


def keccak256(data: bytes) -> bytes:
    """Return the 32-byte Keccak-256 digest of *data*."""
    return keccak(data).digest()
