"""
Hyperliquid: ``candleSnapshot`` and ``fundingHistory``.

One address, ``POST https://api.hyperliquid.xyz/info``. Prices and rates are
JSON strings, times JSON integers of milliseconds.

``{"type":"candleSnapshot","req":{"coin","interval","startTime","endTime"}}``
answers ``[{"t","T","s","i","o","h","l","c","v","n"}, …]``: open time, last
millisecond, coin, interval, prices, volume, number of trades. Returned are
candles that *overlap* the span, so the first may open before ``startTime``; the
running one is among them. At most 5,000 rows, and only the newest 5,000 of an
interval exist. A row with ``n`` = 0 is no candle.

``{"type":"fundingHistory","coin","startTime","endTime"}`` answers
``[{"coin","fundingRate","premium","time"}, …]``, at most 500, oldest first. A
print is stamped some milliseconds after its hour and is named by the hour.

``endTime`` may be left out and is then the time of the fetch.

Source:
    venues/README.md "Hyperliquid"; floor-clarifications.md 10-12, 38-42.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.floor.paths import Candle, CandlePath, FundingPath, Span, join_spans
from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS
from verifier.venues.body import (
    check_candle,
    check_status,
    read_body,
    sane,
    text_decimal,
    unique,
    whole,
)
from verifier.venues.exchange import (
    Ask,
    CandlePage,
    Exchange,
    FundingPage,
    Refused,
    RefusedError,
)

if TYPE_CHECKING:
    from decimal import Decimal


__all__ = [
    "INTERVALS",
    "MAX_ROWS",
    "MAX_ROWS_FUNDING",
    "URL",
    "candle_requests",
    "funding_requests",
    "parse",
]

URL: Final = "https://api.hyperliquid.xyz/info"
MAX_ROWS: Final = 5_000
MAX_ROWS_FUNDING: Final = 500

# Months have no fixed length, so "1M" is not read.
INTERVALS: Final = {
    "1m": MINUTE_MS,
    "3m": 3 * MINUTE_MS,
    "5m": 5 * MINUTE_MS,
    "15m": 15 * MINUTE_MS,
    "30m": 30 * MINUTE_MS,
    "1h": HOUR_MS,
    "2h": 2 * HOUR_MS,
    "4h": 4 * HOUR_MS,
    "8h": 8 * HOUR_MS,
    "12h": 12 * HOUR_MS,
    "1d": DAY_MS,
}

# A print is never asked for with its own hour as the end: it is stamped later.
_PRINT_LATENESS: Final = MINUTE_MS


class _Print(NamedTuple):
    """A funding print: when it was stamped, ms, and the rate of that hour."""

    time: int
    rate: Decimal


def candle_requests(symbol: str, interval: str, first: int, last: int) -> tuple[Ask, ...]:
    """
    Ask for candles, in pages of at most 5,000.

    Args:
        symbol: The coin.
        interval: One of :data:`INTERVALS`.
        first: First open time, ms.
        last: Last open time, ms.

    Returns:
        The requests, oldest first; together they cover *first* to *last*.
    """
    step = INTERVALS[interval]
    return tuple(
        Ask(
            "POST",
            URL,
            {
                "type": "candleSnapshot",
                "req": {
                    "coin": symbol,
                    "interval": interval,
                    "startTime": start,
                    "endTime": min(start + (MAX_ROWS - 2) * step, last),
                },
            },
        )
        # One row fewer than a page holds: a full page covers only what it shows.
        for start in range(first, last + 1, (MAX_ROWS - 1) * step)
    )


def funding_requests(symbol: str, first: int, last: int) -> tuple[Ask, ...]:
    """
    Ask for funding prints, in pages of at most 500.

    Args:
        symbol: The coin.
        first: First hour, ms.
        last: Last hour, ms.

    Returns:
        The requests, oldest first; together they cover *first* to *last*.
    """
    return tuple(
        Ask(
            "POST",
            URL,
            {
                "type": "fundingHistory",
                "coin": symbol,
                "startTime": start,
                "endTime": min(start + (MAX_ROWS_FUNDING - 2) * HOUR_MS, last) + _PRINT_LATENESS,
            },
        )
        for start in range(first, last + 1, (MAX_ROWS_FUNDING - 1) * HOUR_MS)
    )


def parse(exchange: Exchange) -> CandlePage | FundingPage | Refused:
    """
    Read an answer of Hyperliquid.

    Args:
        exchange: The stored exchange.

    Returns:
        Its candles or prints, or why it contributes nothing.

    Source:
        floor-clarifications.md 10-12, 38, 40-42.
    """
    try:
        return _page(exchange)
    except RefusedError as refusal:
        return refusal.refused


def _page(exchange: Exchange) -> CandlePage | FundingPage:
    check_status(exchange.status)
    ask = exchange.ask
    if (ask.method, ask.url) != ("POST", URL) or exchange.venue != "hyperliquid":
        raise RefusedError("request", f"not POST {URL}")
    body = dict(ask.body or {})
    kind = body.pop("type", None)
    if kind == "candleSnapshot":
        return _candles(exchange, body)
    if kind == "fundingHistory":
        return _funding(exchange, body)
    raise RefusedError("request", f"no request for candles or funding: {str(kind)[:40]!r}")


def _candles(exchange: Exchange, body: dict[str, object]) -> CandlePage:
    req = body.pop("req", None)
    if body or not isinstance(req, dict):
        raise RefusedError("request", "candleSnapshot takes req and nothing else")
    interval = req.get("interval")
    step = INTERVALS.get(interval) if isinstance(interval, str) else None
    if step is None:
        raise RefusedError("request", f"unknown interval {str(interval)[:40]!r}")
    coin, begin, end = _asked(req, exchange.fetched_at, {"interval"})
    rows = _rows(exchange.content)
    made = unique(_row(row, coin, str(interval), step) for row in rows)
    closed = tuple(
        row for row, trades in made if trades and row.start + step <= exchange.fetched_at
    )
    first = begin // step * step
    last = min(end, exchange.fetched_at - step) // step * step
    # Only the newest 5,000 candles of an interval exist at the venue.
    first = max(first, -(-(exchange.fetched_at - MAX_ROWS * step) // step) * step)
    if len(rows) >= MAX_ROWS:
        first, last = max(first, made[0][0].start), min(last, made[-1][0].start)
    return CandlePage(
        "candleSnapshot",
        "hyperliquid",
        coin,
        CandlePath(closed, join_spans([Span(first, last)] if begin <= end else [], step), step),
        exchange.fetched_at,
        exchange.sha256,
    )


def _row(row: dict[str, object], coin: str, interval: str, step: int) -> tuple[Candle, int]:
    """Read a row and its number of trades."""
    try:
        got = row["s"], row["i"]
        start, end, trades = whole(row["t"], "t"), whole(row["T"], "T"), whole(row["n"], "n")
        made = Candle(
            start,
            text_decimal(row["o"]),
            text_decimal(row["h"]),
            text_decimal(row["l"]),
            text_decimal(row["c"]),
            text_decimal(row["v"]),
        )
    except KeyError as problem:
        raise RefusedError("shape", f"a candle lacks the member {problem}") from problem
    if got != (coin, interval):
        raise RefusedError(
            "identity", f"a candle of {str(got)[:80]}, asked was {coin!r} {interval!r}"
        )
    check_candle(made, step)
    if end != start + step - 1:
        raise RefusedError("time", f"candle {start} does not end with its interval")
    if trades < 0:
        raise RefusedError("shape", f"candle {start} has {trades} trades")
    # A row without trades may hold anything; it is no candle.
    if trades and not made.low > 0:
        raise RefusedError("price", f"candle {start}: low {made.low} is not positive")
    return made, trades


def _funding(exchange: Exchange, body: dict[str, object]) -> FundingPage:
    coin, begin, end = _asked(body, exchange.fetched_at, set())
    rows = _rows(exchange.content)
    prints: dict[int, _Print] = {}
    seen: dict[int, _Print] = {}
    for row in rows:
        if not row.keys() >= {"coin", "fundingRate", "time"}:
            raise RefusedError("shape", "a print lacks a member")
        if row["coin"] != coin:
            raise RefusedError("identity", f"a print of {str(row['coin'])[:40]!r}, not {coin!r}")
        time = whole(row["time"], "time")
        sane(time)
        made = _Print(time, text_decimal(row["fundingRate"]))
        if seen.setdefault(time, made) != made:
            raise RefusedError("conflict", f"print {time} twice with different values")
        hour = time // HOUR_MS * HOUR_MS
        known = prints.get(hour)
        if time <= exchange.fetched_at and (known is None or known.time < time):
            prints[hour] = made
    first = -(-begin // HOUR_MS) * HOUR_MS
    last = (min(end, exchange.fetched_at) - _PRINT_LATENESS) // HOUR_MS * HOUR_MS
    if len(rows) >= MAX_ROWS_FUNDING:
        hours = [time // HOUR_MS * HOUR_MS for time in seen]
        first, last = max(first, min(hours)), min(last, max(hours))
    rates = {hour: made.rate for hour, made in prints.items()}
    path = FundingPath(rates, join_spans([Span(first, last)], HOUR_MS))
    return FundingPage(coin, path, exchange.fetched_at, exchange.sha256)


def _asked(req: dict[str, object], fetched_at: int, more: set[str]) -> tuple[str, int, int]:
    """Take coin and bounds from a request."""
    if not {"coin", "startTime"} | more <= req.keys() <= {"coin", "startTime", "endTime"} | more:
        raise RefusedError("request", "a member is missing or unknown")
    coin, begin, end = req["coin"], req["startTime"], req.get("endTime", fetched_at)
    if not isinstance(coin, str):
        raise RefusedError("request", "coin is no string")
    for bound in (begin, end):
        if isinstance(bound, bool) or not isinstance(bound, int):
            raise RefusedError("request", "a bound is no integer of milliseconds")
    assert isinstance(begin, int)
    assert isinstance(end, int)
    return coin, begin, end


def _rows(content: bytes) -> list[dict[str, object]]:
    value = read_body(content)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise RefusedError("shape", "not a list of objects")
    return value
