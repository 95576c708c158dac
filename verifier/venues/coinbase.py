"""
Coinbase: Exchange candles and Advanced Trade candles.

Exchange: ``GET https://api.exchange.coinbase.com/products/SYM-USD/candles``
with ``granularity`` in seconds, ``start`` and ``end`` (ISO 8601 UTC or
seconds). Answers rows ``[time, low, high, open, close, volume]``, newest first:
time in **seconds**, *low before high before open*, prices as JSON numbers. Both
bounds are inclusive, and the first row is the first that opens at or after
``start``. At most 300 rows. If a bound is missing or start is after end the
venue ignores them, so the rows count but cover nothing. An interval without
trades has no row. Bodies name no product: the request is what says it.

Advanced Trade: ``GET https://api.coinbase.com/api/v3/brokerage/market/products/
SYM-USD/candles`` with a named granularity and bounds in seconds. Answers
``{"candles": [{"start", "low", "high", "open", "close", "volume"}, …]}``, every
value a string. At most 350 rows. It is read, but is no evidence on the Floor.

Source:
    venues/README.md "Coinbase Exchange", "Coinbase Advanced Trade";
    floor-clarifications.md 10-12, 39-42.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from fractions import Fraction
from typing import Final
from urllib.parse import parse_qsl

from formulas.floor.paths import Candle, CandlePath, Span, join_spans
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS, format_time
from verifier.venues.body import (
    check_candle,
    check_status,
    number_decimal,
    number_volume,
    read_body,
    text_decimal,
    unique,
    whole,
)
from verifier.venues.exchange import Ask, CandlePage, Endpoint, Exchange, Refused, RefusedError

__all__ = ["ADVANCED_URL", "MAX_ROWS", "MAX_ROWS_ADVANCED", "URL", "candle_requests", "parse"]

URL: Final = "https://api.exchange.coinbase.com/products/"
ADVANCED_URL: Final = "https://api.coinbase.com/api/v3/brokerage/market/products/"
MAX_ROWS: Final = 300
MAX_ROWS_ADVANCED: Final = 350

_STEPS: Final = {
    str(seconds): seconds * SECOND_MS for seconds in (60, 300, 900, 3_600, 21_600, 86_400)
}
_ADVANCED_STEPS: Final = {
    "ONE_MINUTE": MINUTE_MS,
    "FIVE_MINUTE": 5 * MINUTE_MS,
    "FIFTEEN_MINUTE": 15 * MINUTE_MS,
    "THIRTY_MINUTE": 30 * MINUTE_MS,
    "ONE_HOUR": HOUR_MS,
    "TWO_HOUR": 2 * HOUR_MS,
    "FOUR_HOUR": 4 * HOUR_MS,
    "SIX_HOUR": 6 * HOUR_MS,
    "ONE_DAY": 24 * HOUR_MS,
}
_PATH: Final = re.compile(r"([A-Z0-9]+-[A-Z0-9]+)/candles")
_SECONDS: Final = re.compile(r"[0-9]{1,12}")
_ISO: Final = re.compile(r"([0-9-]{10}T[0-9:]{8})(?:\.([0-9]{1,9}))?(?:Z|\+00:00)")
_ADVANCED_TIME: Final = re.compile(r"0|[1-9][0-9]{0,11}")


def candle_requests(symbol: str, step: int, first: int, last: int) -> tuple[Ask, ...]:
    """
    Ask Exchange for candles against the dollar, in pages of fewer than 300.

    Args:
        symbol: The bare symbol.
        step: Interval, ms: a minute or an hour.
        first: First open time, ms.
        last: Last open time, ms.

    Returns:
        The requests, oldest first; together they cover *first* to *last*.
    """
    return tuple(
        Ask(
            "GET",
            f"{URL}{symbol}-USD/candles?granularity={step // SECOND_MS}"
            f"&start={format_time(start)}"
            f"&end={format_time(min(start + (MAX_ROWS - 2) * step, last))}",
            None,
        )
        # One row fewer than a page holds: a full page covers only what it shows.
        for start in range(first, last + 1, (MAX_ROWS - 1) * step)
    )


def parse(exchange: Exchange) -> CandlePage | Refused:
    """
    Read an answer of Coinbase.

    Args:
        exchange: The stored exchange.

    Returns:
        Its candles, or why it contributes nothing.

    Source:
        floor-clarifications.md 10-12, 39-42.
    """
    try:
        return _page(exchange)
    except RefusedError as refusal:
        return refusal.refused


def _page(exchange: Exchange) -> CandlePage:
    check_status(exchange.status)
    ask = exchange.ask
    address, _, query = ask.url.partition("?")
    if ask.method != "GET" or ask.body is not None or exchange.venue != "coinbase":
        raise RefusedError("request", "not a GET without body to Coinbase")
    if address.startswith(URL):
        endpoint: Endpoint = "exchange-candles"
        steps, max_rows, prefix = _STEPS, MAX_ROWS, URL
    elif address.startswith(ADVANCED_URL):
        endpoint = "advanced-candles"
        steps, max_rows, prefix = _ADVANCED_STEPS, MAX_ROWS_ADVANCED, ADVANCED_URL
    else:
        raise RefusedError("request", f"no address of Coinbase candles: {address[:80]!r}")
    path = _PATH.fullmatch(address.removeprefix(prefix))
    if path is None:
        raise RefusedError("request", f"no address of Coinbase candles: {address[:80]!r}")
    members = _query(query)
    step = steps.get(members.get("granularity", ""))
    if step is None:
        raise RefusedError("request", "unknown granularity")
    bounds = [_bound(members[name]) for name in ("start", "end") if name in members]
    value = read_body(exchange.content)
    read = _exchange_rows if endpoint == "exchange-candles" else _advanced_rows
    rows = read(value, step)
    candles = [row for row, _ in unique((row, 1) for row in rows)]
    covered: tuple[Span, ...] = ()
    if len(bounds) == 2 and bounds[0] <= bounds[1]:
        first = -(-bounds[0] // step) * step
        last = min(bounds[1] // step * step, (exchange.fetched_at - step) // step * step)
        if len(rows) >= max_rows:
            first, last = max(first, candles[0].start), min(last, candles[-1].start)
        covered = join_spans([Span(first, last)], step)
    closed = tuple(row for row in candles if row.start + step <= exchange.fetched_at)
    return CandlePage(
        endpoint,
        "coinbase",
        path[1].removesuffix("-USD"),
        CandlePath(closed, covered, step),
        exchange.fetched_at,
        exchange.sha256,
    )


def _query(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, strict_parsing=True, keep_blank_values=True, max_num_fields=8)
    except ValueError as problem:
        raise RefusedError("request", "a query that cannot be read") from problem
    members = dict(pairs)
    if len(members) != len(pairs) or not members.keys() <= {"granularity", "start", "end"}:
        raise RefusedError("request", "a query member is unknown or stands twice")
    return members


def _bound(text: str) -> Fraction:
    if _SECONDS.fullmatch(text):
        return Fraction(int(text) * SECOND_MS)
    iso = _ISO.fullmatch(text)
    try:
        instant = datetime.fromisoformat(iso[1]).replace(tzinfo=UTC) if iso else None
    except ValueError:
        instant = None
    if iso is None or instant is None:
        raise RefusedError("request", f"a bound that is no UTC time: {text[:40]!r}")
    # Exact, since a bound a nanosecond past an open time leaves that candle out.
    fraction = Fraction(int(iso[2] or 0), 10 ** len(iso[2] or ""))
    return (int(instant.timestamp()) + fraction) * SECOND_MS


def _exchange_rows(value: object, step: int) -> list[Candle]:
    if not isinstance(value, list):
        raise RefusedError("shape", "not a list of candles")
    rows = []
    for row in value:
        if not isinstance(row, list) or len(row) != 6:
            raise RefusedError("shape", "a candle that is no row of six")
        time, low, high, opened, closed, volume = row
        made = Candle(
            whole(time, "time") * SECOND_MS,
            number_decimal(opened),
            number_decimal(high),
            number_decimal(low),
            number_decimal(closed),
            number_volume(volume),
        )
        _check(made, step)
        rows.append(made)
    return rows


def _advanced_rows(value: object, step: int) -> list[Candle]:
    rows = value.get("candles") if isinstance(value, dict) else None
    if not isinstance(rows, list):
        raise RefusedError("shape", "not an object with a list of candles")
    names = ("open", "high", "low", "close", "volume")
    made = []
    for row in rows:
        if not isinstance(row, dict) or not row.keys() >= {"start", *names}:
            raise RefusedError("shape", "a candle lacks a member")
        start = row["start"]
        if not isinstance(start, str) or not _ADVANCED_TIME.fullmatch(start):
            raise RefusedError("time", f"a start that is no text of seconds: {str(start)[:40]!r}")
        prices = (text_decimal(row[name]) for name in names)
        candle = Candle._make((int(start) * SECOND_MS, *prices))
        _check(candle, step)
        made.append(candle)
    return made


def _check(row: Candle, step: int) -> None:
    check_candle(row, step)
    if not row.low > 0:
        raise RefusedError("price", f"candle {row.start}: low {row.low} is not positive")
