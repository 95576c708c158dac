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

from bisect import bisect_left, insort
from collections import Counter, deque
from typing import TYPE_CHECKING

from formulas.floor.primitives import SECOND_MS
from formulas.floor.terms import Conditional, Range, Relative
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS
from verifier.floor.checks.catalogue import FLAGS
from verifier.floor.crowd import leading_source

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["Board", "check_flags", "copied", "outscored"]


def check_flags(context: Context) -> list[Finding]:
    """Say of each flag what it would have changed."""
    rules = context.rules
    flags = rules.flags
    points = {
        entry.call: entry.points
        for entry in context.entries.values()
        if entry.points is not None and entry.call in context.calls
    }
    found = []
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
        agents = Counter(context.calls[seal].agent for seal in hits)
        listed = ", ".join(f"{agent} {count}" for agent, count in sorted(agents.items()))
        message = f"with the flag {len(hits)} calls of {len(agents)} agents {effect}"
        if on:
            claim.unproven(f"this release does not apply the flag; {message}")
        else:
            claim.exempt(f"switched off by the rule set; {message}", recomputed=listed or None)
        found += claim.found
    return found


def outscored(context: Context, rules: Rules, points: Mapping[str, Decimal]) -> frozenset[str]:
    """
    Give the seals that lose to a better-scored call of the same operator.

    Args:
        context: The bundle.
        rules: The window.
        points: Points by seal; calls without any do not count anyway.
    """
    window = rules.flags.one_operator.window_seconds * SECOND_MS
    operators = {agent.agent: agent.operator for agent in context.agents.values()}
    scored = [call for call in context.tables.calls if call.seal in points]
    lost = set()
    for calls in _grouped(
        scored, lambda call: (operators.get(call.agent, call.agent), leading_source(call.terms))
    ):
        board = Board()
        first = last = 0
        for call in calls:
            while last < len(calls) and calls[last].posted_at <= call.posted_at + window:
                board.add(calls[last].agent, _place(calls[last], points))
                last += 1
            while calls[first].posted_at < call.posted_at - window:
                board.remove(calls[first].agent, _place(calls[first], points))
                first += 1
            best = board.best_but(call.agent)
            if best is not None and best < _place(call, points):
                lost.add(call.seal)
    return frozenset(lost)


_Place = tuple["Decimal", int, int]


def _place(call: Call, points: Mapping[str, Decimal]) -> _Place:
    """More points first; of equal points, the earlier call counts."""
    return points[call.seal].copy_negate(), call.posted_at, call.line


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


def copied(context: Context, rules: Rules) -> frozenset[str]:
    """Give the seals of calls close behind a ranked agent's call on the same side."""
    window = rules.flags.copy.window_seconds * SECOND_MS
    least = rules.admission.provisional_settled
    found = set()
    for calls in _grouped(context.tables.calls, _side):
        # Ranked agents' calls of the last minutes, counted by agent.
        recent: deque[Call] = deque()
        by_agent: Counter[str] = Counter()
        for call in calls:
            while recent and recent[0].posted_at < call.posted_at - window:
                by_agent[recent.popleft().agent] -= 1
            if len(recent) > by_agent[call.agent]:
                found.add(call.seal)
            if context.crowds[call.line - 1].settled >= least:
                recent.append(call)
                by_agent[call.agent] += 1
    return frozenset(found)


def _side(call: Call) -> Hashable | None:
    terms = call.terms.inner if isinstance(call.terms, Conditional) else call.terms
    if isinstance(terms, Range):
        return None
    if isinstance(terms, Relative):
        return terms.source, terms.other
    return terms.source, terms.direction


def _grouped(
    calls: Iterable[Call], group: Callable[[Call], Hashable | None]
) -> Iterator[list[Call]]:
    """Yield the calls of each group, oldest first."""
    grouped: dict[Hashable, list[Call]] = {}
    for call in calls:
        key = group(call)
        if key is not None:
            grouped.setdefault(key, []).append(call)
    for own in grouped.values():
        own.sort(key=lambda call: (call.posted_at, call.line))
        yield own
