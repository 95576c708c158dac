"""Answers of the venues for tests: honest rows, requests around them, and what reading gives."""

from __future__ import annotations

import json
from typing import Any

from floor_evidence import COINBASE, HYPERLIQUID, exchange

from formulas.floor.primitives import MINUTE_MS, parse_time
from verifier.venues.evidence import evidence_page
from verifier.venues.exchange import CandlePage, Page, Refused

TEN = parse_time("2026-11-02T10:00:00Z")
NOON = parse_time("2026-11-02T12:00:00Z")
AFTER = parse_time("2026-11-02T12:02:05Z")


def row(minute: int, **other: Any) -> dict[str, Any]:
    """Make an honest 1m row of Hyperliquid, with what is named changed."""
    start = TEN + minute * MINUTE_MS
    made = {
        "t": start,
        "T": start + MINUTE_MS - 1,
        "s": "BTC",
        "i": "1m",
        "o": "100.0",
        "h": "101.5",
        "l": "99.0",
        "c": "100.5",
        "v": "1.25",
        "n": 7,
    }
    return {**made, **other}


def candles(
    rows: object, *, start: Any = TEN, end: Any = NOON, fetched_at: int = AFTER, **req: Any
) -> Page | Refused:
    """Read an answer to a candleSnapshot request."""
    content = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    asked = {"coin": "BTC", "interval": "1m", "startTime": start, "endTime": end, **req}
    body = {
        "type": "candleSnapshot",
        "req": {name: value for name, value in asked.items() if value is not None},
    }
    return evidence_page(exchange(HYPERLIQUID, content, body=body, fetched_at=fetched_at))


def prints(rows: object, *, start: int = TEN, end: Any = NOON, **more: Any) -> Page | Refused:
    """Read an answer to a fundingHistory request."""
    asked = {"type": "fundingHistory", "coin": "BTC", "startTime": start, "endTime": end, **more}
    body = {name: value for name, value in asked.items() if value is not None}
    return evidence_page(exchange(HYPERLIQUID, json.dumps(rows), body=body, fetched_at=AFTER))


def coinbase(
    rows: object,
    query: str = "granularity=60&start=2026-11-02T10:00:00Z&end=2026-11-02T12:00:00Z",
    product: str = "BTC-USD",
) -> Page | Refused:
    """Read an answer of Coinbase Exchange."""
    content = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
    url = f"{COINBASE}/products/{product}/candles?{query}"
    return evidence_page(exchange(url, content, fetched_at=AFTER))


def line(minute: int, *values: Any) -> list[Any]:
    """Make an honest row of Coinbase: time, low, high, open, close, volume."""
    return [(TEN + minute * MINUTE_MS) // 1000, *(values or (99, 101.5, 100, 100.5, 1.25))]


def candle_page(page: Page | Refused) -> CandlePage:
    """Demand that an answer was read as candles."""
    assert isinstance(page, CandlePage), page
    return page


def code(page: Page | Refused) -> str:
    """Demand that an answer was refused, and say how."""
    assert isinstance(page, Refused), page
    assert page.reason
    return page.code
