"""Random prices of two venues, the raw responses that hold them, and what calls come to on them."""

from __future__ import annotations

import hashlib
import json
import random
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from formulas.floor.paths import Span
from formulas.floor.pricing import Priced, price
from formulas.floor.primitives import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SECOND_MS,
    format_time,
    parse_time,
)
from formulas.floor.rules import rules_from
from formulas.floor.settlement import Attempt, attempt
from verifier.core.canon import canonical_bytes
from verifier.venues import coinbase, hyperliquid
from verifier.venues.evidence import evidence_page, history, market
from verifier.venues.exchange import Ask, Exchange, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formulas.floor.terms import Terms
    from verifier.venues.exchange import Page

__all__ = ["DOCUMENT", "OPENING", "RULES", "START", "Market", "sha256"]

DOCUMENT: Final = files("formulas.floor").joinpath("floor-rules-1.json").read_bytes()
RULES: Final = rules_from(json.loads(DOCUMENT))
START: Final = parse_time("2026-11-03T00:00:00Z")
OPENING: Final = START + HOUR_MS
SYMBOLS: Final = {"BTC": 100_000.0, "ETH": 4_000.0}


def sha256(data: bytes) -> str:
    """Hash to hex."""
    return hashlib.sha256(data).hexdigest()


class Prices:
    """Random walks: one candle for every minute and hour of both venues."""

    def __init__(self) -> None:
        chance = random.Random(20261103)
        self.rows: dict[tuple[str, int, int], list[str]] = {}
        for symbol, begin in SYMBOLS.items():
            for step, first, count in (
                (HOUR_MS, START - 31 * DAY_MS, 31 * 24 + 2),
                (MINUTE_MS, START, 16 * 60),
            ):
                level = begin
                for start in range(first, first + count * step, step):
                    after = level * (1 + chance.gauss(0, 0.004 if step == HOUR_MS else 0.0009))
                    high, low = max(level, after) * 1.0001, min(level, after) * 0.9999
                    self.rows[symbol, step, start] = [
                        f"{each:.2f}" for each in (level, high, low, after)
                    ]
                    level = after


class Raw:
    """Raw responses as they would be fetched, and the pages that they are read as."""

    def __init__(self) -> None:
        self.prices = Prices()
        self.bodies: dict[str, bytes] = {}
        self.fetched: set[tuple[str, int]] = set()
        self.index: list[tuple[str, int, bytes]] = []
        self.pages: dict[str, Page] = {}

    def fetch(self, venue: str, symbol: str, step: int, span: Span, at: int) -> list[str]:
        """Ask a venue for candles, store the answers, and give their hashes in order."""
        asks = (
            hyperliquid.candle_requests(symbol, "1m" if step == MINUTE_MS else "1h", *span)
            if venue == "hyperliquid"
            else coinbase.candle_requests(symbol, step, *span)
        )
        return sorted(self._store(venue, symbol, step, ask, at) for ask in asks)

    def _store(self, venue: str, symbol: str, step: int, ask: Ask, at: int) -> str:
        if ask.body is not None:
            req = ask.body["req"]
            assert isinstance(req, dict)
            first, last = req["startTime"] // step * step, req["endTime"]
        else:
            bounds = [part.partition("=")[2] for part in ask.url.split("&")[1:]]
            first, last = (parse_time(bound) for bound in bounds)
        rows = [
            (start, self.prices.rows[symbol, step, start])
            for start in range(-(-first // step) * step, min(last, at - step) + 1, step)
        ]
        body = _hyperliquid(symbol, step, rows) if ask.body is not None else _coinbase(rows)
        name = sha256(body)
        fetched = (name, at)
        if fetched not in self.fetched:
            self.fetched.add(fetched)
            self.bodies[name] = body
            line = canonical_bytes(
                {
                    "bytes": len(body),
                    "fetched_at": format_time(at),
                    "request": {"body": ask.body, "method": ask.method, "url": ask.url},  # type: ignore[dict-item]
                    "sha256": name,
                    "status": 200,
                    "venue": venue,
                }
            )
            self.index.append((name, at, line))
            page = evidence_page(Exchange(venue, ask, 200, at, name, body))
            assert not isinstance(page, Refused), page
            self.pages[name] = page
        return name

    def read(self, names: Iterable[str]) -> list[Page]:
        """Give the pages of some hashes."""
        return [self.pages[name] for name in names]


def _hyperliquid(symbol: str, step: int, rows: list[tuple[int, list[str]]]) -> bytes:
    interval = "1m" if step == MINUTE_MS else "1h"
    return json.dumps(
        [
            {
                **dict(zip("ohlc", values, strict=True)),
                "t": start,
                "T": start + step - 1,
                "s": symbol,
                "i": interval,
                "v": "1.0",
                "n": 3,
            }
            for start, values in rows
        ]
    ).encode()


def _coinbase(rows: list[tuple[int, list[str]]]) -> bytes:
    texts = [
        f"[{start // SECOND_MS},{low},{high},{first},{last},1.5]"
        for start, (first, high, low, last) in reversed(rows)
    ]
    return f"[{','.join(texts)}]".encode()


class Market:
    """What the calls of a round and of a deadline have in common, computed once."""

    def __init__(self) -> None:
        self.raw = Raw()
        self.past = {
            symbol: self.raw.fetch(
                "hyperliquid",
                symbol,
                HOUR_MS,
                Span(OPENING - 30 * DAY_MS - HOUR_MS, START),
                OPENING,
            )
            for symbol in SYMBOLS
        }
        self.priced = cache(self._priced)
        self.settled = cache(self._settled)
        self.spots = cache(self._spots)
        self.evidence = cache(self._evidence)

    def _spots(self, number: int) -> tuple[dict[str, list[str]], dict[str, Decimal]]:
        posted = OPENING + number * MINUTE_MS + 5 * SECOND_MS
        names = {
            symbol: self.raw.fetch(
                "hyperliquid",
                symbol,
                MINUTE_MS,
                Span(posted - 900_000, posted),
                posted + 2 * SECOND_MS,
            )
            for symbol in SYMBOLS
        }
        minute = posted // MINUTE_MS * MINUTE_MS - MINUTE_MS
        rows = self.raw.prices.rows
        return names, {symbol: Decimal(rows[symbol, MINUTE_MS, minute][3]) for symbol in SYMBOLS}

    def _evidence(self, deadline: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        at = deadline + 122 * SECOND_MS
        span = Span(OPENING - 900_000, deadline)
        source, confirm = (
            {symbol: self.raw.fetch(venue, symbol, MINUTE_MS, span, at) for symbol in SYMBOLS}
            for venue in ("hyperliquid", "coinbase")
        )
        return source, confirm

    def _priced(self, terms: Terms, number: int) -> Decimal:
        names, _ = self.spots(number)
        paths = history(
            spot=self.raw.read(name for own in names.values() for name in own),
            past=self.raw.read(name for own in self.past.values() for name in own),
        )
        posted = OPENING + number * MINUTE_MS + 5 * SECOND_MS
        found = price(terms, posted, history=paths, rules=RULES)
        assert isinstance(found, Priced), found
        return found.b

    def _settled(self, terms: Terms, number: int) -> Attempt:
        source, confirm = self.evidence(terms.deadline)
        found = attempt(
            terms,
            OPENING + number * MINUTE_MS + 5 * SECOND_MS,
            source=market(self.raw.read(name for own in source.values() for name in own)),
            confirm=market(self.raw.read(name for own in confirm.values() for name in own)),
            rules=RULES.settlement,
        )
        assert isinstance(found, Attempt), found
        return found
