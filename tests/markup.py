"""Markup of the site, read as strictly as a validator would."""

from typing import Any

import html5lib

__all__ = ["parsed"]


def parsed(markup: str) -> Any:
    """Parse a piece of a page; what HTML would have to forgive is an error."""
    return html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(markup)
