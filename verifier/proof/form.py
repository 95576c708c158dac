"""What every proof file has in common: its format, its tree, and the three steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.core.merkle import sides
from verifier.errors import FormatError
from verifier.report.model import CheckInfo

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue
    from verifier.core.merkle import Side

__all__ = [
    "ANCHOR",
    "FORMAT",
    "INCLUSION",
    "PROOF_CHECKS",
    "RECORD",
    "SEAL",
    "TREE",
    "digest",
    "known_sides",
]

FORMAT: Final = "tallyproof-proof/1"
TREE: Final = "rfc9162-sha256"
SEAL: Final = re.compile(r"[0-9a-f]{64}\Z")

RECORD: Final = CheckInfo(id="proof/record", step=1, title="the record hashes to its seal")
INCLUSION: Final = CheckInfo(
    id="proof/inclusion", step=2, title="the seal is that leaf of that root"
)
ANCHOR: Final = CheckInfo(
    id="proof/anchor", step=3, title="the root is in a mined transaction of a trusted sender"
)
PROOF_CHECKS: Final = (RECORD, INCLUSION, ANCHOR)


def digest(value: JsonValue, pointer: str) -> bytes:
    """
    Read a hash.

    Raises:
        FormatError: Not 64 lower-case hex digits.
    """
    if not isinstance(value, str) or SEAL.match(value) is None:
        raise FormatError("must be 64 lower-case hex digits", pointer=pointer)
    return bytes.fromhex(value)


def known_sides(index: int, count: int) -> list[Side]:
    """List the sides on which the siblings of a leaf stand; none for an index past the end."""
    return list(sides(index, count)) if index < count else []
