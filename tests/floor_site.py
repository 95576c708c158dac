"""A Floor chapter over any bundle, and its pages as HTML, without freezing or building."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final

from sitegen.floor.chapter import chapter
from sitegen.model import Copy, Page, Season
from sitegen.render import Renderer, Site
from verifier.policy import Policy

if TYPE_CHECKING:
    from verifier.bundle import Bundle

__all__ = ["RENDERER", "ROOT", "pages_of", "season_of", "text_of", "written"]

RENDERER: Final = Renderer(Site(title="Test arena", description="Calls of the test."))
ROOT: Final = "seasons/season-1/"


def season_of(bundle: Bundle, name: str) -> Season:
    """Put a season of a bundle before a chapter, whatever an audit would say of it."""
    table = bundle.read(f"floor/seasons/{name}.json")
    return Season(
        id=name,
        family="floor",
        arena=bundle.index.arena,
        title=bundle.index.title,
        as_of=bundle.index.as_of,
        record={key: {"sha256": "0" * 64} for key in ("table", "report", "policy", "bundle")},
        table=table,
        report=b"{}\n",
        policy=Policy(),
        policy_text=b"",
        bundle=bundle,
        root=f"seasons/{name}/",
        evidence=f"evidence/{bundle.sha256[:16]}/",
        parquet=False,
    )


def written(bundle: Bundle, name: str, *, newest: bool = False) -> dict[str, str]:
    """Make everything of a season; a path that comes twice is an error."""
    made = chapter(season_of(bundle, name), newest=newest)
    found: dict[str, str] = {}
    for unit in made.units():
        for artifact in made.artifacts(unit):
            assert artifact.path not in found, artifact.path
            assert not isinstance(artifact, Copy)
            if isinstance(artifact, Page):
                found[artifact.path] = RENDERER.render(artifact)
            else:
                found[artifact.path] = artifact.content.decode()
    return found


def pages_of(bundle: Bundle, name: str, *units: str) -> dict[str, Page]:
    """Make the pages of some units."""
    made = chapter(season_of(bundle, name), newest=False)
    return {
        artifact.path: artifact
        for unit in units or made.units()
        for artifact in made.artifacts(unit)
        if isinstance(artifact, Page)
    }


def text_of(html: str) -> str:
    """Leave a page's text, without marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html.replace("<wbr>", ""))).split())
