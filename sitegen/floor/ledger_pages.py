"""The ledger: all hours of the season, and a page a day with its roots and entries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.charts import Hour
from sitegen.commands import audit_season
from sitegen.components import Cell, Column, Row, Table, missing_cell
from sitegen.floor.cells import compared_cell, moment_cell, name_cell, outcome_cell
from sitegen.model import Crumb, Page
from sitegen.numbers import count, integer, iso
from sitegen.shelf import ROWS
from verifier.dossier.floor_ledger import ledger_hour
from verifier.dossier.floor_values import Compared, worst
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sitegen.components import Download
    from sitegen.floor.shelf import Shelf
    from verifier.dossier.floor_ledger import LedgerHour, ShownEntry

__all__ = ["day_pages", "ledger_page"]

DAYS: Final = (
    Column("day", "day", "time"),
    Column("hours", "hours", "number"),
    Column("entries", "entries", "number"),
    Column("check", "roots", "verdict"),
)
HOURS: Final = (
    Column("hour", "hour", "time"),
    Column("entries", "entries", "number"),
    Column("root", "root", "hash"),
    Column("check", "recomputed", "verdict"),
)
ENTRIES: Final = (
    Column("number", "entry", "number"),
    Column("settled", "settled", "time"),
    Column("agent", "agent", "name"),
    Column("call", "call", "hash"),
    Column("outcome", "outcome", "text"),
    Column("points", "points", "points"),
    Column("hash", "hash", "hash"),
    Column("check", "hash and link", "verdict"),
)


def ledger_page(shelf: Shelf, files: Sequence[Download]) -> Page:
    """Make the ledger's first page; *files* can be taken away."""
    hours = {hour: ledger_hour(shelf.floor, hour) for day in shelf.days.values() for hour in day}
    entries = sum(shelf.entries_of_day(day) for day in shelf.days)
    equal = sum(each.root.verdict is Verdict.PASS for each in hours.values())
    file = shelf.floor.file
    return Page(
        path=shelf.ledger_page,
        template="floor/ledger.html",
        title=f"Ledger of {shelf.season.id}",
        finding=(
            f"{count(entries, 'entry', 'entries')} in {count(len(hours), 'hour')}. "
            f"{integer(equal)} of {count(len(hours), 'hourly root')} recompute."
        ),
        trail=shelf.trail(Crumb("ledger")),
        values={
            "strip": [
                Hour(hour, len(each.entries), shelf.hour_anchor(hour))
                for hour, each in sorted(hours.items())
            ],
            "days": Table("days", "Days of the ledger", DAYS, list(_days(shelf, hours))),
            "first": _edge(hours, last=False),
            "last": _edge(hours, last=True),
            "file": file,
            "orphans": len(shelf.floor.orphans),
            "roots_file": shelf.evidence("floor/roots.jsonl"),
            "ledger_file": shelf.evidence("floor/ledger.jsonl"),
            "verdicts": _verdicts(hours.values()),
            "files": files,
        },
        season=shelf.season,
        data_sha256=shelf.season.bundle.digest("floor/ledger.jsonl"),
        command=audit_season(shelf.season),
        search=f"ledger {shelf.season.id} hourly roots entries chain",
    )


def _verdicts(hours: Iterable[LedgerHour]) -> list[tuple[str, str]]:
    counts: dict[Verdict, int] = {}
    total = 0
    for each in hours:
        counts[each.verdict] = counts.get(each.verdict, 0) + 1
        total += 1
    return [
        (verdict.value, f"{integer(counts[verdict])} of {count(total, 'hour')}")
        for verdict in (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS, Verdict.EXEMPT)
        if verdict in counts
    ]


def _edge(hours: dict[int, LedgerHour], *, last: bool) -> ShownEntry | None:
    for hour in sorted(hours, reverse=last):
        entries = hours[hour].entries
        if entries:
            return entries[-1] if last else entries[0]
    return None


def _days(shelf: Shelf, hours: dict[int, LedgerHour]) -> Iterator[Row]:
    for day, own in shelf.days.items():
        verdict = worst(hours[hour].verdict for hour in own)
        good = sum(hours[hour].verdict is Verdict.PASS for hour in own)
        text = f"{good} of {len(own)}"
        yield Row(
            f"d{iso(day)[:10]}",
            [
                Cell(iso(day)[:10], href=shelf.day_page(day)),
                Cell(integer(len(own))),
                Cell(integer(shelf.entries_of_day(day))),
                Cell(text, verdict=verdict.value),
            ],
        )


def day_pages(shelf: Shelf, day: int) -> Iterator[Page]:
    """Make the pages of one day: its hours with their roots, and its entries by thousands."""
    hours = [ledger_hour(shelf.floor, hour) for hour in shelf.days[day]]
    entries = [entry for hour in hours for entry in hour.entries]
    count = shelf.pages_of_day(day)
    date = iso(day)[:10]
    for number in range(count):
        part = entries[number * ROWS : (number + 1) * ROWS]
        more = f", page {number + 1} of {count}" if count > 1 else ""
        yield Page(
            path=shelf.day_page(day, number),
            template="floor/day.html",
            title=f"Ledger, {date}{more}",
            finding=_finding(hours, entries),
            trail=shelf.trail(Crumb("ledger", shelf.ledger_page), Crumb(f"{date}{more}")),
            values={
                "hours": Table(
                    "hours", f"Hours of {date}", HOURS, [_hour_row(each) for each in hours]
                )
                if number == 0
                else None,
                "entries": _entries_table(shelf, date, part, more),
                "turn": _turn(shelf, day, number, count),
                "ledger_page": shelf.ledger_page,
                "bundle_zip": f"{shelf.season.evidence.rstrip('/')}.zip",
                "example": entries[0].entry.hash[:16] if entries else None,
            },
            season=shelf.season,
            data_sha256=shelf.season.bundle.digest("floor/ledger.jsonl"),
            command=audit_season(shelf.season),
        )


def _finding(hours: Sequence[LedgerHour], entries: Sequence[ShownEntry]) -> str:
    equal = sum(each.root.verdict is Verdict.PASS for each in hours)
    linked = sum(each.link.verdict is Verdict.PASS for each in entries)
    return (
        f"{integer(linked)} of {count(len(entries), 'entry', 'entries')} hash and link. "
        f"{integer(equal)} of {count(len(hours), 'hourly root')} recompute."
    )


def _turn(shelf: Shelf, day: int, number: int, count: int) -> list[tuple[str, str]]:
    """Link the pages before and after: of the day, then of the days beside it."""
    days = list(shelf.days)
    place = days.index(day)
    found = []
    if number:
        found.append((f"page {number}", shelf.day_page(day, number - 1)))
    elif place:
        found.append((iso(days[place - 1])[:10], shelf.day_page(days[place - 1])))
    if number + 1 < count:
        found.append((f"page {number + 2}", shelf.day_page(day, number + 1)))
    elif place + 1 < len(days):
        found.append((iso(days[place + 1])[:10], shelf.day_page(days[place + 1])))
    return found


def _hour_row(hour: LedgerHour) -> Row:
    root = hour.root
    words = {Verdict.PASS: "root and count equal", Verdict.EXEMPT: "not over"}
    published = (
        missing_cell(root.note or "not published")
        if root.published is None
        else Cell(str(root.published))
    )
    return Row(
        f"h{iso(hour.hour)[11:13]}",
        [
            moment_cell(hour.hour),
            Cell(integer(len(hour.entries))),
            published,
            Cell(
                words.get(hour.verdict, hour.verdict.value),
                verdict=hour.verdict.value,
                title=None if hour.verdict is Verdict.PASS else f"recomputed {root.recomputed}",
            ),
        ],
    )


def _entries_table(shelf: Shelf, date: str, entries: Sequence[ShownEntry], more: str) -> Table:
    return Table(
        "entries",
        f"Entries settled on {date}{more}",
        ENTRIES,
        [_entry_row(shelf, each) for each in entries],
        note="Each entry's prev is the hash of the entry above it; the first one's stands below.",
    )


def _entry_row(shelf: Shelf, shown: ShownEntry) -> Row:
    entry, call = shown.entry, shown.call
    page = shelf.call_page(entry.call)
    points = Compared("points", entry.points, entry.points, Verdict.PASS)
    link = shown.link
    words = "linked" if link.verdict is Verdict.PASS else link.verdict.value
    return Row(
        f"entry-{entry.line - 1}",
        [
            Cell(str(entry.entry)),
            moment_cell(entry.settled_at),
            missing_cell("the bundle does not hold the call")
            if call is None
            else name_cell(shelf.name(call.agent), call.agent, shelf.agent_page(call.agent)),
            Cell(entry.call, href=page),
            outcome_cell(entry),
            missing_cell(outcome_cell(entry).text)
            if entry.points is None
            else compared_cell(points),
            Cell(entry.hash),
            Cell(words, verdict=link.verdict.value, title=link.note),
        ],
    )
