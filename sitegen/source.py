"""
Everything that a site is built from, read and hashed before anything is written.

A source folder holds ``site.toml``, ``content/``, ``errata/`` and ``seasons/``; the
seasons may lie elsewhere. Each season is read by :mod:`verifier.freeze`: every file
must hash to what ``season.json`` says, and the bundle is opened under the limits of
the season's own policy. One difference is one error, and no site.
"""

from __future__ import annotations

import re
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final, Self

from sitegen.config import Config, parse_config
from sitegen.content import Content, find_content, read_errata, read_text
from sitegen.model import Season
from sitegen.names import safe_name
from sitegen.render import SeasonLink, Site
from verifier.errors import SiteError
from verifier.freeze import list_seasons, read_season

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from sitegen.model import Erratum
    from verifier.freeze import FrozenSeason

__all__ = ["Sources", "read_sources", "season_of"]

_PARTS: Final = re.compile(r"([^0-9]*)([0-9]{0,18})")

EVIDENCE_DIGITS: Final = 16
"""Digits of a bundle's sha256 that its address has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """
    The sources of a site; a context manager that closes the bundles.

    Args:
        config: ``site.toml``.
        content: The prose.
        errata: All errata, the newest first.
        seasons: In the order in which they are listed.
        current: Ids of the seasons that are the newest of their family.
        archives: The zip of each bundle, by the first digits of its hash.
    """

    config: Config
    content: Content
    errata: tuple[Erratum, ...]
    seasons: tuple[Season, ...]
    current: frozenset[str]
    archives: dict[str, Path]

    @property
    def site(self) -> Site:
        """What every page knows about the site."""
        return Site(
            title=self.config.title,
            description=self.config.description,
            base_url=self.config.base_url,
            language=self.config.language,
            pagefind=self.config.pagefind,
            seasons=tuple(
                SeasonLink(
                    id=season.id,
                    family=season.family,
                    title=season.title,
                    as_of=season.as_of,
                    path=f"{season.root}index.html",
                    current=season.id in self.current,
                )
                for season in self.seasons
            ),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for season in self.seasons:
            season.bundle.close()


def read_sources(
    source: Path,
    *,
    seasons: Path | None = None,
    pagefind: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
) -> Sources:
    """
    Read all sources of a site.

    Args:
        source: The folder with ``site.toml``.
        seasons: The folder with the frozen seasons; ``seasons/`` of the source if None.
        pagefind: Index for Pagefind whatever ``site.toml`` says.
        progress: Called with a label, the bytes that were hashed, and of how many.

    Raises:
        SiteError: A file of the maintainer's is missing or malformed, or two contradict.
        EvidenceError: A season is not what it was when it was frozen; names the file.
    """
    file = source / "site.toml"
    config = parse_config(read_text(file).encode(), file=str(file))
    if pagefind:
        config = replace(config, pagefind=True)
    content = Content(find_content(source / "content"))
    errata = read_errata(source / "errata", content)
    folder = source / "seasons" if seasons is None else seasons
    hashing = None if progress is None else partial(progress, "hashing")
    with ExitStack() as opened:
        found = {}
        for path in list_seasons(folder):
            frozen = opened.enter_context(read_season(path, progress=hashing))
            found[frozen.id] = frozen
        if not found:
            raise SiteError(f"{folder}: no frozen season; `tallyproof freeze` makes them")
        ordered = _order(found, config, str(file))
        current = _current(ordered, config, str(file))
        for erratum in errata:
            for name in (erratum.season, erratum.replaced_by):
                if name is not None and name not in found:
                    raise SiteError(f"errata/{erratum.id}.md: no season {name!a}")
        sources = Sources(
            config=config,
            content=content,
            errata=errata,
            seasons=tuple(season_of(each, errata, parquet=config.parquet) for each in ordered),
            current=current,
            archives={_digits(each): each.archive for each in ordered},
        )
        opened.pop_all()
    return sources


def _order(found: dict[str, FrozenSeason], config: Config, file: str) -> tuple[FrozenSeason, ...]:
    if config.seasons is None:
        return tuple(sorted(found.values(), key=_age, reverse=True))
    for name in config.seasons:
        if name not in found:
            raise SiteError(f"{file}: seasons names {name!a}, which is not there")
    for name in found:
        if name not in config.seasons:
            raise SiteError(f"{file}: seasons does not name {name!a}, which is there")
    return tuple(found[name] for name in config.seasons)


def _current(ordered: Sequence[FrozenSeason], config: Config, file: str) -> frozenset[str]:
    families: dict[str, FrozenSeason] = {}
    for season in ordered:
        if config.current is not None and season.id not in config.current:
            continue
        other = families.setdefault(season.family, season)
        if config.current is not None and other is not season:
            raise SiteError(f"{file}: current names two seasons of family {season.family}")
        if _age(season) > _age(other):
            families[season.family] = season
    for name in config.current or ():
        if all(name != season.id for season in ordered):
            raise SiteError(f"{file}: current names {name!a}, which is not there")
    return frozenset(season.id for season in families.values())


def _age(season: FrozenSeason) -> tuple[str, list[tuple[int, str]], str]:
    # Seasons of one audit are as old as their ids count: season-10 comes after season-9.
    numbers = [(int(digits or 0), word) for word, digits in _PARTS.findall(season.id)]
    return season.as_of, numbers, season.id


def _digits(season: FrozenSeason) -> str:
    return season.bundle.sha256[:EVIDENCE_DIGITS]


def season_of(frozen: FrozenSeason, errata: Sequence[Erratum] = (), *, parquet: bool) -> Season:
    """
    Put a frozen season before a chapter.

    Args:
        frozen: The season.
        errata: Those of the site, of which it takes its own.
        parquet: Whether its tables are to be had as Parquet.
    """
    return Season(
        id=frozen.id,
        family=frozen.family,
        arena=frozen.arena,
        title=frozen.title,
        as_of=frozen.as_of,
        record=frozen.record,
        table=frozen.table,
        report=frozen.report,
        policy=frozen.policy,
        policy_text=frozen.policy_text,
        bundle=frozen.bundle,
        root=f"seasons/{safe_name(frozen.id)}/",
        evidence=f"evidence/{_digits(frozen)}/",
        allow_unproven=frozen.unproven,
        errata=tuple(erratum for erratum in errata if erratum.season == frozen.id),
        parquet=parquet,
    )
