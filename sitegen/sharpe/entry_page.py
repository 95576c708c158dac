"""The page of one entry of a board: an agent, its seeds, and the way to each of its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.commands import explain_in_season
from sitegen.components import (
    Cell,
    Column,
    Row,
    Table,
    checked,
    hash_chip,
    missing_cell,
    verdict_cell,
)
from sitegen.model import Crumb, Page
from sitegen.numbers import count, fixed, plain
from sitegen.sharpe.board_page import evidence_downloads, gap_paths, payload_of
from sitegen.sharpe.cells import CONTEXT_ONLY
from sitegen.sharpe.shelf import kernel_path
from sitegen.sharpe.tables import transfer_table
from sitegen.sharpe.words import interval_words, row_finding
from verifier.dossier.sharpe import returns_path
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sitegen.sharpe.shelf import Shelf
    from verifier.dossier.sharpe import BoardDossier, RowDossier
    from verifier.dossier.sharpe_figures import Figure
    from verifier.dossier.sharpe_row import SeedScore

__all__ = ["entry_page"]

_NAMES: Final = {
    "deflated_sharpe": "deflated Sharpe",
    "pass_k_rate": "pass^k rate",
    "mean_return": "mean return (context only)",
    "lo": "interval, low end",
    "hi": "interval, high end",
    "width": "interval, width",
    "confidence": "interval, confidence",
    "n_boot": "interval, resamples",
    "point": "interval, point",
}


def entry_page(dossier: BoardDossier, row: RowDossier, shelf: Shelf) -> Page:
    """Make the page of one entry."""
    season = shelf.season
    return Page(
        path=shelf.entry_page(dossier.name, row.policy),
        template="sharpe/entry.html",
        title=row.policy,
        finding=row_finding(dossier, row),
        trail=shelf.trail(Crumb(dossier.name, shelf.board_page(dossier.name)), Crumb(row.policy)),
        values={
            "dossier": dossier,
            "row": row,
            "number": None
            if row.row.deflated_sharpe is None
            else fixed(row.row.deflated_sharpe, 4),
            "beside": _beside(dossier, row),
            "particulars": list(_facts(dossier, row)),
            "kernel_page": None if dossier.kernel is None else kernel_path(dossier.kernel.name),
            "figures_table": _figures_table(row),
            "gates_table": _gates_table(row),
            "gap_figures": _gap_table(row),
            "transfer_table": transfer_table(dossier, [row], shelf),
            "seeds_table": _seeds_table(row) if row.seeds else None,
            "evidence_files": evidence_downloads(row.evidence, shelf),
            "absent": [file for file in row.evidence if file.sha256 is None],
            "board_path": shelf.board_page(dossier.name),
        },
        season=season,
        data_sha256=dossier.evidence[0].sha256,
        command=explain_in_season(season, f"{dossier.name}/{row.policy}"),
        payload=payload_of(
            dossier,
            season.bundle,
            [returns_path(dossier.name, row.policy)],
            gap_paths(dossier.name, row.policy),
        ),
        search=f"agent {row.policy} board {dossier.name} {dossier.board.tier}",
    )


def _beside(dossier: BoardDossier, row: RowDossier) -> str | Markup:
    published = row.row.interval
    if published is None:
        return "no interval is published"
    return Markup("{} from {} to {}, on {}").format(
        interval_words(dossier),
        checked(fixed(published.lo, 4), f"lo:{row.policy}"),
        checked(fixed(published.hi, 4), f"hi:{row.policy}"),
        count(len(row.seeds), "seed"),
    )


def _facts(dossier: BoardDossier, row: RowDossier) -> Iterator[tuple[str, str | Markup]]:
    yield "board", dossier.name
    same = row.row.rank == row.rank
    printed = checked(row.row.rank, f"rank:{row.policy}")
    yield "rank", printed if same else printed + f" published, {row.rank} recomputed"
    yield "status", row.row.status
    yield "returns", hash_chip(row.row.returns)


def _compared(name: str, figure: Figure, of: str) -> Row:
    """One figure, whole, as published and as recomputed; *of* is its name for ``verify.js``."""
    published = (
        missing_cell(figure.note or "not published")
        if figure.published is None
        else Cell(plain(figure.published))
    )
    recomputed = (
        missing_cell(figure.note or "the kernel gives none")
        if figure.recomputed is None
        else Cell(plain(figure.recomputed))
    )
    distance = figure.distance
    said = {
        Verdict.PASS: "pass",
        Verdict.EXEMPT: "exempt",
        Verdict.UNPROVEN: f"unproven: {figure.note}",
        Verdict.FAIL: "fail"
        if distance is None
        else f"fail: {distance:,} {'unit' if distance == 1 else 'units'} in the last place apart",
    }[figure.verdict]
    cells = (Cell(name), published, recomputed, verdict_cell(figure.verdict, said))
    return Row(id="", cells=cells, of=of)


def _figures_table(row: RowDossier) -> Table:
    figures = (row.score, row.rate, row.mean, *row.interval.values())
    return Table(
        id="figures-table",
        caption="Every figure, published and recomputed",
        columns=_COMPARED,
        rows=tuple(
            _compared(_NAMES[figure.name], figure, f"{figure.name}:{row.policy}")
            for figure in figures
        ),
    )


_COMPARED: Final = (
    Column("what", "figure", "text", sortable=False),
    Column("published", "published", "number", sortable=False, figure=""),
    Column("recomputed", "recomputed", "number", sortable=False, figure=""),
    Column("verdict", "result", "verdict", sortable=False),
)


def _gap_table(row: RowDossier) -> Table:
    gap = row.generalization
    return Table(
        id="gap-table",
        caption="Generalization gap: train less test, with no trials declared",
        columns=_COMPARED,
        rows=(
            *(
                _compared(
                    f"{side.name}, {count(side.seeds, 'seed')} from {side.first} to {side.last}"
                    if side.seeds
                    else side.name,
                    side.score,
                    f"{side.name}:{row.policy}",
                )
                for side in gap.sides
            ),
            _compared("gap", gap.gap, f"gap:{row.policy}"),
        ),
    )


def _gates_table(row: RowDossier) -> Table:
    said = {True: "holds", False: "does not hold", None: "not judged"}
    stated = {True: "does not hold", False: "holds", None: "not judged"}
    return Table(
        id="gates-table",
        caption="Gates of rank eligibility",
        columns=(
            Column("gate", "gate", "text", sortable=False),
            Column("asked", "asked", "text", sortable=False),
            Column("value", "value", "text", sortable=False),
            Column("published", "published", "text", sortable=False),
            Column("recomputed", "recomputed", "text", sortable=False),
            Column("verdict", "result", "verdict", sortable=False),
        ),
        rows=tuple(
            Row(
                id="",
                cells=(
                    Cell(gate.title),
                    Cell(gate.asked),
                    Cell(gate.value),
                    Cell(stated[gate.named]),
                    Cell(said[gate.holds]),
                    verdict_cell(gate.verdict),
                ),
            )
            for gate in row.gates
        ),
    )


def _seeds_table(row: RowDossier) -> Table:
    return Table(
        id="seeds-table",
        caption="Every seed on its own, against 0 and without deflation",
        columns=(
            Column("seed", "seed", "number"),
            Column("sharpe", "Sharpe a period", "number", figure="seed_sharpe"),
            Column("probability", "probabilistic Sharpe", "number", figure="seed_probability"),
            Column("passes", "passes", "text"),
            Column(
                "mean",
                "mean return",
                "number",
                sortable=False,
                note=CONTEXT_ONLY,
                figure="seed_mean",
            ),
        ),
        rows=tuple(
            Row(id=f"seed-{index}", cells=tuple(_seed_cells(seed)), of=f"{row.policy}/{index}")
            for index, seed in enumerate(row.seeds)
        ),
        context_only=("mean",),
        note="Recomputed: a board states the share of seeds that pass and no seed by itself.",
    )


def _seed_cells(seed: SeedScore) -> Iterator[Cell]:
    # A sealed seed is a text of up to 20 digits, more than a double can sort by.
    yield Cell(str(seed.seed))
    for value, places in ((seed.sharpe, 6), (seed.probability, 4)):
        if value is None:
            yield missing_cell(seed.refusal or "not finite")
        else:
            yield Cell(fixed(value, places), sort=plain(value), title=plain(value))
    yield Cell("yes" if seed.passes else "no")
    if seed.mean_return is None:
        yield missing_cell("not finite")
    else:
        yield Cell(
            fixed(seed.mean_return, 6), sort=plain(seed.mean_return), title=plain(seed.mean_return)
        )
