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
from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import format_time
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import VENUE_AGREEMENT
from verifier.floor.checks.raw import RAW_INDEX
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
    differing: list[str] = []
    absent = compared = read = 0
    for lines in _series(context).values():
        tally = _Series()
        for line in lines:
            page = context.responses.page(line)
            if not isinstance(page, Refused):
                read += 1
                tally.add(page)
        differing += tally.differing
        absent += tally.absent()
        compared += tally.compared
    claim = Claim(VENUE_AGREEMENT, "responses", Where(RAW_INDEX))
    message = (
        f"{read} responses hold {compared} closed candles and prints more than once: "
        f"{len(differing)} with different values, {absent} where another response that covers "
        "them has none"
    )
    shown = "; ".join(sorted(differing)[:SHOWN]) or None
    if (differing or absent) and context.policy.floor.venue_revisions == "fail":
        claim.fail(message, recomputed=shown)
    else:
        claim.exempt(message, recomputed=shown)
    return claim.found


def _series(context: Context) -> dict[str, list[RawLine]]:
    """Group the responses by what was asked, so that one series is in memory at a time."""
    found: dict[str, list[RawLine]] = {}
    for line in context.tables.raw:
        if context.responses.has(line.sha256):
            found.setdefault(_asked(line), []).append(line)
    return found


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


class _Series:
    """The closed candles or prints of one series, each with the first value seen."""

    def __init__(self) -> None:
        self.differing: set[str] = set()
        self.compared = 0
        self._values: dict[int, object] = {}
        self._holders: dict[int, int] = {}
        self._pages: list[Page] = []

    def add(self, page: Page) -> None:
        """Compare one response with those before it."""
        self._pages.append(page)
        for start, value in _rows(page):
            known = self._values.setdefault(start, value)
            count = self._holders.get(start, 0) + 1
            self._holders[start] = count
            self.compared += count == 2
            if known != value:
                self.differing.add(f"{_name(page)} {format_time(start)}")

    def absent(self) -> int:
        """Count the starts that one response holds and another covers without."""
        starts = sorted(self._values)
        lacking: set[int] = set()
        for page in self._pages:
            own = {start for start, _ in _rows(page)}
            for span in page.path.covered:
                first, last = bisect_left(starts, span.first), bisect_right(starts, span.last)
                lacking.update(start for start in starts[first:last] if start not in own)
        return len(lacking)


def _rows(page: Page) -> list[tuple[int, object]]:
    if isinstance(page, CandlePage):
        # The volume decides nothing, and some mirrors round it.
        return [(candle.start, candle[1:5]) for candle in page.path.candles]
    return list(page.path.prints.items())


def _name(page: Page) -> str:
    venue = page.venue if isinstance(page, CandlePage) else "hyperliquid funding"
    return f"{venue} {page.symbol}"
