"""
Rule set documents that this release knows, each fixed to the byte.

Source:
    floor-rules.md; floor-clarifications.md 2.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import Final

from formulas.floor.rules import Rules, rules_from
from verifier.core.jsonread import read_json
from verifier.errors import FormatError

__all__ = ["KNOWN", "known_rules"]

KNOWN: Final = {
    "floor-rules/1": "fefe7fe8f9c3849166885b373c2c06553b2b4385beafb26598979ab7c737f442",
    "floor-rules/1-full": "bb478b4ad2f44048b84effdb569ddd462a0075fa366ac99e35d0660fb07531f5",
}


@cache
def known_rules(name: str) -> Rules:
    """
    Give the rules of a known document.

    Raises:
        FormatError: The installed document is not the one that its hash names.
    """
    data = files("formulas.floor").joinpath(f"{name.replace('/', '-')}.json").read_bytes()
    value = read_json(data)
    if hashlib.sha256(data).hexdigest() != KNOWN[name] or not isinstance(value, dict):
        raise FormatError(f"the installed document of {name} was changed")
    return rules_from(value)
