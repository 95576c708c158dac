"""
Which seeds an entry may be scored on: public bands, and seeds sealed by a salt.

* Bands: train [s, s + n_train), never used up to test, which starts ``gap`` seeds
  later. Disjoint by construction, since sizes and gap are not negative.
* Sealed seeds: the operator draws a salt of at least 16 bytes, publishes its
  SHA-256 before submissions close, and reveals it afterwards. The seed of slot k,
  modulo 2^64, with M the output mixing of SplitMix64:

  1. h = FNV-1a over the salt, then h = (h xor length) * prime;
  2. s = M(h xor 0x5365616C65644576); s = M(s xor (k * 0x9E3779B97F4A7C15));
     s = M(s xor (h rotated by 32));
  3. seed = 1000000 + s mod (2^64 - 1 - 1000000).

  This is not a cryptographic function: the secrecy is the salt's.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.splitmix import INCREMENT, MASK, mix

__all__ = ["Bands", "bands", "commitment", "sealed_seed", "sealed_seeds"]

FNV_OFFSET: Final = 0xCBF29CE484222325
FNV_PRIME: Final = 0x100000001B3
SEALED_TAG: Final = 0x5365616C65644576
SEALED_BASE: Final = 1_000_000
MIN_SALT_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Bands:
    """
    Two disjoint bands of public seeds.

    Args:
        train: Seeds that entries may be developed on.
        test: Held-out seeds.
    """

    train: range
    test: range


def bands(n_train: int = 256, n_test: int = 256, start: int = 0, gap: int = 10_000) -> Bands:
    """
    Train and test bands; the defaults are the canonical ones.

    Raises:
        FormulaDomainError: A size or the gap is negative.

    >>> bands().test
    range(10256, 10512)
    """
    if min(n_train, n_test, gap) < 0:
        raise FormulaDomainError(
            "n_train, n_test and gap must all be >= 0 "
            f"(got n_train={n_train}, n_test={n_test}, gap={gap})"
        )
    first = start + n_train + gap
    return Bands(range(start, start + n_train), range(first, first + n_test))


def commitment(salt: bytes) -> str:
    """What the operator publishes before revealing *salt*: its SHA-256, in lower-case hex."""
    return sha256(salt).hexdigest()


def sealed_seed(salt: bytes, slot: int) -> int:
    """
    Seed of one slot under a salt.

    Args:
        salt: At least 16 bytes.
        slot: Slot, a 64-bit unsigned integer.

    Raises:
        FormulaDomainError: The salt is too short, or the slot out of range.
    """
    _check_salt(salt)
    if not 0 <= slot <= MASK:
        raise FormulaDomainError(f"slot must be in [0, {MASK}], was {slot}")
    return _seed(_salt_hash(salt), slot)


def sealed_seeds(salt: bytes, count: int) -> list[int]:
    """
    Seeds of slots 0 to *count - 1*, in order.

    Raises:
        FormulaDomainError: The salt is too short.
    """
    _check_salt(salt)
    h = _salt_hash(salt)
    return [_seed(h, slot) for slot in range(count)]


def _check_salt(salt: bytes) -> None:
    if len(salt) < MIN_SALT_BYTES:
        raise FormulaDomainError(
            f"sealed-seed salt must be at least {MIN_SALT_BYTES} bytes (got {len(salt)})"
        )


def _salt_hash(salt: bytes) -> int:
    h = FNV_OFFSET
    for byte in salt:
        h = ((h ^ byte) * FNV_PRIME) & MASK
    return ((h ^ len(salt)) * FNV_PRIME) & MASK


def _seed(h: int, slot: int) -> int:
    rotated = (h << 32 | h >> 32) & MASK
    s = mix(h ^ SEALED_TAG)
    s = mix(s ^ (slot * INCREMENT & MASK))
    s = mix(s ^ rotated)
    return SEALED_BASE + s % (MASK - SEALED_BASE)
