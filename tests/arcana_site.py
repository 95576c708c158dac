"""All pages and files of an ARCANA season, made from a bundle that may be forged."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

from sitegen import source
from sitegen.arcana.chapter import ArcanaChapter
from sitegen.model import File, Page, Season
from sitegen.render import Renderer, Site
from verifier.bundle import Bundle
from verifier.freeze import FrozenSeason


class Made:
    """
    All pages and files of one season, and the HTML of the pages asked for.

    Args:
        shown: The chapter.
    """

    def __init__(self, shown: ArcanaChapter) -> None:
        artifacts = [made for unit in shown.units() for made in shown.artifacts(unit)]
        self.order = [made.path for made in artifacts]
        self.pages = {made.path: made for made in artifacts if isinstance(made, Page)}
        self.files = {made.path: made.content for made in artifacts if isinstance(made, File)}
        self._renderer = Renderer(Site(title="Arena", description="Scores."))

    def html(self, path: str) -> str:
        """Render a page."""
        return self._renderer.render(self.pages[path])

    def page(self, end: str) -> tuple[Page, str]:
        """Find the page whose path has that end, and render it."""
        (path,) = (path for path in self.pages if path.endswith(end))
        return self.pages[path], self.html(path)

    def answer(self, path: str) -> Any:
        """Decode one response of the evidence API."""
        return json.loads(self.files[path])


Make: TypeAlias = Callable[..., Made]


def season_of(frozen: FrozenSeason, bundle: Bundle) -> Season:
    """Show a bundle under what was frozen of the honest one."""
    return source.season_of(replace(frozen, bundle=bundle), parquet=False)
