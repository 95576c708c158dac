"""The page of one board."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from sitegen.charts import Whisker
from sitegen.commands import board_of_season
from sitegen.components import Download
from sitegen.model import Crumb, Page
from sitegen.sharpe.shelf import kernel_path
from sitegen.sharpe.tables import (
    board_table,
    claims_table,
    disclosure_table,
    gap_table,
    gates_table,
    in_order,
    pairs_table,
    transfer_table,
)
from sitegen.sharpe.words import board_facts, finding_of, interval_words, sentences, tie_notes
from verifier.dossier.sharpe import gap_path, returns_path
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitegen.sharpe.shelf import Shelf
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.sharpe import BoardDossier, RowDossier
    from verifier.dossier.sharpe_figures import Evidence

__all__ = ["board_page", "evidence_downloads", "payload_of"]

SATURATED = (0.0, 1.0)
"""Where a deflated Sharpe ratio cannot be told from the end of its axis."""


def board_page(dossier: BoardDossier, shelf: Shelf, tables: Sequence[Download]) -> Page:
    """
    Make the page of a board.

    Args:
        dossier: The board.
        shelf: The season.
        tables: The tables of the page as files, written elsewhere.
    """
    season, board = shelf.season, dossier.board
    ranked = in_order(dossier)
    policies = dict.fromkeys(row.policy for row in dossier.rows)
    return Page(
        path=shelf.board_page(dossier.name),
        template="sharpe/board.html",
        title=f"Board {dossier.name}",
        finding=finding_of(dossier),
        trail=shelf.trail(Crumb(dossier.name)),
        values={
            "dossier": dossier,
            "particulars": board_facts(dossier),
            "kernel_page": None if dossier.kernel is None else kernel_path(dossier.kernel.name),
            "board_table": board_table(dossier, shelf),
            "entries": [_whisker(row, shelf, dossier.name) for row in ranked],
            "ties": brackets(ranked, dossier.unseparated),
            "interval_name": interval_words(dossier),
            "tie_notes": tie_notes(dossier),
            "unavailable": [row for row in dossier.rows if row.row.deflated_sharpe is None],
            "entry_path": {policy: shelf.entry_page(dossier.name, policy) for policy in policies},
            "gates_table": gates_table(dossier, shelf),
            "pairs_table": pairs_table(dossier) if dossier.pairs else None,
            "claims_table": claims_table(dossier) if dossier.claims else None,
            "gap_table": gap_table(dossier, shelf),
            "transfer_table": transfer_table(dossier, dossier.rows, shelf),
            "disclosure_table": disclosure_table(dossier),
            "problems": [
                found
                for found in dossier.findings
                if found.verdict in (Verdict.FAIL, Verdict.UNPROVEN)
            ],
            "tables": tables,
            "evidence_files": evidence_downloads(dossier.evidence, shelf),
            "not_established": sentences(dossier.notes),
        },
        season=season,
        data_sha256=dossier.evidence[0].sha256,
        command=board_of_season(season, dossier.name),
        payload=payload_of(
            dossier,
            season.bundle,
            [returns_path(dossier.name, policy) for policy in policies],
            [],
        ),
        search=f"board {dossier.name} {board.tier} {' '.join(policies)}",
    )


def _whisker(row: RowDossier, shelf: Shelf, board: str) -> Whisker:
    published = row.row.interval
    # An interval that is upside down fails in the table; it cannot be drawn.
    drawn = published is not None and published.lo <= published.hi
    point = row.row.deflated_sharpe
    inside = point is not None and 0.0 <= point <= 1.0
    return Whisker(
        label=row.policy,
        point=point if inside else None,
        low=published.lo if drawn and published is not None else None,
        high=published.hi if drawn and published is not None else None,
        path=shelf.entry_page(board, row.policy),
        saturated=point in SATURATED,
        note=row.reason or ("" if inside else "outside of the axis"),
    )


def brackets(
    ranked: Sequence[RowDossier], groups: Iterable[Sequence[str]]
) -> list[tuple[int, int]]:
    """Places of the first and last entry of each group, from 0, in the order of the scores."""
    place = {row.policy: index for index, row in reversed(list(enumerate(ranked)))}
    return [(place[group[0]], place[group[-1]]) for group in groups]


def evidence_downloads(files: Iterable[Evidence], shelf: Shelf) -> list[Download]:
    """Files of the bundle as downloads, those that are there."""
    return [
        Download(
            label=file.role,
            path=path,
            sha256=file.sha256,
            size=file.size,
            note=file.path,
        )
        for file in files
        if file.sha256 is not None and file.size is not None and (path := shelf.evidence(file.path))
    ]


def payload_of(
    dossier: BoardDossier,
    bundle: Bundle,
    returns: Iterable[str],
    gaps: Iterable[str],
) -> dict[str, JsonValue]:
    """
    What ``verify.js`` recomputes a board from: exact texts, and the hash of the board's.

    Args:
        dossier: The board.
        bundle: Where its files are.
        returns: Paths of the returns to go along.
        gaps: Paths of the gap files to go along.
    """
    return {
        "kind": "board",
        "board": dossier.text.decode(),
        "sha256": dossier.evidence[0].sha256,
        "returns": dict(_texts(bundle, returns)),
        "gaps": dict(_texts(bundle, gaps)),
    }


def _texts(bundle: Bundle, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in paths:
        if bundle.has(path):
            # A file that no row asks for was read by no check, and may be no text at all.
            with suppress(UnicodeDecodeError):
                yield path, bundle.read(path).decode()


def gap_paths(board: str, policy: str) -> list[str]:
    """Files behind the gaps of an entry."""
    return [gap_path(board, policy, what) for what in ("generalization", "transfer")]
