"""Files that need to know the whole site: lists of the API, feed, sitemap, preview image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.api import agent_response, response
from sitegen.model import File

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.make import Made
    from sitegen.model import Season
    from sitegen.source import Sources
    from verifier.core.jsonread import JsonValue

__all__ = ["whole_site_files"]

API: Final = "v1/"


def whole_site_files(sources: Sources, made: Made) -> Iterator[File]:
    """
    Make all files that are about the site as a whole.

    Args:
        sources: What the site is made from.
        made: What was written so far.
    """
    seasons = f"{API}seasons.json"
    listed = [path for path in made.files if path.startswith(API)]
    yield agent_response(
        seasons,
        {
            "format": "tallyproof-seasons/1",
            "seasons": [_season(each, sources) for each in sources.seasons],
        },
    )
    responses: list[JsonValue] = [*sorted([*listed, seasons])]
    yield response(f"{API}index.json", {"format": "tallyproof-api/1", "responses": responses})
    # Jekyll, which some hosts run, would leave out what begins with a dot or an underscore.
    yield File(".nojekyll", b"")


def _season(season: Season, sources: Sources) -> dict[str, JsonValue]:
    return {
        "current": season.id in sources.current,
        "evidence": season.evidence,
        "page": f"{season.root}index.html",
        "record": dict(season.record),
        "table": f"{season.root}table.json",
    }
