"""Recorded replies and price histories of the venues, read from beside the checkout."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections import Counter
from datetime import datetime
from decimal import Decimal
from email.utils import parsedate_to_datetime
from functools import cache
from itertools import pairwise
from math import isclose, log, sqrt
from typing import Any

import pytest
from floor_evidence import ADVANCED, COINBASE, HYPERLIQUID, exchange, in_minutes, rules
from shared import SHARED, needs_shared

from formulas.floor.baseline import close, funding_share, spread, touch
from formulas.floor.paths import Candle, CandlePath, Span
from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS, parse_time
from formulas.floor.proved import decimal
from formulas.floor.settlement import Attempt, Market, Unseen, attempt
from formulas.floor.terms import Close, Range, Relative, Source, Terms, Touch
from formulas.floor.volatility import ewma
from verifier.venues.evidence import evidence_page, market, read
from verifier.venues.exchange import CandlePage, FundingPage, Refused

pytestmark = needs_shared
VENUES = SHARED / "reference" / "venues"
RULES = rules().settlement
LATER = 4_000_000_000_000


def text(path: str) -> str:
    """Read a data file, unpacked if need be."""
    data = (VENUES / path).read_bytes()
    return (gzip.decompress(data) if path.endswith(".gz") else data).decode()


def values(page: object) -> list[list[Decimal]]:
    """Give a page's candles the way ccxt does: open ms, open, high, low, close, volume."""
    assert isinstance(page, CandlePage)
    return [[Decimal(candle.start), *candle[1:]] for candle in page.path.candles]


def pairs() -> list[Any]:
    """Give the replies that a widely used library has parsed, candles only."""
    if not (VENUES / "parsed_pairs.json").is_file():
        return []
    cases = json.loads(text("parsed_pairs.json"), parse_float=Decimal)["cases"]
    return [
        pytest.param(case, id=case["id"])
        for case in cases
        if case["unified_method"] == "fetchOHLCV"
    ]


@pytest.mark.parametrize("case", pairs())
def test_parsed_pairs(case: dict[str, Any]) -> None:
    """Our values are those that ccxt expects from the same reply."""
    rows, interval = case["http_response"], case["input"][1]
    if case["venue"] == "hyperliquid":
        # The file turned every number of the reply into a string.
        rows = [{**row, **{name: int(row[name]) for name in "tTn"}} for row in rows]
        req = {"coin": rows[0]["s"], "interval": interval, "startTime": rows[0]["t"]}
        body = {"type": "candleSnapshot", "req": req}
        made = exchange(HYPERLIQUID, json.dumps(rows), body=body, fetched_at=LATER)
    else:
        url = f"{COINBASE}/products/BTC-USDT/candles?granularity=3600"
        made = exchange(url, json.dumps(rows, default=float), fetched_at=LATER)
    expected = [list(map(Decimal, row)) for row in case["parsed_response"]]
    # One reply has a row more than its library asked for: the end is inclusive.
    assert values(read(made))[: len(expected)] == expected


@cache
def recorded() -> list[dict[str, Any]]:
    """Read the recorded exchanges of Coinbase candles."""
    lines = text("coinbase/raw/exchange_candles_recorded_2025-08.jsonl").splitlines()
    return [json.loads(line) for line in lines]


def test_recorded_coinbase() -> None:
    """194 recorded replies: every success is read exactly, every error refused as one."""
    codes: Counter[str] = Counter()
    for reply in recorded():
        fetched_at = int(parsedate_to_datetime(reply["server_date"]).timestamp()) * 1000
        page = read(
            exchange(reply["uri"], reply["body"], status=reply["status"], fetched_at=fetched_at)
        )
        if isinstance(page, Refused):
            codes[page.code] += 1
            assert reply["status"] != 200
            continue
        assert reply["status"] == 200
        codes["read"] += 1
        rows = json.loads(reply["body"], parse_float=Decimal)
        step = 1000 * int(reply["uri"].split("granularity=")[1].split("&")[0])
        closed = sorted(
            [Decimal(t * 1000), *map(Decimal, (o, h, lo, c, v))]
            for t, lo, h, o, c, v in rows
            if t * 1000 + step <= fetched_at
        )
        assert values(page) == closed
        # Nothing that was served lies before what we take to be covered.
        if rows and page.path.covered:
            (span,) = page.path.covered
            assert span.first <= min(row[0] for row in rows) * 1000
    assert codes["read"] > 150
    assert set(codes) == {"read", "status"}


@pytest.mark.parametrize(
    ("path", "granularity"),
    [
        ("coinbase/raw/exchange_candles_BTC-USD_1d_2026-08.body.json", 86400),
        ("coinbase/raw/exchange_candles_BTC-USD_1m_2018-02-01.body.json", 60),
        ("coinbase/raw/exchange_candles_sandbox_BTC-USD_1h_2020-03.body.json", 3600),
    ],
)
def test_coinbase_bodies(path: str, granularity: int) -> None:
    """Whole prices arrive as integers and volumes with binary noise; both keep their digits."""
    body = text(path)
    url = f"{COINBASE}/products/BTC-USD/candles?granularity={granularity}"
    page = read(exchange(url, body, fetched_at=LATER))
    raw = json.loads(body, parse_float=Decimal)
    assert values(page) == sorted(
        [Decimal(t * 1000), *map(Decimal, (o, h, lo, c, v))] for t, lo, h, o, c, v in raw
    )


def test_advanced_body() -> None:
    """Every value a string, start in seconds, newest first."""
    body = text("coinbase/raw/advanced_candles_BTC-USD_1h_2024-04.body.json")
    url = f"{ADVANCED}/api/v3/brokerage/market/products/BTC-USD/candles?granularity=ONE_HOUR"
    page = read(exchange(url, body, fetched_at=LATER))
    rows = json.loads(body)["candles"]
    names = ("open", "high", "low", "close", "volume")
    assert values(page) == [
        [Decimal(row["start"]) * 1000, *(Decimal(row[name]) for name in names)]
        for row in reversed(rows)
    ]


def test_hyperliquid_bodies() -> None:
    """Members in any order; the first candle opens before startTime; a spot pair has its index."""
    body = text("hyperliquid/raw/candleSnapshot_kPEPE_1h_2023-05.body.json")
    index = {row["file"]: row for row in json.loads(text("raw_index.json"))}
    kpepe = index["hyperliquid/raw/candleSnapshot_kPEPE_1h_2023-05.body.json"]
    page = read(
        exchange(HYPERLIQUID, body, body=kpepe["request_body"], fetched_at=1_685_000_000_000)
    )
    rows = json.loads(body)
    assert values(page) == [
        [Decimal(row["t"]), *(Decimal(row[name]) for name in "ohlcv")] for row in rows
    ]
    assert isinstance(page, CandlePage)
    assert page.path.covered == (Span(rows[0]["t"], rows[-1]["t"]),)
    assert rows[0]["t"] < kpepe["request_body"]["req"]["startTime"]
    body = text("hyperliquid/raw/candleSnapshot_spot107_1d_2025-01.body.json")
    ask = {"type": "candleSnapshot", "req": {"coin": "@107", "interval": "1d", "startTime": 0}}
    assert len(values(read(exchange(HYPERLIQUID, body, body=ask, fetched_at=LATER)))) == 2
    ask["req"] = {"coin": "HYPE", "interval": "1d", "startTime": 0}
    refused = read(exchange(HYPERLIQUID, body, body=ask, fetched_at=LATER))
    assert isinstance(refused, Refused)
    assert refused.code == "identity"


def funding_page() -> FundingPage:
    """Read the recorded funding reply of 1,038 rows."""
    body = text("hyperliquid/raw/fundingHistory_BTC_2023-05_2023-07_no_end.body.json")
    ask = {"type": "fundingHistory", "coin": "BTC", "startTime": 1_681_923_833_000}
    page = read(exchange(HYPERLIQUID, body, body=ask, fetched_at=1_689_630_202_000))
    assert isinstance(page, FundingPage)
    return page


def test_funding_body() -> None:
    """Prints are named by their hour however late; a full page covers only what it shows."""
    page = funding_page()
    body = text("hyperliquid/raw/fundingHistory_BTC_2023-05_2023-07_no_end.body.json")
    rows = json.loads(body)
    assert page.path.prints == {
        row["time"] // HOUR_MS * HOUR_MS: Decimal(row["fundingRate"]) for row in rows
    }
    (span,) = page.path.covered
    assert span == Span(min(page.path.prints), max(page.path.prints))


@pytest.mark.parametrize(
    "path",
    [
        "coinbase/raw/exchange_book_level1_BTC-EUR_2020-02.body.json",
        "coinbase/raw/exchange_products_8_of_all_2025-08-27.body.json",
        "coinbase/raw/exchange_trades_BTC-EUR_2020-02-17.body.json",
        "coinbase/raw/advanced_ticker_BTC-USD_2026-04-07.body.json",
        "hyperliquid/raw/allMids_2023-07-17.body.json",
        "hyperliquid/raw/meta_2023-07-17.body.json",
        "hyperliquid/raw/metaAndAssetCtxs_documentation_sample.body.json",
        "hyperliquid/raw/spotMetaAndAssetCtxs_2024.body.json",
        "hyperliquid/raw/l2Book_BTC_2025-10-30.body.json",
    ],
)
def test_bodies_of_other_endpoints(path: str) -> None:
    """A body of another endpoint is never read as candles or prints."""
    body = text(path)
    url = f"{COINBASE}/products/BTC-USD/candles?granularity=60"
    req = {"coin": "BTC", "interval": "1m", "startTime": 0}
    for made in (
        exchange(url, body, fetched_at=LATER),
        exchange(HYPERLIQUID, body, body={"type": "candleSnapshot", "req": req}, fetched_at=LATER),
        exchange(
            HYPERLIQUID,
            body,
            body={"type": "fundingHistory", "coin": "BTC", "startTime": 0},
            fetched_at=LATER,
        ),
    ):
        page = evidence_page(made)
        assert isinstance(page, Refused)
        assert page.code in {"shape", "json", "identity"}


@cache
def candles(path: str, symbol: str) -> tuple[Candle, ...]:
    """Read one symbol of a history."""
    rows = csv.DictReader(io.StringIO(text(path)))
    made = []
    for row in rows:
        if (row.get("symbol") or row["product"].removesuffix("-USD")) != symbol:
            continue
        start = int(row.get("open_time_ms") or int(row["open_time_s"]) * 1000)
        names = ("open", "high", "low", "close", "volume")
        made.append(Candle._make([start, *(Decimal(row[name]) for name in names)]))
    return tuple(sorted(made))


def history(path: str, symbol: str, step: int) -> CandlePath:
    """Use a history as given, everything within it asked for."""
    rows = candles(path, symbol)
    covered = Span(rows[0].start, rows[-1].start + step - MINUTE_MS)
    return in_minutes(rows, step, covered)


CB_5M = "coinbase/history/cb_5m_BTC-USD_2025-10-13_2025-12-16.csv.gz"
HL_1H = "hyperliquid/history/hl_1h_BTC_2025-10-13_2026-03-25.csv"
HL_15M = "hyperliquid/history/hl_15m_BTC_ETH_SOL_XRP_DOGE_2026-07_2026-08.csv.gz"
BTC = Source("coinbase", "BTC", "price")


@cache
def btc() -> dict[Source, CandlePath]:
    """Give both venues' BTC of late 2025 as minutes."""
    return {
        BTC: history(CB_5M, "BTC", 5 * MINUTE_MS),
        BTC.second(): history(HL_1H, "BTC", HOUR_MS),
    }


def real_cases() -> list[Any]:
    """Give the calls settled on real prices."""
    if not (VENUES / "real_cases.json").is_file():
        return []
    cases = json.loads(text("real_cases.json"))["cases"]
    return [pytest.param(case, id=case["id"]) for case in cases if "call" in case]


def called(call: dict[str, Any]) -> Terms:
    """Read a real case's call."""
    deadline = parse_time(call["deadline"])
    if call["kind"] == "relative":
        a, b = (Source(call["venue"], call[leg], "price") for leg in "ab")
        return Relative(a, b, Decimal(call["margin"]), deadline)
    source = Source(call["venue"], call["symbol"], call.get("measure", "price"))
    if call["kind"] == "range":
        return Range(source, Decimal(call["lower"]), Decimal(call["upper"]), deadline)
    made = Touch if call["kind"] == "touch" else Close
    return made(source, call["direction"], Decimal(call["level"]), deadline)


def markets(case: dict[str, Any]) -> tuple[Market, Market]:
    """Lay out a case's data; what has no second venue confirms itself (source side only)."""
    call, files = case["call"], case["files"]
    if "fundingHistory" in files[0]:
        return market([funding_page()]), Market()
    if files[0].endswith("open_candle_saved_as_final.json"):
        start = int(case["id"].rsplit("-", 1)[1])
        final = Candle._make([start, *map(Decimal, case["as_final"])])
        path = in_minutes([final], HOUR_MS, Span(start, start + HOUR_MS))
        source = Source("hyperliquid", "BTC", "price")
        return Market({source: path}), Market({source.second(): path})
    if call["kind"] == "relative":
        legs = {
            Source("coinbase", symbol, "price"): history(file, symbol, 5 * MINUTE_MS)
            for symbol, file in zip(("ETH", "BTC"), files, strict=True)
        }
        return Market(legs), Market({leg.second(): path for leg, path in legs.items()})
    if files == [HL_15M]:
        source = Source("hyperliquid", call["symbol"], "price")
        path = history(HL_15M, call["symbol"], 15 * MINUTE_MS)
        return Market({source: path}), Market({source.second(): path})
    # Two venues are stored for these days; a touch or range reads coarse extremes of one only.
    source = Source(call["venue"], "BTC", "price")
    if call["kind"] == "close":
        return Market(btc()), Market(btc())
    return Market(btc()), Market({source.second(): btc()[source]})


@pytest.mark.parametrize("case", real_cases())
def test_real_cases(case: dict[str, Any]) -> None:
    """Calls on real prices: the halt of 2025-10-25 voids, wicks touch, open candles do not."""
    terms = called(case["call"])
    source, confirm = markets(case)
    posted_at = parse_time(case["call"]["posted_at"])
    result = attempt(terms, posted_at, source=source, confirm=confirm, rules=RULES)
    assert isinstance(result, Attempt), result
    assert (result.outcome or "void") == case["expected"]
    if case.get("deciding_candle") and isinstance(case["deciding_candle"], str):
        assert result.deciding is not None
        assert result.deciding.at == parse_time(case["deciding_candle"])
    if "second_venue_value" in case:
        assert result.deciding is not None
        assert result.deciding[1:] == (
            case["source_value"].removesuffix(".0"),
            case["second_venue_value"],
        )


def test_the_halt_is_a_gap_and_not_unseen() -> None:
    """2025-10-25: Coinbase was asked and silent, so its calls void; nothing else is the matter."""
    terms = Close(BTC, "above", Decimal(100_000), parse_time("2025-10-25T20:00:00Z"))
    posted_at = parse_time("2025-10-25T14:00:00Z")
    asked = attempt(terms, posted_at, source=Market(btc()), confirm=Market(), rules=RULES)
    assert asked == Attempt("data_gap")
    nobody = {BTC: CandlePath(btc()[BTC].candles)}
    unasked = attempt(terms, posted_at, source=Market(nobody), confirm=Market(), rules=RULES)
    assert isinstance(unasked, Unseen)


def test_funding_shares_of_180_days() -> None:
    """Equality must be ruled: 1,503 of 4,321 real prints sit on 0.0000125 itself."""
    cases = json.loads(text("real_cases.json"))["cases"]
    case = next(case for case in cases if case["id"] == "funding-base-rate-180d")
    rows = csv.DictReader(io.StringIO(text(case["files"][0])))
    rates = [Decimal(row["funding_rate"]) for row in rows]
    assert len(rates) == case["prints"]
    for level, direction, name in (
        ("0.00001", "above", "above_0_00001"),
        ("0.0000125", "above", "above_0_0000125"),
        ("0", "below", "negative"),
    ):
        share = funding_share(rates, level=Decimal(level), direction=direction)  # type: ignore[arg-type]
        assert share * len(rates) == case[name]


def test_volatility_of_real_hours() -> None:
    """EWMA on real hourly closes: seen from its weights, and beside the plain mean square."""
    cases = json.loads(text("real_cases.json"))["cases"]
    for case in (case for case in cases if case["id"].startswith("vol-30d")):
        end = int(datetime.fromisoformat(case["id"][8:]).timestamp()) * 1000
        rows = [row for row in candles(HL_1H, "BTC") if end - 30 * DAY_MS <= row.start < end]
        assert len(rows) == case["hours"]
        closes = [row.close for row in rows]
        prices = [float(price) for price in closes]
        squares = [log(b / a) ** 2 for a, b in pairwise(prices)]
        assert float(closes[-1]) == case["last_close"]
        rms = sqrt(8760 * sum(squares) / len(squares))
        # The reference takes the return into the first hour as well.
        assert isclose(rms, case["rms_annualised"], rel_tol=5e-3)
        sigma = ewma(closes, decay=Decimal("0.94"), annual_hours=8760)
        last = len(squares) - 1
        variance = sum(
            square * 0.94 ** (last - i) * (0.06 if i else 1) for i, square in enumerate(squares)
        )
        assert isclose(sigma.value, sqrt(8760 * variance), rel_tol=1e-12)
        assert abs(decimal(sigma, 15) - Decimal(sigma.value)) <= Decimal(2 * sigma.error)
        over = spread(sigma, DAY_MS, year_seconds=31_536_000)
        level = closes[-1] * Decimal("1.02")
        reached = touch(spot=closes[-1], level=level, over=over).value
        ends = close(spot=closes[-1], level=level, direction="above", over=over).value
        assert isclose(reached, 2 * ends, rel_tol=1e-12)
