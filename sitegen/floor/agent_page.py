"""An agent's page: where it stands, every call with what became of it, and its calibration."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.floor.primitives import format_time, plain
from formulas.floor.season import Row as FrozenRow
from sitegen.charts import StandingPoint, reliability, standing_line
from sitegen.components import Cell, Column, Row, Table, checked, missing_cell
from sitegen.floor.cells import (
    brier,
    compared_cell,
    line_of,
    moment,
    moment_cell,
    outcome_cell,
    probability,
    readable,
    reason_words,
)
from sitegen.floor.season_page import drawn_bins
from sitegen.model import Crumb, Page
from sitegen.numbers import integer, points
from verifier.dossier.floor_sealed import number
from verifier.explanation import Section
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.components import Download
    from sitegen.floor.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.floor_agent import AgentCall, FloorAgent
    from verifier.explanation import Line

__all__ = ["agent_page"]

NAMES: Final = {
    "standing": "standing",
    "brier": "Brier",
    "settled": "settled",
    "hits": "hit",
    "misses": "missed",
    "voids": "void",
}
CALLS: Final = (
    Column("call", "what was called", "text"),
    Column("outcome", "outcome", "text"),
    Column("points", "points", "points", figure="points"),
    Column("p", "p", "percent", note="Probability that the agent gave what it called.", figure="p"),
    Column("b", "b", "percent", note="The baseline's probability of the same.", figure="b"),
    Column("labels", "labels", "text"),
    Column("posted", "posted", "time"),
    Column("settled", "settled", "time"),
    Column("check", "points and label", "verdict"),
)


def agent_page(shelf: Shelf, record: FloorAgent, files: Sequence[Download]) -> Page:
    """
    Make the page of one agent.

    Args:
        shelf: The season.
        record: What is known of the agent.
        files: Its files to take away.
    """
    agent, name = record.agent, shelf.name(record.agent)
    return Page(
        path=f"{shelf.season.root}agents/{shelf.agents[agent]}/index.html",
        template="floor/agent.html",
        title=name,
        finding=_finding(shelf, record),
        trail=shelf.trail(Crumb(name)),
        values={
            "agent": record,
            "lead": _lead(record),
            "numbers": list(_numbers(record)),
            "labels": _labels(shelf, record),
            "calls": _table(shelf, record),
            "course": standing_line("standing", _course(shelf, record)),
            "reliability_figure": reliability(
                "calibration", drawn_bins(record.bins), title="Calibration of this agent's calls"
            ),
            "voids": [(reason_words(reason), count) for reason, count in record.voids.items()],
            "steps": Section("Numbers of the frozen table", tuple(_steps(record))),
            "home": shelf.home,
            "files": files,
        },
        season=shelf.season,
        data_sha256=shelf.season.bundle.digest(shelf.floor.file.path),
        command=shelf.command("floor standings {bundle}"),
        payload=_payload(shelf, record),
        search=f"agent {name} {agent} {shelf.season.id}",
    )


def _counts(record: FloorAgent) -> str:
    own = {key: integer(_whole(record, key)) for key in ("settled", "hits", "misses", "voids")}
    opened = sum(call.entry is None for call in record.calls)
    more = f", {integer(opened)} open" if opened else ""
    return (
        f"{own['settled']} settled: {own['hits']} hit, {own['misses']} missed; "
        f"{own['voids']} void{more}"
    )


def _whole(record: FloorAgent, key: str) -> int:
    value = record.values[key].recomputed
    assert isinstance(value, int)  # counts are counted, whatever was published
    return value


def _finding(shelf: Shelf, record: FloorAgent) -> str:
    counts = _counts(record)
    if isinstance(record.row, FrozenRow):
        listed = len(shelf.floor.file.rows)
        place = (
            f"Rank {record.row.rank} of {listed} with {points(record.row.standing)} points and a "
            f"Brier score of {brier(record.row.brier)}."
        )
    elif record.row is not None:
        place = f"Not listed: {record.reason}. Standing {points(record.row.standing)} points."
    else:
        place = "Not in the frozen table."
        if record.verdict is not Verdict.FAIL:
            place = "Not in the frozen table: none of its calls was settled in the season."
    wrong = record.verdict is Verdict.FAIL
    return f"{place} {counts}.{' Not all of it recomputes.' if wrong else ''}"


def _lead(record: FloorAgent) -> dict[str, str]:
    """Give the number that matters, its unit, and what stands beside it."""
    if isinstance(record.row, FrozenRow):
        return {
            "value": points(record.row.standing),
            "unit": "points at the end of the season",
            "beside": f"rank {record.row.rank}, Brier {brier(record.row.brier)}",
        }
    if record.row is not None:
        return {
            "value": points(record.row.standing),
            "unit": "points, not listed",
            "beside": record.reason or "",
        }
    return {"value": "—", "unit": "no standing", "beside": "no call was settled in the season"}


def _numbers(record: FloorAgent) -> Iterator[tuple[str, Markup]]:
    """List the agent's numbers, each as one that ``verify.js`` compares."""
    for key, each in record.values.items():
        value = each.recomputed if each.published is None else each.published
        if value is None or key == "rank":
            continue
        show = {"standing": points, "brier": brier}.get(key, plain)
        text = integer(value) if isinstance(value, int) else show(Decimal(value))
        shown = checked(text, key)
        if each.published is None:
            shown += Markup(" ({})").format(each.note or "not published")
        yield NAMES[key], shown


def _labels(shelf: Shelf, record: FloorAgent) -> list[tuple[str, str]]:
    rules = shelf.floor.context.state.rules
    found = []
    if record.provisional and rules is not None:
        needed = rules.admission.provisional_settled
        why = f"{record.settled_before_end} of {needed} settled calls by the end of the season"
        found.append(("provisional", why))
    if record.hugging:
        why = "calls whose p lies within 0.05 of the baseline, and that are labelled so"
        if rules is not None:
            why = why.replace("0.05", plain(rules.admission.hugging))
        found.append((f"baseline-hugging: {record.hugging} of {len(record.calls)}", why))
    return found


def _table(shelf: Shelf, record: FloorAgent) -> Table:
    return Table(
        "calls",
        f"Calls of {shelf.name(record.agent)} in {shelf.season.id}",
        CALLS,
        list(_rows(shelf, record)),
        note=(
            "In the order in which they were settled. Each outcome is settled again, from the raw "
            "responses of both venues, on the page of its call."
        ),
    )


def _rows(shelf: Shelf, record: FloorAgent) -> Iterator[Row]:
    seen: set[str] = set()
    for each in record.calls:
        row = _row(shelf, each)
        # A call that the ledger settles twice stands here twice, and has one permalink.
        yield replace(row, id="") if row.id in seen else row
        seen.add(row.id)


def _row(shelf: Shelf, shown: AgentCall) -> Row:
    call, entry = shown.call, shown.entry
    worst = shown.points.verdict
    if shown.labels.verdict is Verdict.FAIL or worst is Verdict.EXEMPT:
        worst = shown.labels.verdict
    return Row(
        call.seal,
        [
            Cell(readable(shown.words), href=shelf.call_page(call.seal)),
            outcome_cell(entry),
            compared_cell(shown.points),
            probability(call.p),
            probability(call.b),
            _label_cell(shown),
            moment_cell(call.posted_at),
            missing_cell("open") if entry is None else moment_cell(entry.settled_at),
            Cell(_check_words(shown), verdict=worst.value),
        ],
    )


def _check_words(shown: AgentCall) -> str:
    if shown.labels.verdict is Verdict.FAIL:
        return "label differs"
    if shown.points.verdict is Verdict.FAIL:
        return "points differ" if shown.entry is not None else "no entry"
    return {Verdict.PASS: "equal", Verdict.EXEMPT: "open"}.get(shown.points.verdict, "unproven")


def _label_cell(shown: AgentCall) -> Cell:
    words = list(shown.call.labels)
    if shown.provisional:
        words.append("provisional")
    return Cell(", ".join(words)) if words else missing_cell("no label")


def _course(shelf: Shelf, record: FloorAgent) -> list[StandingPoint]:
    made = [StandingPoint(moment.at, moment.standing) for moment in record.course]
    final = record.values["standing"].recomputed
    if made and not isinstance(final, int | str | None):
        made.append(StandingPoint(shelf.floor.file.end, final, "end of the season"))
    return made


def _steps(record: FloorAgent) -> list[Line]:
    shows = {"standing": points, "brier": brier}
    return [
        line_of(each, "7" if key == "rank" else "6", shows.get(key, plain))
        for key, each in record.values.items()
    ]


def _payload(shelf: Shelf, record: FloorAgent) -> dict[str, JsonValue]:
    file = shelf.floor.file
    return {
        "kind": "agent",
        "agent": record.agent,
        "season": {"start": format_time(file.start), "end": format_time(file.end)},
        "calls": [_call_payload(each) for each in record.calls],
        # What the table does not state of an agent is no claim that could be checked.
        "published": {
            key: _published(record, key)
            for key in ("standing", "brier", "settled", "hits", "misses", "voids")
            if record.values[key].published is not None
        },
    }


def _call_payload(shown: AgentCall) -> dict[str, JsonValue]:
    call, entry = shown.call, shown.entry
    known: dict[str, JsonValue] = {"seal": call.seal, "p": number(call.p), "b": number(call.b)}
    if entry is None:
        return known | {"outcome": None, "points": None, "settled_at": None}
    # All that the entry's hash covers and the season's rules do not fix.
    return known | {
        "outcome": entry.outcome,
        "points": _number(entry.points),
        "settled_at": moment(entry.settled_at),
        "entry": entry.entry,
        "record": entry.record,
        "reason": entry.reason,
        "prev": entry.prev,
        "hash": entry.hash,
    }


def _published(record: FloorAgent, key: str) -> JsonValue:
    value = record.values[key].published
    return value if value is None or isinstance(value, int | str) else number(value)


def _number(value: Decimal | None) -> int | float | None:
    return None if value is None else number(value)
