"""
An agent's record in a season: its calls in order, its standing on the way, its labels.

Points, standing and Brier are recomputed here; each call is settled again from
its raw responses in :mod:`~verifier.dossier.floor_call`.

Source:
    floor.md sections 6, 9; floor-clarifications.md 6, 28, 29, 36.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import round_half_away
from formulas.floor.proved import decimal
from formulas.floor.score import brier
from formulas.floor.season import Row, Unlisted
from formulas.floor.standing import standing
from verifier.dossier.floor_table import UNJUDGED, bins_of, course_of, unlisted_because
from verifier.dossier.floor_values import Compared, compared, lacking, worst
from verifier.findings import Verdict
from verifier.floor.checks.points import points_of
from verifier.floor.resettle import Lack
from verifier.floor.words import describe

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from formulas.floor.calibration import Bin
    from formulas.floor.course import Moment
    from verifier.dossier.floor import FloorSeason, Held
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Agent, Call

__all__ = ["AgentCall", "FloorAgent", "floor_agent", "hugging", "points_shown"]

LEFT_OUT: Final = "the frozen table leaves the agent out, though calls of its were settled"


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentCall:
    """
    One call of an agent.

    Args:
        call: The call.
        entry: Its entry; None while it is open.
        words: Its terms in words.
        points: Published and recomputed from the sealed p and b and the stated outcome.
        labels: The labels that it carries and those that it should.
        provisional: Posted before the agent had enough settled calls; None without known rules.
    """

    call: Call
    entry: Entry | None
    words: str
    points: Compared
    labels: Compared
    provisional: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorAgent:
    """
    An agent in a season.

    Args:
        agent: Its id.
        listed: Its line of ``agents.json``; None if it has none.
        row: Its published row; None if it has none, as with open calls alone.
        reason: Why it is not listed; None if it is.
        values: Its numbers, published beside recomputed, by name. Not published
            of an unlisted agent are Brier, hits, misses and voids.
        calls: Settled calls in the order of the ledger, then open ones.
        course: Standing at every settlement of the season.
        bins: Calibration.
        hugging: Calls of the season with the label.
        settled_before_end: Hits and misses over all time, up to the season's end.
        provisional: Whether these are too few; None without known rules.
        voids: Voids by reason.
        verdict: Of its numbers, points and labels.
    """

    agent: str
    listed: Agent | None
    row: Row | Unlisted | None
    reason: str | None
    values: Mapping[str, Compared]
    calls: tuple[AgentCall, ...]
    course: tuple[Moment, ...]
    bins: tuple[Bin, ...]
    hugging: int
    settled_before_end: int
    provisional: bool | None
    voids: Mapping[str, int]
    verdict: Verdict


def floor_agent(season: FloorSeason, agent: str) -> FloorAgent:
    """
    Give an agent's record; *agent* is one of ``season.members``.

    Raises:
        EvidenceError: The ledger cannot be weighed.
    """
    held = season.members[agent]
    calls = tuple(_call(season, each) for each in held)
    row = season.published.get(agent)
    values = dict(_values(season, agent, row, held))
    reason = None
    if row is None and any(each.entry is not None for each in held):
        reason = LEFT_OUT
    elif not isinstance(row, Row):
        reason = unlisted_because(season, int(str(values["settled"].recomputed)))
    voids: dict[str, int] = {}
    for each in held:
        if each.entry is not None and each.entry.outcome == "void":
            why = each.entry.reason or "no reason given"
            voids[why] = voids.get(why, 0) + 1
    so_far = season.settled_by_end.get(agent, 0)
    rules = season.context.state.rules
    return FloorAgent(
        agent=agent,
        listed=season.context.agents.get(agent),
        row=row,
        reason=reason,
        values=values,
        calls=calls,
        course=course_of(season, held),
        bins=bins_of(held),
        hugging=sum(bool(each.call.labels) for each in held),
        settled_before_end=so_far,
        provisional=None if rules is None else so_far < rules.admission.provisional_settled,
        voids=dict(sorted(voids.items())),
        verdict=worst(
            each.verdict
            for each in (
                *values.values(),
                *(call.points for call in calls),
                *(call.labels for call in calls),
            )
        ),
    )


def _values(
    season: FloorSeason, agent: str, row: Row | Unlisted | None, held: tuple[Held, ...]
) -> Iterator[tuple[str, Compared]]:
    counts = {"hit": 0, "miss": 0, "void": 0}
    for each in held:
        if each.entry is not None:
            counts[each.entry.outcome] += 1
    own: dict[str, int | Decimal | None] = {
        "settled": counts["hit"] + counts["miss"],
        "hits": counts["hit"],
        "misses": counts["miss"],
        "voids": counts["void"],
    }
    weighed = _weighed(season, held)
    left_out = row is None and any(counts.values())
    if isinstance(row, Row):
        yield "rank", compared("rank", row.rank, season.ranks.get(agent))
    for name in ("standing", "brier"):
        published = getattr(row, name, None)
        if isinstance(weighed, Lack):
            yield name, lacking(name, published, weighed)
        elif hasattr(row, name):
            yield name, compared(name, published, weighed[name])
        else:
            yield name, _unpublished(name, weighed[name], left_out=left_out)
    for name, value in own.items():
        if hasattr(row, name):
            yield name, compared(name, getattr(row, name), value)
        else:
            yield name, _unpublished(name, value, left_out=left_out)


def _unpublished(name: str, value: int | Decimal | None, *, left_out: bool) -> Compared:
    if left_out:
        return Compared(name, None, value, Verdict.FAIL, LEFT_OUT)
    note = f"the frozen table states no {name} of this agent"
    return Compared(name, None, value, Verdict.EXEMPT, note)


def _weighed(season: FloorSeason, held: tuple[Held, ...]) -> Mapping[str, Decimal | None] | Lack:
    rules = season.context.state.rules
    if rules is None:
        return UNJUDGED
    entries = [each.entry for each in held if each.entry is not None]
    scored = [(entry.points, entry.settled_at) for entry in entries if entry.points is not None]
    mean = brier(
        (each.call.p, each.entry.outcome == "hit")
        for each in held
        if each.entry is not None and each.entry.outcome != "void"
    )
    try:
        now = standing(scored, at=season.file.end, rules=rules.score)
        return {
            "standing": decimal(now, rules.decimals.standing),
            "brier": None if mean is None else round_half_away(mean, rules.decimals.brier),
        }
    except FormulaDomainError as problem:
        return Lack(str(problem), wrong=True)


def _call(season: FloorSeason, held: Held) -> AgentCall:
    call = held.call
    rules = season.context.state.rules
    provisional = None
    if rules is not None:
        crowd = season.context.crowds[call.line - 1]
        provisional = crowd.settled < rules.admission.provisional_settled
    return AgentCall(
        call=call,
        entry=held.entry,
        words=describe(call.terms),
        points=points_shown(season, held),
        labels=hugging(season, call),
        provisional=provisional,
    )


def points_shown(season: FloorSeason, held: Held) -> Compared:
    """Score a call with the outcome that its entry states."""
    call, entry = held
    if entry is None:
        return replace(season.unsettled(call), what="points")
    rules = season.context.state.rules
    if rules is None:
        return lacking("points", entry.points, UNJUDGED)
    try:
        found = points_of(call, entry.outcome, rules)
    except FormulaDomainError as problem:
        return lacking("points", entry.points, Lack(str(problem), wrong=True))
    note = (
        None
        if found is not None
        else f"void: {(entry.reason or 'no reason given').replace('_', ' ')}"
    )
    return compared("points", entry.points, found, note)


def hugging(season: FloorSeason, call: Call) -> Compared:
    """Say which labels a call carries and should: both as texts, none being a text too."""
    stated = ", ".join(call.labels) or "none"
    rules = season.context.state.rules
    if rules is None:
        return lacking("labels", stated, UNJUDGED)
    near = abs(Fraction(call.p) - Fraction(call.b)) <= Fraction(rules.admission.hugging)
    return compared("labels", stated, rules.admission.hugging_label if near else "none")
