"""Answers of the venues, damaged one way each, are refused by name."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from floor_evidence import ADVANCED, COINBASE, HYPERLIQUID, exchange
from hypothesis import given
from hypothesis import strategies as st
from venue_answers import AFTER, NOON, TEN, candle_page, candles, code, coinbase, line, prints, row

from formulas.floor.paths import Span
from formulas.floor.primitives import HOUR_MS, MINUTE_MS
from verifier.venues.evidence import evidence_page, read
from verifier.venues.exchange import CandlePage, FundingPage, Page, Refused


class TestHyperliquid:
    """candleSnapshot."""

    @pytest.mark.parametrize(
        ("damage", "wanted"),
        [
            ({"s": "@142"}, "identity"),
            ({"i": "1h"}, "identity"),
            ({"o": "98.9"}, "price"),
            ({"c": "101.6"}, "price"),
            ({"h": "98.0"}, "price"),
            ({"l": "0", "o": "0.5"}, "price"),
            ({"h": ""}, "price"),
            ({"h": None}, "price"),
            ({"h": 101.5}, "price"),
            ({"h": "1.015e2"}, "price"),
            ({"h": "Infinity"}, "price"),
            ({"h": "101,5"}, "price"),
            ({"h": "1" * 200}, "price"),
            ({"t": TEN + 1, "T": TEN + MINUTE_MS}, "time"),
            ({"t": TEN // 1000 * 60, "T": TEN // 1000 * 60 + MINUTE_MS - 1}, "time"),
            ({"T": TEN + MINUTE_MS}, "time"),
            ({"t": str(TEN)}, "shape"),
            ({"t": True}, "shape"),
            ({"n": -1}, "shape"),
            ({"n": "7"}, "shape"),
            ({"n": 7.0}, "shape"),
        ],
    )
    def test_one_bad_row_refuses_the_body(self, damage: dict[str, Any], wanted: str) -> None:
        """Clarification 41: no row of such a body is used."""
        assert code(candles([row(0, **damage), row(1)])) == wanted

    def test_lacking_member(self) -> None:
        """A row without its number of trades is no row."""
        short = row(0)
        del short["n"]
        assert code(candles([short])) == "shape"

    @pytest.mark.parametrize("body", [None, {}, "x", 1, [1], [[1, 2]], {"message": "x"}])
    def test_other_shapes(self, body: object) -> None:
        """An error body with status 200 is not zero candles."""
        assert code(candles(body)) == "shape"

    @pytest.mark.parametrize(
        "body",
        [
            b"",
            b"[",
            b'[{"t":1,"t":2}]',
            b"[NaN]",
            b"[Infinity]",
            b"\xef\xbb\xbf[]",
            b"[\xff]",
            b"[]x",
            b"[" * 100_000,
            b"[" + b"1" * 10_000 + b"]",
        ],
    )
    def test_no_strict_json(self, body: bytes) -> None:
        """Cut off, duplicate members, NaN, a mark, bad bytes, too deep, too long."""
        assert code(candles(body)) == "json"
        assert code(coinbase(body)) == "json"

    def test_order_and_repeats(self) -> None:
        """Rows may come in any order; identical ones count once, differing ones refuse."""
        page = candle_page(candles([row(1), row(0), row(1, h="101.50")]))
        assert [candle.start for candle in page.path.candles] == [TEN, TEN + MINUTE_MS]
        assert code(candles([row(0), row(0, h="102")])) == "conflict"
        assert code(candles([row(0), row(0, n=0)])) == "conflict"

    def test_rows_without_trades(self) -> None:
        """A row with n = 0 is no candle, whatever its prices are."""
        page = candle_page(candles([row(0), row(1, n=0, o="0", h="0", l="0", c="0")]))
        assert [candle.start for candle in page.path.candles] == [TEN]
        assert page.path.covers(TEN + MINUTE_MS)

    def test_open_candles(self) -> None:
        """Clarification 11: a candle counts only if it had ended when it was fetched."""
        page = candle_page(candles([row(0), row(121), row(122)]))
        assert [candle.start for candle in page.path.candles] == [TEN, TEN + 121 * MINUTE_MS]

    def test_rows_outside_the_span_count(self) -> None:
        """They count although they are not covered."""
        page = candle_page(candles([row(-5), row(0)]))
        assert len(page.path.candles) == 2
        assert not page.path.covers(TEN - 5 * MINUTE_MS)

    @pytest.mark.parametrize(
        "req",
        [
            {"coin": None},
            {"coin": 1},
            {"start": None},
            {"start": str(TEN)},
            {"start": float(TEN)},
            {"start": True},
            {"interval": "1M"},
            {"interval": ["1m"]},
            {"extra": 1},
        ],
    )
    def test_requests(self, req: dict[str, Any]) -> None:
        """Only a request of the venue's own shape can be answered."""
        assert code(candles([], **req)) == "request"

    @pytest.mark.parametrize(
        ("url", "body"),
        [
            ("https://api.hyperliquid-testnet.xyz/info", {"type": "candleSnapshot"}),
            (HYPERLIQUID, {"type": "allMids"}),
            (HYPERLIQUID, {}),
            (HYPERLIQUID, {"type": "candleSnapshot"}),
            (HYPERLIQUID, {"type": "candleSnapshot", "req": []}),
            (HYPERLIQUID, {"type": ["candleSnapshot"]}),
        ],
    )
    def test_other_endpoints(self, url: str, body: dict[str, Any]) -> None:
        """Clarification 40: anything else contributes nothing."""
        assert code(evidence_page(exchange(url, "[]", body=body, fetched_at=AFTER))) == "request"

    def test_intervals_of_the_floor(self) -> None:
        """1m and 1h are evidence, others are read but are none."""
        five = row(0, i="5m", T=TEN + 5 * MINUTE_MS - 1)
        assert code(candles([five], interval="5m")) == "request"
        hour = candle_page(candles([row(0, i="1h", T=TEN + HOUR_MS - 1)], interval="1h"))
        assert hour.path.step == HOUR_MS

    @pytest.mark.parametrize(("status", "wanted"), [(429, "rate-limited"), (500, "status")])
    def test_status(self, status: int, wanted: str) -> None:
        """Even honest rows are not used with another status than 200."""
        body = {"type": "candleSnapshot", "req": {"coin": "BTC", "interval": "1m", "startTime": 0}}
        made = exchange(HYPERLIQUID, "[]", body=body, status=status, fetched_at=AFTER)
        assert code(read(made)) == wanted


class TestFunding:
    """fundingHistory."""

    def test_named_by_the_hour(self) -> None:
        """A print is the one of the hour it is stamped in; of two the later stamp counts."""
        rows = [
            {"coin": "BTC", "fundingRate": "-0.0001", "premium": "0", "time": TEN + 1_433_040},
            {"coin": "BTC", "fundingRate": "0.0002", "premium": "0", "time": TEN + 58},
            {"coin": "BTC", "fundingRate": "0.0002", "time": TEN + 58},
        ]
        page = prints(rows)
        assert isinstance(page, FundingPage)
        assert page.path.prints == {TEN: Decimal("-0.0001")}

    @pytest.mark.parametrize(
        ("damage", "wanted"),
        [
            ({"coin": "ETH"}, "identity"),
            ({"fundingRate": 0.0001}, "price"),
            ({"fundingRate": "1e-4"}, "price"),
            ({"fundingRate": "+0.1"}, "price"),
            ({"time": str(TEN)}, "shape"),
            ({"time": TEN // 1000}, "time"),
            ({"fundingRate": None}, "price"),
        ],
    )
    def test_one_bad_print_refuses_the_body(self, damage: dict[str, Any], wanted: str) -> None:
        """No print of such a body is used."""
        good = {"coin": "BTC", "fundingRate": "0.0001", "premium": "0", "time": TEN + 58}
        later = {**good, "time": TEN + HOUR_MS}
        assert code(prints([{**good, **damage}, later])) == wanted

    def test_two_rates_for_one_time(self) -> None:
        """funding-base-rate-s004: refused, never picked silently."""
        good = {"coin": "BTC", "fundingRate": "0.0001", "time": TEN + 58}
        assert code(prints([good, {**good, "fundingRate": "0.5"}])) == "conflict"

    def test_half_a_year_needs_nine_pages(self) -> None:
        """funding-base-rate-s007: a first page of 500 covers 500 hours and no more."""
        first = TEN - 5000 * HOUR_MS
        rows = [
            {"coin": "BTC", "fundingRate": "0.0001", "time": first + hour * HOUR_MS + 40}
            for hour in range(500)
        ]
        page = prints(rows, start=first)
        assert isinstance(page, FundingPage)
        assert page.path.covered == (Span(first, first + 499 * HOUR_MS),)

    def test_prints_after_the_fetch(self) -> None:
        """A print stamped after the body was stored is not in it honestly."""
        late = {"coin": "BTC", "fundingRate": "0.0001", "time": AFTER + 1}
        page = prints([late])
        assert isinstance(page, FundingPage)
        assert page.path.prints == {}

    def test_a_print_after_the_fetch_removes_none(self) -> None:
        """Of one hour's prints the last that counts is taken."""
        one = {"coin": "BTC", "fundingRate": "0.0001", "time": AFTER - 1}
        late = one | {"fundingRate": "0.0002", "time": AFTER + 1}
        page = prints([one, late])
        assert isinstance(page, FundingPage)
        assert list(page.path.prints.values()) == [Decimal("0.0001")]


class TestCoinbase:
    """Exchange and Advanced Trade candles."""

    def test_columns(self) -> None:
        """Low before high before open; newest first; whole prices are integers."""
        page = candle_page(coinbase([line(1), line(0, 99, 102, 100, 101.5, 4.727521520000001)]))
        first, second = page.path.candles
        assert first[1:] == tuple(map(Decimal, ("100", "102", "99", "101.5", "4.727521520000001")))
        assert second.start == TEN + MINUTE_MS
        assert page.symbol == "BTC"

    @pytest.mark.parametrize(
        ("bad", "wanted"),
        [
            (line(0, 99, 101, 98.5, 100, 1), "price"),
            (line(0, 99, 101, 100, 101.5, 1), "price"),
            (line(0, 101, 99, 100, 100, 1), "price"),
            (line(0, "99", 101, 100, 100, 1), "price"),
            (line(0, None, 101, 100, 100, 1), "price"),
            (line(0, True, 101, 100, 100, 1), "price"),
            (line(0, -1, 101, 100, 100, 1), "price"),
            (line(0, 99, 101, 100, 100), "shape"),
            (line(0, 99, 101, 100, 100, 1, 1), "shape"),
            ([TEN, 99, 101, 100, 100, 1], "time"),
            ([TEN // 1000 + 1, 99, 101, 100, 100, 1], "time"),
            ([float(TEN // 1000), 99, 101, 100, 100, 1], "shape"),
            ([str(TEN // 1000), 99, 101, 100, 100, 1], "shape"),
            ({"time": 1}, "shape"),
        ],
    )
    def test_one_bad_row_refuses_the_body(self, bad: object, wanted: str) -> None:
        """No row of such a body is used."""
        assert code(coinbase([bad, line(5)])) == wanted

    def test_exponents(self) -> None:
        """A used price with an exponent is no decimal; in a volume it does no harm."""
        start = TEN // 1000
        assert code(coinbase(f"[[{start},99,1.01e2,100,100,1]]".encode())) == "price"
        page = candle_page(coinbase(f"[[{start},99,101,100,100,1e-7]]".encode()))
        assert page.path.candles[0].volume == Decimal("1e-7")
        for volume in ("1e-99999999999999999999", "1e999999999", "1e-101", f"1{'0' * 100}e-99"):
            huge = f"[[{start},99,101,100,100,{volume}]]".encode()
            assert code(coinbase(huge)) == "price"
        long = f"[[{start},99,1{'0' * 100},100,100,1]]".encode()
        assert code(coinbase(long)) == "price"

    @pytest.mark.parametrize("body", [None, {"message": "NotFound"}, {"candles": []}, "x", 3])
    def test_other_shapes(self, body: object) -> None:
        """An error object is not a list of candles."""
        assert code(coinbase(body)) == "shape"

    @pytest.mark.parametrize(
        "query",
        [
            "",
            "start=1&end=2",
            "granularity=61",
            "granularity=60&granularity=60",
            "granularity=60&limit=3",
            "granularity=60&start=yesterday",
            "granularity=60&start=2026-11-02T10:00:00",
            "granularity=60&start=2026-11-02T10:00:00-05:00",
            "granularity=60&start=2026-02-30T10:00:00Z",
            "granularity=60&start=",
            "granularity=60&start=-5",
            "granularity",
        ],
    )
    def test_requests(self, query: str) -> None:
        """A query that the venue does not know, or reads otherwise, is no request."""
        assert code(coinbase([], query)) == "request"

    @pytest.mark.parametrize(
        "url",
        [
            "https://api.exchange.coinbase.com/products/BTC-USD/trades",
            "https://api-public.sandbox.exchange.coinbase.com/products/BTC-USD/candles?granularity=60",
            f"{COINBASE}/products/BTC-USD/candles/?granularity=60",
            f"{COINBASE}/products/../candles?granularity=60",
        ],
    )
    def test_other_endpoints(self, url: str) -> None:
        """Test venues and other paths contribute nothing."""
        assert code(evidence_page(exchange(url, "[]", fetched_at=AFTER))) == "request"

    def test_other_methods(self) -> None:
        """A POST, or a GET with a body, is no request for candles."""
        made = exchange(
            f"{COINBASE}/products/BTC-USD/candles?granularity=60", "[]", fetched_at=AFTER
        )
        for ask in (made.ask._replace(method="POST"), made.ask._replace(body={})):
            assert code(evidence_page(replace(made, ask=ask))) == "request"

    def test_products_that_are_no_dollar_pair(self) -> None:
        """BTC-EUR is read, but it is never the source coinbase:BTC:price."""
        assert candle_page(coinbase([line(0)], product="BTC-EUR")).symbol == "BTC-EUR"

    @pytest.mark.parametrize(
        ("damage", "wanted"),
        [
            ({"start": TEN // 1000}, "time"),
            ({"start": "0123"}, "time"),
            ({"start": str(TEN)}, "time"),
            ({"low": 99}, "price"),
            ({"low": "102"}, "price"),
            ({"close": None}, "price"),
        ],
    )
    def test_advanced(self, damage: dict[str, Any], wanted: str) -> None:
        """Every value is a string, start one of seconds."""
        good = {
            "start": str(TEN // 1000),
            "low": "99",
            "high": "101",
            "open": "100",
            "close": "100.5",
            "volume": "1",
        }
        url = (
            f"{ADVANCED}/api/v3/brokerage/market/products/BTC-USD/candles"
            f"?granularity=ONE_MINUTE&start={TEN // 1000}&end={NOON // 1000}"
        )

        def answer(rows: object) -> Page | Refused:
            return read(exchange(url, json.dumps(rows), fetched_at=AFTER))

        assert candle_page(answer({"candles": [good]})).path.covered == (Span(TEN, NOON),)
        assert code(answer({"candles": [{**good, **damage}]})) == wanted
        del good["low"]
        assert code(answer({"candles": [good]})) == "shape"
        assert code(answer([])) == "shape"


def test_unknown_venue() -> None:
    """A venue that nobody knows answers nothing."""
    made = exchange(HYPERLIQUID, "[]", body={}, fetched_at=AFTER)
    assert code(read(replace(made, venue="binance"))) == "request"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    """Hostile bodies end in a refusal with a name, never in another exception."""
    for page in (candles(content), coinbase(content)):
        assert isinstance(page, CandlePage | Refused)


@given(st.lists(st.sampled_from([row(0), row(1), row(1, h="102"), row(2, s="X"), {}, None])), JSON)
def test_any_request_is_read_or_refused(rows: list[Any], body: Any) -> None:
    """The same for requests, which come from the bundle's index."""
    asked = body if isinstance(body, dict) else {"type": "candleSnapshot", "req": body}
    made = exchange(HYPERLIQUID, json.dumps(rows), body=asked, fetched_at=AFTER)
    assert isinstance(evidence_page(made), CandlePage | FundingPage | Refused)
