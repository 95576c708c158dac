"""
The ledger in the days and hours of a season, with the root of every hour.

Source:
    floor.md section 7; floor-clarifications.md 25, 27.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.floor.primitives import DAY_MS, HOUR_MS
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.dossier.floor_values import Compared, compared, worst
from verifier.findings import Verdict
from verifier.floor.checks.roots import TREE
from verifier.floor.ledger import NO_ENTRY, link_problem

if TYPE_CHECKING:
    from verifier.dossier.floor import FloorSeason
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["LedgerHour", "ShownEntry", "days_of", "hours_of", "ledger_hour"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEntry:
    """
    One entry.

    Args:
        entry: As published.
        call: The call that it settles; None if the bundle lacks it.
        link: Its hash as published and as recomputed from its body, with what is
            wrong about its place in the chain.
        before: Hash of the entry before it, which its ``prev`` must be.
    """

    entry: Entry
    call: Call | None
    link: Compared
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerHour:
    """
    One hour.

    Args:
        hour: Its beginning, ms.
        entries: Of the hour, in the order of the ledger.
        root: Published and recomputed.
        count: Number of entries, published and counted.
        verdict: Of root, counts and links.
    """

    hour: int
    entries: tuple[ShownEntry, ...]
    root: Compared
    count: Compared
    verdict: Verdict


def hours_of(season: FloorSeason) -> tuple[int, ...]:
    """List the hours of a season that have entries or a published root, ascending."""
    first = season.file.start // HOUR_MS * HOUR_MS
    return tuple(
        hour
        for hour in sorted(season.context.hours.keys() | season.roots.keys())
        if first <= hour < season.file.end
    )


def days_of(season: FloorSeason) -> dict[int, tuple[int, ...]]:
    """Group the hours of a season by the beginning of their day, ms."""
    days: dict[int, list[int]] = {}
    for hour in hours_of(season):
        days.setdefault(hour // DAY_MS * DAY_MS, []).append(hour)
    return {day: tuple(hours) for day, hours in days.items()}


def ledger_hour(season: FloorSeason, hour: int) -> LedgerHour:
    """Recompute the root of an hour and the links of its entries."""
    places = season.context.hours.get(hour, ())
    entries = tuple(_entry(season, place) for place in places)
    recomputed = root(season.leaves_of(hour), scheme(TREE)).hex()
    published = season.roots.get(hour)
    if published is None:
        tree = season.unrooted(hour, recomputed)
        count = Compared("entries", None, len(entries), tree.verdict, tree.note)
        framed = [tree.verdict]
    else:
        tree = compared("root", published.root, recomputed)
        count = compared("entries", published.entries, len(entries))
        first = entries[0].entry.entry if entries else None
        last = entries[-1].entry.entry if entries else None
        framed = [
            tree.verdict,
            count.verdict,
            compared("first", published.first, first).verdict,
            compared("last", published.last, last).verdict,
        ]
    return LedgerHour(
        hour=hour,
        entries=entries,
        root=tree,
        count=count,
        verdict=worst((*framed, *(each.link.verdict for each in entries))),
    )


def _entry(season: FloorSeason, place: int) -> ShownEntry:
    table = season.context.tables.entries
    entry, before = table[place], table[place - 1] if place else None
    problem = link_problem(entry, before, place)
    verdict = Verdict.PASS if problem is None else Verdict.FAIL
    return ShownEntry(
        entry=entry,
        call=season.context.calls.get(entry.call),
        link=Compared("hash", entry.hash, entry.body_sha256, verdict, problem),
        before=NO_ENTRY if before is None else before.hash,
    )
