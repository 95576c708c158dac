"""
Steps 6 and 7: a frozen season table follows from the ledger.

``floor/standing`` judges each agent's standing and Brier score, from the
published points and the sealed p; ``floor/season`` who is listed with which
counts and rank, in which order, and the frame of the table: its times, its head
of the ledger, and its published hash.

Source:
    floor.md sections 6, 7; floor-clarifications.md 28, 36, 49.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from formulas.errors import FormulaDomainError
from formulas.floor.season import Entry as SeasonEntry
from formulas.floor.season import Row, Table, Unlisted, season_table
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import SEASON, STANDING
from verifier.floor.checks.closure import not_yet
from verifier.floor.context import NOWHERE
from verifier.floor.ledger import NO_ENTRY
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.floor.settlement import Outcome
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.seasons import SeasonFile
    from verifier.report.model import CheckInfo

__all__ = ["check_index", "check_season", "season_entries", "table_of"]

_COUNTS: Final = ("rank", "hits", "misses", "settled", "voids")


def season_entries(context: Context) -> Iterator[SeasonEntry]:
    """Yield the ledger as a season counts it; an entry of no call belongs to no agent."""
    calls, entries = context.columns.calls, context.columns.entries
    for place, seal in enumerate(entries.calls):
        call = context.tables.indexes.calls.last(seal)
        if call is not None:
            yield SeasonEntry(
                calls.agents[call],
                cast("Outcome", entries.outcomes[place]),
                calls.p.number(call),
                entries.points[place],
                entries.settled[place],
            )


def table_of(context: Context, season: SeasonFile) -> Table:
    """
    Compute the table of a season.

    Raises:
        FormulaDomainError: The ledger has a hit without points or a void with them.
    """
    return season_table(
        season_entries(context), start=season.start, end=season.end, rules=context.rules
    )


def check_season(context: Context, season: SeasonFile) -> Iterator[Finding]:
    """Judge one table: its frame, and every row of it."""
    yield from _check_frame(context, season)
    try:
        table = table_of(context, season)
    except FormulaDomainError as problem:
        claim = Claim(SEASON, f"season {season.name} rows", Where(season.path))
        claim.fail(f"the ledger has an entry that cannot be counted: {problem}")
        yield from claim.found
        return
    yield from _check_order(season, table)
    yield from _check_rows(season, table)


def _check_frame(context: Context, season: SeasonFile) -> list[Finding]:
    claim = Claim(SEASON, f"season {season.name}", Where(season.path))
    listed = [
        each.sha256
        for each in context.bundle.index.seasons
        if each.family == "floor" and each.id == season.name
    ]
    if not listed:
        claim.fail("bundle.json does not list the season", published=season.name)
    else:
        claim.equal("the published hash", listed[0], context.bundle.digest(season.path))
    claim.equal("the id", season.season_id, season.name, pointer="/season/id")
    claim.equal("the rule set", season.rules, context.state.name, pointer="/rules")
    if not season.start < season.end:
        claim.fail("the season ends before it starts", pointer="/season/end")
    if season.end > season.frozen_at:
        claim.fail(
            "frozen before its end", published=say_time(season.frozen_at), pointer="/frozen_at"
        )
    not_yet(context, claim, "frozen_at", season.frozen_at, "/frozen_at")
    entries = context.columns.entries
    count, last = 0, NOWHERE
    for place, at in enumerate(entries.settled):
        if at < season.end:
            count, last = count + 1, place
    claim.equal("the number of entries", season.entries, count, pointer="/ledger/entries")
    head = NO_ENTRY if last == NOWHERE else entries.hashes.hex(last)
    claim.equal("the head of the ledger", season.head, head, pointer="/ledger/head")
    return claim.close("frame, head of the ledger and published hash hold")


def _check_order(season: SeasonFile, table: Table) -> list[Finding]:
    """The same agents, in the same order, listed and unlisted."""
    claim = Claim(SEASON, f"season {season.name} order", Where(season.path))
    for name in ("rows", "unlisted"):
        published = [row.agent for row in getattr(season, name)]
        recomputed = [row.agent for row in getattr(table, name)]
        claim.equal(
            f"the order of {name}",
            " ".join(published) or "none",
            " ".join(recomputed) or "none",
            pointer=f"/{name}",
        )
    return claim.close(f"{len(table.rows)} listed, {len(table.unlisted)} not, in order")


def _check_rows(season: SeasonFile, table: Table) -> Iterator[Finding]:
    for name in ("rows", "unlisted"):
        recomputed = {row.agent: row for row in getattr(table, name)}
        for index, row in enumerate(getattr(season, name)):
            place = Where(season.path, None, f"/{name}/{index}")
            yield from _check_row(season, place, row, recomputed.pop(row.agent, None))
        for agent in recomputed:
            claim = _claim(SEASON, season, agent, Where(season.path, None, f"/{name}"))
            claim.fail(f"the agent is missing from {name}", recomputed=agent)
            yield from claim.found


def _claim(check: CheckInfo, season: SeasonFile, agent: str, place: Where) -> Claim:
    return Claim(check, f"season {season.name} agent {agent}", place)


def _check_row(
    season: SeasonFile,
    place: Where,
    row: Row | Unlisted,
    own: Row | Unlisted | None,
) -> Sequence[Finding]:
    counts = _claim(SEASON, season, row.agent, place)
    if own is None:
        counts.fail("the agent does not belong here, or stands twice", published=row.agent)
        return counts.found
    numbers = _claim(STANDING, season, row.agent, place)
    for name in _COUNTS if isinstance(row, Row) else ("settled",):
        counts.equal(
            name, getattr(row, name), getattr(own, name), pointer=f"{place.pointer}/{name}"
        )
    for name in ("standing", "brier") if isinstance(row, Row) else ("standing",):
        numbers.equal(
            name, getattr(row, name), getattr(own, name), pointer=f"{place.pointer}/{name}"
        )
    return [
        *counts.close("counts and rank recomputed and equal"),
        *numbers.close("recomputed and equal"),
    ]


def check_index(context: Context) -> list[Finding]:
    """Judge that every season of the bundle's index has its table."""
    found = []
    there = {season.name for season in context.tables.seasons}
    for index, each in enumerate(context.bundle.index.seasons):
        if each.family == "floor" and each.id not in there:
            place = Where("bundle.json", None, f"/seasons/{index}")
            claim = Claim(SEASON, f"season {each.id}", place)
            claim.fail("the bundle does not hold the table", published=each.id)
            found += claim.found
    return found
