"""
Strict reading of decoded JSON objects into typed values.

Every accessor either returns a value of the stated type or raises a
:class:`~verifier.errors.FormatError` that points at the member. Nothing is
converted: a number is not a text, a text is not a number, ``true`` is not 1.
"""

from __future__ import annotations

from sys import intern
from typing import TYPE_CHECKING

from verifier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.core.jsonread import JsonValue

__all__ = ["Obj", "kind_of", "pointer_to"]


def kind_of(value: JsonValue) -> str:
    """Name the JSON type of a decoded value, for messages."""
    if value is None:
        return "null"
    names = {bool: "a boolean", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def pointer_to(parent: str, key: str | int) -> str:
    """Extend an RFC 6901 pointer by one member name or index."""
    return f"{parent}/{str(key).replace('~', '~0').replace('/', '~1')}"


class Obj:
    """
    One JSON object with a known set of members.

    Args:
        value: The decoded value; must be an object.
        required: Names that must be there.
        optional: Names that may be there. Any other name is refused.
        pointer: Where the object stands, for messages.
        open_ended: Accept names that are not listed.

    Raises:
        FormatError: Not an object, a member is missing, or one is unknown.
    """

    __slots__ = ("pointer", "value")

    def __init__(
        self,
        value: JsonValue,
        required: Iterable[str],
        optional: Iterable[str] = (),
        *,
        pointer: str = "",
        open_ended: bool = False,
    ) -> None:
        if not isinstance(value, dict):
            raise FormatError(f"must be an object, is {kind_of(value)}", pointer=pointer)
        self.value = value
        self.pointer = pointer
        names = set(required)
        missing = names - value.keys()
        if missing:
            raise FormatError(f"member {min(missing)!r} is missing", pointer=pointer)
        unknown = set() if open_ended else value.keys() - names - set(optional)
        if unknown:
            name = min(unknown)
            raise FormatError("unknown member", pointer=pointer_to(pointer, name))

    def _refuse(self, key: str, wanted: str) -> FormatError:
        value = self.value.get(key)
        # Where a number is wanted it is its value that is wrong.
        by_value = "number" in wanted and (type(value) is int or type(value) is float)
        found = repr(value) if by_value else kind_of(value)
        return FormatError(f"must be {wanted}, is {found}", pointer=pointer_to(self.pointer, key))

    def text(self, key: str) -> str:
        """Return a text member."""
        value = self.value.get(key)
        if not isinstance(value, str):
            raise self._refuse(key, "a text")
        return value

    def text_or_null(self, key: str) -> str | None:
        """Return a member that is a text or null; an absent one is null."""
        value = self.value.get(key)
        if value is not None and not isinstance(value, str):
            raise self._refuse(key, "a text or null")
        return value

    def word(self, key: str) -> str:
        """Return a text member that many objects share, and of which one is kept."""
        return intern(self.text(key))

    def word_or_null(self, key: str) -> str | None:
        """Return such a text, or None for null or an absent member."""
        text = self.text_or_null(key)
        return None if text is None else intern(text)

    def boolean(self, key: str) -> bool:
        """Return a boolean member."""
        value = self.value.get(key)
        if not isinstance(value, bool):
            raise self._refuse(key, "true or false")
        return value

    def integer(self, key: str) -> int:
        """Return a member that is a whole number of at least 0."""
        value = self.value.get(key)
        if type(value) is not int or value < 0:
            raise self._refuse(key, "a whole number of at least 0")
        return value

    def integer_or_null(self, key: str) -> int | None:
        """Return a whole number of at least 0, or None for null or an absent member."""
        return None if self.value.get(key) is None else self.integer(key)

    def number(self, key: str) -> float:
        """Return a number member as the double that it means."""
        value = self.value.get(key)
        if type(value) is not int and type(value) is not float:
            raise self._refuse(key, "a number")
        return float(value)

    def number_or_null(self, key: str) -> float | None:
        """Return a number as its double, or None for null or an absent member."""
        return None if self.value.get(key) is None else self.number(key)

    def decimal_id(self, key: str) -> int:
        """Return a 64-bit id written as a plain decimal text, without sign or leading zero."""
        return parse_decimal_id(self.text(key), pointer_to(self.pointer, key))

    def items(self, key: str) -> Iterator[tuple[str, JsonValue]]:
        """Yield (pointer, value) for each item of a list member."""
        value = self.value.get(key)
        if not isinstance(value, list):
            raise self._refuse(key, "a list")
        here = pointer_to(self.pointer, key)
        for index, item in enumerate(value):
            yield f"{here}/{index}", item

    def mapping(self, key: str) -> dict[str, JsonValue]:
        """Return an object member as it is."""
        value = self.value.get(key)
        if not isinstance(value, dict):
            raise self._refuse(key, "an object")
        return value


def parse_decimal_id(text: str, pointer: str) -> int:
    """
    Read an id of at most 64 bits from plain decimal text.

    Raises:
        FormatError: A sign, a leading zero, another character, or too large.
    """
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    if not plain or len(text) > 19 or int(text) >= 1 << 63:
        raise FormatError(
            "must be a 64-bit id in plain decimal, without sign or leading zero", pointer=pointer
        )
    return int(text)
