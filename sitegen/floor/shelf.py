"""Where everything of one Floor season stands on the site: see ``sitegen.shelf``."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from typing import TYPE_CHECKING

from formulas.floor.primitives import DAY_MS
from sitegen.names import unique_names
from sitegen.numbers import iso
from sitegen.shelf import ROWS, SeasonShelf
from verifier.dossier.floor import FloorSeason, Held, load_floor
from verifier.dossier.floor_ledger import days_of, hours_of

if TYPE_CHECKING:
    from sitegen.model import Season
    from verifier.dossier.floor import Entry

__all__ = ["Shelf"]


class Shelf(SeasonShelf):
    """
    One season's evidence, and the addresses of its pages.

    Args:
        season: The frozen season.

    Raises:
        EvidenceError: Its rows cannot be read.
        SiteError: Two of its agents cannot be told apart by name.
    """

    def __init__(self, season: Season) -> None:
        super().__init__(season)
        self.floor: FloorSeason = load_floor(season.bundle, season.policy, season.id)
        published = self.floor.published
        # Who stands in the table without a call has a page as well: it says so.
        self.agents = unique_names(sorted({*self.floor.members, *published}))
        self.calls: dict[str, Held] = {held.call.seal: held for held in self.floor.calls}
        self.days = days_of(self.floor)
        self._counts = {
            day: sum(len(self.floor.context.hours.get(hour, ())) for hour in hours)
            for day, hours in self.days.items()
        }

    @property
    def rules_page(self) -> str:
        """The rules as frozen."""
        return f"{self.season.root}rules/index.html"

    @property
    def ledger_page(self) -> str:
        """The ledger's first page."""
        return f"{self.season.root}ledger/index.html"

    def table_page(self, number: int) -> str:
        """A page of the table, counted from 0."""
        return self.home if number == 0 else f"{self.season.root}table/{number + 1}.html"

    def agent_page(self, agent: str) -> str | None:
        """The page of an agent, if it has one."""
        slug = self.agents.get(agent)
        return None if slug is None else f"{self.season.root}agents/{slug}/index.html"

    def call_page(self, seal: str) -> str | None:
        """The page of a call, if the season has it."""
        return f"{self.season.root}calls/{seal}/index.html" if seal in self.calls else None

    def day_page(self, day: int, number: int = 0) -> str:
        """A page of a day of the ledger: the day's beginning, ms, and the page from 0."""
        more = f"-{number + 1}" if number else ""
        return f"{self.season.root}ledger/{iso(day)[:10]}{more}.html"

    def pages_of_day(self, day: int) -> int:
        """How many pages a day of the ledger takes."""
        return max(1, -(-self._counts[day] // ROWS))

    def entries_of_day(self, day: int) -> int:
        """How many entries a day of the ledger has."""
        return self._counts[day]

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The season's entries, in the order of the ledger."""
        context = self.floor.context
        places = [place for hour in hours_of(self.floor) for place in context.hours.get(hour, ())]
        return tuple(context.tables.entries[place] for place in sorted(places))

    def hour_anchor(self, hour: int) -> str:
        """The place of an hour, with its page: where its root stands."""
        return f"{self.day_page(hour // DAY_MS * DAY_MS)}#h{iso(hour)[11:13]}"

    def entry_anchor(self, line: int, settled_at: int) -> str | None:
        """The place of a ledger entry, with its page, if the season shows it."""
        day = settled_at // DAY_MS * DAY_MS
        if day not in self.days:
            return None
        before = 0
        for hour in self.days[day]:
            places = self.floor.context.hours.get(hour, ())
            at = bisect_left(places, line - 1)
            if at < len(places) and places[at] == line - 1:
                number = (before + at) // ROWS
                return f"{self.day_page(day, number)}#entry-{line - 1}"
            before += len(places)
        return None

    def name(self, agent: str) -> str:
        """An agent's name, hostile text, or its id where it has none."""
        listed = self.floor.context.agents.get(agent)
        return agent if listed is None or not listed.name.strip() else listed.name

    def command(self, words: str) -> str:
        """A command of the tool on this season's bundle, under its policy."""
        bundle = f"{self.season.evidence.rstrip('/')}.zip"
        return f"tallyproof {words.format(bundle=bundle)} --policy {self.season.root}policy.toml"
