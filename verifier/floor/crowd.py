"""
What an agent had going on when it posted a call: the counts that caps apply to.

At the time t of a posting, over the agent's calls:

* recent: posted in (t - 24 h, t];
* open: posted at or before t and not settled by then;
* settled: hits and misses settled at or before t, over all time;
* twin: the latest call before it in the list that was still open, on the same
  source and kind, with a deadline at most an hour away.

The new call counts itself, and calls of one second count for each other.

Source:
    floor.md section 9; floor-clarifications.md 29, 30, 47.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.floor.primitives import SECOND_MS
from formulas.floor.terms import Conditional
from verifier.floor.terms import kind_of_terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.floor.rules import AdmissionRules
    from formulas.floor.terms import Source, Terms
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["Crowd", "crowds", "leading_source"]

_NEVER: Final = 1 << 62


class Crowd(NamedTuple):
    """Counts at one posting; *twin* is the place of an earlier open duplicate."""

    recent: int
    open: int
    settled: int
    twin: int | None


def leading_source(terms: Terms) -> Source:
    """Name the source that duplicates are told by: a relative's first leg, the inner one's."""
    return terms.inner.source if isinstance(terms, Conditional) else terms.source


def crowds(
    calls: Sequence[Call], entries: Mapping[str, Entry], rules: AdmissionRules
) -> tuple[Crowd, ...]:
    """
    Count for every call what its agent had going on.

    Args:
        calls: All calls, in file order.
        entries: Entries by call.
        rules: The length of the window and the distance of duplicates.
    """
    own: dict[str, list[int]] = {}
    for place, call in enumerate(calls):
        own.setdefault(call.agent, []).append(place)
    found: dict[int, Crowd] = {}
    for places in own.values():
        found |= _of_agent(calls, places, entries, rules)
    return tuple(found[place] for place in range(len(calls)))


def _of_agent(
    calls: Sequence[Call], places: list[int], entries: Mapping[str, Entry], rules: AdmissionRules
) -> dict[int, Crowd]:
    posted = sorted(calls[place].posted_at for place in places)
    closed, scored = [], []
    for place in places:
        entry = entries.get(calls[place].seal)
        if entry is not None:
            closed.append(max(entry.settled_at, calls[place].posted_at))
            if entry.outcome != "void":
                scored.append(entry.settled_at)
    closed.sort()
    scored.sort()
    twins = _twins(calls, places, entries, rules.duplicate_seconds * SECOND_MS)
    window = rules.max_calls_seconds * SECOND_MS
    found = {}
    for place in places:
        at = calls[place].posted_at
        until = bisect_right(posted, at)
        found[place] = Crowd(
            recent=until - bisect_right(posted, at - window),
            open=until - bisect_right(closed, at),
            settled=bisect_right(scored, at),
            twin=twins.get(place),
        )
    return found


def _twins(
    calls: Sequence[Call], places: list[int], entries: Mapping[str, Entry], reach: int
) -> dict[int, int]:
    """Sweep over the postings with the open calls of each source and kind, by deadline."""
    waiting: dict[tuple[Source, str], list[tuple[int, int]]] = {}
    leaving: list[tuple[int, int]] = []
    found = {}
    for place in places:
        call = calls[place]
        while leaving and leaving[0][0] <= call.posted_at:
            gone = calls[heappop(leaving)[1]]
            listed = waiting[_group(gone)]
            del listed[bisect_left(listed, (gone.terms.deadline, gone.line - 1))]
        listed = waiting.setdefault(_group(call), [])
        first = bisect_left(listed, (call.terms.deadline - reach, -1))
        if first < len(listed) and listed[first][0] <= call.terms.deadline + reach:
            found[place] = listed[first][1]
        entry = entries.get(call.seal)
        insort(listed, (call.terms.deadline, place))
        heappush(leaving, (_NEVER if entry is None else entry.settled_at, place))
    return found


def _group(call: Call) -> tuple[Source, str]:
    return leading_source(call.terms), kind_of_terms(call.terms)
