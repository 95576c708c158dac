"""
Step 11: responses of one venue hold the same closed candles with the same values.

Bodies carry no signature of the venue. A body that was edited is seen only if
another response of the bundle holds the same minute, so all of them are
compared: starts that two responses hold with different values, and starts that
one holds and another, which covers them, does not. Venues do revise, so the
policy says whether that is a failure or a finding to read.

Source:
    floor.md section 11; floor-clarifications.md 50.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.floor.primitives import MINUTE_MS
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import VENUE_AGREEMENT
from verifier.floor.checks.raw import RAW_INDEX
from verifier.floor.raw import telling
from verifier.floor.when import say_time
from verifier.venues.exchange import CandlePage, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import RawLine
    from verifier.venues.exchange import Page

__all__ = ["check_agreement"]

SHOWN: Final = 5


def check_agreement(context: Context) -> list[Finding]:
    """Compare all responses of the bundle, series by series."""
    tallies = []
    for lines in _series(context).values():
        tally = _Series()
        for line in lines:
            page = context.responses.page(line)
            if not isinstance(page, Refused):
                tally.add(page)
        tallies.append(tally.close())
    if context.policy.floor.venue_revisions == "fail":
        found = [finding for tally in tallies for finding in _failures(tally)]
        if found:
            return found
    whole = Claim(VENUE_AGREEMENT, "responses", Where(RAW_INDEX))
    differing = sorted(name for tally in tallies for name in tally.differing)
    whole.exempt(
        f"{sum(tally.responses for tally in tallies)} responses hold "
        f"{sum(tally.compared for tally in tallies)} closed candles and prints more than once: "
        f"{len(differing)} with different values, {sum(tally.absent for tally in tallies)} where "
        "another response that covers them has none",
        recomputed="; ".join(differing[:SHOWN]) or None,
    )
    return whole.found


def _failures(tally: _Tally) -> list[Finding]:
    values = Claim(VENUE_AGREEMENT, f"values of {tally.name}", Where(RAW_INDEX))
    if tally.differing:
        values.fail(
            f"{len(tally.differing)} closed candles or prints with different values",
            recomputed="; ".join(sorted(tally.differing)[:SHOWN]),
        )
    rows = Claim(VENUE_AGREEMENT, f"rows of {tally.name}", Where(RAW_INDEX))
    if tally.absent:
        rows.fail(f"{tally.absent} that another response which covers them does not hold")
    return values.found + rows.found


def _series(context: Context) -> dict[str, list[RawLine]]:
    """Group the responses by what was asked, so that one series is in memory at a time."""
    found: dict[str, dict[str, list[RawLine]]] = {}
    for line in context.tables.raw:
        if context.responses.has(line.sha256):
            found.setdefault(_asked(line), {}).setdefault(line.sha256, []).append(line)
    return {
        asked: [line for own in bodies.values() for line in telling(own)]
        for asked, bodies in found.items()
    }


def _asked(line: RawLine) -> str:
    """Name the series of a response: what was asked but for its bounds."""
    if line.body is None:
        address, _, query = line.url.partition("?")
        wanted = sorted(part for part in query.split("&") if part.startswith("granularity="))
        return f"{address} {' '.join(wanted)}"
    req = line.body.get("req", line.body)
    members: Mapping[str, object] = req if isinstance(req, dict) else {}
    parts = (line.body.get("type"), members.get("coin"), members.get("interval"))
    return f"{line.url} {' '.join(map(str, parts))}"


class _Tally(NamedTuple):
    """What comparing one series gave."""

    name: str
    responses: int
    compared: int
    differing: frozenset[str]
    absent: int


class _Series:
    """The closed candles or prints of one series, each with the first value seen."""

    def __init__(self) -> None:
        self._differing: set[str] = set()
        self._values: dict[int, object] = {}
        self._holders: dict[int, int] = {}
        self._pages: list[Page] = []

    def add(self, page: Page) -> None:
        """Compare one response with those before it."""
        self._pages.append(page)
        for start, value in _rows(page):
            known = self._values.setdefault(start, value)
            self._holders[start] = self._holders.get(start, 0) + 1
            if known != value:
                self._differing.add(f"{_name(page)} {say_time(start)}")

    def close(self) -> _Tally:
        """Count, at the end, the starts that one response holds and another covers without."""
        starts = sorted(self._values)
        lacking: set[int] = set()
        for page in self._pages:
            own = {start for start, _ in _rows(page)}
            for span in page.path.covered:
                first, last = bisect_left(starts, span.first), bisect_right(starts, span.last)
                lacking.update(start for start in starts[first:last] if start not in own)
        return _Tally(
            name=_name(self._pages[0]) if self._pages else "",
            responses=len(self._pages),
            compared=sum(count > 1 for count in self._holders.values()),
            differing=frozenset(self._differing),
            absent=len(lacking),
        )


def _rows(page: Page) -> list[tuple[int, object]]:
    if isinstance(page, CandlePage):
        # The volume decides nothing, and some mirrors round it.
        return [(candle.start, candle[1:5]) for candle in page.path.candles]
    return list(page.path.prints.items())


def _name(page: Page) -> str:
    if not isinstance(page, CandlePage):
        return f"hyperliquid {page.symbol} funding"
    return f"{page.venue} {page.symbol} {page.path.step // MINUTE_MS}m"
