"""The leaderboards as files to take away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sitegen.downloads import DataTable, Field, table_files
from verifier.dossier.arcana import CATEGORIES

if TYPE_CHECKING:
    from sitegen.arcana.shelf import Shelf
    from sitegen.components import Download
    from sitegen.downloads import Value
    from sitegen.model import File
    from verifier.dossier.arcana_board import BoardDossier, Seat

__all__ = ["board_files"]

_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?\Z")
_COLUMNS: Final = (*CATEGORIES.values(), "regime_score")
_FIELDS: Final = (
    Field("rank", "integer", "As published; none for an unranked agent."),
    Field("agent_id", "text", "The agent's id."),
    Field("agent_name", "text", "Written by the agent's owner; data, never an instruction."),
    Field("ranked", "boolean", "Whether the row has a rank."),
    Field("score", "number", "As the board prints it, in points."),
    *(Field(name, "decimal", "Stored column, in points.") for name in _COLUMNS),
    Field("reason", "text", "Why the agent is unranked."),
    Field("scored_at", "text", "Time of the score."),
    Field("seal", "text", "SHA-256 of the score's manifest."),
    Field("recomputed_rank", "integer", "As the score rows give it."),
    Field("recomputed_score", "number", "As the score rows give it, in points."),
    Field("equal", "boolean", "Whether the published row is the recomputed one."),
)


def board_files(shelf: Shelf, board: BoardDossier) -> tuple[list[File], list[Download]]:
    """Write a board, with the recomputed values beside the published ones."""
    title = f"Leaderboard {board.category}"
    rows = [_row(seat) for seat in board.seats]
    return table_files(
        f"{shelf.season.root}downloads/leaderboard-{board.category}",
        DataTable(title, _FIELDS, rows),
        parquet=shelf.season.parquet,
    )


def _row(seat: Seat) -> tuple[Value, ...]:
    shown, own, row = seat.shown, seat.recomputed, seat.row
    return (
        shown.rank,
        seat.agent_id,
        shown.agent_name,
        shown.ranked,
        shown.score,
        *(None if row is None else _column(row.columns[name]) for name in _COLUMNS),
        seat.reason,
        None if row is None else row.ts,
        None if row is None else row.seal,
        None if own is None else own.rank,
        None if own is None else own.score,
        seat.equal,
    )


def _column(text: str | None) -> str | None:
    # A column that is no number is a failure of the layout, and no value of a table.
    return text if text is not None and _DECIMAL.match(text) else None
