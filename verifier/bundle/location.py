"""
Where a bundle lies: a path of this machine, or a URL of a store.

A text is a URL if it begins with a scheme of lower-case letters, digits, ``+``,
``.`` and ``-`` (a letter first) and ``://``; everything else is a path. A folder
whose name looks like that is reached by ``./`` before it. A
:class:`~pathlib.Path` is never a URL.

Only a caller's own argument is looked at here. Paths inside a bundle never are.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from verifier.errors import UsageError

__all__ = ["is_url", "local_path", "shown"]

_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*://")
_HERE: Final = re.compile(r"(?:file|local)://(.*)", re.DOTALL)
_PASSWORD: Final = re.compile(r"(://[^/@:]*:)[^/]*@")


def is_url(place: str | Path) -> bool:
    """Tell whether a store is asked for the bundle."""
    return isinstance(place, str) and _SCHEME.match(place) is not None


def local_path(place: str | Path) -> Path | None:
    """
    Give the path of what lies on this machine, named by a path or by ``file://``.

    Returns:
        None if it lies in a store.

    Raises:
        UsageError: ``file://`` without an absolute path after it.
    """
    if not isinstance(place, str) or not _SCHEME.match(place):
        return Path(place)
    here = _HERE.fullmatch(place)
    if here is None:
        return None
    if not here[1].startswith("/"):
        raise UsageError(f"{place}: file:// is followed by an absolute path")
    return Path(here[1])


def shown(place: str | Path) -> str:
    """Spell a place for a message, without the password that a URL may hold."""
    return _PASSWORD.sub(r"\1***@", place) if isinstance(place, str) else str(place)
