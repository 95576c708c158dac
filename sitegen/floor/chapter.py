"""
The pages of one Floor season, unit by unit.

A unit is a few agents, a few calls, a few days of the ledger, or one of the
season's own pages; only a unit of calls reads raw responses, and it holds no
more than one call at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.downloads import file_download, table_files
from sitegen.floor.agent_page import agent_page
from sitegen.floor.api import agent_files, call_files, ledger_files, ledger_parts
from sitegen.floor.call_page import call_page
from sitegen.floor.ledger_pages import day_pages, ledger_page
from sitegen.floor.rules_page import rules_page
from sitegen.floor.season_page import season_pages
from sitegen.floor.shelf import Shelf
from sitegen.floor.tables import (
    calibration_table,
    calls_table,
    hours_table,
    rules_table,
    standings_table,
)
from sitegen.model import File
from verifier.dossier.floor_agent import floor_agent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.components import Download
    from sitegen.downloads import DataTable
    from sitegen.model import Artifact, Season

__all__ = ["FloorChapter", "chapter"]

AGENTS: Final = 20
CALLS: Final = 50
DAYS: Final = 10


def chapter(season: Season, *, newest: bool) -> FloorChapter:
    """
    Read a season, ready to make its pages.

    Args:
        season: The frozen season.
        newest: Whether the plain addresses of the API are its own.

    Raises:
        EvidenceError: Its rows cannot be read.
    """
    return FloorChapter(Shelf(season), newest=newest)


class FloorChapter:
    """
    The pages of one season.

    Args:
        shelf: The season and its addresses.
        newest: Whether the plain addresses of the API are its own.
    """

    def __init__(self, shelf: Shelf, *, newest: bool) -> None:
        self.shelf = shelf
        self._newest = newest
        self._agents = tuple(shelf.agents)
        self._calls = tuple(shelf.calls.values())
        self._days = tuple(shelf.days)

    def units(self) -> Sequence[str]:
        """Name the parts that can be made apart from each other."""
        parts = (
            ("agents", len(self._agents), AGENTS),
            ("calls", len(self._calls), CALLS),
            ("days", len(self._days), DAYS),
            ("entries", ledger_parts(self.shelf, newest=self._newest), 1),
        )
        return (
            "season",
            "ledger",
            "rules",
            *(f"{kind}:{start}" for kind, count, run in parts for start in range(0, count, run)),
        )

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """Make the pages and files of one unit."""
        kind, _, start = unit.partition(":")
        if kind == "season":
            yield from self._season()
        elif kind == "ledger":
            files, listed = self._table("hours", hours_table(self.shelf))
            yield from files
            yield ledger_page(self.shelf, listed)
        elif kind == "rules":
            files, listed = self._table("rules", rules_table(self.shelf))
            yield from files
            yield rules_page(self.shelf, listed)
        elif kind == "agents":
            for agent in self._agents[int(start) : int(start) + AGENTS]:
                record = floor_agent(self.shelf.floor, agent)
                answers = list(agent_files(self.shelf, record, newest=self._newest))
                listed = [file_download("The evidence API's answer", answers[0])]
                yield agent_page(self.shelf, record, listed)
                yield from answers
        elif kind == "calls":
            for held in self._calls[int(start) : int(start) + CALLS]:
                page, call = call_page(self.shelf, held)
                yield page
                yield from call_files(self.shelf, call, newest=self._newest)
        elif kind == "days":
            for day in self._days[int(start) : int(start) + DAYS]:
                yield from day_pages(self.shelf, day)
        else:
            yield from ledger_files(self.shelf, int(start), newest=self._newest)

    def _season(self) -> Iterator[Artifact]:
        shelf = self.shelf
        files: list[Download] = []
        for name, table in (
            ("standings", standings_table(shelf)),
            ("calls", calls_table(shelf)),
            ("calibration", calibration_table(shelf)),
        ):
            written, listed = self._table(name, table)
            yield from written
            files += listed
        season = shelf.season
        for label, name, content in (
            ("The frozen table, exact bytes", "table.json", season.table),
            ("The report of the audit", "report.json", season.report),
            ("The policy of the audit", "policy.toml", season.policy_text),
        ):
            files.append(file_download(label, File(season.root + name, content)))
        yield from season_pages(shelf, files)

    def _table(self, name: str, table: DataTable) -> tuple[list[File], list[Download]]:
        base = f"{self.shelf.season.root}downloads/{name}"
        return table_files(base, table, parquet=self.shelf.season.parquet)
