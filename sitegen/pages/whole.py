"""Files that need to know the whole site: lists of the API, feed, sitemap, preview image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.api import agent_response, response
from sitegen.feed import Entry, atom, erratum_id, robots, season_id, sitemap_files
from sitegen.model import File
from sitegen.og import Share, og_png
from sitegen.pages.tallies import sentence, tally, total

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.make import Made
    from sitegen.model import Season
    from sitegen.source import Sources
    from verifier.core.jsonread import JsonValue

__all__ = ["seasons_file", "whole_site_files"]

API: Final = "v1/"


def whole_site_files(sources: Sources, made: Made) -> Iterator[File]:
    """
    Make all files that are about the site as a whole.

    Args:
        sources: What the site is made from.
        made: What was written so far.
    """
    seasons = seasons_file(sources)
    listed = [path for path in made.files if path.startswith(API)]
    yield seasons
    responses: list[JsonValue] = [*sorted([*listed, seasons.path])]
    yield response(f"{API}index.json", {"format": "tallyproof-api/1", "responses": responses})
    yield File("atom.xml", _feed(sources))
    yield from sitemap_files(
        [(path, _as_of(path, sources)) for path in made.pages if path != "404.html"],
        base_url=sources.config.base_url,
    )
    yield File("robots.txt", robots(base_url=sources.config.base_url))
    yield File("og.png", _picture(sources))
    # Jekyll, which some hosts run, would leave out what begins with a dot or an underscore.
    yield File(".nojekyll", b"")


def seasons_file(sources: Sources) -> File:
    """Write the evidence API's list of seasons, each with its record."""
    return agent_response(
        f"{API}seasons.json",
        {
            "format": "tallyproof-seasons/1",
            "seasons": [_season(each, sources) for each in sources.seasons],
        },
    )


def _feed(sources: Sources) -> bytes:
    entries = [
        Entry(
            id=season_id(season.id, _table_sha256(season)),
            title=season.title,
            updated=season.as_of,
            path=f"{season.root}index.html",
            summary=sentence(tally(season)),
        )
        for season in sources.seasons
    ]
    entries += [
        Entry(
            id=erratum_id(erratum.season, erratum.id),
            title=f"Erratum: {erratum.title}",
            updated=erratum.date,
            path=f"errata/index.html#{erratum.id}",
            summary=f"About season {erratum.season}.",
        )
        for erratum in sources.errata
    ]
    config = sources.config
    return atom(config.title, config.description, entries, base_url=config.base_url)


def _as_of(path: str, sources: Sources) -> str | None:
    for season in sources.seasons:
        if path.startswith(season.root):
            return season.as_of
    return None


def _picture(sources: Sources) -> bytes:
    counted = total(sources.seasons)
    shares = (
        Share("anchored", counted.anchored, "anchored"),
        Share("sealed", counted.sealed - counted.anchored, "sealed"),
        Share("not sealed", counted.inputs - counted.sealed, "unsealed"),
    )
    return og_png(sources.config.title, sentence(counted), shares if counted.inputs else ())


def _table_sha256(season: Season) -> str:
    stated = season.record["table"]
    assert isinstance(stated, dict)  # read_season has checked it
    return str(stated["sha256"])


def _season(season: Season, sources: Sources) -> dict[str, JsonValue]:
    return {
        "current": season.id in sources.current,
        "evidence": season.evidence,
        "page": f"{season.root}index.html",
        "record": dict(season.record),
        "table": f"{season.root}table.json",
    }
