r"""
RLP, Ethereum's serialisation: byte strings, and lists of such items.

Head byte of an item, where *n* is the length of what follows:

=============  =========================================================
``00``-``7f``  the byte itself, a string of one
``80``-``b7``  a string of ``head - 0x80`` bytes
``b8``-``bf``  a string longer than 55; ``head - 0xb7`` bytes of *n*
``c0``-``f7``  a list whose items take ``head - 0xc0`` bytes
``f8``-``ff``  a list longer than 55; ``head - 0xf7`` bytes of *n*
=============  =========================================================

A value has one encoding. The decoder refuses every other: a length longer
than need be, a single byte below ``80`` under a head, bytes left over.
Integers are big-endian without leading zeros, so zero is the empty string.

>>> rlp_encode([b"dog", [], int_to_rlp(1024)]).hex()
'c883646f67c0820400'
>>> rlp_decode(bytes.fromhex("c883646f67c0820400"))
[b'dog', [], b'\x04\x00']
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from verifier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_DEPTH", "RlpItem", "int_to_rlp", "rlp_decode", "rlp_encode"]

RlpItem: TypeAlias = "bytes | Sequence[RlpItem]"

MAX_DEPTH: Final = 32
"""Lists within lists that the decoder follows; a receipt, the deepest record, has four."""

_SHORT: Final = 55
_STRING: Final = 0x80
_LIST: Final = 0xC0


def int_to_rlp(number: int) -> bytes:
    """Return the byte string that stands for *number*, which must not be negative."""
    return number.to_bytes((number.bit_length() + 7) // 8, "big")


def rlp_encode(item: RlpItem) -> bytes:
    """Return the encoding of *item*."""
    if isinstance(item, bytes):
        if len(item) == 1 and item[0] < _STRING:
            return item
        return _head(len(item), _STRING) + item
    payload = b"".join(map(rlp_encode, item))
    return _head(len(payload), _LIST) + payload


def _head(length: int, base: int) -> bytes:
    if length <= _SHORT:
        return bytes([base + length])
    digits = int_to_rlp(length)
    return bytes([base + _SHORT + len(digits)]) + digits


def rlp_decode(data: bytes) -> RlpItem:
    """
    Decode exactly one item.

    Raises:
        FormatError: *data* is not the one encoding of one item, or nests
            deeper than :data:`MAX_DEPTH`.
    """
    item, end = _decode(data, 0, len(data), 0)
    if end != len(data):
        raise FormatError(f"RLP item is followed by {len(data) - end} more bytes", offset=end)
    return item


def _decode(data: bytes, at: int, limit: int, depth: int) -> tuple[RlpItem, int]:
    start, end, is_list = _extent(data, at, limit)
    if not is_list:
        return data[start:end], end
    if depth == MAX_DEPTH:
        raise FormatError(f"RLP lists nest deeper than {MAX_DEPTH}", offset=at)
    items: list[RlpItem] = []
    while start < end:
        item, start = _decode(data, start, end, depth + 1)
        items.append(item)
    return items, end


def _extent(data: bytes, at: int, limit: int) -> tuple[int, int, bool]:
    """Find where the content of the item at *at* begins and ends, and whether it is a list."""
    if at >= limit:
        raise FormatError("RLP item is missing", offset=at)
    head = data[at]
    if head < _STRING:
        return at, at + 1, False
    base = _LIST if head >= _LIST else _STRING
    start, length = at + 1, head - base
    if length > _SHORT:
        width = length - _SHORT
        digits = data[start : min(start + width, limit)]
        length = int.from_bytes(digits, "big")
        if len(digits) < width or digits[0] == 0 or length <= _SHORT:
            raise FormatError("RLP length is cut off, or longer than need be", offset=at)
        start += width
    if length > limit - start:
        raise FormatError(f"RLP item of {length} bytes has only {limit - start}", offset=at)
    if base == _STRING and length == 1 and data[start] < _STRING:
        raise FormatError("RLP string of one small byte has a needless head", offset=at)
    return start, start + length, base == _LIST
