"""
What counts as evidence, and what it covers (clarifications 9-13, 37-42).

The worked examples stand in the table at the end of the clarifications.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from floor_evidence import rules
from venue_answers import AFTER, NOON, TEN, candle_page, candles, coinbase, line, prints, row

from formulas.floor.paths import Span
from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS
from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Touch
from verifier.venues.evidence import (
    attempt_times,
    baseline_times,
    candle_paths,
    funding_paths,
    history,
    market,
    sources,
)
from verifier.venues.exchange import CandlePage, FundingPage

HL = Source("hyperliquid", "BTC", "price")
RULES = rules().settlement


class TestCoverage:
    """The worked examples of the clarifications, and 38 and 42."""

    def test_hyperliquid_from_the_candle_that_contains_the_start(self) -> None:
        """10:00:30 to 12:00:00, fetched 12:02:05: minutes 10:00 to 12:00."""
        page = candle_page(candles([], start=TEN + 30_000, end=NOON))
        assert page.path.covered == (Span(TEN, NOON),)

    def test_hyperliquid_up_to_what_had_ended(self) -> None:
        """10:00:30 to 12:03:00, fetched 12:02:05: minutes 10:00 to 12:01."""
        page = candle_page(candles([row(122)], start=TEN + 30_000, end=NOON + 3 * MINUTE_MS))
        assert page.path.covered == (Span(TEN, NOON + MINUTE_MS),)
        assert page.path.candles == ()

    def test_coinbase_from_the_first_that_starts(self) -> None:
        """10:00:30 to 12:00:00: minutes 10:01 to 12:00."""
        query = "granularity=60&start=2026-11-02T10:00:30Z&end=2026-11-02T12:00:00Z"
        page = candle_page(coinbase([], query))
        assert page.path.covered == (Span(TEN + MINUTE_MS, NOON),)

    def test_a_full_page_covers_what_it_shows(self) -> None:
        """06:00 to 12:00 with 300 rows: from the first to the last row, and no more."""
        rows = [line(minute) for minute in range(-230, 70)]
        query = "granularity=60&start=2026-11-02T06:00:00Z&end=2026-11-02T12:00:00Z"
        page = candle_page(coinbase(rows, query))
        assert page.path.covered == (Span(TEN - 230 * MINUTE_MS, TEN + 69 * MINUTE_MS),)
        fewer = candle_page(coinbase(rows[:-1], query))
        assert fewer.path.covered == (Span(TEN - 240 * MINUTE_MS, NOON),)
        # It is intersected with the span that was asked for (42).
        query = "granularity=60&start=2026-11-02T09:00:00Z&end=2026-11-02T10:30:00Z"
        page = candle_page(coinbase(rows, query))
        assert page.path.covered == (Span(TEN - HOUR_MS, TEN + 30 * MINUTE_MS),)

    def test_a_full_page_of_hyperliquid(self) -> None:
        """5,000 rows, those without trades among them, cover from first to last."""
        rows = [row(minute, n=0 if minute == -4879 else 1) for minute in range(-4879, 121)]
        page = candle_page(candles(rows, start=TEN - 9000 * MINUTE_MS, end=NOON))
        (span,) = page.path.covered
        assert span == Span(TEN - 4877 * MINUTE_MS, NOON)

    def test_only_the_newest_five_thousand_exist(self) -> None:
        """38: nothing that starts more than 5,000 intervals before the fetch is covered."""
        page = candle_page(candles([], start=TEN - 9000 * MINUTE_MS))
        (span,) = page.path.covered
        assert span.first == -(-(AFTER - 5000 * MINUTE_MS) // MINUTE_MS) * MINUTE_MS
        old = candle_page(candles([row(0)], fetched_at=TEN + 9000 * MINUTE_MS))
        assert old.path.covered == ()
        assert len(old.path.candles) == 1

    def test_without_an_end(self) -> None:
        """42: candleSnapshot without endTime ends with the fetch."""
        page = candle_page(candles([], end=None))
        assert page.path.covered == (Span(TEN, AFTER // MINUTE_MS * MINUTE_MS - MINUTE_MS),)

    def test_an_empty_span(self) -> None:
        """Start after end covers nothing; the rows count."""
        page = candle_page(candles([row(0)], start=NOON, end=TEN))
        assert page.path.covered == ()
        assert len(page.path.candles) == 1

    @pytest.mark.parametrize(
        "query",
        [
            "granularity=60",
            "granularity=60&start=2026-11-02T10:00:00Z",
            "granularity=60&end=2026-11-02T10:00:00Z",
            "granularity=60&start=2026-11-02T12:00:00Z&end=2026-11-02T10:00:00Z",
        ],
    )
    def test_bounds_that_coinbase_ignores(self, query: str) -> None:
        """42: a bound missing, or start after end: the rows count and cover nothing."""
        page = candle_page(coinbase([line(0)], query))
        assert page.path.covered == ()
        assert len(page.path.candles) == 1

    @pytest.mark.parametrize(
        ("start", "first"),
        [
            (str(TEN // 1000), 0),
            ("2026-11-02T10%3A00%3A00Z", 0),
            ("2026-11-02T10:00:00.000Z", 0),
            ("2026-11-02T10:00:00%2B00:00", 0),
            ("2026-11-02T10:00:00.000000001Z", 1),
        ],
    )
    def test_spellings_of_a_bound(self, start: str, first: int) -> None:
        """ISO 8601 UTC or seconds, to the nanosecond."""
        query = f"granularity=60&start={start}&end=2026-11-02T12:00:00Z"
        page = candle_page(coinbase([], query))
        assert page.path.covered == (Span(TEN + first * MINUTE_MS, NOON),)

    def test_funding_hours(self) -> None:
        """An hour is covered from startTime <= h to h + 60 s <= endTime and the fetch."""
        page = prints([], start=TEN - 1, end=NOON + 59_999)
        assert isinstance(page, FundingPage)
        assert page.path.covered == (Span(TEN, NOON - HOUR_MS),)
        page = prints([], start=TEN + 1, end=None)
        assert isinstance(page, FundingPage)
        assert page.path.covered == (Span(TEN + HOUR_MS, NOON),)


class TestMerging:
    """Pages of one source make one path."""

    @staticmethod
    def page(high: str, *, fetched_at: int = AFTER, sha256: str = "00") -> CandlePage:
        """Give a page of two minutes with that high in the first."""
        made = candle_page(candles([row(0, h=high), row(1)], end=TEN + MINUTE_MS))
        return replace(made, fetched_at=fetched_at, sha256=sha256)

    def high(self, *pages: CandlePage) -> Decimal:
        """Give the high that the merged path has in the first minute."""
        (forward,) = candle_paths(pages, MINUTE_MS).values()
        (backward,) = candle_paths(reversed(pages), MINUTE_MS).values()
        assert forward == backward
        return forward.candles[0].high

    def test_later_fetch_wins(self) -> None:
        """Where two pages hold the same minute, the one fetched later is right."""
        early, late = self.page("105"), self.page("103", fetched_at=AFTER + 1000)
        assert self.high(early, late) == 103

    def test_then_the_greater_hash(self) -> None:
        """Fetched at the same second, the greater hash decides."""
        assert self.high(self.page("105", sha256="aa"), self.page("103", sha256="ab")) == 103

    def test_a_missing_row_removes_nothing(self) -> None:
        """A later page without the minute leaves the earlier row standing."""
        later = replace(candle_page(candles([row(1)])), fetched_at=AFTER + 1000)
        assert self.high(self.page("105"), later) == 105

    def test_coverage_is_joined(self) -> None:
        """Pages that follow each other cover one span."""
        one = candle_page(candles([], end=TEN + 9 * MINUTE_MS))
        two = candle_page(candles([], start=TEN + 10 * MINUTE_MS))
        (path,) = candle_paths([two, one], MINUTE_MS).values()
        assert path.covered == (Span(TEN, NOON),)

    def test_intervals_and_venues_stay_apart(self) -> None:
        """1m and 1h never stand in for each other, nor do the venues."""
        hour = candle_page(candles([row(0, i="1h", T=TEN + HOUR_MS - 1)], interval="1h"))
        pages = [self.page("105"), hour, candle_page(coinbase([line(0)]))]
        assert set(candle_paths(pages, MINUTE_MS)) == {HL, HL.second()}
        assert set(candle_paths(pages, HOUR_MS)) == {HL}
        assert set(history(spot=pages, past=pages).hours) == {HL}
        assert set(market(pages).minutes) == {HL, HL.second()}

    def test_funding(self) -> None:
        """Of one hour in two pages the later fetched print counts."""
        pages = []
        for rate, fetched_at in (("0.1", AFTER), ("0.2", AFTER + 1000)):
            page = prints([{"coin": "BTC", "fundingRate": rate, "time": TEN + 58}])
            assert isinstance(page, FundingPage)
            pages.append(replace(page, fetched_at=fetched_at))
        for order in (pages, pages[::-1]):
            ((source, path),) = funding_paths(order).items()
            assert source == Source("hyperliquid", "BTC", "funding")
            assert path.prints == {TEN: Decimal("0.2")}


class TestTimes:
    """Which fetches count."""

    def test_an_attempt(self) -> None:
        """From its start to 60 s later, both included, and no attempt uses an earlier one's."""
        terms = Touch(HL, "above", Decimal(1), TEN + 3 * DAY_MS)
        for side in ("source", "confirm"):
            times = attempt_times(terms, TEN, at=NOON, side=side, rules=RULES)
            assert times == (NOON, NOON + 60_000)

    def test_captures_on_the_way(self) -> None:
        """37: only for the source side of a window above 4,900 minutes on Hyperliquid."""
        for minutes, venue, side, first in (
            (4901, "hyperliquid", "source", TEN),
            (4900, "hyperliquid", "source", NOON),
            (4901, "hyperliquid", "confirm", NOON),
            (4901, "coinbase", "source", NOON),
        ):
            source = HL._replace(venue=venue)  # type: ignore[arg-type]
            terms = Range(source, Decimal(1), Decimal(2), TEN + minutes * MINUTE_MS)
            times = attempt_times(terms, TEN, at=NOON, side=side, rules=RULES)  # type: ignore[arg-type]
            assert times == (first, NOON + 60_000)

    def test_a_baseline(self) -> None:
        """Up to 60 s after posting, however long before."""
        assert baseline_times(TEN, rules=RULES) == (0, TEN + 60_000)


def test_sources() -> None:
    """Legs in the order in which they are needed."""
    other = HL._replace(symbol="ETH")
    gate = Touch(HL, "above", Decimal(1), TEN)
    assert sources(gate) == (HL,)
    assert sources(Relative(other, HL, Decimal(0), NOON)) == (other, HL)
    inner = Close(other, "above", Decimal(1), NOON)
    assert sources(Conditional(gate, inner)) == (HL, other)


@pytest.mark.parametrize("symbol", ["BTC", "ETH"])
def test_source_text(symbol: str) -> None:
    """A source is written venue:SYMBOL:measure."""
    assert str(HL._replace(symbol=symbol)) == f"hyperliquid:{symbol}:price"
