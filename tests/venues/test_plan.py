"""What is asked for is enough: a venue that answers leaves nothing unseen."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from floor_evidence import exchange, rules
from hypothesis import given
from hypothesis import strategies as st

from formulas.floor.attempts import schedule
from formulas.floor.pricing import NotPriced, Priced, price
from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS
from formulas.floor.settlement import Attempt, attempt
from formulas.floor.terms import Close, Conditional, Inner, Range, Relative, Source, Terms, Touch
from verifier.venues.coinbase import MAX_ROWS
from verifier.venues.evidence import evidence_page, history, market, sources
from verifier.venues.exchange import CandlePage, Refused
from verifier.venues.plan import baseline_requests, settlement_requests

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.venues.exchange import Ask, Page

RULES = rules("floor-rules-1-full")
EPOCH = 1_793_600_000_000 // HOUR_MS * HOUR_MS

SOURCES = st.builds(
    Source,
    st.sampled_from(["hyperliquid", "coinbase"]),
    st.sampled_from(["BTC", "ETH"]),
    st.just("price"),
)
FUNDING = st.builds(
    Source, st.just("hyperliquid"), st.sampled_from(["BTC", "ETH"]), st.just("funding")
)


def silent(asks: Iterable[Ask], fetched_at: int) -> list[Page]:
    """Answer every request with no rows at all, as a venue without trades would."""
    pages = []
    for ask in asks:
        body = None if ask.body is None else dict(ask.body)
        page = evidence_page(exchange(ask.url, "[]", body=body, fetched_at=fetched_at))
        assert not isinstance(page, Refused), (ask, page)
        pages.append(page)
    return pages


@st.composite
def calls(draw: st.DrawFn) -> tuple[Terms, int]:
    """Draw a call of any kind, of up to three days."""
    posted_at = EPOCH + 1000 * draw(st.integers(0, 7200))
    deadline = EPOCH + HOUR_MS * draw(st.integers(3, 74))
    level = Decimal(100)
    source = draw(SOURCES)
    kinds: list[Inner] = [
        Touch(source, "above", level, deadline),
        Close(source, "below", level, deadline),
        Close(draw(FUNDING), "above", level, deadline),
        Range(source, level, level * 2, deadline),
        Relative(source, source._replace(symbol="SOL"), Decimal(0), deadline),
    ]
    inner = draw(st.sampled_from(kinds))
    if draw(st.booleans()):
        return inner, posted_at
    return Conditional(Touch(draw(SOURCES), "above", level, deadline - HOUR_MS), inner), posted_at


@given(calls())
def test_silence_is_asked_for(call: tuple[Terms, int]) -> None:
    """When all requests are answered with silence, the result is a gap and never unseen."""
    terms, posted_at = call
    at = schedule(terms.deadline, RULES.settlement).first
    asks = settlement_requests(terms, posted_at, RULES)
    result = attempt(
        terms,
        posted_at,
        source=market(silent(asks.source, at)),
        confirm=market(silent(asks.confirm, at)),
        rules=RULES.settlement,
    )
    assert result == Attempt("data_gap")


@given(calls())
def test_silence_prices_nothing(call: tuple[Terms, int]) -> None:
    """The same for a baseline: no spot or no history, and never unseen."""
    terms, posted_at = call
    asks = baseline_requests(terms, posted_at, RULES)
    # The last moment: a print is covered a minute after its hour, which may be that of posting.
    at = posted_at + 60_000
    paths = history(spot=silent(asks.spot, at), past=silent(asks.history, at))
    priced = price(terms, posted_at, history=paths, rules=RULES)
    relative = isinstance(terms, Relative) or (
        isinstance(terms, Conditional) and isinstance(terms.inner, Relative)
    )
    assert isinstance(priced, Priced if relative else NotPriced)


@given(calls())
def test_both_sides_are_asked_for_every_minute(call: tuple[Terms, int]) -> None:
    """Each price leg is covered from before posting to the deadline, on both venues."""
    terms, posted_at = call
    at = schedule(terms.deadline, RULES.settlement).first
    asks = settlement_requests(terms, posted_at, RULES)
    for side, name in ((asks.source, "source"), (asks.confirm, "confirm")):
        paths = market(silent(side, at)).minutes
        for leg in sources(terms):
            if leg.measure == "price":
                path = paths[leg if name == "source" else leg.second()]
                (span,) = path.covered
                assert span.first <= posted_at - 10 * MINUTE_MS
                assert span.last == terms.deadline - MINUTE_MS


def test_pages_are_smaller_than_the_venue_allows() -> None:
    """A full page covers only what it shows, so no page asks for as many rows as it may hold."""
    source = Source("coinbase", "BTC", "price")
    terms = Touch(source, "above", Decimal(1), EPOCH + 3 * DAY_MS)
    for ask in settlement_requests(terms, EPOCH, RULES).source:
        assert ask.body is None
        page = evidence_page(exchange(ask.url, "[]", fetched_at=EPOCH + 4 * DAY_MS))
        assert isinstance(page, CandlePage)
        (span,) = page.path.covered
        assert (span.last - span.first) // MINUTE_MS + 1 < MAX_ROWS


@pytest.mark.parametrize("hours", [1, 20])
def test_funding_pages(hours: int) -> None:
    """Half a year of prints takes nine pages of fewer than 500."""
    source = Source("hyperliquid", "BTC", "funding")
    posted_at = EPOCH + hours * HOUR_MS
    terms = Close(source, "above", Decimal(0), posted_at + HOUR_MS)
    asks = baseline_requests(terms, posted_at, RULES).history
    assert len(asks) == 9
    assert all(json.dumps(ask.body) for ask in asks)
