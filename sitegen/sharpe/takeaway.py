"""Tables of boards to take away, and the boards of the evidence API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.api import agent_response
from sitegen.downloads import DataTable, Field, table_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitegen.components import Download
    from sitegen.downloads import Value
    from sitegen.model import File
    from sitegen.sharpe.shelf import Shelf
    from sitegen.sharpe.summary import BoardSummary
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.sharpe import BoardDossier, RowDossier
    from verifier.dossier.sharpe_figures import Figure

__all__ = ["api_board", "board_files", "index_files"]

Files = tuple[list["Download"], list["File"]]

_SCORE: Final = "a probability from 0 to 1"
_MEAN: Final = "mean return a bar, a fraction; context only"


def board_files(dossier: BoardDossier, shelf: Shelf) -> Files:
    """Tables of one board: its rows, pairs and gaps, and every seed of every row."""
    tables = {
        "rows": _rows(dossier),
        "pairs": _pairs(dossier),
        "gaps": _gaps(dossier),
        "seeds": _seeds(dossier),
    }
    return _written(
        ((shelf.download(dossier.name, what), table) for what, table in tables.items()),
        parquet=shelf.season.parquet,
    )


def index_files(boards: Sequence[BoardSummary], shelf: Shelf) -> Files:
    """The list of boards as a table."""
    table = DataTable(
        title="Boards",
        fields=(
            Field("board", "text", "name of the board"),
            Field("tier", "text"),
            Field("release", "text"),
            Field("kernel", "text"),
            Field("seeds", "integer", "number of seeds"),
            Field("sealed", "boolean", "whether the seeds were sealed"),
            Field("entries", "integer"),
            Field("verdict", "text", "worst verdict of the checks of the board"),
        ),
        rows=[
            (
                board.name,
                board.tier,
                board.release,
                board.kernel,
                board.seeds,
                board.sealed,
                board.entries,
                board.verdict.value,
            )
            for board in boards
        ],
    )
    return _written([(f"{shelf.season.root}downloads/boards", table)], parquet=shelf.season.parquet)


def _written(tables: Iterable[tuple[str, DataTable]], *, parquet: bool) -> Files:
    downloads: list[Download] = []
    files: list[File] = []
    for base, table in tables:
        written, described = table_files(base, table, parquet=parquet)
        files += written
        downloads += described
    return downloads, files


def _both(name: str, about: str) -> tuple[Field, Field]:
    return (
        Field(name, "number", f"as published: {about}"),
        Field(f"{name}_recomputed", "number", f"as recomputed: {about}"),
    )


def _values(figure: Figure) -> tuple[Value, Value]:
    return figure.published, figure.recomputed


def _rows(dossier: BoardDossier) -> DataTable:
    fields = (
        Field("rank", "text", "as printed"),
        Field("rank_recomputed", "text", "as the published scores give it"),
        Field("agent", "text", "name of the agent"),
        *_both("deflated_sharpe", _SCORE),
        *_both("interval_low", _SCORE),
        *_both("interval_high", _SCORE),
        *_both("pass_k_rate", "share of seeds that pass on their own"),
        *_both("mean_return", _MEAN),
        Field("eligible", "boolean", "whether the entry is rank-eligible, as published"),
        Field("eligible_recomputed", "boolean", "whether all gates hold"),
        Field("reasons", "text", "gates that do not hold, as published"),
        Field("status", "text", "scored, or why there is no score"),
        Field("returns_sha256", "text", "hash of the returns file"),
        Field("verdict", "text", "worst verdict of the checks of the row"),
    )
    return DataTable(
        title=f"Board {dossier.name}: rows",
        fields=fields,
        rows=[tuple(_row(row)) for row in dossier.rows],
    )


def _row(row: RowDossier) -> Iterator[Value]:
    yield from (row.row.rank, row.rank, row.policy)
    for figure in (row.score, row.interval["lo"], row.interval["hi"], row.rate, row.mean):
        yield from _values(figure)
    yield from (row.row.eligible, row.eligible, ", ".join(row.row.reasons))
    yield from (row.row.status, row.row.returns, row.verdict.value)


def _pairs(dossier: BoardDossier) -> DataTable:
    return DataTable(
        title=f"Board {dossier.name}: neighbours compared",
        fields=(
            Field("higher", "text", "the one with the higher score"),
            Field("lower", "text"),
            *_both("point_diff", "difference of the scores of the paired test"),
            *_both("lo", "low end of its interval"),
            *_both("hi", "high end of its interval"),
            *_both("p_value", "two-sided share of resamples"),
            Field("verdict", "text", "a_better, b_better or tied, as published"),
            Field("verdict_recomputed", "text"),
            Field("result", "text", "pass, fail or unproven"),
        ),
        rows=[
            (
                pair.a,
                pair.b,
                *(value for figure in pair.figures for value in _values(figure)),
                pair.published,
                pair.recomputed,
                pair.verdict.value,
            )
            for pair in dossier.pairs
        ],
    )


def _gaps(dossier: BoardDossier) -> DataTable:
    return DataTable(
        title=f"Board {dossier.name}: generalization and transfer gaps",
        fields=(
            Field("agent", "text"),
            Field("what", "text", "generalization or transfer"),
            Field("to_tier", "text", "tier of the out side of a transfer"),
            *_both("first", "score of the train or in side"),
            *_both("second", "score of the test or out side"),
            *_both("gap", "first less second"),
        ),
        rows=[
            (
                row.policy,
                gap.what,
                gap.to,
                *(value for side in gap.sides for value in _values(side.score)),
                *_values(gap.gap),
            )
            for row in dossier.rows
            for gap in (row.generalization, *row.transfers)
        ],
    )


def _seeds(dossier: BoardDossier) -> DataTable:
    return DataTable(
        title=f"Board {dossier.name}: every seed of every row, recomputed",
        fields=(
            Field("agent", "text"),
            Field("seed", "text", "digits; sealed seeds exceed what a double holds"),
            Field("bars", "integer"),
            Field("sharpe", "number", "Sharpe ratio a period"),
            Field("probabilistic_sharpe", "number", "against 0, without deflation"),
            Field("passes", "boolean"),
            Field("mean_return", "number", _MEAN),
        ),
        rows=[
            (
                row.policy,
                str(seed.seed),
                seed.bars,
                seed.sharpe,
                seed.probability,
                seed.passes,
                seed.mean_return,
            )
            for row in dossier.rows
            for seed in row.seeds
        ],
    )


def api_board(dossier: BoardDossier, shelf: Shelf) -> File:
    """One board of the evidence API: its verdict, and every row published and recomputed."""
    rows: list[JsonValue] = [
        {
            "agent": row.policy,
            "eligible": {"published": row.row.eligible, "recomputed": row.eligible},
            "figures": {
                figure.name: {
                    "published": figure.published,
                    "recomputed": figure.recomputed,
                    "verdict": figure.verdict.value,
                }
                for figure in (row.score, row.rate, row.mean, *row.interval.values())
            },
            "rank": {"published": row.row.rank, "recomputed": row.rank},
            "returns": {"path": row.evidence[0].path, "sha256": row.row.returns},
            "status": row.row.status,
            "verdict": row.verdict.value,
        }
        for row in dossier.rows
    ]
    return agent_response(
        f"v1/boards/{shelf.boards[dossier.name]}.json",
        {
            "board": dossier.name,
            "board_file": {"path": dossier.file.path, "sha256": dossier.evidence[0].sha256},
            "bundle": shelf.season.bundle.sha256,
            "kernel": dossier.board.kernel,
            "protocol": dossier.board.protocol,
            "rows": rows,
            "season": shelf.season.id,
            "tier": dossier.board.tier,
            "verdict": dossier.verdict.value,
        },
    )
