"""
The search index: a classic script, since ``file://`` lets no page fetch a file.

``assets/search-index.js`` sets one variable to a list of ``[title, path, words]``, the
path from the root of the site. It has a bound on its size: a reader on a phone loads
it whole. Pages come in the order in which they were made (prose, then each season), and
those beyond the bound are left out; how many were is in ``tallyproofSearchLeftOut``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from sitegen.text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["LARGEST", "search_index"]

LARGEST: Final = 2 << 20
"""Bytes of the index at most."""

_IN_SCRIPT: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}
_WORDS: Final = 200


def search_index(found: Iterable[tuple[str, str, str]], *, largest: int = LARGEST) -> bytes:
    """
    Write the index.

    Args:
        found: Title, path and words of each page; titles and words may be hostile.
        largest: Bytes that the entries may have.
    """
    entries: list[str] = []
    size = left_out = 0
    for title, path, words in found:
        entry = [shown(title), path, " ".join(shown(words, limit=_WORDS).split())]
        text = json.dumps(entry, separators=(",", ":")).translate(_IN_SCRIPT)
        size += len(text) + 2
        if size > largest:
            left_out += 1
        else:
            entries.append(text)
    listed = ",\n".join(entries)
    return f"var tallyproofSearch=[{listed}];\nvar tallyproofSearchLeftOut={left_out};\n".encode()
