"""
The table of an ARCANA season: its last published overall leaderboard.

::

    {"as_of":T,"end":T,"family":"arcana","format":"tallyproof-season/1","name":"...",
     "rows":[{"agent_id","agent_name","columns":{...},"rank"|null,"ranked":bool,
              "reason"|null,"score"|null,"seal"|null,"ts"}...],
     "season":"<season_id>","start":T}

Canonical JSON, no newline. Rows stand in the published order, with what the
leaderboard prints of them; ``columns`` are the eight columns of the agent's
latest row in ``scores.jsonl``, as text, or null where one is. An unranked agent
has a reason and neither rank nor a place in the order.

A season that has not ended by the bundle's ``as_of`` has no last leaderboard:
it cannot be frozen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.arcana.context import manifest_path
from verifier.arcana.manifest import ScoreManifest, parse_manifest
from verifier.arcana.rowread import read_board, read_score, read_season
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    from verifier.arcana.rows import Board, BoardRow, ScoreRow, Season
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

    _Row = TypeVar("_Row")

__all__ = ["arcana_table", "names_season"]

_CATEGORY: Final = "overall"
_NEEDED: Final = "min_participation_decisions"


def names_season(bundle: Bundle, season: str) -> bool:
    """Tell whether ``seasons.jsonl`` lists the season."""
    return _season(bundle, season) is not None


def arcana_table(bundle: Bundle, season: str) -> bytes:
    """
    Write the table of a season; see the module.

    Raises:
        UsageError: The season is not listed, has not ended, or no overall
            leaderboard of it is published.
        EvidenceError: A line of the files behind it cannot be read.
    """
    listed = _season(bundle, season)
    if listed is None:
        raise UsageError(f"arcana/seasons.jsonl lists no season {season!r}")
    # Both are UTC, and with six digits of a second the texts compare as the times do.
    if listed.end > f"{bundle.index.as_of[:-1]}.000000Z":
        raise UsageError(
            f"the season ends at {listed.end}, after the bundle's as_of {bundle.index.as_of}: "
            "its last leaderboard is not published yet"
        )
    board = _board(bundle, season)
    if board is None:
        raise UsageError(f"no overall leaderboard of the season {season!r} is published")
    latest = _latest(bundle, season)
    return canonical_bytes(
        {
            "as_of": bundle.index.as_of,
            "end": listed.end,
            "family": "arcana",
            "format": "tallyproof-season/1",
            "name": listed.name,
            "rows": [_row(bundle, row, latest.get(row.agent_id)) for row in board.rows],
            "season": season,
            "start": listed.start,
        }
    )


def _row(bundle: Bundle, row: BoardRow, score: ScoreRow | None) -> JsonValue:
    if score is None:
        # The audit refuses such a board; a frozen season is read without one.
        raise FormatError(
            f"the agent {row.agent_id[:80]!r} stands on it without a score",
            file="arcana/leaderboards.jsonl",
        )
    return {
        "agent_id": row.agent_id,
        "agent_name": row.agent_name,
        "columns": dict(score.columns),
        "rank": row.rank,
        "ranked": row.ranked,
        "reason": None if row.ranked else _reason(bundle, score),
        "score": row.score,
        "seal": score.seal,
        "ts": score.ts,
    }


def _reason(bundle: Bundle, score: ScoreRow) -> str:
    """Say why a score is unranked, by its manifest where there is one."""
    if score.seal is None or not bundle.has(manifest_path(score.seal)):
        return "no ranked score is published"
    manifest = parse_manifest(bundle.read(manifest_path(score.seal)))
    needed = manifest.constants.get(_NEEDED) if isinstance(manifest, ScoreManifest) else None
    if not isinstance(manifest, ScoreManifest) or not isinstance(needed, (int, float)):
        return "no ranked score is published"
    return f"{len(manifest.decisions)} decisions, {needed:g} are needed"


def _season(bundle: Bundle, season: str) -> Season | None:
    found = (row for row in _rows(bundle, "seasons", read_season) if row.season_id == season)
    return next(found, None)


def _board(bundle: Bundle, season: str) -> Board | None:
    last = None
    for board in _rows(bundle, "leaderboards", read_board):
        if board.season_id == season and board.category == _CATEGORY:
            last = board
    return last


def _latest(bundle: Bundle, season: str) -> dict[str, ScoreRow]:
    latest: dict[str, ScoreRow] = {}
    for row in _rows(bundle, "scores", read_score):
        if row.season_id == season:
            known = latest.get(row.agent_id)
            if known is None or row.ts > known.ts:
                latest[row.agent_id] = row
    return latest


def _rows(bundle: Bundle, name: str, read: Callable[[int, JsonValue], _Row]) -> Iterator[_Row]:
    file = f"arcana/{name}.jsonl"
    if not bundle.has(file):
        return
    for number, text in bundle.lines(file):
        try:
            yield read(number, read_json(text))
        except EvidenceError as error:
            error.line = number
            raise error.in_file(file) from None
