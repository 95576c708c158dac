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

from array import array
from bisect import bisect_left, bisect_right, insort
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.floor.primitives import SECOND_MS
from formulas.floor.terms import Conditional

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.floor.rules import AdmissionRules
    from formulas.floor.terms import Source, Terms
    from verifier.floor.columns import CallColumns, EntryColumns

__all__ = ["Crowd", "Crowds", "crowds", "leading_source"]

_NEVER: Final = 1 << 62
_NO_TWIN: Final = -1


class Crowd(NamedTuple):
    """Counts at one posting; *twin* is the place of an earlier open duplicate."""

    recent: int
    open: int
    settled: int
    twin: int | None


def leading_source(terms: Terms) -> Source:
    """Name the source that duplicates are told by: a relative's first leg, the inner one's."""
    return terms.inner.source if isinstance(terms, Conditional) else terms.source


class Crowds:
    """The counts of all postings, in the order of the calls."""

    __slots__ = ("open", "recent", "settled", "twins")

    def __init__(self, calls: int) -> None:
        self.recent, self.open, self.settled = (array("I", bytes(4 * calls)) for _ in range(3))
        self.twins = array("i", [_NO_TWIN]) * calls

    def __len__(self) -> int:
        return len(self.twins)

    def __iter__(self) -> Iterator[Crowd]:
        return (self[place] for place in range(len(self)))

    def __getitem__(self, place: int) -> Crowd:
        twin = self.twins[place]
        return Crowd(
            self.recent[place],
            self.open[place],
            self.settled[place],
            None if twin == _NO_TWIN else twin,
        )


def crowds(
    calls: CallColumns, entries: EntryColumns, closing: Sequence[int], rules: AdmissionRules
) -> Crowds:
    """
    Count for every call what its agent had going on.

    Args:
        calls: All calls, in file order.
        entries: All entries.
        closing: Of every call the place of its entry; -1 for none.
        rules: The length of the window and the distance of duplicates.
    """
    own: dict[int, array[int]] = {}
    for place, agent in enumerate(calls.agents.codes):
        own.setdefault(agent, array("I")).append(place)
    found = Crowds(len(calls))
    for places in own.values():
        _count(found, calls, places, entries, closing, rules)
    return found


def _count(  # noqa: PLR0913, PLR0917  what is counted, in what, and by which rules
    found: Crowds,
    calls: CallColumns,
    places: Sequence[int],
    entries: EntryColumns,
    closing: Sequence[int],
    rules: AdmissionRules,
) -> None:
    """Count for the calls of one agent."""
    posted = sorted(calls.posted[place] for place in places)
    closed, scored = [], []
    for place in places:
        entry = closing[place]
        if entry >= 0:
            at = entries.settled[entry]
            closed.append(max(at, calls.posted[place]))
            if entries.outcomes[entry] != "void":
                scored.append(at)
    closed.sort()
    scored.sort()
    window = rules.max_calls_seconds * SECOND_MS
    for place in places:
        at = calls.posted[place]
        until = bisect_right(posted, at)
        found.recent[place] = until - bisect_right(posted, at - window)
        found.open[place] = until - bisect_right(closed, at)
        found.settled[place] = bisect_right(scored, at)
    ends = [_NEVER if closing[at] < 0 else entries.settled[closing[at]] for at in places]
    _find_twins(found, calls, places, ends, rules.duplicate_seconds * SECOND_MS)


def _find_twins(
    found: Crowds, calls: CallColumns, places: Sequence[int], ends: list[int], reach: int
) -> None:
    """Sweep over the postings with the open calls of each source and kind, by deadline."""
    waiting: dict[tuple[Source, str], list[tuple[int, int]]] = {}
    leaving: list[tuple[int, int]] = []
    for place, end in zip(places, ends, strict=True):
        posted, deadline = calls.posted[place], calls.deadlines[place]
        while leaving and leaving[0][0] <= posted:
            gone = heappop(leaving)[1]
            listed = waiting[calls.shapes[gone][:2]]
            del listed[bisect_left(listed, (calls.deadlines[gone], gone))]
        listed = waiting.setdefault(calls.shapes[place][:2], [])
        first = bisect_left(listed, (deadline - reach, -1))
        if first < len(listed) and listed[first][0] <= deadline + reach:
            found.twins[place] = listed[first][1]
        insort(listed, (deadline, place))
        heappush(leaving, (end, place))
