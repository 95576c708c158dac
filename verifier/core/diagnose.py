r"""
Which known spelling would have matched: a guess for the reader of a failure.

When a seal does not match the canonical form of its record, or bytes are not
canonical, somebody has usually sealed what their own JSON library writes. The
libraries differ from RFC 8785 along independent lines:

=======  =====================================================================
order    by UTF-16 code units; by code points (Python, Go); as inserted
numbers  ECMAScript; Python (``1.0``, ``1e-07``, ``-0.0``); Go (``-0``);
         integers beyond 2^53 - 1 in full, or rounded to doubles
strings  raw; ASCII only (``\u00e9``, in either case); Go's HTML escapes
         (``\u003c``); escaped solidus (``\/``)
layout   compact; a space after ``,`` and ``:``; indented by 2, 4 or a tab
ends     nothing; a newline; CRLF for newlines; a byte order mark in front
=======  =====================================================================

The differences that change the text at hand are combined, the fewest first, until
one matches or the budget is spent. What matches is reported as a guess. It is
never a pass: the published seal still does not belong to the canonical form.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import TYPE_CHECKING, Final

import rfc8785

from verifier.core.canon import check_value
from verifier.errors import JsonError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from verifier.core.jsonscan import JsonValue

__all__ = ["diagnose", "with_guess"]

# Bytes written before giving up on combinations: a second or two, and far more than all
# combinations of a ledger entry.
_BUDGET: Final = 8 * 1024 * 1024
_IN_FULL: Final = "integers beyond 2^53 - 1 in full"


def diagnose(value: JsonValue, published: bytes | str) -> str | None:
    """
    Name a known spelling of *value* that matches what was published.

    Args:
        value: The record, its members in the order in which they were read.
        published: The bytes that are not canonical, or the SHA-256 in hex of some.

    Returns:
        A sentence that begins with ``guess:``; None when nothing known matches, or
        when the canonical form itself does.

    >>> diagnose({"b": 1.0, "a": 2}, b'{"b": 1.0, "a": 2}')
    'guess: it would match with names as inserted, Python numbers, a space after separators'
    """
    try:
        check_value(value, big_integers=True)
    except JsonError:
        return None
    for names, spelling in _spellings(value):
        if spelling == published or _sha256(spelling) == published:
            return f"guess: it would match with {', '.join(names)}"
    return None


def with_guess(sentence: str, value: JsonValue, published: bytes | str) -> str:
    """Add the guess, where there is one, to a sentence about what does not match."""
    guess = diagnose(value, published)
    return f"{sentence}; {guess}" if guess else sentence


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class _Style:
    """How to write a value; the defaults are RFC 8785."""

    order: Callable[[Iterable[str]], list[str]]
    integer: Callable[[int], str]
    double: Callable[[float], str]
    string: Callable[[str], str]
    comma: str = ","
    colon: str = ":"
    indent: str | None = None
    prefix: bytes = b""
    suffix: bytes = b""
    newline: bytes = b"\n"

    def write(self, value: JsonValue) -> bytes:
        body = self._text(value, "\n").encode() + self.suffix
        return self.prefix + body.replace(b"\n", self.newline)

    def _text(self, value: JsonValue, margin: str) -> str:
        if isinstance(value, str):
            return self.string(value)
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        if isinstance(value, int):
            return self.integer(value)
        if isinstance(value, float):
            return self.double(value)
        inner = margin + (self.indent or "")
        if isinstance(value, list):
            return self._wrap("[]", [self._text(item, inner) for item in value], margin)
        members = [
            self.string(name) + self.colon + self._text(value[name], inner)
            for name in self.order(value)
        ]
        return self._wrap("{}", members, margin)

    def _wrap(self, brackets: str, parts: list[str], margin: str) -> str:
        if self.indent is None or not parts:
            return brackets[0] + self.comma.join(parts) + brackets[1]
        inner = margin + self.indent
        return brackets[0] + inner + f",{inner}".join(parts) + margin + brackets[1]


def _by_utf16(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: name.encode("utf-16-be"))


def _ecma(number: float) -> str:
    return rfc8785.dumps(number).decode()


def _rounded(number: int) -> str:
    return _ecma(float(number))


def _go(number: float) -> str:
    return "-0" if str(number) == "-0.0" else _ecma(number)


def _raw(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _upper(text: str) -> str:
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|.)",
        lambda escape: f"\\u{escape[1].upper()}" if escape[1] else escape[0],
        json.dumps(text),
    )


def _html(text: str) -> str:
    return re.sub("[<>&\u2028\u2029]", lambda char: f"\\u{ord(char[0]):04x}", _raw(text))


def _solidus(text: str) -> str:
    return _raw(text).replace("/", "\\/")


_CANONICAL: Final = _Style(order=_by_utf16, integer=str, double=_ecma, string=_raw)


@dataclass(frozen=True, slots=True)
class _Difference:
    """One way to depart from canonical form, and what a reader would call it."""

    name: str
    apply: Callable[[_Style], _Style]


# At most one difference of each line applies. These change the text itself,
_TEXT_LINES: Final[tuple[tuple[_Difference, ...], ...]] = (
    (
        _Difference("names sorted by code point", lambda s: replace(s, order=sorted)),
        _Difference("names as inserted", lambda s: replace(s, order=list)),
    ),
    (
        _Difference("Python numbers", lambda s: replace(s, double=repr)),
        _Difference("integers rounded to doubles", lambda s: replace(s, integer=_rounded)),
        _Difference("Go numbers", lambda s: replace(s, integer=_rounded, double=_go)),
    ),
    (
        _Difference("ASCII escapes", lambda s: replace(s, string=json.dumps)),
        _Difference("Go's HTML escapes", lambda s: replace(s, string=_html)),
        _Difference("upper-case ASCII escapes", lambda s: replace(s, string=_upper)),
        _Difference("escaped solidus", lambda s: replace(s, string=_solidus)),
    ),
    (
        _Difference("a space after separators", lambda s: replace(s, comma=", ", colon=": ")),
        _Difference("indent=2", lambda s: replace(s, colon=": ", indent="  ")),
        _Difference("indent=4", lambda s: replace(s, colon=": ", indent="    ")),
        _Difference("indent by tab", lambda s: replace(s, colon=": ", indent="\t")),
    ),
)
# and these what stands around it.
_END_LINES: Final[tuple[tuple[_Difference, ...], ...]] = (
    (_Difference("a newline at the end", lambda s: replace(s, suffix=b"\n")),),
    (_Difference("CRLF for newlines", lambda s: replace(s, newline=b"\r\n")),),
    (_Difference("a byte order mark", lambda s: replace(s, prefix=b"\xef\xbb\xbf")),),
)


def _spellings(value: JsonValue) -> Iterator[tuple[list[str], bytes]]:
    """Write *value* in every known style but the canonical one, while the budget lasts."""
    plain = _written(value, _CANONICAL)
    in_full = _has_big_integer(value)
    if in_full and plain is not None:
        yield [_IN_FULL], plain
    lines: list[list[_Difference | None]] = []
    spent = 0
    for line in (*_TEXT_LINES, *_END_LINES):
        lines.append([None])
        for difference in line:
            spelling = _written(value, difference.apply(_CANONICAL))
            if spelling is not None and spelling != plain:
                yield _named([difference], in_full=in_full), spelling
                spent += len(spelling)
            # CRLF changes a text only together with something that has newlines.
            elif line in _TEXT_LINES:
                continue
            lines[-1].append(difference)
    choices = [[d for d in choice if d] for choice in product(*lines)]
    for choice in sorted((choice for choice in choices if len(choice) > 1), key=len):
        if spent > _BUDGET:
            return
        style = reduce(lambda style, difference: difference.apply(style), choice, _CANONICAL)
        spelling = _written(value, style)
        if spelling is not None and spelling != plain:
            yield _named(choice, in_full=in_full), spelling
            spent += len(spelling)


def _named(choice: list[_Difference], *, in_full: bool) -> list[str]:
    rounds = any(difference.apply(_CANONICAL).integer is _rounded for difference in choice)
    return [_IN_FULL] * (in_full and not rounds) + [difference.name for difference in choice]


def _written(value: JsonValue, style: _Style) -> bytes | None:
    """Write *value*; None when the style has no text for one of its numbers or strings."""
    try:
        return style.write(value)
    except (ValueError, OverflowError):
        return None


def _has_big_integer(value: JsonValue) -> bool:
    try:
        check_value(value)
    except JsonError:
        return True
    return False
