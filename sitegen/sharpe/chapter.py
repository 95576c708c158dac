"""
The chapter on one season of boards.

A unit is one board with the pages of its entries, or the list of boards, which comes
last: of the boards that a process has judged by then it has kept a line for the list,
and it judges the others for theirs. No more than one board is held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.sharpe.board_page import board_page
from sitegen.sharpe.entry_page import entry_page
from sitegen.sharpe.index_page import index_page
from sitegen.sharpe.shelf import Shelf
from sitegen.sharpe.summary import BoardSummary, summary_of
from sitegen.sharpe.takeaway import api_board, board_files, index_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.model import Artifact, Season

__all__ = ["SharpeChapter", "chapter"]

_INDEX: Final = "boards"
_BOARD: Final = "board:"


class SharpeChapter:
    """
    Makes the pages of one season of boards.

    Args:
        season: The season.
        newest: Whether it is the newest of its family, which the evidence API shows.
    """

    def __init__(self, season: Season, *, newest: bool) -> None:
        self._shelf = Shelf(season)
        self._newest = newest
        self._summaries: dict[str, BoardSummary] = {}

    def units(self) -> Sequence[str]:
        """Every board, then the list of them."""
        return (*(f"{_BOARD}{name}" for name in self._shelf.arena.names), _INDEX)

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """Make the pages and files of one unit."""
        if unit == _INDEX:
            boards = [self._summary(name) for name in self._shelf.arena.names]
            tables, files = index_files(boards, self._shelf)
            yield index_page(boards, self._shelf, tables)
            yield from files
            return
        dossier = self._shelf.arena.board(unit.removeprefix(_BOARD))
        self._summaries[dossier.name] = summary_of(dossier)
        tables, files = board_files(dossier, self._shelf)
        yield board_page(dossier, self._shelf, tables)
        yield from files
        # Of a policy that stands twice, which is a failure, the first row has the page.
        first = {row.policy: row for row in reversed(dossier.rows)}
        for row in reversed(first.values()):
            yield entry_page(dossier, row, self._shelf)
        if self._newest:
            yield api_board(dossier, self._shelf)

    def _summary(self, name: str) -> BoardSummary:
        if name not in self._summaries:
            self._summaries[name] = summary_of(self._shelf.arena.board(name))
        return self._summaries[name]


def chapter(season: Season, *, newest: bool) -> SharpeChapter:
    """
    Open the chapter of a season.

    Raises:
        EvidenceError: A board of it is no strict JSON.
    """
    return SharpeChapter(season, newest=newest)
