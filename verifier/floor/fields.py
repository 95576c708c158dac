"""
Members of the Floor's rows, read strictly: hashes, times, decimals, numbers.

Each reader gives the value in the form that the formulas take, or refuses the
member by its pointer. Nothing is repaired: a time with an offset, a level with
an exponent or a hash in capitals is refused.

Source:
    floor.md section 1; floor-clarifications.md 1, 3.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import as_written, parse_decimal, parse_time
from verifier.core.shape import pointer_to
from verifier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Collection
    from decimal import Decimal

    from verifier.core.jsonread import JsonValue
    from verifier.core.shape import Obj

__all__ = [
    "address",
    "choice",
    "decimal",
    "digest",
    "digest_text",
    "digests",
    "number",
    "number_or_null",
    "time",
]

_DIGEST: Final = re.compile(r"[0-9a-f]{64}\Z")
_ADDRESS: Final = re.compile(r"0x[0-9a-f]{40}\Z")


def digest_text(value: JsonValue, pointer: str) -> str:
    """Take a hash: 64 lower-case hex digits."""
    if not isinstance(value, str) or _DIGEST.match(value) is None:
        raise FormatError("must be 64 lower-case hex digits", pointer=pointer)
    return value


def digest(obj: Obj, key: str) -> str:
    """Take a member that is a hash."""
    return digest_text(obj.value.get(key), pointer_to(obj.pointer, key))


def digests(obj: Obj, key: str) -> tuple[str, ...]:
    """Take a list of hashes, in the order in which it stands."""
    return tuple(digest_text(value, pointer) for pointer, value in obj.items(key))


def address(obj: Obj, key: str) -> str:
    """Take an address: ``0x`` and 40 lower-case hex digits."""
    text = obj.text(key)
    if _ADDRESS.match(text) is None:
        raise FormatError(
            "must be 0x and 40 lower-case hex digits", pointer=pointer_to(obj.pointer, key)
        )
    return text


def time(obj: Obj, key: str) -> int:
    """Take a time, as milliseconds since 1970."""
    try:
        return parse_time(obj.text(key))
    except FormulaDomainError as problem:
        raise FormatError(str(problem), pointer=pointer_to(obj.pointer, key)) from None


def decimal(obj: Obj, key: str) -> Decimal:
    """Take a decimal that is written as a text."""
    try:
        return parse_decimal(obj.text(key))
    except FormulaDomainError as problem:
        raise FormatError(str(problem), pointer=pointer_to(obj.pointer, key)) from None


def number(obj: Obj, key: str) -> Decimal:
    """Take a JSON number, as the decimal that is written."""
    value = obj.value.get(key)
    return as_written(value) if type(value) is int else as_written(obj.number(key))


def number_or_null(obj: Obj, key: str) -> Decimal | None:
    """Take a JSON number or null."""
    return None if obj.value.get(key) is None else number(obj, key)


def choice(obj: Obj, key: str, known: Collection[str]) -> str:
    """Take a text that is one of a few."""
    text = obj.text(key)
    for each in known:
        # The constant itself, so that a million rows share one text.
        if each == text:
            return each
    raise FormatError(
        f"must be one of {', '.join(known)}, is {text[:40]!r}",
        pointer=pointer_to(obj.pointer, key),
    )
