"""The season's first page: its table, who is not listed and why, its funnel, its calibration."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import format_time
from sitegen.charts import Bin, Stage, funnel, reliability, sparkline
from sitegen.commands import audit_season
from sitegen.components import Cell, Column, Row, Table, missing_cell
from sitegen.floor.cells import (
    brier,
    compared_cell,
    name_cell,
    reason_words,
    verdict_cell,
)
from sitegen.model import Crumb, Page
from sitegen.numbers import count, integer, points
from sitegen.shelf import ROWS
from verifier.dossier.floor_sealed import NO_ENTRY, number
from verifier.dossier.floor_table import (
    bins_of,
    explain_season,
    funnel_of,
    standings,
)
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.floor.calibration import Bin as CountedBin
    from sitegen.components import Download
    from sitegen.floor.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.floor_table import Funnel, SeasonTable, ShownRow

__all__ = ["MOST_CALLS", "drawn_bins", "funnel_stage", "season_pages"]

MOST_CALLS: Final = 20_000
"""Calls that the page carries for the reader's own recomputation; above it carries none."""

LISTED: Final = (
    Column("rank", "rank", "rank"),
    Column("agent", "agent", "name"),
    Column("standing", "standing", "points", unit="points"),
    Column("brier", "Brier", "number", note="Lower is better: 0.25 is what p = 50 % always gets."),
    Column("settled", "settled", "number"),
    Column("hits", "hit", "number"),
    Column("misses", "miss", "number"),
    Column("voids", "void", "number"),
    Column("course", "over the season", "chart"),
    Column("check", "recomputed", "verdict"),
)
UNLISTED: Final = (
    Column("agent", "agent", "name"),
    Column("standing", "standing", "points", unit="points"),
    Column("settled", "settled", "number"),
    Column("reason", "why it is not listed", "text"),
    Column("course", "over the season", "chart"),
    Column("check", "recomputed", "verdict"),
)


def season_pages(shelf: Shelf, files: Sequence[Download]) -> Iterator[Page]:
    """
    Make the first page of a season, and what its table does not fit on.

    Args:
        shelf: The season.
        files: What can be taken away.
    """
    table = standings(shelf.floor)
    counts = funnel_of(shelf.floor)
    # Each agent once: the second row of one agent is called by its place.
    ids = {agent: f"agent-{slug}" for agent, slug in shelf.agents.items()}
    rows = list(_rows(shelf, table.rows, ids))
    unlisted = [_unlisted(shelf, place, row, ids) for place, row in enumerate(table.unlisted)]
    parts = [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)] or [[]]
    finding = _finding(shelf, table, counts)
    for place, part in enumerate(parts):
        first = place == 0
        values: dict[str, object] = {
            "table": _listed_table(shelf, part, place, len(parts)),
            "turn": _turn(shelf, place, len(parts)),
        }
        if first:
            values |= _beside(shelf, table, counts, files)
            values["unlisted"] = Table("unlisted", "Agents that are not listed", UNLISTED, unlisted)
        yield Page(
            path=shelf.table_page(place),
            template="floor/season.html" if first else "partials/table.html",
            title=shelf.season.id if first else f"{shelf.season.id}, table page {place + 1}",
            finding=finding,
            trail=shelf.trail() if first else shelf.trail(Crumb(f"table page {place + 1}")),
            values=values,
            season=shelf.season,
            data_sha256=_sha256(shelf),
            command=audit_season(shelf.season),
            payload=_payload(shelf) if first else None,
            search=_search(shelf, table) if first else None,
        )


def _beside(
    shelf: Shelf, table: SeasonTable, counts: Funnel, files: Sequence[Download]
) -> dict[str, object]:
    """Make what stands beside the table on the first of its pages alone."""
    return {
        "bundle_title": shelf.season.title,
        "season_file": shelf.floor.file,
        "funnel_figure": funnel("funnel", funnel_stage(counts)),
        "counts": counts,
        "reliability_figure": reliability(
            "calibration",
            drawn_bins(bins_of(shelf.floor.calls)),
            title="Calibration of all settled calls",
        ),
        "verdicts": _verdicts(table),
        "explanation": explain_season(shelf.floor),
        "rules_page": shelf.rules_page,
        "ledger_page": shelf.ledger_page,
        "files": files,
        "left_out": len(shelf.calls) > MOST_CALLS,
        "most_calls": MOST_CALLS,
    }


def _finding(shelf: Shelf, table: SeasonTable, counts: Funnel) -> str:
    file = shelf.floor.file
    said = (
        f"{count(len(file.rows), 'agent is', 'agents are')} ranked and "
        f"{integer(len(file.unlisted))} not listed. Of {count(counts.posted, 'call')} posted, "
        f"{integer(counts.settled)} settled ({integer(counts.hits)} hit, "
        f"{integer(counts.misses)} missed) and {integer(counts.voids)} void."
    )
    wrong = sum(row.verdict is Verdict.FAIL for row in (*table.rows, *table.unlisted))
    return said if not wrong else f"{said} {count(wrong, 'line does', 'lines do')} not recompute."


def _verdicts(table: SeasonTable) -> list[tuple[str, str]]:
    """Count the lines of the table by what came of them."""
    rows = (*table.rows, *table.unlisted)
    counted = Counter(row.verdict for row in rows)
    what = f"{count(len(rows), 'line')}: rank, standing, Brier and counts"
    return [
        (verdict.value, f"{integer(counted[verdict])} of {what}")
        for verdict in (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS)
        if counted[verdict]
    ]


def _listed_table(shelf: Shelf, rows: Sequence[Row], place: int, parts: int) -> Table:
    part = f", page {place + 1} of {parts}" if parts > 1 else ""
    order = "standing, then Brier, then settled calls, on the published numbers"
    return Table(
        "standings",
        f"Frozen table of {shelf.season.id}{part}",
        LISTED,
        rows,
        note=f"Ordered by {order}. Equals in all three share a rank, and the next is skipped.",
    )


def _turn(shelf: Shelf, place: int, parts: int) -> list[tuple[str, str]]:
    found = []
    if place:
        found.append((f"page {place} of the table", shelf.table_page(place - 1)))
    if place + 1 < parts:
        found.append((f"page {place + 2} of the table", shelf.table_page(place + 1)))
    return found


def _rows(shelf: Shelf, rows: Sequence[ShownRow], ids: dict[str, str]) -> Iterator[Row]:
    ranks = [row.values["rank"].published for row in rows]
    for place, row in enumerate(rows):
        rank = ranks[place]
        span = 1
        if rank is not None and place and ranks[place - 1] == rank:
            span = 0
        elif rank is not None:
            while place + span < len(ranks) and ranks[place + span] == rank:
                span += 1
        yield Row(
            ids.pop(row.agent, ""),
            [
                _value(row, "rank"),
                _name(shelf, row),
                _value(row, "standing"),
                _value(row, "brier"),
                *(_value(row, key) for key in ("settled", "hits", "misses", "voids")),
                _course(row, f"course-{place}"),
                verdict_cell(row.values.values(), "equal"),
            ],
            rank_span=span,
        )


def _unlisted(shelf: Shelf, place: int, row: ShownRow, ids: dict[str, str]) -> Row:
    return Row(
        ids.pop(row.agent, ""),
        [
            _name(shelf, row),
            _value(row, "standing"),
            _value(row, "settled"),
            Cell(row.reason or ""),
            _course(row, f"unlisted-{place}"),
            verdict_cell(row.values.values(), "equal"),
        ],
        muted=True,
    )


def _value(row: ShownRow, key: str) -> Cell:
    show = brier if key == "brier" else points
    return compared_cell(row.values[key], show, check=f"{key}:{row.agent}")


def _name(shelf: Shelf, row: ShownRow) -> Cell:
    return name_cell(shelf.name(row.agent), row.agent, shelf.agent_page(row.agent))


def _course(row: ShownRow, chart: str) -> Cell:
    if not row.course:
        return missing_cell("no settled call with points")
    values = [moment.standing for moment in row.course]
    return Cell("", html=sparkline(chart, values, title="Standing at each settlement"))


def funnel_stage(counts: Funnel) -> Stage:
    """Nest what became of the calls, every outcome by its count."""
    reasons = tuple(Stage(reason_words(reason), calls, "void") for reason, calls in counts.reasons)
    settled = Stage(
        "settled in the season",
        counts.settled,
        parts=(Stage("hit", counts.hits, "pass"), Stage("miss", counts.misses, "fail")),
    )
    void = Stage("void", counts.voids, "void", parts=reasons)
    others = [
        Stage(label, calls)
        for label, calls in (("open at the audit", counts.open), ("settled later", counts.late))
        if calls
    ]
    return Stage("posted", counts.posted, parts=(settled, void, *others))


def drawn_bins(bins: Sequence[CountedBin]) -> list[Bin]:
    """Turn counted bins into what the reliability diagram draws."""
    return [
        Bin(
            float(each.low),
            float(each.high),
            each.calls,
            each.hits,
            None if each.mean_p is None else float(each.mean_p),
        )
        for each in bins
    ]


def _sha256(shelf: Shelf) -> str:
    return str(shelf.season.bundle.digest(shelf.floor.file.path))


def _payload(shelf: Shelf) -> dict[str, JsonValue]:
    calls: list[JsonValue] | None = None
    if len(shelf.calls) <= MOST_CALLS:
        calls = [
            {
                "agent": call.agent,
                "b": number(call.b),
                "entry": entry.entry,
                "outcome": entry.outcome,
                "p": number(call.p),
                "points": None if entry.points is None else number(entry.points),
                "reason": entry.reason,
                "record": entry.record,
                "seal": call.seal,
                "settled_at": format_time(entry.settled_at),
            }
            for call, entry in shelf.calls.values()
            if entry is not None
        ]
    payload: dict[str, JsonValue] = {
        "kind": "season",
        "table": shelf.season.table.decode(),
        "sha256": _sha256(shelf),
    }
    if calls is not None:
        payload["calls"] = calls
        payload["ledger"] = _ledger_before(shelf)
    return payload


def _ledger_before(shelf: Shelf) -> dict[str, JsonValue]:
    """Say where the chain stands when the season begins: its next number, and what it links to."""
    entries = shelf.floor.context.tables.entries
    before = [entry for entry in entries if entry.settled_at < shelf.floor.file.start]
    return {"first": len(before), "prev": before[-1].hash if before else NO_ENTRY}


def _search(shelf: Shelf, table: SeasonTable) -> str:
    names = " ".join(shelf.name(row.agent) for row in (*table.rows, *table.unlisted)[:200])
    return f"season {shelf.season.id} {shelf.season.title} {names}"
