"""
Answers of the venues, and the requests that they are said to answer.

The first line of an input is one of ``raw/index.jsonl``, and the rest the body; where it is
none, the whole input is the answer to an honest request of each kind. An answer is refused
by name, or is a page that holds: ascending closed candles, of covered spans with holes
between, which merged with themselves stay what they are and are no revision of themselves.
"""

from dataclasses import replace
from typing import Final

from formulas.floor.paths import join_spans
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, parse_time
from verifier.collect.revisions import compare
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError
from verifier.floor.rows import read_raw_line
from verifier.venues import coinbase, hyperliquid
from verifier.venues.evidence import candle_paths, evidence_page, funding_paths, read
from verifier.venues.exchange import Ask, CandlePage, Exchange, Refused

FIRST: Final = parse_time("2026-11-02T10:00:00Z")
LAST: Final = FIRST + 2 * HOUR_MS
AT: Final = LAST + 2 * HOUR_MS
ADVANCED: Final = (
    f"{coinbase.ADVANCED_URL}BTC-USD/candles?granularity=ONE_MINUTE"
    f"&start={FIRST // 1000}&end={LAST // 1000}"
)
NOTHING: Final = (b"[]", b'{"candles":[]}')
ASKS: Final = (
    *hyperliquid.candle_requests("BTC", "1m", FIRST, LAST),
    *hyperliquid.funding_requests("BTC", FIRST, LAST),
    *coinbase.candle_requests("BTC", MINUTE_MS, FIRST, LAST),
    Ask("GET", ADVANCED, None),
)


def one_input(data: bytes) -> None:
    """Read *data* as an exchange, or as the answer to each of the requests."""
    first, _, content = data.partition(b"\n")
    try:
        line = read_raw_line(1, read_json(first), first)
    except EvidenceError:
        exchanges = [
            Exchange("coinbase" if ask.body is None else "hyperliquid", ask, 200, AT, "", data)
            for ask in ASKS
        ]
    else:
        ask = Ask(line.method, line.url, line.body)
        exchanges = [Exchange(line.venue, ask, line.status, line.fetched_at, line.sha256, content)]
    for exchange in exchanges:
        judged(exchange)


def judged(exchange: Exchange) -> None:
    """Read one exchange, and demand of a page what every page promises."""
    page, counted = read(exchange), evidence_page(exchange)
    if isinstance(page, Refused):
        assert counted == page
        assert page.reason
        assert len(page.reason) < 1_000
        return
    if not isinstance(counted, Refused):
        assert type(counted) is type(page)
        assert counted.path == page.path
    if isinstance(page, CandlePage):
        step = page.path.step
        starts = page.path.starts
        assert list(starts) == sorted(set(starts))
        assert all(start + step <= exchange.fetched_at for start in starts)
        assert all(0 < row.low <= row.high for row in page.path.candles)
        assert list(candle_paths([page, page], step).values()) == [page.path]
    else:
        step = HOUR_MS
        assert all(hour % HOUR_MS == 0 for hour in page.path.prints)
        assert list(funding_paths([page, page]).values()) == [page.path]
    assert page.path.covered == join_spans(page.path.covered, step)
    same = compare([page], [page], [page])
    assert not same.revisions
    assert not same.unseen
    assert all(map(str, same.compared))
    for body in NOTHING:
        empty = read(replace(exchange, content=body))
        if not isinstance(empty, Refused):
            assert all(map(str, compare([page], [empty], [empty]).revisions))
            assert all(map(str, compare([empty], [page], [empty]).revisions))
