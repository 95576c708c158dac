"""
Solidity's ``abi.encode`` for flat values.

A value takes one 32-byte word; a ``string`` or ``bytes`` takes a word that says
where its tail begins, and its tail is a word with its length and then its bytes,
padded with zeros to whole words. Tails follow all the words, in order.

========================  ==============================  =========================
type                      JSON value                      word
========================  ==============================  =========================
``address``               20 bytes in hexadecimal         number, padded on the left
``bool``                  ``true`` or ``false``           0 or 1
``uint8`` to ``uint256``  decimal text or integer         number, padded on the left
``bytes32``               32 bytes in hexadecimal         as it is
``string``                text                            its tail, in UTF-8
``bytes``                 bytes in hexadecimal            its tail
========================  ==============================  =========================

Source:
    Solidity contract ABI specification, "Formal specification of the encoding".

>>> abi_encode(["uint256", "bool"], ["7", True]).hex().lstrip("0")
'70000000000000000000000000000000000000000000000000000000000000001'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.errors import FormatError
from verifier.ethereum.fields import to_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.core.jsonread import JsonValue

__all__ = ["abi_encode"]

_WORD: Final = 32
_UINT: Final = re.compile(r"uint([1-9][0-9]{0,2})")
_DECIMAL: Final = re.compile(r"0|[1-9][0-9]{0,77}")


def abi_encode(types: Sequence[JsonValue], values: Sequence[JsonValue]) -> bytes:
    """
    Encode *values* by their Solidity *types*.

    Raises:
        FormatError: A type is not known here, or a value is not of its type.
    """
    if len(types) != len(values):
        raise FormatError(f"{len(values)} values for {len(types)} Solidity types")
    head, tail = [], b""
    for kind, value in zip(types, values, strict=True):
        if kind in ("string", "bytes"):
            head.append((len(types) * _WORD + len(tail)).to_bytes(_WORD, "big"))
            tail += _tail(kind == "string", value)
        else:
            head.append(_word(kind, value))
    return b"".join(head) + tail


def _word(kind: JsonValue, value: JsonValue) -> bytes:
    if kind == "address":
        return to_bytes(value, "address", length=20).rjust(_WORD, b"\0")
    if kind == "bytes32":
        return to_bytes(value, "bytes32", length=_WORD)
    if kind == "bool" and isinstance(value, bool):
        return int(value).to_bytes(_WORD, "big")
    if isinstance(kind, str) and (uint := _UINT.fullmatch(kind)):
        if isinstance(value, str) and _DECIMAL.fullmatch(value):
            value = int(value)
        bits = int(uint[1])
        if bits % 8 == 0 and bits <= 256 and type(value) is int and 0 <= value < 1 << bits:
            return value.to_bytes(_WORD, "big")
    raise FormatError("value is not of its Solidity type, or the type is not known here")


def _tail(is_text: bool, value: JsonValue) -> bytes:  # noqa: FBT001
    if not is_text:
        raw = to_bytes(value, "bytes")
    elif isinstance(value, str):
        try:
            raw = value.encode()
        except UnicodeEncodeError:
            raise FormatError("string has half of a surrogate pair") from None
    else:
        raise FormatError("string is not a JSON string")
    return len(raw).to_bytes(_WORD, "big") + raw + b"\0" * (-len(raw) % _WORD)
