"""
Seals: SHA-256 digests that commit a publisher, of two kinds that never mix.

=============  ==========================================  ======================
kind           digest of                                   checked against
=============  ==========================================  ======================
`ByteSeal`     the exact bytes that were stored or sent    those bytes, never a
                                                           re-serialisation
`RecordSeal`   the canonical JSON of a record              the record, however it
                                                           was spelled
=============  ==========================================  ======================

A record stored in another spelling has two different digests, and taking one for
the other is how an altered spelling slips through. So the kinds are types: mypy
refuses to pass or compare one as the other, and so does Python, by `TypeError`,
where ``==`` would quietly have been false.

A published seal is 64 lower-case hex digits and nothing else.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from verifier.core.canon import canonical_bytes
from verifier.errors import FormatError

if TYPE_CHECKING:
    from verifier.core.jsonscan import JsonValue

__all__ = ["ByteSeal", "RecordSeal", "seal_of_bytes", "seal_of_record"]

_HEX: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, eq=False)
class _Seal:
    """
    A digest that is equal only to a digest of its own kind.

    Args:
        digest: 32 bytes.
    """

    digest: bytes

    def __post_init__(self) -> None:
        if type(self.digest) is not bytes or len(self.digest) != hashlib.sha256().digest_size:
            raise TypeError("a digest is 32 bytes")

    @classmethod
    def parse(cls, published: str) -> Self:
        """
        Read a published seal.

        Raises:
            FormatError: It is not 64 lower-case hex digits.
        """
        if not _HEX.fullmatch(published):
            raise FormatError(f"seal {published[:80]!a} is not 64 lower-case hex digits")
        return cls(bytes.fromhex(published))

    @property
    def hex(self) -> str:
        """The seal as it is published."""
        return self.digest.hex()

    # Both narrower than object's on purpose: that is what lets mypy refuse to mix the kinds.
    def __eq__(self, other: Self) -> bool:  # type: ignore[override]
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__} compared with {type(other).__name__}")
        return self.digest == other.digest

    def __ne__(self, other: Self) -> bool:  # type: ignore[override]
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), self.digest))


class ByteSeal(_Seal):
    """SHA-256 of exact bytes."""

    __slots__ = ()


class RecordSeal(_Seal):
    """SHA-256 of a record's canonical JSON."""

    __slots__ = ()


def seal_of_bytes(raw: bytes) -> ByteSeal:
    """
    Seal the bytes as they stand.

    >>> seal_of_bytes(b"{}").hex[:8]
    '44136fa3'
    """
    return ByteSeal(hashlib.sha256(raw).digest())


def seal_of_record(record: JsonValue) -> RecordSeal:
    """
    Seal the canonical JSON of a record.

    Raises:
        JsonError: The record has no canonical form.

    >>> seal_of_record({"b": 1.0, "a": 2}) == seal_of_record({"a": 2, "b": 1})
    True
    """
    return RecordSeal(hashlib.sha256(canonical_bytes(record)).digest())
