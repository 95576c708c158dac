"""
A season of the Floor: whose calls it counts, and the way to everything about it.

A call belongs to the season in which it was settled, ``start <= settled_at < end``.
Beside these a season shows the calls of its window that nobody has settled yet,
and counts those of its window that a later season counts.

    >>> from verifier.bundle import open_bundle
    >>> from verifier.policy import Policy
    >>> with open_bundle("fixtures/floor-demo") as bundle:
    ...     season = load_floor(bundle, Policy(), "season-1")
    ...     len(season.members), season.late
    (13, 8)

The rest is one function a page: :mod:`~verifier.dossier.floor_table`,
:mod:`~verifier.dossier.floor_agent`, :mod:`~verifier.dossier.floor_call`,
:mod:`~verifier.dossier.floor_ledger` and :mod:`~verifier.dossier.floor_rules`.

Source:
    floor.md sections 6, 7; floor-clarifications.md 28.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from formulas.floor.attempts import schedule
from formulas.floor.primitives import HOUR_MS
from formulas.floor.season import in_season, order
from verifier.dossier.floor_values import Compared
from verifier.errors import FormatError
from verifier.findings import Verdict
from verifier.floor.checks.roots import leaves
from verifier.floor.context import Context, load_context
from verifier.floor.ledger import Entry
from verifier.floor.rows import Call
from verifier.floor.seasons import SEASONS, SeasonFile
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formulas.floor.season import Row, Unlisted
    from verifier.bundle import Bundle
    from verifier.floor.rows import Root
    from verifier.policy import Policy

__all__ = ["Call", "Entry", "FloorSeason", "Held", "load_floor"]


class Held(NamedTuple):
    """A call, and its entry in the ledger if it has one."""

    call: Call
    entry: Entry | None


@dataclass(frozen=True, eq=False, kw_only=True)
class FloorSeason:
    """
    One season over the rows of its bundle.

    Args:
        context: The rows and their indexes.
        file: The frozen table as published.
        members: By agent, in the order of ids: its calls of the season in the
            order of the ledger, then those of the window that are still open.
        orphans: Entries settled in the season whose call the bundle does not hold.
        late: Calls of the window that were settled after the season.
        early: Calls settled in the season that were posted before it.
    """

    context: Context
    file: SeasonFile
    members: Mapping[str, tuple[Held, ...]]
    orphans: tuple[Entry, ...]
    late: int
    early: int
    _leaves: dict[int, list[bytes]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def calls(self) -> tuple[Held, ...]:
        """All calls of the season, each once, in the order of the ledger, open ones last."""
        found: dict[str, Held] = {}
        for held in sorted(
            (held for own in self.members.values() for held in own),
            key=lambda held: (held.entry is None, held.entry.line if held.entry else 0),
        ):
            found.setdefault(held.call.seal, held)
        return tuple(found.values())

    @cached_property
    def ranks(self) -> Mapping[str, int]:
        """Ranks that follow from the numbers of the published rows."""
        return {row.agent: row.rank for row in order(self.file.rows)}

    @cached_property
    def published(self) -> Mapping[str, Row | Unlisted]:
        """The published line of each agent; the first, if it stands twice."""
        found: dict[str, Row | Unlisted] = {}
        for each in self.file.rows:
            found.setdefault(each.agent, each)
        for other in self.file.unlisted:
            found.setdefault(other.agent, other)
        return found

    @cached_property
    def settled_by_end(self) -> Mapping[str, int]:
        """Hits and misses of each agent over all time, up to the end of the season."""
        return Counter(
            self.context.calls[entry.call].agent
            for entry in self.context.tables.entries
            if entry.settled_at < self.file.end
            and entry.outcome != "void"
            and entry.call in self.context.calls
        )

    @cached_property
    def roots(self) -> Mapping[int, Root]:
        """Published roots by the beginning of their hour, ms; the first, if one stands twice."""
        found: dict[int, Root] = {}
        for each in self.context.tables.roots:
            found.setdefault(each.hour, each)
        return found

    def unrooted(self, hour: int, recomputed: str) -> Compared:
        """Say of an hour that has no published root why that is so."""
        if hour + HOUR_MS > self.context.as_of:
            why = "not published yet: the hour was not over at the time of the audit"
            return Compared("root", None, recomputed, Verdict.EXEMPT, why)
        why = "the hour is over, and its root was not published"
        return Compared("root", None, recomputed, Verdict.FAIL, why)

    def leaves_of(self, hour: int) -> list[bytes]:
        """Hash the entries of an hour; those of the last one asked for are kept."""
        if hour not in self._leaves:
            self._leaves.clear()
            places = self.context.hours.get(hour, ())
            self._leaves[hour] = leaves([self.context.tables.entries[place] for place in places])
        return self._leaves[hour]

    def unsettled(self, call: Call) -> Compared:
        """Say of a call without an entry whether it may still be settled."""
        rules = self.context.state.rules
        if rules is not None:
            last = schedule(call.terms.deadline, rules.settlement).last
            if last < self.context.as_of:
                why = f"no entry, though it had to be settled by {say_time(last)}"
                return Compared("outcome", None, None, Verdict.FAIL, why)
        return Compared("outcome", None, None, Verdict.EXEMPT, "open: not settled yet")

    def hour_of(self, entry: Entry) -> int:
        """Name the hour in whose tree an entry is."""
        return entry.settled_at // HOUR_MS * HOUR_MS


def load_floor(bundle: Bundle, policy: Policy, season: str) -> FloorSeason:
    """
    Read a bundle and take one of its seasons.

    Args:
        bundle: The evidence.
        policy: What the caller trusts.
        season: Name of the season.

    Raises:
        EvidenceError: A file cannot be read, or there is no table of that name.
    """
    context = load_context(bundle, policy)
    for file in context.tables.seasons:
        if file.name == season:
            return _gather(context, file)
    raise FormatError("the bundle has no such table", file=f"{SEASONS}{season}.json")


def _gather(context: Context, file: SeasonFile) -> FloorSeason:
    settled: dict[str, list[Held]] = {}
    waiting: dict[str, list[Held]] = {}
    orphans: list[Entry] = []
    late = early = 0
    for entry in context.tables.entries:
        if not in_season(entry.settled_at, start=file.start, end=file.end):
            continue
        call = context.calls.get(entry.call)
        if call is None:
            orphans.append(entry)
            continue
        settled.setdefault(call.agent, []).append(Held(call, entry))
        early += call.posted_at < file.start
    for call in context.tables.calls:
        if in_season(call.posted_at, start=file.start, end=file.end):
            known = context.entries.get(call.seal)
            if known is None:
                waiting.setdefault(call.agent, []).append(Held(call, None))
            late += known is not None and known.settled_at >= file.end
    members = {
        agent: (*settled.get(agent, ()), *waiting.get(agent, ()))
        for agent in sorted(settled.keys() | waiting.keys())
    }
    return FloorSeason(
        context=context,
        file=file,
        members=members,
        orphans=tuple(orphans),
        late=late,
        early=early,
    )
