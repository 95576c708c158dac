"""
Hostile text, made safe to print.

Names, messages and file paths in a report may have been written by the agents
that are audited. Printed as they are, they could reorder a line, hide a
difference, move the cursor, or give an order to the build server that reads
the log. Here every such character is replaced by a visible escape:

* ``<U+202E>`` stands for a code point that is a control, invisible, a space
  other than U+0020, a bidirectional control, a surrogate, private or a
  noncharacter. What remains is also legal in XML 1.0.
* The same escape stands for the ``<`` of a text that already looks like an
  escape, so that two different texts never print alike.
* It stands for the first ``#`` of ``##[`` and ``##vso[`` too, which build
  servers obey wherever they occur in a line.

The table is written out instead of asking ``unicodedata``, since categories
change with the version of Python and a report must not.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["LIMIT", "visible", "visible_pair"]

LIMIT: Final = 400
"""Code points of one text that are shown; the rest is counted."""

_CONTEXT: Final = 60

_HIDDEN: Final[tuple[tuple[int, int], ...]] = (
    (0x0000, 0x001F),
    (0x007F, 0x00A0),
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x1680, 0x1680),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x2000, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x206F),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xE000, 0xF8FF),
    (0xFDD0, 0xFDEF),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    (0xFFFE, 0xFFFF),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(1, 14)),
    (0xE0000, 0x10FFFF),
)

_UNSAFE: Final = re.compile(
    "["
    + "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _HIDDEN)
    + r"]|<(?=U\+)|#(?=#(?:\[|vso\[))"
)


def _escape(match: re.Match[str]) -> str:
    return f"<U+{ord(match[0]):04X}>"


def visible(text: str, *, limit: int | None = LIMIT) -> str:
    r"""
    Escape what cannot be seen or must not be printed, and cut what is too long.

    Args:
        text: Any text, lone surrogates included.
        limit: Code points of *text* to show; ``None`` shows all.

    >>> visible("safe\u202egnp.exe")
    'safe<U+202E>gnp.exe'
    >>> visible("a" * 9, limit=4)
    'aaaa… (5 more characters)'
    """
    if limit is None or len(text) <= limit:
        return _UNSAFE.sub(_escape, text)
    return f"{_UNSAFE.sub(_escape, text[:limit])}… ({len(text) - limit} more characters)"


def visible_pair(one: str, other: str, *, limit: int = LIMIT) -> tuple[str, str]:
    """
    Show two texts so that where they part is among what is shown.

    Both begin at the same character: the first, unless they part so late that
    a text cut to *limit* would not show the difference.
    """
    parting = shared_length(one, other)
    start = 0 if parting < limit - _CONTEXT else parting - _CONTEXT
    lead = f"({start} characters)… " if start else ""
    return (
        lead + visible(one[start:], limit=limit),
        lead + visible(other[start:], limit=limit),
    )


def shared_length(one: str, other: str) -> int:
    """Count the characters that two texts have in common from their start."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return min(len(one), len(other))
