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

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

from formulas.floor.primitives import SECOND_MS
from formulas.floor.terms import Conditional, Range, Relative
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS
from verifier.floor.checks.catalogue import FLAGS
from verifier.floor.crowd import leading_source

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["check_flags", "copied", "outscored"]


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
    lost = set()
    for earlier, later in _pairs(
        context,
        lambda call: (
            operators.get(call.agent, call.agent),
            leading_source(call.terms),
        ),
        window,
    ):
        if earlier.seal in points and later.seal in points:
            # Equal points: the earlier call counts.
            behind = points[earlier.seal] >= points[later.seal]
            lost.add(later.seal if behind else earlier.seal)
    return frozenset(lost)


def copied(context: Context, rules: Rules) -> frozenset[str]:
    """Give the seals of calls close behind a ranked agent's call on the same side."""
    window = rules.flags.copy.window_seconds * SECOND_MS
    least = rules.admission.provisional_settled
    return frozenset(
        later.seal
        for earlier, later in _pairs(context, _side, window)
        if context.crowds[earlier.line - 1].settled >= least
    )


def _side(call: Call) -> Hashable | None:
    terms = call.terms.inner if isinstance(call.terms, Conditional) else call.terms
    if isinstance(terms, Range):
        return None
    if isinstance(terms, Relative):
        return terms.source, terms.other
    return terms.source, terms.direction


def _pairs(
    context: Context, group: Callable[[Call], Hashable | None], window: int
) -> Iterator[tuple[Call, Call]]:
    """Yield the pairs of different agents' calls in one group within the window."""
    grouped: dict[Hashable, list[Call]] = {}
    for call in context.tables.calls:
        key = group(call)
        if key is not None:
            grouped.setdefault(key, []).append(call)
    for calls in grouped.values():
        calls.sort(key=lambda call: (call.posted_at, call.line))
        times = [call.posted_at for call in calls]
        for index, later in enumerate(calls):
            for earlier in calls[bisect_left(times, later.posted_at - window) : index]:
                if earlier.agent != later.agent:
                    yield earlier, later
