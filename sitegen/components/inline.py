"""
The smallest parts, as text that is escaped already.

They are strings and not markup, so that a table of many cells is put together
without an object for each; whoever joins them says that the whole is safe.
"""

from __future__ import annotations

import re
from typing import Final

from markupsafe import Markup, escape

from sitegen.text import EMPTY, shown

__all__ = ["HEX", "VERDICTS", "chip", "mark", "sentence", "words"]

VERDICTS: Final = frozenset({"pass", "fail", "unproven", "exempt"})

_PLAIN: Final = re.compile(r"[A-Za-z0-9 ,.:;()/+_%—·-]*")
HEX: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{16,}")
_MOMENT: Final = re.compile(
    r"\b\d{4}-\d{2}-\d{2}(?: \d{2}:\d{2}(?::\d{2}(?:\.\d{3})?)?)?(?: UTC)?(?!\w)", re.ASCII
)
_HEAD: Final = 8
_TAIL: Final = 4


def words(text: str) -> str:
    """Make hostile text visible and escape it."""
    if _PLAIN.fullmatch(text) and len(text) < 120:
        return text
    return str(escape(shown(text)))


def sentence(text: str) -> Markup:
    """
    Make hostile text visible and escape it, each moment in it on one line.

    >>> sentence("until 2026-11-02 08:30 UTC.")
    Markup('until <span class="nobreak">2026-11-02 08:30 UTC</span>.')
    """
    return Markup(_MOMENT.sub(r'<span class="nobreak">\g<0></span>', words(text)))  # noqa: S704 - escaped


def mark(verdict: str, shown: str) -> str:
    """
    Set a verdict's shape before *shown*, which is escaped already.

    Raises:
        ValueError: The verdict is none of the four.
    """
    if verdict not in VERDICTS:
        raise ValueError(f"{verdict!r} is no verdict")
    return f'<span class="verdict {verdict}">{shown}</span>'


def chip(text: str, link: str | None = None) -> str:
    """
    Show a hash by its first 8 and last 4 digits, the whole on hover, focus and in print.

    What is no hash is shown whole.
    """
    if HEX.fullmatch(text) is None:
        inner = f"<code>{words(text) or EMPTY}</code>"
        return inner if link is None else f'<a href="{escape(link)}">{inner}</a>'
    head = _HEAD + 2 if text.startswith("0x") else _HEAD
    code = f'<code>{text[:head]}<span class="mid">{text[head:-_TAIL]}</span>{text[-_TAIL:]}</code>'
    inner = code if link is None else f'<a href="{escape(link)}">{code}</a>'
    return f'<span class="hash" title="{text}">{inner}</span>'
