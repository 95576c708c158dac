"""
Keccak-256, Ethereum's hash: the padding of the original submission, not SHA3-256's.

>>> keccak256(b"").hex()
'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
"""

from __future__ import annotations

__all__ = ["keccak256"]


def keccak256(data: bytes) -> bytes:
    """Return the 32-byte Keccak-256 digest of *data*."""
    # Imported here: most commands never hash anything of a chain.
    from Crypto.Hash import keccak  # noqa: PLC0415

    digest: bytes = keccak.new(data=data, digest_bits=256).digest()
    return digest
