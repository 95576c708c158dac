"""
Strict JSON, token by token: says exactly where a text stops being acceptable.

This is the complete reader, and the one that decides. ``jsonread`` asks it
whenever the C parser, which is faster and knows no places, has a doubt. It keeps
its own stack, so no text can exhaust Python's.

A text is accepted when it is one RFC 8259 value in UTF-8 with nothing but JSON
white space around it, and besides:

1. no byte order mark, and no other encoding;
2. no name twice in one object, compared after escapes are resolved;
3. every string, names included, consists of Unicode scalar values: a surrogate
   escape is half of a pair in the right order;
4. every number with a fraction or an exponent is finite as an IEEE 754 double
   (one too small for a double reads as zero, like every other rounding);
5. every integer is within +-(2^53 - 1), unless the caller keeps big integers;
   those stay exact and have at most 640 digits;
6. arrays and objects are nested no deeper, the text is no longer, and it holds no
   more values, than the caller's limits: an empty list costs 25 times the
   memory of the three bytes that it is written in.

``-0`` reads as the integer 0 and ``-0.0`` as the double -0.0; canonical JSON
writes both as ``0``.

Source: RFC 8259; RFC 7493 (I-JSON) sections 2.1 to 2.3; RFC 6901 for pointers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import isinf
from typing import Final, Literal, NoReturn, TypeAlias

from verifier.errors import EvidenceError, JsonError, LimitError

__all__ = [
    "BIG_DIGITS",
    "SAFE_INTEGER",
    "BigIntegers",
    "JsonLimits",
    "JsonValue",
    "json_pointer",
    "scan",
]

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
BigIntegers: TypeAlias = Literal["refuse", "keep"]

SAFE_INTEGER: Final = 2**53 - 1
# The lowest limit that any Python interpreter can be told to put on int(text).
BIG_DIGITS: Final = 640


@dataclass(frozen=True, slots=True)
class JsonLimits:
    """
    What a JSON text may cost.

    Args:
        depth: How many arrays and objects may be open at once.
        size: Length of the text in bytes.
        values: How many values of any kind there are, empty containers included
            and names not.
    """

    depth: int = 64
    size: int = 64 * 1024 * 1024
    values: int = 4_000_000


_SPACE: Final = re.compile(rb"[ \t\n\r]*")
_NUMBER: Final = re.compile(rb"-?(?:0|[1-9][0-9]*+)((?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)")
_NUMBER_GOES_ON: Final = frozenset(b"0123456789.eE+-")
_STRING_BODY: Final = re.compile(
    rb'(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+',
)
_ESCAPE: Final = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))",
)
_SHORT: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LITERALS: Final[tuple[tuple[bytes, JsonValue], ...]] = (
    (b"true", True),
    (b"false", False),
    (b"null", None),
)
_NOT_JSON: Final = (b"NaN", b"Infinity", b"-Infinity")


def json_pointer(path: list[str | int]) -> str:
    """
    Write a path of names and indexes as an RFC 6901 pointer.

    >>> json_pointer(["a/b", 0, "~"])
    '/a~1b/0/~0'
    """
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def scan(data: bytes, limits: JsonLimits, big_integers: BigIntegers) -> JsonValue:
    """
    Read one JSON text, or say where and why it cannot be accepted.

    Args:
        data: The whole text.
        limits: Depth, size and number of values that are still acceptable.
        big_integers: ``keep`` to read integers beyond 2^53 - 1 exactly.

    Raises:
        JsonError: With byte offset, line and pointer.
        LimitError: The same, when the text is too long, too deep, holds too many
            values, or an integer of more than 640 digits that was to be kept.
    """
    if len(data) > limits.size:
        raise LimitError(f"JSON text of {len(data)} bytes", limit="json_size")
    return _Scanner(data, limits, big_integers).read()


_Container: TypeAlias = "list[JsonValue] | dict[str, JsonValue]"


class _Scanner:
    """One pass over one text; the path always leads to the value being read."""

    __slots__ = ("_big_integers", "_data", "_limits", "_path", "_pos")

    def __init__(self, data: bytes, limits: JsonLimits, big_integers: BigIntegers) -> None:
        self._data = data
        self._limits = limits
        self._big_integers = big_integers
        self._pos = 0
        self._path: list[str | int] = []

    def read(self) -> JsonValue:
        if self._data.startswith(b"\xef\xbb\xbf"):
            self._fail("text begins with a byte order mark")
        self._skip_space()
        open_ones: list[_Container] = []
        left = self._limits.values
        while True:
            if left == 0:
                self._over(f"more than {self._limits.values} values", "json_values")
            left -= 1
            value: JsonValue
            if self._data[self._pos : self._pos + 1] in (b"[", b"{"):
                container = self._open(len(open_ones))
                if self._enter(container):
                    open_ones.append(container)
                    continue
                value = container
            else:
                value = self._scalar()
            while open_ones:
                parent = open_ones[-1]
                if isinstance(parent, list):
                    parent.append(value)
                else:
                    parent[str(self._path[-1])] = value
                if self._has_next(parent):
                    break
                value = open_ones.pop()
            else:
                self._skip_space()
                if self._pos < len(self._data):
                    self._fail(f"{self._here()} after the end of the value")
                return value

    def _open(self, depth: int) -> _Container:
        if depth >= self._limits.depth:
            self._over(f"nested deeper than {self._limits.depth}", "json_depth")
        self._pos += 1
        return [] if self._data[self._pos - 1] == ord("[") else {}

    def _enter(self, container: _Container) -> bool:
        """Go to the first value in a container just opened, unless it is empty."""
        self._skip_space()
        if self._data[self._pos : self._pos + 1] == _closer(container):
            self._pos += 1
            return False
        if isinstance(container, list):
            self._path.append(0)
        else:
            self._name(container)
        return True

    def _has_next(self, container: _Container) -> bool:
        """Go to the next value in a container, or past its end."""
        self._skip_space()
        mark = self._data[self._pos : self._pos + 1]
        closer = _closer(container)
        if mark not in (b",", closer):
            self._path.pop()
            self._fail(f"{self._here()} where ',' or '{closer.decode()}' belongs")
        self._pos += 1
        last = self._path.pop()
        if mark == closer:
            return False
        self._skip_space()
        if isinstance(container, list):
            self._path.append(int(last) + 1)
        else:
            self._name(container)
        return True

    def _name(self, members: dict[str, JsonValue]) -> None:
        """Read a name and its colon; the path then ends in the name."""
        start = self._pos
        if self._data[start : start + 1] != b'"':
            self._fail(f"{self._here()} where a name in quotes belongs")
        name = self._string()
        self._path.append(name)
        if name in members:
            self._fail(f"name {_shown(name)} twice in one object", start)
        self._skip_space()
        if self._data[self._pos : self._pos + 1] != b":":
            self._fail(f"{self._here()} where ':' belongs")
        self._pos += 1
        self._skip_space()

    def _scalar(self) -> JsonValue:
        data, start = self._data, self._pos
        first = data[start : start + 1]
        if first == b'"':
            return self._string()
        for literal, value in _LITERALS:
            if data.startswith(literal, start):
                self._pos += len(literal)
                return value
        for word in _NOT_JSON:
            if data.startswith(word, start):
                self._fail(f"{word.decode()} is not a JSON number")
        if first == b"-" or first.isdigit():
            return self._number()
        return self._fail(f"{self._here()} where a value belongs")

    def _number(self) -> int | float:
        start = self._pos
        match = _NUMBER.match(self._data, start)
        end = match.end() if match else start
        if match is None or (end < len(self._data) and self._data[end] in _NUMBER_GOES_ON):
            self._fail("malformed number")
        self._pos = end
        token = match.group()
        if match.group(1):
            number = float(token)
            if isinf(number):
                self._fail(f"number {_shown(token.decode())} overflows a double", start)
            return number
        digits = len(token.removeprefix(b"-"))
        if digits <= BIG_DIGITS:
            integer = int(token)
            if self._big_integers == "keep" or -SAFE_INTEGER <= integer <= SAFE_INTEGER:
                return integer
        if self._big_integers == "keep":
            self._over(f"integer of {digits} digits", "json_digits", start)
        return self._fail(f"integer {_shown(token.decode())} is beyond 2^53 - 1", start)

    def _string(self) -> str:
        start = self._pos + 1
        match = _STRING_BODY.match(self._data, start)
        assert match is not None, "the pattern matches nothing at all as well"
        self._pos = match.end()
        if self._data[self._pos : self._pos + 1] != b'"':
            self._fail(self._string_fault())
        self._pos += 1
        try:
            text = match.group().decode()
        except UnicodeDecodeError as error:
            self._fail("invalid UTF-8 in a string", start + error.start)
        if "\\" not in text:
            return text
        return _ESCAPE.sub(lambda escape: self._unescape(escape, text, start), text)

    def _unescape(self, escape: re.Match[str], text: str, start: int) -> str:
        high, low, unit, short = escape.groups()
        if short is not None:
            return _SHORT.get(short, short)
        if unit is None:
            return chr(0x10000 + ((int(high, 16) & 0x3FF) << 10) + (int(low, 16) & 0x3FF))
        code = int(unit, 16)
        if 0xD800 <= code <= 0xDFFF:
            offset = start + len(text[: escape.start()].encode())
            self._fail(f"lone surrogate \\u{unit}", offset)
        return chr(code)

    def _string_fault(self) -> str:
        if self._pos >= len(self._data):
            return "text ends inside a string"
        if self._data[self._pos] == ord("\\"):
            return "malformed escape in a string"
        return f"raw control character U+{self._data[self._pos]:04X} in a string"

    def _skip_space(self) -> None:
        space = _SPACE.match(self._data, self._pos)
        assert space is not None, "the pattern matches nothing at all as well"
        self._pos = space.end()

    def _here(self) -> str:
        if self._pos >= len(self._data):
            return "text ends"
        byte = self._data[self._pos]
        return f"'{chr(byte)}'" if 0x21 <= byte <= 0x7E else f"byte 0x{byte:02x}"

    def _fail(self, reason: str, offset: int | None = None) -> NoReturn:
        raise self._placed(JsonError(reason), offset)

    def _over(self, reason: str, limit: str, offset: int | None = None) -> NoReturn:
        raise self._placed(LimitError(reason, limit=limit), offset)

    def _placed(self, error: EvidenceError, offset: int | None) -> EvidenceError:
        error.offset = self._pos if offset is None else offset
        error.line = 1 + self._data.count(b"\n", 0, error.offset)
        error.pointer = json_pointer(self._path)
        return error


def _closer(container: _Container) -> bytes:
    return b"]" if isinstance(container, list) else b"}"


def _shown(text: str) -> str:
    """Quote a hostile text for a message: in ASCII, and short."""
    return ascii(text if len(text) <= 40 else text[:37] + "...")
