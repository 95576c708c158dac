"""The home page: what the arena publishes, what was found, and how to check it."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from sitegen.components import Download
from sitegen.feed import catalog, dataset
from sitegen.model import Crumb, Page
from sitegen.pages.tables import audit_command, season_rows
from sitegen.pages.tallies import sentence, tally, total
from sitegen.pages.whole import seasons_file

if TYPE_CHECKING:
    from sitegen.model import Season
    from sitegen.source import Sources
    from verifier.core.jsonread import JsonValue

__all__ = ["home_page"]


def home_page(sources: Sources) -> Page:
    """Make the home page from all seasons and ``home.md``."""
    current = [each for each in sources.seasons if each.id in sources.current]
    past = [each for each in sources.seasons if each.id not in sources.current]
    counted = total(sources.seasons)
    prose = sources.content.prose("home.md")
    return Page(
        path="index.html",
        template="pages/home.html",
        title=sources.config.title,
        finding=sentence(counted),
        trail=(Crumb(sources.config.title),),
        values={
            "counted": counted,
            "current": season_rows(
                "current", "The newest season of each kind", current, sources.seasons
            ),
            "past": season_rows("past", "Earlier seasons", past, sources.seasons) if past else None,
            "first": current[0],
            "prose": prose.html,
            "prose_lead": prose.lead,
            "prose_title": prose.title,
            "described": _described(sources),
        },
        payload={"kind": "home", "seasons": [_table(season) for season in sources.seasons]},
        data_sha256=sha256(seasons_file(sources).content).hexdigest(),
        command=audit_command(current[0]),
        search=sources.config.description,
        summary=sources.config.description,
    )


def _table(season: Season) -> dict[str, JsonValue]:
    return {
        "family": season.family,
        "id": season.id,
        "sha256": _table_sha256(season),
        "table": season.table.decode(),
    }


def _described(sources: Sources) -> dict[str, JsonValue]:
    """All seasons for search engines, each with the files that were frozen."""
    config = sources.config
    return catalog(
        name=config.title,
        description=config.description,
        datasets=[
            dataset(
                name=season.title or season.id,
                description=sentence(tally(season)),
                page=f"{season.root}index.html",
                publisher=season.arena,
                as_of=season.as_of,
                sha256=_table_sha256(season),
                version=season.id,
                downloads=[
                    _frozen("Table as frozen", f"{season.root}table.json", season.table),
                    _frozen("Report of the audit", f"{season.root}report.json", season.report),
                ],
                base_url=config.base_url,
                on="index.html",
            )
            for season in sources.seasons
        ],
        base_url=config.base_url,
    )


def _frozen(label: str, path: str, content: bytes) -> Download:
    return Download(label, path, sha256(content).hexdigest(), len(content))


def _table_sha256(season: Season) -> str:
    stated = season.record["table"]
    assert isinstance(stated, dict)  # read_season has checked it
    return str(stated["sha256"])
