"""
Step 9: season flags, computed and shown where the rule set has them switched off.

* *One operator*: two agents of one operator post on one source within an hour;
  only the better-scored call would count.
* *Copy*: an agent posts within ten minutes after a ranked agent's call on the
  same source and side; the copier's call would weigh half. Ranked is who is no
  longer provisional; a side is above or below, for a relative the pair of
  sources; a range has none.

Source:
    floor.md section 9, "season flags"; floor-clarifications.md 50.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import Counter, deque
from typing import TYPE_CHECKING

from formulas.floor.primitives import SECOND_MS
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS
from verifier.floor.checks.catalogue import FLAGS
from verifier.floor.context import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from verifier.findings import Finding
    from verifier.floor.columns import CallColumns
    from verifier.floor.context import Context

__all__ = ["Board", "check_flags", "copied", "outscored"]


def check_flags(context: Context) -> list[Finding]:
    """Say of each flag what it would have changed."""
    rules = context.rules
    flags = rules.flags
    calls, entries, closing = context.columns.calls, context.columns.entries, context.closing
    index = context.tables.indexes.calls
    found = []

    def points(place: int) -> Decimal | None:
        return None if closing[place] == NOWHERE else entries.points[closing[place]]

    for name, on, hits, effect in (
        (
            "one operator",
            flags.one_operator.on,
            outscored(context, rules, points),
            "would not count",
        ),
        ("copy", flags.copy.on, copied(context, rules), f"would weigh {flags.copy.weight}"),
    ):
        claim = Claim(FLAGS, name, Where(CALLS))
        last = {index.last(calls.seals[place]) for place in hits}
        agents = Counter(calls.agents[place] for place in last if place is not None)
        listed = ", ".join(f"{agent} {count}" for agent, count in sorted(agents.items()))
        message = f"with the flag {len(last)} calls of {len(agents)} agents {effect}"
        if on:
            claim.unproven(f"this release does not apply the flag; {message}")
        else:
            claim.exempt(f"switched off by the rule set; {message}", recomputed=listed or None)
        found += claim.found
    return found


def outscored(
    context: Context, rules: Rules, points: Callable[[int], Decimal | None]
) -> frozenset[int]:
    """
    Give the places of calls that lose to a better-scored call of the same operator.

    Args:
        context: The bundle.
        rules: The window.
        points: Points by the place of a call; calls without any do not count anyway.
    """
    window = rules.flags.one_operator.window_seconds * SECOND_MS
    operators = {agent.agent: agent.operator for agent in context.agents.values()}
    calls = context.columns.calls
    posted, agents = calls.posted, calls.agents

    # Most operators have one agent, and nobody to lose to.
    members = Counter(operators.get(agent, agent) for agent in agents.distinct)

    def group(place: int) -> Hashable | None:
        if points(place) is None:
            return None
        agent = agents[place]
        operator = operators.get(agent, agent)
        return None if members[operator] == 1 else (operator, calls.shapes[place].source)

    lost = set()
    for places in _grouped(calls, group):
        board = Board()
        own = [_place(place, points(place), posted[place]) for place in places]
        first = last = 0
        for at, place in enumerate(places):
            while last < len(places) and posted[places[last]] <= posted[place] + window:
                board.add(agents[places[last]], own[last])
                last += 1
            while posted[places[first]] < posted[place] - window:
                board.remove(agents[places[first]], own[first])
                first += 1
            best = board.best_but(agents[place])
            if best is not None and best < own[at]:
                lost.add(place)
    return frozenset(lost)


_Place = tuple["Decimal", int, int]


def _place(place: int, points: Decimal | None, posted_at: int) -> _Place:
    """More points first; of equal points, the earlier call counts."""
    assert points is not None
    return points.copy_negate(), posted_at, place


class Board:
    """The best place of every agent, among places that come and go."""

    def __init__(self) -> None:
        self._own: dict[str, list[_Place]] = {}
        self._best: list[tuple[_Place, str]] = []

    def add(self, agent: str, place: _Place) -> None:
        """Let a place of an agent count."""
        own = self._own.setdefault(agent, [])
        self._change(agent, own, lambda: insort(own, place))

    def remove(self, agent: str, place: _Place) -> None:
        """Let a place of an agent count no longer."""
        own = self._own[agent]
        self._change(agent, own, lambda: own.pop(bisect_left(own, place)))

    def best_but(self, agent: str) -> _Place | None:
        """Give the best place that is another agent's."""
        for place, owner in self._best[:2]:
            if owner != agent:
                return place
        return None

    def _change(self, agent: str, own: list[_Place], change: Callable[[], object]) -> None:
        before = own[0] if own else None
        change()
        after = own[0] if own else None
        if before != after:
            if before is not None:
                self._best.pop(bisect_left(self._best, (before, agent)))
            if after is not None:
                insort(self._best, (after, agent))


def copied(context: Context, rules: Rules) -> frozenset[int]:
    """Give the places of calls close behind a ranked agent's call on the same side."""
    window = rules.flags.copy.window_seconds * SECOND_MS
    least = rules.admission.provisional_settled
    calls = context.columns.calls
    agents, posted, settled = calls.agents.codes, calls.posted, context.crowds.settled
    found = set()
    for places in _grouped(calls, lambda place: calls.shapes[place].side):
        # Ranked agents' calls of the last minutes, counted by agent.
        recent: deque[int] = deque()
        by_agent: Counter[int] = Counter()
        for place in places:
            while recent and posted[recent[0]] < posted[place] - window:
                by_agent[agents[recent.popleft()]] -= 1
            if len(recent) > by_agent[agents[place]]:
                found.add(place)
            if settled[place] >= least:
                recent.append(place)
                by_agent[agents[place]] += 1
    return frozenset(found)


def _grouped(
    calls: CallColumns, group: Callable[[int], Hashable | None]
) -> Iterator[Sequence[int]]:
    """Yield the places of the calls of each group, oldest first."""
    grouped: dict[Hashable, array[int]] = {}
    for place in range(len(calls)):
        key = group(place)
        if key is not None:
            grouped.setdefault(key, array("I")).append(place)
    for own in grouped.values():
        yield sorted(own, key=calls.posted.__getitem__)
