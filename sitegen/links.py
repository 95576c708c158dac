"""
Addresses inside the site, and which addresses a text may lead to.

Every link is relative to the page that it stands on, so that the site works
under any prefix of any host and from ``file://``. What a path holds is
percent-encoded: a ``#``, a ``?`` or a ``:`` in it is part of a file's name. Only
behind ``.html``, or at the very beginning, does ``#`` begin the id of an element.

>>> relative("agents/a1/index.html", "agents/b2/index.html")
'../b2/index.html'
>>> relative("index.html", "evidence/q?#.json")
'evidence/q%3F%23.json'
>>> relative("verify/index.html", "glossary/index.html#seal")
'../glossary/index.html#seal'
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import quote

from verifier.errors import SiteError

__all__ = ["allowed", "relative"]

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_NEVER: Final = re.compile(r"[\x00-\x20\x7f-\xa0\\]")
_FRAGMENT: Final = "/:@!$&'()*+,;=?"
# Pages link to each other in runs of rows; a table has no more than this at once.
_REMEMBERED: Final = 16_384


def relative(page: str, target: str) -> str:
    """
    Write the address of a file, or of an element of a page, as it is seen from a page.

    Args:
        page: Path of the page, from the root of the site.
        target: Path from the root of the site, ``<page>.html#<id>``, or ``#<id>`` on this page.

    Raises:
        SiteError: *target* is no text in UTF-8.
    """
    if "#" in target:
        path, mark, anchor = target.partition("#" if target[0] == "#" else ".html#")
        if mark:
            fragment = f"#{quote(anchor, safe=_FRAGMENT, errors='replace')}"
            path += mark[:-1]
            if path in {"", page}:
                return fragment
            return _relative(page.rpartition("/")[0], path) + fragment
    return _relative(page.rpartition("/")[0], target)


@lru_cache(maxsize=_REMEMBERED)
def _relative(folder: str, target: str) -> str:
    here = folder.split("/") if folder else []
    there = target.split("/")
    shared = 0
    for one, other in zip(here, there[:-1], strict=False):
        if one != other:
            break
        shared += 1
    path = "../" * (len(here) - shared) + "/".join(there[shared:])
    try:
        return quote(path, safe="/")
    except UnicodeEncodeError:
        raise SiteError(f"{target!a}: a path that is not UTF-8") from None


def allowed(href: str) -> bool:
    """
    Tell whether a text of the maintainer's may link there.

    Allowed are ``https:``, ``http:`` and relative addresses. Not allowed are all
    other schemes, addresses of another host without a scheme, addresses from the
    root of the host, and whatever holds a blank or a control: browsers skip
    those, and ``java<tab>script:`` is a script.
    """
    if _NEVER.search(href) or href.startswith("/"):
        return False
    scheme = _SCHEME.match(href)
    return scheme is None or scheme[1].lower() in {"http", "https"}
