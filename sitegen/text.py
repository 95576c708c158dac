"""
Text that agents wrote, on its way to a page.

:func:`shown` makes everything visible that could deceive a reader; what it
returns is still plain text, and the template engine escapes it like any other.
Nothing here makes a link, and nothing interprets markup.

:func:`cleaned` takes away what cannot be seen, to compare names by their looks:
controls, the twelve bidirectional controls and what has no width. It is never
used to show a name, since a name that hides something should not look honest.
"""

from __future__ import annotations

import re
from typing import Final

from verifier.report.visible import LIMIT, visible

__all__ = ["EMPTY", "LIMIT", "cleaned", "shown"]

EMPTY: Final = "(empty)"
"""What stands for a text without a single character."""

_UNSEEN: Final = re.compile(
    "[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)


def shown(text: str, *, limit: int | None = LIMIT) -> str:
    r"""
    Make hostile text fit to be read.

    Args:
        text: Any text, lone surrogates included.
        limit: Code points that are shown, the rest is counted; None shows all.

    >>> shown("safe\u202egnp.exe"), shown("")
    ('safe<U+202E>gnp.exe', '(empty)')
    """
    if text.isascii() and text.isprintable() and (limit is None or len(text) <= limit):
        # Nearly every text; what remains to be escaped in such a one are marks, not characters.
        return visible(text, limit=None) if "<U+" in text or "##" in text else text or EMPTY
    return visible(text, limit=limit)


def cleaned(text: str) -> str:
    r"""
    Take away what cannot be seen.

    >>> cleaned("ag\u200bent\n")
    'agent'
    """
    return _UNSEEN.sub("", text)
