"""The composed cases of units: seconds beside milliseconds, scales, hourly rates, booleans."""

from __future__ import annotations

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final

import pytest
from floor_evidence import COINBASE, HYPERLIQUID, exchange, rules
from shared import FIXTURES

from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS, format_time, parse_decimal, plain
from verifier.venues.evidence import read
from verifier.venues.exchange import CandlePage, FundingPage, Page, Refused

VECTORS: Final = FIXTURES / "vectors" / "floor"


def case(kind: str, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give input and expectation of one case."""
    cases = json.loads((VECTORS / f"{kind}.json").read_bytes())["cases"]
    (found,) = (each for each in cases if each["id"] == f"{kind}-s{number:03}")
    return found["input"], found["expected"]


def coinbase_row(time: object, price: object = 100) -> Page | Refused:
    """Read a reply of one candle of Coinbase."""
    url = f"{COINBASE}/products/BTC-USD/candles?granularity=60"
    return read(exchange(url, json.dumps([[time, price, 100, 100, 100, 1]]), fetched_at=LATER))


def hyperliquid_row(time: int, price: object = "100") -> Page | Refused:
    """Read a reply of one candle of Hyperliquid."""
    row = {"t": time, "T": time + MINUTE_MS - 1, "s": "BTC", "i": "1m", "v": "1", "n": 1}
    prices = {"o": "100", "h": "100", "l": price, "c": "100"}
    req = {"coin": "BTC", "interval": "1m", "startTime": 0}
    body = {"type": "candleSnapshot", "req": req}
    return read(exchange(HYPERLIQUID, json.dumps([row | prices]), body=body, fetched_at=LATER))


LATER: Final = 1_800_000_000_000


def test_seconds_and_milliseconds() -> None:
    """time-parse-s016: the endpoint says the unit; the other unit is refused, never guessed."""
    given, expected = case("time-parse", 16)
    seconds, ms = given["number_seconds"], given["number_ms"]
    assert format_time(ms) == expected["utc"]
    for page in (coinbase_row(seconds), hyperliquid_row(ms)):
        assert isinstance(page, CandlePage)
        assert [candle.start for candle in page.path.candles] == [ms]
    for page in (coinbase_row(ms), hyperliquid_row(seconds)):
        assert isinstance(page, Refused)
        assert page.code == "time"


def test_basis_points() -> None:
    """units-decimals-s005: a margin is a plain fraction, 35 basis points being 0.0035."""
    given, expected = case("units-decimals", 5)
    text = plain(Decimal(given["bps"]).scaleb(-4))
    assert Fraction(parse_decimal(text)) == Fraction(expected["value"])


@pytest.mark.parametrize("number", [6, 7])
def test_scaled_integers(number: int) -> None:
    """units-decimals-s006, s007: every digit of a long number is kept, whatever its scale."""
    given, expected = case("units-decimals", number)
    price = parse_decimal(given["raw"]).scaleb(-given["decimals"])
    assert Fraction(parse_decimal(plain(price))) == Fraction(expected["value"])


def test_a_boolean_is_no_number() -> None:
    """units-decimals-s013: ``true`` is not the price 1, and no time either."""
    given, expected = case("units-decimals", 13)
    assert expected["refuse"]
    true = json.loads(given["json"])
    refused = coinbase_row(1_793_500_200, true), coinbase_row(true)
    for page in (*refused, hyperliquid_row(1_793_500_200_000, true)):
        assert isinstance(page, Refused)
        assert page.code in {"price", "shape"}


def test_the_first_page_of_prints() -> None:
    """funding-base-rate-s007: a full page of the 180 days covers 25 of 216 parts, and no more."""
    given, expected = case("funding-base-rate", 7)
    baseline = rules().baseline
    hours = baseline.funding_days * DAY_MS // HOUR_MS
    assert hours == given["prints_expected"]
    assert given["prints_received"] < baseline.funding_min_prints
    first = LATER // HOUR_MS * HOUR_MS - hours * HOUR_MS
    rows = [
        {"coin": "BTC", "fundingRate": "0.0000125", "time": first + hour * HOUR_MS}
        for hour in range(given["prints_received"])
    ]
    body = {"type": "fundingHistory", "coin": "BTC", "startTime": first}
    page = read(exchange(HYPERLIQUID, json.dumps(rows), body=body, fetched_at=LATER))
    assert isinstance(page, FundingPage)
    (span,) = page.path.covered
    covered = (span.last - span.first) // HOUR_MS + 1
    assert Fraction(covered, hours) == Fraction(expected["coverage"])


def test_an_hourly_rate() -> None:
    """funding-base-rate-s008: a year has 8,760 of them, not three a day."""
    given, expected = case("funding-base-rate", 8)
    year = Fraction(parse_decimal(given["rate_per_hour"])) * rules().baseline.annual_hours
    assert year == Fraction(expected["annual_simple"])
    assert year != Fraction(expected["wrong_three_per_day"])
