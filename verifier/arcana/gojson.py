r"""
JSON text as Go's ``encoding/json`` writes it, which is how ARCANA writes every manifest.

* **Numbers**: the shortest decimal that reads back to the same double, in plain
  form from 1e-6 up to 1e21 and as ``1.5e-7``, ``1e+21`` outside of that. Whole
  doubles have no point; negative zero is ``-0``. Whole numbers that were
  integers are their decimal digits, within 64 bits.
* **Strings**: ``"`` and ``\`` are escaped, newline, return, tab, backspace and
  form feed by letter, other control characters as ``\u00xx``; so that the text
  may stand inside a page, ``<``, ``>``, ``&``, U+2028 and U+2029 as
  ``\u003c`` and so on. All else stays as it is. A lone surrogate, which UTF-8
  cannot hold, becomes ``\ufffd`` like any other text that is not UTF-8.
* **Objects** that were maps are sorted by the code points of their keys. There
  are no spaces.

Reading keeps what writing needs: an integer of up to 64 bits stays an ``int``,
``-0`` and every other number becomes a ``float``, and a number too large for a
double is refused. Duplicate keys, stray spaces and other spellings are not
refused here: whoever reads writes the value again and compares the text.
"""

from __future__ import annotations

import json
import math
import re
from json.encoder import encode_basestring as quote
from typing import Final, TypeAlias

from verifier.errors import JsonError

__all__ = [
    "MAX_DEPTH",
    "GoValue",
    "as_doubles",
    "check_depth",
    "escape_html",
    "number_text",
    "quote",
    "read",
    "string_text",
    "value_text",
]

GoValue: TypeAlias = "bool | int | float | str | list[GoValue] | dict[str, GoValue] | None"

MAX_DEPTH: Final = 64

_INT64: Final = range(-(2**63), 2**63)
_HTML: Final = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def number_text(x: float) -> str:
    """
    Write a double.

    Raises:
        JsonError: *x* is infinite or NaN, which JSON cannot hold.

    >>> number_text(59.0), number_text(-0.0), number_text(1e-7), number_text(1e21)
    ('59', '-0', '1e-7', '1e+21')
    """
    if not math.isfinite(x):
        raise JsonError(f"{x!r} has no JSON text")
    text = repr(x)
    mantissa, exponential, exponent = text.partition("e")
    if not exponential:
        return text.removesuffix(".0")
    power = int(exponent)
    if not -7 < power < 21:
        return f"{mantissa}e{power:+d}"
    sign = "-" if x < 0 else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return sign + digits.ljust(power + 1, "0")


def string_text(text: str) -> str:
    r"""
    Write a string.

    >>> print(string_text('<b> "x" \\ é'))
    "\u003cb\u003e \"x\" \\ é"
    """
    return escape_html(quote(text))


def escape_html(text: str) -> str:
    """
    Escape what Go escapes beyond JSON's own rules, in a text that is JSON already.

    None of these characters is part of JSON's structure, so a whole document
    can be escaped at once.
    """
    if text.isascii() and not ("<" in text or ">" in text or "&" in text):
        return text
    return _HTML.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return "\\ufffd" if 0xD800 <= code <= 0xDFFF else f"\\u{code:04x}"


def value_text(value: GoValue) -> str:  # noqa: PLR0911 - one return for each type of JSON
    """
    Write a value whose objects were maps.

    Args:
        value: Any value that :func:`read` gives.

    Raises:
        JsonError: A number is infinite or NaN.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return number_text(value)
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, list):
        return f"[{','.join(map(value_text, value))}]"
    members = (f"{string_text(key)}:{value_text(value[key])}" for key in sorted(value))
    return f"{{{','.join(members)}}}"


def as_doubles(value: GoValue) -> GoValue:
    """
    Turn every whole number into a double, as Go holds JSON of no declared type.

    >>> as_doubles({"seed": [7]})
    {'seed': [7.0]}
    """
    if isinstance(value, list):
        return [as_doubles(member) for member in value]
    if isinstance(value, dict):
        return {key: as_doubles(member) for key, member in value.items()}
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value


def read(text: str) -> GoValue:
    """
    Read one JSON value.

    How deep it is nested is for :func:`check_depth` to say, where nesting is
    allowed at all.

    Raises:
        JsonError: Not JSON, or a number that no double can hold. Its offset
            counts the bytes of *text*.
    """
    try:
        value: GoValue = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        offset = len(text[: error.pos].encode("utf-8", "surrogatepass"))
        raise JsonError(f"not JSON: {reason}", offset=offset) from None
    except RecursionError:
        raise JsonError(f"nested deeper than {MAX_DEPTH} levels") from None
    return value


def check_depth(value: GoValue) -> None:
    """
    Demand that lists and objects are nested at most :data:`MAX_DEPTH` deep.

    Raises:
        JsonError: They are nested deeper.
    """
    level: list[GoValue] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for container in level
            if isinstance(container, list | dict)
            for member in (container.values() if isinstance(container, dict) else container)
        ]
        if not level:
            return
    if any(isinstance(member, list | dict) for member in level):
        raise JsonError(f"nested deeper than {MAX_DEPTH} levels")


def _integer(text: str) -> int | float:
    # The length first: reading thousands of digits as an integer is slow, or refused.
    if len(text) <= 20:
        value = int(text)
        if value in _INT64:
            return value if value or text == "0" else -0.0
    return _double(text)


def _double(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        shown = text if len(text) <= 24 else f"{text[:24]}..."
        raise JsonError(f"{shown} is too large for a double")
    return value


def _constant(text: str) -> float:
    raise JsonError(f"{text} is not JSON")


_DECODER: Final = json.JSONDecoder(
    parse_int=_integer, parse_float=_double, parse_constant=_constant
)
