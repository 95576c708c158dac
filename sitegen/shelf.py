"""
Where everything of one season stands on the site.

A shelf is made once for a chapter. That of a family opens its evidence, names the
files of its pages, and knows which pages are written, so that none links to another
that is not. Here is what the shelves of all families have in common.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.model import Crumb

if TYPE_CHECKING:
    from sitegen.model import Season

__all__ = ["ROWS", "SeasonShelf"]

ROWS: Final = 1_000
"""Rows of a list that one page holds."""


class SeasonShelf:
    """
    A season, its first page, and its evidence as it is published.

    Args:
        season: The frozen season.
    """

    def __init__(self, season: Season) -> None:
        self.season = season

    @property
    def home(self) -> str:
        """The season's first page."""
        return f"{self.season.root}index.html"

    @property
    def called(self) -> str:
        """What the way to a page calls the season."""
        return self.season.id

    def evidence(self, path: str) -> str | None:
        """The published copy of a file of the bundle, if the bundle has it."""
        return f"{self.season.evidence}{path}" if self.season.bundle.has(path) else None

    def trail(self, *more: Crumb) -> tuple[Crumb, ...]:
        """The way to a page of the season."""
        season = Crumb(self.called, self.home if more else None)
        return (Crumb(self.season.arena, "index.html"), season, *more)
