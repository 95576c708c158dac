"""
The inputs of a score as tables; what is too long for the score's page gets pages of its own.

Nothing is cut: the first rows stand on the score's page, which says how many
there are and leads to the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from sitegen.arcana.words import (
    agent_cell,
    moment_cell,
    number_text,
    state_cell,
)
from sitegen.components import Cell, Column, Row, Table
from sitegen.downloads import paged
from sitegen.model import Crumb, Page
from sitegen.shelf import ROWS
from verifier.dossier.arcana_evidence import Coverage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sitegen.arcana.shelf import Shelf
    from verifier.dossier.arcana_evidence import Evidence
    from verifier.dossier.arcana_inputs import DecisionInput, Inputs, PeerInput, SnapshotInput
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["FIRST", "InputList", "input_lists", "input_pages", "pages_of"]

FIRST: Final = 200
"""Rows of one list on the score's page."""

_Item = TypeVar("_Item")

_SEAL: Final = Column("seal", "Seal", "hash")
_STATE: Final = Column("state", "Recorded, and anchored in", "verdict")
_TIME: Final = Column("ts", "Time", "time")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputList:
    """
    One kind of input.

    Args:
        key: Part of ids and file names.
        title: What they are.
        total: How many.
        coverage: How they are evidenced.
        columns: Of the table.
        rows: Makes the rows from one place up to another.
        note: A sentence about the list.
    """

    key: str
    title: str
    total: int
    coverage: Coverage
    columns: tuple[Column, ...]
    rows: Callable[[int, int], list[Row]]
    note: str

    @property
    def first(self) -> Table:
        """The rows that stand on the score's page."""
        return self.table(0, FIRST)

    @property
    def more(self) -> bool:
        """Whether there are others."""
        return self.total > FIRST

    def table(self, start: int, stop: int) -> Table:
        """Make the table of a range of rows."""
        return Table(self.key, self.title, self.columns, self.rows(start, stop), note=self.note)


def input_lists(shelf: Shelf, inputs: Inputs) -> tuple[InputList, ...]:
    """List snapshots, decisions and peers."""
    return (
        InputList(
            key="snapshots",
            title="Portfolio snapshots",
            total=len(inputs.snapshots),
            coverage=Coverage.of(item.evidence.state for item in inputs.snapshots),
            columns=(
                _TIME,
                Column("nav", "NAV", "number", figure="nav"),
                Column("cash", "Cash", "number", figure="cash"),
                _SEAL,
                _STATE,
            ),
            rows=lambda start, stop: [
                _snapshot_row(shelf, place, item)
                for place, item in _numbered(inputs.snapshots, start, stop)
            ],
            note="NAV and cash as the columns' text, which is what the formula reads.",
        ),
        InputList(
            key="decisions",
            title="Decisions",
            total=len(inputs.decisions),
            coverage=Coverage.of(item.evidence.state for item in inputs.decisions),
            columns=(
                Column("id", "Decision", "number", figure="id"),
                _TIME,
                Column("action", "Action", "text"),
                Column("decider", "Decided by", "text"),
                _SEAL,
                _STATE,
            ),
            rows=lambda start, stop: [
                _decision_row(shelf, place, item)
                for place, item in _numbered(inputs.decisions, start, stop)
            ],
            note="Only an action that is exactly buy or sell is a trade; every decision counts.",
        ),
        InputList(
            key="peers",
            title="Scores of the creator's other agents",
            total=len(inputs.peers),
            coverage=Coverage.of(item.evidence.state for item in inputs.peers),
            columns=(
                Column("agent", "Agent", "name"),
                _TIME,
                Column("performance", "Performance", "points", figure="performance"),
                _SEAL,
                _STATE,
            ),
            rows=lambda start, stop: [
                _peer_row(shelf, place, item)
                for place, item in _numbered(inputs.peers, start, stop)
            ],
            note="Added in this order and divided by their number: the creator's mean.",
        ),
    )


def input_pages(shelf: Shelf, score: ScoreDossier) -> Iterator[Page]:
    """Make the pages of the lists that are too long for the score's own page."""
    home = shelf.score_page(score.row.seal)
    if score.inputs is None or home is None:
        return
    folder = home.removesuffix("index.html")
    for each in input_lists(shelf, score.inputs):
        if not each.more:
            continue
        pages = list(paged(range(each.total), ROWS))
        paths = [f"{folder}{each.key}-{page.number}.html" for page in pages]
        for page, path in zip(pages, paths, strict=True):
            yield Page(
                path=path,
                template="arcana/inputs.html",
                title=f"{each.title}, page {page.number} of {page.pages}",
                finding=f"Rows {page.first} to {page.last} of {page.total}, in manifest order.",
                trail=shelf.trail(
                    Crumb(shelf.name(score.row.agent_id), shelf.agent_page(score.row.agent_id)),
                    Crumb(f"Score of {score.row.ts[:10]}", home),
                    Crumb(each.title),
                ),
                values={"table": each.table(page.first - 1, page.last), "paths": paths},
                season=shelf.season,
                data_sha256=score.row.seal,
                command=shelf.command(score.row.seal),
            )


def pages_of(shelf: Shelf, score: ScoreDossier, each: InputList) -> str | None:
    """The first page with the whole list, when it is too long for the score's own."""
    home = shelf.score_page(score.row.seal)
    if home is None or not each.more:
        return None
    return f"{home.removesuffix('index.html')}{each.key}-1.html"


def _numbered(items: Sequence[_Item], start: int, stop: int) -> Iterator[tuple[int, _Item]]:
    return enumerate(items[start:stop], start=start)


def _snapshot_row(shelf: Shelf, place: int, item: SnapshotInput) -> Row:
    return Row(
        f"snapshot-{place}",
        (
            moment_cell(item.ts),
            Cell(item.nav),
            Cell(item.cash),
            _seal_cell(shelf, item.evidence),
            state_cell(shelf, item.evidence),
        ),
    )


def _decision_row(shelf: Shelf, place: int, item: DecisionInput) -> Row:
    reason = f" ({item.reason_code})" if item.reason_code else ""
    return Row(
        f"decision-{place}",
        (
            Cell(str(item.id)),
            moment_cell(item.ts),
            Cell(item.action),
            Cell("not recorded" if item.decider is None else f"{item.decider}{reason}"),
            _seal_cell(shelf, item.evidence),
            state_cell(shelf, item.evidence),
        ),
    )


def _peer_row(shelf: Shelf, place: int, item: PeerInput) -> Row:
    return Row(
        f"peer-{place}",
        (
            agent_cell(shelf, item.agent_id),
            moment_cell(item.ts),
            Cell(number_text(item.performance_score)),
            _seal_cell(shelf, item.evidence, shelf.score_page(item.evidence.seal)),
            state_cell(shelf, item.evidence),
        ),
    )


def _seal_cell(shelf: Shelf, evidence: Evidence, page: str | None = None) -> Cell:
    if evidence.seal is None:
        reason = (
            "recorded before sealing began"
            if evidence.state.value == "unsealed by rule"
            else "recorded after sealing began, and not sealed"
        )
        return Cell("none", sort="", title=reason)
    return Cell(evidence.seal, href=page or shelf.manifest(evidence.seal))
