"""
The page of a check, for reports that carry their help with them.

The pages are the prose of ``site/content/checks/``, one a check id. An
installed release has them in ``sitegen/content``, a checkout where they are
written.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

__all__ = ["check_page"]

_ROOT: Final = Path(__file__).parents[2]
_CONTENTS: Final = (_ROOT / "sitegen" / "content", _ROOT / "site" / "content")
_ID: Final = re.compile(r"[a-z]+/[a-z-]+\Z")


@cache
def check_page(check: str) -> str | None:
    """
    Return the Markdown page of a check, or None for a check that has none.

    >>> check_page("floor/points").splitlines()[0]
    '# floor/points'
    """
    if _ID.match(check) is None:
        return None
    for content in _CONTENTS:
        page = content / "checks" / f"{check}.md"
        if page.is_file():
            return page.read_text(encoding="utf-8")
    return None
