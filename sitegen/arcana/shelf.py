"""Where everything of one ARCANA season stands on the site: see ``sitegen.shelf``."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from sitegen.commands import audit_season, explain_in_season
from sitegen.names import look_alikes, unique_names
from sitegen.shelf import SeasonShelf
from verifier.dossier.arcana import open_arcana
from verifier.errors import SiteError

if TYPE_CHECKING:
    from sitegen.model import Season
    from verifier.dossier.arcana import Arcana

__all__ = ["SEAL", "Shelf"]

SEAL: Final = re.compile(r"[0-9a-f]{64}\Z")


class Shelf(SeasonShelf):
    """
    One season's evidence, and the addresses of its pages.

    Args:
        season: The frozen season.

    Raises:
        SiteError: The bundle has no season to show.
        EvidenceError: Its rows cannot be read.
    """

    def __init__(self, season: Season) -> None:
        super().__init__(season)
        self.arena: Arcana = open_arcana(season.bundle, season.policy)
        seasons = {each.season_id: each for each in self.arena.seasons}
        shown = seasons.get(season.id) or self.arena.season
        if shown is None:
            raise SiteError(f"season {season.id!a}: its bundle lists no season of ARCANA")
        self.shown = shown
        self.agents = unique_names(self.arena.agents)
        named = Counter(self.name(agent_id) for agent_id in self.agents)
        self.ambiguous = look_alikes(named) | {name for name, uses in named.items() if uses > 1}
        self.creators = unique_names(self.arena.creators)
        self.anchors = frozenset(anchor.anchor_id for anchor in self.arena.anchors)
        # Others of the bundle's seasons are frozen, and shown, on their own.
        self.scores = frozenset(
            row.seal
            for row in self.arena.sealed_scores
            if row.season_id == shown.season_id
            and row.seal is not None
            and SEAL.match(row.seal) is not None
        )

    def board_page(self, category: str, number: int = 0) -> str:
        """
        A page of a leaderboard, counted from 0.

        The first page of the overall one is the season's first page.
        """
        if category == "overall" and not number:
            return self.home
        more = f"-{number + 1}" if number else ""
        return f"{self.season.root}boards/{category}{more}.html"

    def agent_page(self, agent_id: str) -> str | None:
        """The page of an agent, if it has one."""
        slug = self.agents.get(agent_id)
        return None if slug is None else f"{self.season.root}agents/{slug}/index.html"

    def score_page(self, seal: str | None) -> str | None:
        """The page of a sealed score, if it has one."""
        return None if seal not in self.scores else f"{self.season.root}scores/{seal}/index.html"

    def creator_page(self, creator_id: str | None) -> str | None:
        """The page of a creator, if it has one."""
        slug = None if creator_id is None else self.creators.get(creator_id)
        return None if slug is None else f"{self.season.root}creators/{slug}/index.html"

    @property
    def anchors_page(self) -> str:
        """The list of anchors."""
        return f"{self.season.root}anchors/index.html"

    def anchor_page(self, anchor_id: int | None) -> str | None:
        """The page of an anchor, if it has one."""
        known = anchor_id in self.anchors
        return f"{self.season.root}anchors/{anchor_id}.html" if known else None

    def digest(self, rows: str) -> str | None:
        """The hash of one of the bundle's files of rows, if the bundle has it."""
        path = f"arcana/{rows}.jsonl"
        return self.season.bundle.digest(path) if self.season.bundle.has(path) else None

    def manifest(self, seal: str | None) -> str | None:
        """The published copy of a manifest, if the bundle has it."""
        return None if seal is None else self.evidence(f"arcana/manifests/{seal[:2]}/{seal}.txt")

    def name(self, agent_id: str) -> str:
        """An agent's name, hostile text, or its id when it is not listed."""
        return self.arena.name(agent_id) or agent_id

    def creator_name(self, creator_id: str) -> str:
        """A creator's handle, hostile text, or its id when no row states one."""
        return self.arena.handle(creator_id) or creator_id

    @property
    def called(self) -> str:
        """The season's name."""
        return self.shown.name

    def command(self, subject: str | None = None) -> str:
        """The one command that recomputes a page."""
        if subject is None:
            return audit_season(self.season)
        return explain_in_season(self.season, subject)
