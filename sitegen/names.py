"""
File names for ids that anybody may have chosen.

A name that is *plain* stays as it is, so that addresses can be read: ASCII
letters, digits, ``.``, ``_`` and ``-``, at most 80 of them, beginning with a
letter or digit and not ending in ``.``, not a device of some system (``con``,
``nul.html``) and not shaped like the other kind of name.

Every other id, and every plain id that is another's but for case, becomes
``<readable part>-<16 hex>`` with the first digits of the sha256 of the id. All
names are ASCII, so that no file system can fold two of them together by Unicode
rules. They do not depend on the order of the ids.

Source:
    cases/site-build.json and cases/untrusted-names.json, in fixtures/vectors/site.

>>> sorted(unique_names(["alpha", "a/b", "Beta"]).values())
['Beta', 'a-b-c14cddc033f64b9d', 'alpha']
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from sitegen.text import cleaned
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["look_alikes", "safe_name", "unique_names"]

_PLAIN: Final = re.compile(r"[0-9A-Za-z](?:[0-9A-Za-z._-]{0,78}[0-9A-Za-z_-])?")
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_HASHED: Final = re.compile(r".*-[0-9a-f]{16}")
_UNREADABLE: Final = re.compile(r"[^0-9A-Za-z]+")
_DIGITS: Final = 16
_READABLE: Final = 40


def unique_names(ids: Iterable[str]) -> dict[str, str]:
    """
    Give every id a file name that no other id has, on any file system.

    Args:
        ids: The ids, in any order; one that comes twice has one name.

    Returns:
        From id to name, in the order in which the ids first came.

    Raises:
        SiteError: Two ids agree in 64 bits of their sha256 and in their readable part.
    """
    known = dict.fromkeys(ids)
    folded: dict[str, int] = {}
    for each in known:
        folded[each.lower()] = folded.get(each.lower(), 0) + 1
    names = {
        each: safe_name(each) if folded[each.lower()] == 1 else _hashed(each) for each in known
    }
    owners: dict[str, str] = {}
    for each, name in names.items():
        other = owners.setdefault(name.lower(), each)
        if other != each:
            raise SiteError(f"{each!a} and {other!a} would both be called {name}")
    return names


def safe_name(text: str) -> str:
    """Give one id its file name, as if no other were there."""
    plain = _PLAIN.fullmatch(text) and not _DEVICE.fullmatch(text) and not _HASHED.fullmatch(text)
    return text if plain else _hashed(text)


def look_alikes(names: Iterable[str]) -> frozenset[str]:
    """
    Tell which names a reader cannot tell apart from another one.

    Two names look alike when they are equal after what cannot be seen is taken
    away, NFKC and case folding. Who shows such a name shows its id beside it.

    >>> sorted(look_alikes(["Agent", "agent", "agents"]))
    ['Agent', 'agent']
    """
    groups: dict[str, set[str]] = {}
    for name in names:
        key = unicodedata.normalize("NFKC", cleaned(name)).casefold()
        groups.setdefault(unicodedata.normalize("NFKC", key), set()).add(name)
    return frozenset(name for group in groups.values() if len(group) > 1 for name in group)


def _hashed(text: str) -> str:
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    readable = _UNREADABLE.sub("-", text[:_READABLE]).strip("-")
    return f"{readable or 'x'}-{digest}"
