"""The leaderboards of an ARCANA season: the overall one is the season's first page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.figures import spark
from sitegen.arcana.score_parts import REGIME
from sitegen.arcana.words import (
    LABELS,
    column_cell,
    count,
    missing_cell,
    moment_cell,
    number_text,
    verdict_cell,
)
from sitegen.components import Cell, Column, Download, Row, Table, verdict
from sitegen.model import Crumb, Page
from verifier.dossier.arcana import CATEGORIES
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sitegen.arcana.shelf import Shelf
    from verifier.arcana.rows import ScoreRow
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_board import BoardDossier, Seat

__all__ = ["ABOUT", "board_page", "board_table"]

ABOUT: Final = {
    "overall": "the ARCANA score: six weighted factors times the strategy's multiplier",
    "performance": "return over the season",
    "risk": "deviation and drawdown for each unit of exposure",
    "consistency": "steadiness of the returns for each unit of exposure",
    "strategy": "how well the trading fits the strategy that was declared; it multiplies the sum",
    "longevity": "snapshots in the season",
    "creator": "the performance of the creator's other agents",
}

_ORDER: Final = (
    "arcana_score",
    "performance_score",
    "risk_score",
    "consistency_score",
    "strategy_score",
    "creator_score",
    "longevity_score",
)


def board_page(
    shelf: Shelf, board: BoardDossier, others: Sequence[BoardDossier], files: Sequence[Download]
) -> Page:
    """
    Make the page of a leaderboard.

    Args:
        shelf: The season.
        board: What it shows.
        others: All boards of the season, this one among them.
        files: Its downloads.
    """
    overall = board.category == "overall"
    wrong = [seat for seat in board.seats if not seat.equal]
    return Page(
        path=shelf.board_page(board.category),
        template="arcana/board.html",
        title=board.season.name if overall else f"{board.season.name}: {board.category}",
        finding=_finding(shelf, board),
        trail=shelf.trail() if overall else shelf.trail(Crumb(board.category.capitalize())),
        values={
            "board": board,
            "overall": overall,
            "about": ABOUT[board.category],
            "table": board_table(shelf, board),
            "verdict_line": _verdict_line(board),
            "wrong": _wrong_table(shelf, wrong) if wrong else None,
            "problems": [each for each in board.findings if each.verdict is not Verdict.PASS],
            "categories": _categories_table(shelf, others),
            "unseated": _unseated_table(shelf, board) if board.unseated else None,
            "regime": REGIME,
            "creators": _creators_table(shelf) if overall else None,
            "anchors": _anchors_line(shelf) if overall else None,
            "anchors_path": shelf.anchors_page,
            "files_": list(files),
            "leader": board.seats[0] if board.seats and board.seats[0].shown.ranked else None,
            "coverage": shelf.season.record["report"] if overall else None,
        },
        season=shelf.season,
        data_sha256=_hash(shelf, "table") if overall else None,
        command=shelf.command(),
        payload=_payload(shelf) if overall else None,
        search=f"{board.season.name} leaderboard {board.category}",
    )


def board_table(shelf: Shelf, board: BoardDossier) -> Table:
    """Show a board in its published order, each row with its verdict."""
    scores: dict[str, list[ScoreRow]] = {}
    if board.category == "overall":
        for seat in board.seats:
            rows = shelf.arena.agent(seat.agent_id).scores if seat.row is not None else ()
            scores[seat.agent_id] = [row for row in rows if row.season_id == board.season.season_id]
    spans = _spans(board.seats)
    main = CATEGORIES[board.category]
    columns = (main, *(name for name in _ORDER if name != main), "regime_score")
    return Table(
        "board",
        f"Leaderboard: {board.category}",
        (
            Column("rank", "Rank", "rank"),
            Column("agent", "Agent", "name"),
            *(_column(name) for name in columns),
            *([Column("history", "History", "chart")] if scores else ()),
            Column("ts", "Scored", "time"),
            Column("equal", "Row", "verdict"),
        ),
        [
            _row(shelf, seat, span, columns, scores.get(seat.agent_id) if scores else None)
            for seat, span in zip(board.seats, spans, strict=True)
        ],
        note="Columns as published, with two decimals. Row: rank, name, score and standing, "
        "recomputed from the score rows.",
        context_only=("regime_score",),
    )


def _column(name: str) -> Column:
    if name == "regime_score":
        return Column(name, LABELS[name], "points", sortable=False, note=REGIME)
    return Column(name, LABELS[name], "points")


def _row(
    shelf: Shelf,
    seat: Seat,
    span: int,
    columns: Sequence[str],
    history: list[ScoreRow] | None,
) -> Row:
    shown = seat.shown
    slug = shelf.agents.get(seat.agent_id)
    why = seat.reason or "the bundle has no score row of this agent"
    rank = missing_cell(why) if shown.rank is None else Cell(str(shown.rank))
    values = [
        column_cell(None if seat.row is None else seat.row.columns[name], why) for name in columns
    ]
    drawn = []
    if history is not None:
        line = spark(f"spark-{slug}".replace(".", "-"), history)
        drawn = [
            missing_cell("fewer than two ranked scores") if line is None else Cell("", html=line)
        ]
    return Row(
        slug or "",
        (
            rank,
            Cell(
                shown.agent_name,
                href=shelf.agent_page(seat.agent_id),
                title=f"agent {seat.agent_id}",
            ),
            *values,
            *drawn,
            missing_cell(why) if seat.row is None else _scored(shelf, seat.row),
            _seat_verdict(seat),
        ),
        rank_span=span,
        muted=not shown.ranked,
    )


def _scored(shelf: Shelf, row: ScoreRow) -> Cell:
    cell = moment_cell(row.ts)
    return Cell(cell.text, html=cell.html, href=shelf.score_page(row.seal))


def _seat_verdict(seat: Seat) -> Cell:
    if seat.published is None:
        return verdict_cell(Verdict.FAIL, "left out") if seat.recomputed else Cell("")
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
    standing = f"{board.ranked} agents ranked, {unranked} unranked"
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


def _wrong_table(shelf: Shelf, seats: Sequence[Seat]) -> Table:
    rows = []
    for seat in seats:
        for word, row in (("published", seat.published), ("recomputed", seat.recomputed)):
            rows.append(
                Row(
                    "",
                    (
                        Cell(shelf.name(seat.agent_id), href=shelf.agent_page(seat.agent_id)),
                        Cell(word),
                        missing_cell("not on it" if row is None else "unranked")
                        if row is None or row.rank is None
                        else Cell(str(row.rank)),
                        missing_cell("not on it") if row is None else Cell(row.agent_name),
                        missing_cell("no score")
                        if row is None or row.score is None
                        else Cell(number_text(row.score)),
                    ),
                )
            )
    return Table(
        "differences",
        "Rows that differ",
        (
            Column("agent", "Agent", "name"),
            Column("which", "Which", "text"),
            Column("rank", "Rank", "number"),
            Column("name", "Name", "text"),
            Column("score", "Score", "points"),
        ),
        rows,
    )


def _categories_table(shelf: Shelf, boards: Sequence[BoardDossier]) -> Table:
    rows = [
        Row(
            f"category-{board.category}",
            (
                Cell(board.category, href=shelf.board_page(board.category)),
                Cell(ABOUT[board.category]),
                Cell(str(board.ranked)),
                Cell(board.verdict.value, verdict=board.verdict.value),
            ),
        )
        for board in boards
    ]
    return Table(
        "categories",
        "Leaderboards of the season",
        (
            Column("category", "Category", "link"),
            Column("about", "Ranked on", "text"),
            Column("ranked", "Ranked", "number"),
            Column("verdict", "Recomputed", "verdict"),
        ),
        rows,
        note="There is no leaderboard of the regime: it is the same for every agent.",
    )


def _unseated_table(shelf: Shelf, board: BoardDossier) -> Table:
    return Table(
        "unseated",
        "Agents on no leaderboard of the season",
        (
            Column("agent", "Agent", "name"),
            Column("status", "Status", "text"),
            Column("reason", "Why", "text"),
        ),
        [
            Row(
                f"unseated-{shelf.agents[each.agent_id]}",
                (
                    Cell(each.name, href=shelf.agent_page(each.agent_id)),
                    Cell(each.status),
                    Cell(each.reason),
                ),
                muted=True,
            )
            for each in board.unseated
        ],
    )


def _creators_table(shelf: Shelf) -> Table | None:
    rows = []
    for creator_id in shelf.arena.creators:
        creator = shelf.arena.creator(creator_id)
        published = creator.published
        stated = None if published is None else published.value
        rows.append(
            Row(
                f"creator-{shelf.creators[creator_id]}",
                (
                    Cell(shelf.creator_name(creator_id), href=shelf.creator_page(creator_id)),
                    missing_cell("not measured" if published else "not published")
                    if stated is None
                    else Cell(number_text(stated)),
                    missing_cell("not measured: no active agent has a sealed score")
                    if creator.value is None
                    else Cell(number_text(creator.value)),
                    Cell(str(len(creator.averaged))),
                    Cell(creator.verdict.value, verdict=creator.verdict.value),
                ),
            )
        )
    if not rows:
        return None
    return Table(
        "creators",
        "Creators and their reputations",
        (
            Column("creator", "Creator", "name"),
            Column("published", "Published", "points"),
            Column("recomputed", "Recomputed", "points"),
            Column("scores", "Scores averaged", "number"),
            Column("verdict", "Result", "verdict"),
        ),
        rows,
        note="A creator without a sealed score is not measured, which is not 0.",
    )


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
