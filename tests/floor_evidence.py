"""A small reader of Floor bundles for tests: it trusts the bundle and checks nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast

from formulas.floor.paths import Candle, CandlePath, Span
from formulas.floor.primitives import MINUTE_MS, parse_decimal, parse_time
from formulas.floor.rules import Rules, rules_from
from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Terms, Touch
from verifier.venues.evidence import evidence_page
from verifier.venues.exchange import Ask, Exchange, Page, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

import formulas.floor

FORMULAS: Final = next(iter(formulas.floor.__path__))


@cache
def rules(name: str = "floor-rules-1") -> Rules:
    """Read one of the released rule set documents."""
    with open(f"{FORMULAS}/{name}.json", "rb") as file:  # noqa: PTH123  # a path of strings
        return rules_from(json.loads(file.read()))


def source(text: str) -> Source:
    """Read ``venue:SYMBOL:measure``."""
    venue, symbol, measure = text.split(":")
    return Source(cast("Any", venue), symbol, cast("Any", measure))


def terms(raw: dict[str, Any]) -> Terms:
    """Read a call's terms."""
    kind = raw["kind"]
    if kind == "conditional":
        gate, inner = terms(raw["gate"]), terms(raw["inner"])
        assert isinstance(gate, Touch)
        assert not isinstance(inner, Conditional)
        return Conditional(gate, inner)
    at, deadline = source(raw["source"]), parse_time(raw["deadline"])
    if kind == "range":
        return Range(at, parse_decimal(raw["low"]), parse_decimal(raw["high"]), deadline)
    if kind == "relative":
        return Relative(at, source(raw["other"]), parse_decimal(raw["margin"]), deadline)
    made = Touch if kind == "touch" else Close
    return made(at, raw["direction"], parse_decimal(raw["level"]), deadline)


@dataclass
class Bundle:
    """The files of a Floor bundle, and its exchanges read once each."""

    root: Path
    index: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    pages: dict[tuple[str, int], list[Page]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read the index of raw responses."""
        for line in self.lines("raw/index.jsonl"):
            self.index.setdefault(line["sha256"], []).append(line)

    def lines(self, path: str) -> list[Any]:
        """Read a JSONL file, numbers with a fraction as decimals."""
        text = (self.root / path).read_text(encoding="utf-8")
        return [json.loads(line, parse_float=Decimal) for line in text.split("\n")[:-1]]

    def table(self, path: str) -> Any:
        """Read a JSON file, numbers with a fraction as decimals."""
        return json.loads((self.root / path).read_bytes(), parse_float=Decimal)

    def evidence(self, hashes: Iterable[str], times: Span) -> list[Page]:
        """Give the pages of the named bodies that were fetched in time."""
        pages: list[Page] = []
        for sha256 in hashes:
            lines = self.index[sha256]
            in_time = [
                (number, parse_time(line["fetched_at"])) for number, line in enumerate(lines)
            ]
            for number, fetched_at in in_time:
                if times.first <= fetched_at <= times.last:
                    pages.extend(self._pages(sha256, number, fetched_at))
        return pages

    def _pages(self, sha256: str, number: int, fetched_at: int) -> list[Page]:
        key = sha256, number
        if key not in self.pages:
            line = self.index[sha256][number]
            request = line["request"]
            exchange = Exchange(
                line["venue"],
                Ask(request["method"], request["url"], request["body"]),
                line["status"],
                fetched_at,
                sha256,
                (self.root / "raw" / sha256[:2] / sha256).read_bytes(),
            )
            page = evidence_page(exchange)
            self.pages[key] = [] if isinstance(page, Refused) else [page]
        return self.pages[key]


HYPERLIQUID: Final = "https://api.hyperliquid.xyz/info"
COINBASE: Final = "https://api.exchange.coinbase.com"
ADVANCED: Final = "https://api.coinbase.com"


def exchange(
    url: str,
    content: bytes | str,
    *,
    body: dict[str, Any] | None = None,
    status: int = 200,
    fetched_at: int,
    sha256: str = "0" * 64,
) -> Exchange:
    """Store an exchange; a request with a body is a POST to Hyperliquid."""
    data = content.encode() if isinstance(content, str) else content
    venue, method = ("coinbase", "GET") if body is None else ("hyperliquid", "POST")
    return Exchange(venue, Ask(method, url, body), status, fetched_at, sha256, data)


def in_minutes(candles: Iterable[Candle], step: int, covered: Span) -> CandlePath:
    """Use candles coarser than a minute as given: each of their minutes holds their prices."""
    minutes = tuple(
        candle._replace(start=start)
        for candle in candles
        for start in range(candle.start, candle.start + step, MINUTE_MS)
    )
    return CandlePath(minutes, (covered,))
