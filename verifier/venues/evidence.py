"""
Evidence: which stored exchanges count for a call, and the paths they make.

1. An exchange is read by its venue's adapter. On the Floor count only
   Hyperliquid's 1m and 1h candles and its funding, and Coinbase Exchange's
   candles of 60 and 3,600 seconds; anything else is refused as ``request``.
2. It must have been fetched in time: for an attempt from its start until the
   fetch limit later; for a baseline at the latest the fetch limit after posting.
   A call too long for Hyperliquid's 5,000 candles may use captures on the way.
3. Pages of one source make one path. Where two hold the same start, the later
   fetch wins, then the greater hash; a missing row never removes another's. An
   interval never stands in for another.

Source:
    floor-clarifications.md 9-13, 37-42.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from formulas.floor.paths import CandlePath, FundingPath, Span, join_spans
from formulas.floor.pricing import History
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS
from formulas.floor.settlement import Market
from formulas.floor.terms import Conditional, Relative, Source
from verifier.venues import coinbase, hyperliquid
from verifier.venues.exchange import CandlePage, FundingPage, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from formulas.floor.paths import Candle
    from formulas.floor.rules import SettlementRules
    from formulas.floor.settlement import Side
    from formulas.floor.terms import Terms
    from verifier.venues.exchange import Exchange, Page

__all__ = [
    "attempt_times",
    "baseline_times",
    "candle_paths",
    "evidence_page",
    "funding_paths",
    "history",
    "market",
    "read",
    "sources",
]

# A window above this needs captures on the way: the venue keeps 5,000 candles.
_LONG_WINDOW_MINUTES: Final = 4_900


def read(exchange: Exchange) -> Page | Refused:
    """
    Read an exchange with the adapter of its venue.

    Args:
        exchange: The stored exchange.

    Returns:
        Its page, from whatever endpoint of the venue, or why there is none.
    """
    if exchange.venue == "hyperliquid":
        return hyperliquid.parse(exchange)
    if exchange.venue == "coinbase":
        return coinbase.parse(exchange)
    return Refused("request", f"unknown venue {exchange.venue[:40]!r}")


def evidence_page(exchange: Exchange) -> Page | Refused:
    """
    Read an exchange, if the Floor takes its kind as evidence.

    Args:
        exchange: The stored exchange.

    Returns:
        Its page, or why it contributes nothing.

    Source:
        floor-clarifications.md 40.
    """
    page = read(exchange)
    if isinstance(page, CandlePage):
        if page.endpoint == "advanced-candles":
            return Refused("request", "Advanced Trade candles are no evidence")
        if page.path.step not in (MINUTE_MS, HOUR_MS):
            return Refused("request", "only candles of a minute or an hour are evidence")
    return page


def sources(terms: Terms) -> tuple[Source, ...]:
    """
    Name the sources that settle a call, in the order in which they are needed.

    Args:
        terms: What was called.
    """
    if isinstance(terms, Conditional):
        return (terms.gate.source, *sources(terms.inner))
    if isinstance(terms, Relative):
        return terms.source, terms.other
    return (terms.source,)


def attempt_times(
    terms: Terms, posted_at: int, *, at: int, side: Side, rules: SettlementRules
) -> Span:
    """
    Times of fetch, both included, that count for an attempt.

    Args:
        terms: What was called.
        posted_at: When, ms.
        at: Start of the attempt, ms.
        side: ``source`` or ``confirm``.
        rules: The fetch limit.

    Source:
        floor-clarifications.md 9, 37.
    """
    last = at + rules.fetch_seconds * SECOND_MS
    minutes = terms.deadline // MINUTE_MS + -posted_at // MINUTE_MS
    on_the_way = (
        side == "source"
        and minutes > _LONG_WINDOW_MINUTES
        and any(source.venue == "hyperliquid" for source in sources(terms))
    )
    return Span(posted_at if on_the_way else at, last)


def baseline_times(posted_at: int, *, rules: SettlementRules) -> Span:
    """
    Times of fetch, both included, that count for a baseline.

    Args:
        posted_at: When the call was posted, ms.
        rules: The fetch limit.

    Source:
        floor-clarifications.md 9, 37 (there is no lower bound).
    """
    return Span(0, posted_at + rules.fetch_seconds * SECOND_MS)


def market(pages: Iterable[Page]) -> Market:
    """
    Make one side of an attempt from the pages that count for it.

    Args:
        pages: In any order.
    """
    listed = tuple(pages)
    return Market(candle_paths(listed, MINUTE_MS), funding_paths(listed))


def history(*, spot: Iterable[Page], past: Iterable[Page]) -> History:
    """
    Make a baseline's paths from the pages that count for it.

    Args:
        spot: Pages of the call's ``spot`` responses.
        past: Pages of its ``history`` responses.
    """
    listed = tuple(past)
    return History(
        candle_paths(tuple(spot), MINUTE_MS), candle_paths(listed, HOUR_MS), funding_paths(listed)
    )


def candle_paths(pages: Iterable[Page], step: int) -> dict[Source, CandlePath]:
    """
    Merge the candle pages of each source and one interval.

    Args:
        pages: In any order; others than candles of *step* are left out.
        step: Interval, ms.

    Source:
        floor-clarifications.md 11, 40.
    """
    grouped: dict[Source, list[CandlePage]] = {}
    for page in pages:
        if isinstance(page, CandlePage) and page.path.step == step:
            grouped.setdefault(Source(page.venue, page.symbol, "price"), []).append(page)
    return {source: _candles(tuple(own)) for source, own in grouped.items()}


def funding_paths(pages: Iterable[Page]) -> dict[Source, FundingPath]:
    """
    Merge the funding pages of each coin.

    Args:
        pages: In any order; others than funding are left out.

    Source:
        floor-clarifications.md 11.
    """
    grouped: dict[Source, list[FundingPage]] = {}
    for page in pages:
        if isinstance(page, FundingPage):
            grouped.setdefault(Source("hyperliquid", page.symbol, "funding"), []).append(page)
    return {source: _funding(tuple(own)) for source, own in grouped.items()}


# Calls that share their responses share the merged path too.
@lru_cache(maxsize=256)
def _candles(pages: tuple[CandlePage, ...]) -> CandlePath:
    if len(pages) == 1:
        return pages[0].path
    step = pages[0].path.step
    merged: dict[int, Candle] = {}
    for page in sorted(pages, key=_precedence):
        merged.update(zip(page.path.starts, page.path.candles, strict=True))
    covered = [span for page in pages for span in page.path.covered]
    return CandlePath(
        tuple(merged[start] for start in sorted(merged)), join_spans(covered, step), step
    )


@lru_cache(maxsize=256)
def _funding(pages: tuple[FundingPage, ...]) -> FundingPath:
    if len(pages) == 1:
        return pages[0].path
    merged: dict[int, Decimal] = {}
    for page in sorted(pages, key=_precedence):
        merged.update(page.path.prints)
    covered = [span for page in pages for span in page.path.covered]
    return FundingPath(merged, join_spans(covered, HOUR_MS))


def _precedence(page: Page) -> tuple[int, str]:
    return page.fetched_at, page.sha256
