"""The leaderboards of an ARCANA season: the overall one is the season's first page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.board_tables import (
    ABOUT,
    categories_table,
    creators_table,
    unseated_table,
    wrong_table,
)
from sitegen.arcana.figures import spark
from sitegen.arcana.score_parts import REGIME
from sitegen.arcana.words import LABELS, agent_cell, column_cell, moment_cell
from sitegen.components import (
    Cell,
    Column,
    Download,
    Row,
    Table,
    missing_cell,
    verdict,
    verdict_cell,
)
from sitegen.downloads import paged
from sitegen.model import Crumb, Page
from sitegen.numbers import count
from sitegen.shelf import ROWS
from verifier.dossier.arcana import CATEGORIES
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.arcana.shelf import Shelf
    from sitegen.downloads import Paged
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_board import BoardDossier, Seat
    from verifier.dossier.arcana_rows import ScoreRow

__all__ = ["board_pages", "board_table"]

_ORDER: Final = (
    "arcana_score",
    "performance_score",
    "risk_score",
    "consistency_score",
    "strategy_score",
    "creator_score",
    "longevity_score",
)


def board_pages(
    shelf: Shelf, board: BoardDossier, others: Sequence[BoardDossier], files: Sequence[Download]
) -> Iterator[Page]:
    """
    Make the pages of a leaderboard: the first one, and what its table does not fit on.

    Args:
        shelf: The season.
        board: What they show.
        others: All boards of the season, this one among them.
        files: Its downloads.
    """
    overall = board.category == "overall"
    title = board.season.name if overall else f"{board.season.name}: {board.category}"
    finding = _finding(shelf, board)
    for part in paged(board.seats, ROWS):
        first = part.number == 1
        values: dict[str, object] = {
            "table": board_table(shelf, board, part),
            "turn": _turn(shelf, board, part),
        }
        if first:
            values |= _beside(shelf, board, others, files)
        yield Page(
            path=shelf.board_page(board.category, part.number - 1),
            template="arcana/board.html" if first else "partials/table.html",
            title=title if first else f"{title}, page {part.number} of {part.pages}",
            finding=finding,
            trail=_trail(shelf, board, part),
            values=values,
            season=shelf.season,
            data_sha256=_hash(shelf, "table") if overall else shelf.digest("leaderboards"),
            command=shelf.command(),
            payload=_payload(shelf) if overall and first else None,
            search=f"{board.season.name} leaderboard {board.category}" if first else None,
        )


def _beside(
    shelf: Shelf, board: BoardDossier, others: Sequence[BoardDossier], files: Sequence[Download]
) -> dict[str, object]:
    """Make what stands beside the table on the first of its pages alone."""
    overall = board.category == "overall"
    wrong = [seat for seat in board.seats if board.published and not seat.equal]
    return {
        "board": board,
        "overall": overall,
        "ranked_on": ABOUT[board.category],
        "verdict_line": _verdict_line(board),
        "wrong": wrong_table(shelf, wrong) if wrong else None,
        "problems": [each for each in board.findings if each.verdict is not Verdict.PASS],
        "categories": categories_table(shelf, others),
        "unseated": unseated_table(shelf, board) if board.unseated else None,
        "regime": REGIME,
        "creators": creators_table(shelf) if overall else None,
        "anchors": _anchors_line(shelf) if overall else None,
        "anchors_path": shelf.anchors_page,
        "files_": list(files),
        "leader": board.seats[0] if board.seats and board.seats[0].shown.ranked else None,
    }


def _trail(shelf: Shelf, board: BoardDossier, part: Paged[Seat]) -> tuple[Crumb, ...]:
    more = () if part.number == 1 else (Crumb(f"page {part.number}"),)
    if board.category == "overall":
        return shelf.trail(*more)
    first = shelf.board_page(board.category) if more else None
    return shelf.trail(Crumb(board.category.capitalize(), first), *more)


def _turn(shelf: Shelf, board: BoardDossier, part: Paged[Seat]) -> list[tuple[str, str]]:
    """Link the pages before and after."""
    beside = (part.number - 1, part.number + 1)
    return [
        (f"page {number}", shelf.board_page(board.category, number - 1))
        for number in beside
        if 1 <= number <= part.pages
    ]


def board_table(shelf: Shelf, board: BoardDossier, part: Paged[Seat]) -> Table:
    """Show a page of a board in its published order, each row with its verdict."""
    main, *others = _columns(board)
    return Table(
        "board",
        f"Leaderboard: {board.category}"
        + (f", page {part.number} of {part.pages}" if part.pages > 1 else ""),
        (
            Column("rank", "Rank", "rank", figure="rank"),
            Column("agent", "Agent", "name"),
            _column(main),
            *([Column("history", "History", "chart")] if board.category == "overall" else ()),
            Column("equal", "Row", "verdict"),
            *(_column(name) for name in others),
            Column("ts", "Scored", "time"),
        ),
        [
            _row(shelf, board, seat, span)
            for seat, span in zip(part.rows, _spans(part.rows), strict=True)
        ],
        note="Columns as published, with two decimals. Row: rank, name, score and standing, "
        "recomputed from the score rows.",
        context_only=("regime_score",),
    )


def _column(name: str) -> Column:
    figure = "score" if name == "arcana_score" else name
    if name == "regime_score":
        return Column(name, LABELS[name], "points", sortable=False, note=REGIME, figure=figure)
    return Column(name, LABELS[name], "points", figure=figure)


def _row(shelf: Shelf, board: BoardDossier, seat: Seat, span: int) -> Row:
    shown = seat.shown
    slug = shelf.agents.get(seat.agent_id)
    why = seat.reason or "the bundle has no score row of this agent"
    main, *values = (
        column_cell(None if seat.row is None else seat.row.columns[name], why)
        for name in _columns(board)
    )
    return Row(
        slug or "",
        (
            column_cell(None if shown.rank is None else str(shown.rank), why),
            agent_cell(shelf, seat.agent_id, shown.agent_name),
            main,
            *_drawn(shelf, board, seat),
            _seat_verdict(seat, published=board.published),
            *values,
            missing_cell(why) if seat.row is None else _scored(shelf, seat.row),
        ),
        rank_span=span,
        muted=not shown.ranked,
        of=seat.agent_id,
    )


def _columns(board: BoardDossier) -> tuple[str, ...]:
    """The columns of a board: what it ranks on, then the others, the regime last."""
    main = CATEGORIES[board.category]
    return (main, *(name for name in _ORDER if name != main), "regime_score")


def _drawn(shelf: Shelf, board: BoardDossier, seat: Seat) -> Iterator[Cell]:
    """Draw the agent's scores of the season; the overall board alone has the room."""
    if board.category != "overall":
        return
    rows = () if seat.row is None else shelf.arena.scores_of(seat.agent_id)
    name = f"spark-{shelf.agents.get(seat.agent_id, '')}".replace(".", "-")
    line = spark(name, (row for row in rows if row.season_id == board.season.season_id))
    yield missing_cell("fewer than two ranked scores") if line is None else Cell("", html=line)


def _scored(shelf: Shelf, row: ScoreRow) -> Cell:
    cell = moment_cell(row.ts)
    return Cell(cell.text, html=cell.html, href=shelf.score_page(row.seal))


def _seat_verdict(seat: Seat, *, published: bool) -> Cell:
    if not published:
        return verdict_cell(Verdict.UNPROVEN, "not published")
    if seat.published is None:
        return verdict_cell(Verdict.FAIL, "left out")
    if seat.recomputed is None:
        return verdict_cell(Verdict.FAIL, "no score")
    return (
        verdict_cell(Verdict.PASS, "equal") if seat.equal else verdict_cell(Verdict.FAIL, "differs")
    )


def _spans(seats: Sequence[Seat]) -> list[int]:
    """Count the rows that share a rank on the first of them."""
    spans: list[int] = []
    first = 0
    for place, seat in enumerate(seats):
        rank = seat.shown.rank
        if place and rank is not None and rank == seats[first].shown.rank:
            spans[first] += 1
            spans.append(0)
        else:
            first = place
            spans.append(1)
    return spans


def _finding(shelf: Shelf, board: BoardDossier) -> str:
    equal = sum(seat.equal for seat in board.seats)
    total = len(board.seats)
    rows = f"{equal} of {count(total, 'row')} recompute" if board.published else "not published"
    unranked = total - board.ranked
    standing = f"{count(board.ranked, 'agent')} ranked, {unranked} unranked"
    if board.category != "overall":
        return f"Ranked on {ABOUT[board.category]}: {rows}; {standing}."
    report = shelf.season.record["report"]
    assert isinstance(report, dict)
    coverage = report.get("coverage")
    inputs = ""
    if isinstance(coverage, dict) and coverage.get("inputs"):
        inputs = (
            f" Of {coverage['inputs']:,} inputs of sealed scores, {coverage['sealed']:,} are "
            f"sealed and {coverage['anchored']:,} anchored."
        )
    return f"Leaderboard: {rows}; {standing}.{inputs}"


def _verdict_line(board: BoardDossier) -> object:
    if not board.published:
        return verdict(
            "unproven", "the bundle holds no such board; the order is the recomputed one"
        )
    equal = sum(seat.equal for seat in board.seats)
    return verdict(board.verdict.value, f"{equal} of {count(len(board.seats), 'row')} equal")


def _anchors_line(shelf: Shelf) -> str:
    anchors = shelf.arena.anchors
    mined = sum(anchor.status == "mined" for anchor in anchors)
    leaves = sum(len(anchor.leaves) for anchor in anchors)
    return f"{count(len(anchors), 'anchor')}, {mined} of them mined, hold {count(leaves, 'seal')}."


def _hash(shelf: Shelf, part: str) -> str | None:
    record = shelf.season.record.get(part)
    value = record.get("sha256") if isinstance(record, dict) else None
    return value if isinstance(value, str) else None


def _payload(shelf: Shelf) -> dict[str, JsonValue]:
    return {
        "kind": "leaderboard",
        "table": shelf.season.table.decode("utf-8"),
        "sha256": _hash(shelf, "table"),
    }
