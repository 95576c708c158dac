"""
Every link of every page leads somewhere, checked without a network.

This reads the HTML that was written, and not what the templates meant to write. It
is no parser: it knows how this package writes HTML, with every attribute in lower
case and double quotes, and refuses a page that is written otherwise. So it is
fast enough to read each page while it is still in memory. Rules:

* ``href`` and ``src`` are relative and lead to a file of the site, or ``href`` leads
  to ``http:`` or ``https:``, which is not followed. ``src`` may also be a ``data:`` image.
* ``#id`` names an element of the page; ``page.html#id`` one of that page.
* No id stands twice on a page.
* There is no ``style`` attribute and no handler (``onclick``): the policy of the pages
  would block both.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from html import unescape
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

__all__ = ["Links", "ids_of"]

_SCRIPT: Final = re.compile(r"(<script\b[^>]*>)(.*?)</script>", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r'[\s](href|src|id)="([^"]*)"')
_ID: Final = re.compile(r'[\s]id="([^"]*)"')
_VALUE: Final = re.compile(r'="[^"]*"')
_UNREADABLE: Final = re.compile(
    r"<[a-zA-Z][^<>]*?\s(?:(?:href|src|id)\s*=[^\"]|(?:HREF|SRC|ID)\s*=|style\s*=|on[a-z]+\s*=)"
)
_EXTERNAL: Final = re.compile(r"https?://", re.IGNORECASE)
_REMEMBERED: Final = 65_536


class Links:
    """
    The links of many pages, gathered page by page.

    Two gatherings can be merged, so that processes can share the work.
    """

    __slots__ = ("anchors", "targets")

    def __init__(self) -> None:
        self.targets: dict[str, str] = {}  # file of the site -> the first page that links to it
        self.anchors: dict[tuple[str, str], str] = {}  # (page, id) -> the same

    def gather(self, page: str, html: str) -> None:
        """
        Read the links of one page, and check those that stay on it.

        Raises:
            SiteError: A link that is not allowed or leads to no element of the
                page, an id twice, or HTML that is not written as this reads it.
        """
        body = _SCRIPT.sub(r"\1", html) if "<script" in html else html
        # Values may say anything; only what stands outside of them is an attribute.
        if wrong := _UNREADABLE.search(_VALUE.sub('=""', body)):
            raise SiteError(f"{page}: an attribute that pages must not have: {wrong[0][-60:]!a}")
        ids, hrefs = _attributes(page, body)
        folder = page.rpartition("/")[0]
        for href in sorted(hrefs):
            if href[:1] == "#":
                if unquote(unescape(href[1:])) not in ids:
                    raise SiteError(f"{page}: a link to {href}, and no element has that id")
                continue
            found = _resolve(folder, href)
            if isinstance(found, str):
                raise SiteError(f"{page}: {found}")
            if found is not None:
                self.targets.setdefault(found[0], page)
                if found[1]:
                    self.anchors.setdefault(found, page)

    def merge(self, other: Links) -> None:
        """Take over the links of pages that come after those of this gathering."""
        for target, page in other.targets.items():
            self.targets.setdefault(target, page)
        for anchor, page in other.anchors.items():
            self.anchors.setdefault(anchor, page)

    def check(self, files: Collection[str], root: Path) -> None:
        """
        Check that all links lead somewhere.

        Args:
            files: All files of the site.
            root: Where they lie, to look for the ids that links of other pages name.

        Raises:
            SiteError: Names one link that leads nowhere, and its page.
        """
        for target, page in sorted(self.targets.items()):
            if target not in files:
                raise SiteError(f"{page}: a link to {target}, which is no file of the site")
        ids: tuple[str, frozenset[str]] = ("", frozenset())
        for (target, anchor), page in sorted(self.anchors.items()):
            if ids[0] != target:
                ids = target, ids_of((root / target).read_text(encoding="utf-8"))
            if anchor not in ids[1]:
                raise SiteError(f"{page}: a link to {target}#{anchor}, and no element has that id")


def ids_of(html: str) -> frozenset[str]:
    """Collect the ids of a page's elements."""
    return frozenset(unescape(each) for each in _ID.findall(_SCRIPT.sub(r"\1", html)))


def _attributes(page: str, body: str) -> tuple[set[str], set[str]]:
    """Collect the ids of a page, and its links as they are written."""
    ids: set[str] = set()
    hrefs: set[str] = set()
    for name, value in _ATTRIBUTE.findall(body):
        if name == "id":
            element = unescape(value)
            if element in ids:
                raise SiteError(f"{page}: two elements have the id {element!a}")
            ids.add(element)
        elif name == "href":
            hrefs.add(value)
        elif _EXTERNAL.match(value):
            raise SiteError(f"{page}: loads {value!a} from another host")
        elif not value.startswith("data:image/"):
            hrefs.add(value)
    return ids, hrefs


@lru_cache(maxsize=_REMEMBERED)
def _resolve(folder: str, href: str) -> tuple[str, str] | str | None:
    """Find (file, id) of a link, or None if it leaves the site, or say what is wrong with it."""
    address = unescape(href)
    if _EXTERNAL.match(address):
        return None
    path, _, anchor = address.partition("#")
    if not path or ":" in path.partition("/")[0] or path.startswith("/") or "?" in path:
        return f"a link to {href!a}, which is not relative"
    if path.endswith("/"):
        return f"a link to {href!a}, a folder; pages of folders are called index.html"
    target = posixpath.normpath(posixpath.join(folder, unquote(path)))
    if target == ".." or target.startswith("../"):
        return f"a link to {href!a}, outside the site"
    return target, unquote(anchor)
