"""
The name of a frozen season, which is a folder and part of an address.

Letters, digits, ``.``, ``_`` and ``-`` of ASCII, at most 100, beginning with a
letter or digit and not ending with a dot. The names that Windows keeps for
devices are refused, and ``evidence``, which is the folder beside the seasons.
"""

from __future__ import annotations

import re
from typing import Final

from verifier.errors import UsageError

__all__ = ["EVIDENCE", "check_season_id"]

EVIDENCE: Final = "evidence"
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,98}[A-Za-z0-9_-]|[A-Za-z0-9]")
_DEVICE: Final = re.compile(r"(?:aux|con|nul|prn|(?:com|lpt)[0-9])(?:\..*)?", re.IGNORECASE)


def check_season_id(season: str) -> None:
    """
    Refuse an id that is no safe file name everywhere.

    Raises:
        UsageError: It is none; the reason says what is.

    >>> check_season_id("season-0")
    >>> check_season_id("../season-0")
    Traceback (most recent call last):
    ...
    verifier.errors.UsageError: '../season-0' cannot name a frozen season: ...
    """
    if _NAME.fullmatch(season) is None:
        raise UsageError(
            f"{season[:120]!r} cannot name a frozen season: at most 100 of the letters A-Z a-z, "
            "digits and . _ -, a letter or digit first, no dot last"
        )
    if season.casefold() == EVIDENCE or _DEVICE.fullmatch(season):
        raise UsageError(f"{season!r} cannot name a frozen season: the name is reserved")
