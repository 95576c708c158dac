"""
What a claim or a note may not say.

Refused are code points of the rule set's list, looked for in the text as it is.
The other rules read the text in compatibility form (NFKC) with ASCII letters in
lower case: strings of markup, strings of addresses, and words, unless a letter,
a number or ``_`` stands directly before or after. The space in a word stands
for one or more spaces or hyphens.

Source:
    floor-clarifications.md 33, 48.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from unicodedata import category, normalize

if TYPE_CHECKING:
    from formulas.floor.rules import TextRules

__all__ = ["text_problem"]

_LOWER: Final = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def text_problem(text: str, rules: TextRules) -> str | None:
    """Tell why a text is refused; None if it is not."""
    refused = _refused(rules.refused_code_points).search(text)
    if refused is not None:
        return f"holds U+{ord(refused[0]):04X}"
    read = normalize("NFKC", text).translate(_LOWER)
    for kind, listed in (("markup", rules.markup), ("an address", rules.urls)):
        for each in listed:
            if each in read:
                return f"holds {kind}: {each!r}"
    for word in rules.words:
        for match in _pattern(word).finditer(read):
            first, end = match.span()
            if not (_joins(read[max(first - 1, 0) : first]) or _joins(read[end : end + 1])):
                return f"gives a trading instruction: {match[0]!r}"
    return None


@lru_cache(maxsize=16)
def _refused(ranges: tuple[tuple[int, int], ...]) -> re.Pattern[str]:
    if not ranges:
        return re.compile(r"(?!)")  # matches nothing
    parts = (f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)
    return re.compile(f"[{''.join(parts)}]")


@lru_cache(maxsize=256)
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile("[ -]+".join(re.escape(part) for part in word.split(" ")))


def _joins(character: str) -> bool:
    """Tell whether a neighbour makes a word part of a longer one; combining marks do not."""
    return bool(character) and (character == "_" or category(character)[0] in "LN")
