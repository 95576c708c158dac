"""
The table of a season as published and recomputed, its funnel, and its calibration.

Source:
    floor.md sections 6, 7; floor-clarifications.md 28, 36, 49.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError
from formulas.floor.calibration import Bin, calibration
from formulas.floor.course import Moment, course
from formulas.floor.season import Row, Table, Unlisted
from verifier.dossier.floor_values import Compared, compared, lacking, worst
from verifier.errors import FormatError
from verifier.explanation import Explanation, Line, Section
from verifier.findings import Verdict
from verifier.floor.checks.season import check_season, table_of
from verifier.floor.explain import check_lines
from verifier.floor.resettle import Lack
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from verifier.dossier.floor import FloorSeason, Held
    from verifier.findings import Finding

__all__ = [
    "Funnel",
    "SeasonTable",
    "ShownRow",
    "bins_of",
    "course_of",
    "explain_season",
    "funnel_of",
    "standings",
]

NUMBERS = ("rank", "standing", "brier", "settled", "hits", "misses", "voids")
"""What is published of a listed agent, in the order in which it is shown."""

UNJUDGED = Lack("the rule set is not a known one", wrong=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRow:
    """
    One agent's line of the table.

    Args:
        agent: Its id.
        name: As it calls itself; empty if it is not in the list of agents.
        values: What was published beside what follows from the ledger, by name.
        course: Its standing at every settlement of the season.
        open: Its calls of the window that nobody has settled.
        reason: Why it is not listed; None in the table itself.
        verdict: Of the whole line.
    """

    agent: str
    name: str
    values: Mapping[str, Compared]
    course: tuple[Moment, ...]
    open: int
    reason: str | None
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonTable:
    """The lines in published order; agents that the publication lacks stand at the end."""

    rows: tuple[ShownRow, ...]
    unlisted: tuple[ShownRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """
    What became of the calls that a season is about.

    ``posted = settled + voids + open + late`` and ``settled = hits + misses``: as in the
    table, a void is not among the settled calls.

    Args:
        posted: Calls with an entry in the season, and calls of its window without one.
        settled: Of these, hits and misses.
        hits: Of the settled ones, hits.
        misses: Of the settled ones, misses.
        voids: Calls whose entry in the season is void.
        reasons: Voids by their reason, the most frequent first.
        open: Of the window, without an entry.
        late: Of the window, with an entry after the season.
        early: With an entry in the season, and posted before it.
    """

    posted: int
    settled: int
    hits: int
    misses: int
    voids: int
    reasons: tuple[tuple[str, int], ...]
    open: int
    late: int
    early: int


def standings(season: FloorSeason) -> SeasonTable:
    """Set the published table beside the one that follows from the ledger."""
    table = _recomputed(season)
    rows = [_row(season, row, table) for row in season.file.rows]
    unlisted = [_unlisted(season, row, table) for row in season.file.unlisted]
    if isinstance(table, Table):
        named = {row.agent for row in season.file.rows}
        rows += [_left_out(season, row) for row in table.rows if row.agent not in named]
        named = {each.agent for each in season.file.unlisted}
        unlisted += [_left_out(season, each) for each in table.unlisted if each.agent not in named]
    return SeasonTable(rows=tuple(rows), unlisted=tuple(unlisted))


def _recomputed(season: FloorSeason) -> Table | Lack:
    if season.context.state.rules is None:
        return UNJUDGED
    try:
        return table_of(season.context, season.file)
    except FormulaDomainError as problem:
        return Lack(f"the ledger has an entry that cannot be counted: {problem}", wrong=True)


def _row(season: FloorSeason, row: Row, table: Table | Lack) -> ShownRow:
    own: Row | Lack
    if isinstance(table, Lack):
        own = table
    else:
        missing = Lack("by the ledger the agent is not in the table", wrong=True)
        own = next((each for each in table.rows if each.agent == row.agent), missing)
    values = dict(_values(NUMBERS, row, own))
    return _shown(season, row.agent, values, None)


def _unlisted(season: FloorSeason, row: Unlisted, table: Table | Lack) -> ShownRow:
    own: Unlisted | Lack
    if isinstance(table, Lack):
        own = table
    else:
        missing = Lack("by the ledger the agent is not among the unlisted", wrong=True)
        own = next((each for each in table.unlisted if each.agent == row.agent), missing)
    values = dict(_values(("standing", "settled"), row, own))
    return _shown(season, row.agent, values, unlisted_because(season, row.settled))


def unlisted_because(season: FloorSeason, settled: int) -> str:
    """Say why an agent with so many settled calls is not listed."""
    if season.context.state.rules is None:
        return f"{settled} settled"
    return f"{settled} of the {season.context.rules.season.min_settled} settled calls that it takes"


def _values(
    names: Iterable[str], row: Row | Unlisted, own: Row | Unlisted | Lack
) -> Iterator[tuple[str, Compared]]:
    for name in names:
        published = getattr(row, name)
        if isinstance(own, Lack):
            yield name, lacking(name, published, own)
        else:
            yield name, compared(name, published, getattr(own, name))


def _left_out(season: FloorSeason, own: Row | Unlisted) -> ShownRow:
    names = NUMBERS if isinstance(own, Row) else ("standing", "settled")
    why = "by the ledger the agent belongs here, and the publication leaves it out"
    values = {name: Compared(name, None, getattr(own, name), Verdict.FAIL, why) for name in names}
    reason = None if isinstance(own, Row) else unlisted_because(season, own.settled)
    return _shown(season, own.agent, values, reason)


def _shown(
    season: FloorSeason, agent: str, values: Mapping[str, Compared], reason: str | None
) -> ShownRow:
    listed = season.context.agents.get(agent)
    calls = season.members.get(agent, ())
    return ShownRow(
        agent=agent,
        name="" if listed is None else listed.name,
        values=values,
        course=course_of(season, calls),
        open=sum(held.entry is None for held in calls),
        reason=reason,
        verdict=worst(each.verdict for each in values.values()),
    )


def course_of(season: FloorSeason, calls: Iterable[Held]) -> tuple[Moment, ...]:
    """
    Follow the standing of some calls; empty without known rules.

    Raises:
        EvidenceError: The ledger's times lie too far apart to weigh.
    """
    if season.context.state.rules is None:
        return ()
    scored = [
        (held.entry.points, held.entry.settled_at)
        for held in calls
        if held.entry is not None and held.entry.points is not None
    ]
    try:
        return course(scored, rules=season.context.rules)
    except FormulaDomainError as problem:
        raise FormatError(str(problem), file="floor/ledger.jsonl") from None


def bins_of(calls: Iterable[Held]) -> tuple[Bin, ...]:
    """
    Count settled calls by the probability that they were made with.

    Raises:
        EvidenceError: A sealed p is no probability.
    """
    settled = [
        (held.call.p, held.entry.outcome == "hit")
        for held in calls
        if held.entry is not None and held.entry.outcome != "void"
    ]
    try:
        return calibration(settled)
    except FormulaDomainError as problem:
        raise FormatError(str(problem), file="floor/calls.jsonl") from None


def funnel_of(season: FloorSeason) -> Funnel:
    """Count what became of the season's calls."""
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for own in season.members.values():
        for _, entry in own:
            outcomes["open" if entry is None else entry.outcome] += 1
            if entry is not None and entry.outcome == "void":
                reasons[entry.reason or "no reason given"] += 1
    settled = outcomes["hit"] + outcomes["miss"]
    return Funnel(
        posted=settled + outcomes["void"] + outcomes["open"] + season.late,
        settled=settled,
        hits=outcomes["hit"],
        misses=outcomes["miss"],
        voids=outcomes["void"],
        reasons=tuple(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        open=outcomes["open"],
        late=season.late,
        early=season.early,
    )


def explain_season(season: FloorSeason) -> Explanation:
    """Tell how a table hangs together: its checks, its frame, and what it was taken from."""
    file, context = season.file, season.context
    lines: tuple[Line, ...] = ()
    if context.state.rules is not None:
        found = list(check_season(context, file))
        # Lines that hold stand in the table itself, with both of their values.
        told = [
            each
            for each in found
            if each.verdict is not Verdict.PASS or " agent " not in each.subject
        ]
        held = len(found) - len(told)
        lines = (
            *check_lines(told),
            _line("values of agents", f"{held} of {len(found) - _frame(found)} checks hold"),
        )
    counted = sum(entry.settled_at < file.end for entry in context.tables.entries)
    funnel = funnel_of(season)
    frame = [
        _line("entries before the end", str(counted), str(file.entries)),
        _line("entries in the season", str(funnel.settled + funnel.voids + len(season.orphans))),
        _line("rule set", str(context.state.name), file.rules),
        _line("weighed at", say_time(file.end)),
    ]
    if context.state.rules is not None:
        frame.append(_line("settled calls to be listed", str(context.rules.season.min_settled)))
    return Explanation(
        f"season {file.name}",
        (
            ("from", say_time(file.start)),
            ("until", say_time(file.end)),
            ("frozen", say_time(file.frozen_at)),
        ),
        (
            Section("Checks of this table", lines),
            Section("What the table is taken from", tuple(frame)),
        ),
    )


def _frame(found: Iterable[Finding]) -> int:
    """Count the findings that are about the table as a whole."""
    return sum(" agent " not in each.subject for each in found)


def _line(name: str, recomputed: str, published: str | None = None) -> Line:
    return Line(
        step="7",
        name=name,
        recomputed=recomputed,
        published=published,
        differs=published is not None and published != recomputed,
    )
