"""
Members of a JSON-RPC object, read strictly.

A *quantity* is ``0x`` and the fewest hexadecimal digits (``0x0`` for zero), *data*
is ``0x`` and two digits a byte. Digits may be of either case, as addresses
carry a checksum in theirs. Members that nobody asks for are ignored.

Source:
    Ethereum JSON-RPC specification, "Hex value encoding".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.errors import FormatError

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

__all__ = ["data", "is_given", "items", "members", "quantity", "to_bytes"]

_QUANTITY: Final = re.compile(r"0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)")
_DATA: Final = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


def members(value: JsonValue, what: str) -> dict[str, JsonValue]:
    """Return *value*, which must be an object; *what* it is goes into the error."""
    if not isinstance(value, dict):
        raise FormatError(f"{what} is not a JSON object")
    return value


def is_given(obj: dict[str, JsonValue], name: str) -> bool:
    """Tell whether the member is there and not null, which nodes use for "none"."""
    return obj.get(name) is not None


def items(obj: dict[str, JsonValue], name: str) -> list[JsonValue]:
    """Return the member, which must be an array."""
    value = obj.get(name)
    if not isinstance(value, list):
        raise FormatError(f"member {name} is not an array")
    return value


def quantity(obj: dict[str, JsonValue], name: str, *, bits: int = 64) -> int:
    """Return the member as an integer of at most *bits* bits."""
    text = obj.get(name)
    if not isinstance(text, str) or not _QUANTITY.fullmatch(text):
        raise FormatError(f"member {name} is not a hexadecimal quantity: {_short(text)}")
    # Digits are counted before they are converted, which takes more than linear time.
    if len(text) - 2 > bits // 4:
        raise FormatError(f"member {name} has more than {bits} bits")
    return int(text, 16)


def data(obj: dict[str, JsonValue], name: str, *, length: int | None = None) -> bytes:
    """Return the member as bytes, exactly *length* of them if given."""
    return to_bytes(obj.get(name), f"member {name}", length=length)


def to_bytes(text: JsonValue, what: str, *, length: int | None = None) -> bytes:
    """Read one hexadecimal string; *what* it is goes into the error."""
    if not isinstance(text, str) or not _DATA.fullmatch(text):
        raise FormatError(f"{what} is not hexadecimal data: {_short(text)}")
    raw = bytes.fromhex(text[2:])
    if length is not None and len(raw) != length:
        raise FormatError(f"{what} has {len(raw)} bytes, not {length}")
    return raw


def _short(value: JsonValue) -> str:
    # Only strings are shown: an integer beyond 4300 digits cannot even be printed.
    if not isinstance(value, str):
        return "none" if value is None else f"a {type(value).__name__}"
    return repr(value if len(value) <= 40 else f"{value[:36]}...")
