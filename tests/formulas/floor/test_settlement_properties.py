"""Settlement on drawn paths, read from drawn answers: what must not matter."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from floor_evidence import COINBASE, HYPERLIQUID, exchange, rules
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas.floor.paths import Candle, CandlePath, Span, join_spans
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, format_time
from formulas.floor.settlement import Attempt, Market, Unseen, attempt
from formulas.floor.terms import Close, Range, Source, Terms, Touch
from verifier.venues.evidence import evidence_page, market
from verifier.venues.exchange import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.venues.exchange import Page

RULES = rules().settlement
POSTED = 1_793_600_000_000 // HOUR_MS * HOUR_MS
MINUTES = 60
DEADLINE = POSTED + MINUTES * MINUTE_MS
FETCHED = DEADLINE + 2 * MINUTE_MS
HL = Source("hyperliquid", "BTC", "price")
CB = HL.second()


def at(minute: int) -> int:
    """Give the start of a minute after posting."""
    return POSTED + minute * MINUTE_MS


def settle(terms: Terms, path: CandlePath) -> Attempt | Unseen:
    """Settle a call on a path that confirms itself."""
    return attempt(
        terms, POSTED, source=Market({HL: path}), confirm=Market({CB: path}), rules=RULES
    )


TOUCH = Touch(HL, "above", Decimal(101), DEADLINE)
BELOW = Touch(HL, "below", Decimal(99), DEADLINE)
RANGE = Range(HL, Decimal(99), Decimal(101), DEADLINE)
ABOVE = Close(HL, "above", Decimal("99.5"), DEADLINE)

TICKS = st.lists(st.integers(97, 103), min_size=2, max_size=2)
WALKS = st.lists(st.one_of(st.none(), TICKS), min_size=MINUTES, max_size=MINUTES)
CALLS = st.sampled_from([TOUCH, BELOW, RANGE, ABOVE])


def rows_of(walk: Sequence[Sequence[int] | None]) -> dict[int, dict[str, Any]]:
    """Give the rows of a walk in Hyperliquid's shape, by start."""
    rows = {}
    for minute, ticks in enumerate(walk):
        if ticks is not None:
            low, high = sorted(ticks)
            rows[at(minute)] = {
                "t": at(minute),
                "T": at(minute) + MINUTE_MS - 1,
                "s": "BTC",
                "i": "1m",
                "o": f"{low}.0",
                "h": f"{high}.0",
                "l": f"{low}.0",
                "c": f"{high}.0",
                "v": "1.0",
                "n": 3,
            }
    return rows


def page(rows: Sequence[dict[str, Any]], first: int, last: int, fetched_at: int) -> Page:
    """Put rows into one answer of Hyperliquid."""
    req = {"coin": "BTC", "interval": "1m", "startTime": at(first), "endTime": at(last)}
    body = {"type": "candleSnapshot", "req": req}
    made = evidence_page(exchange(HYPERLIQUID, json.dumps(rows), body=body, fetched_at=fetched_at))
    assert not isinstance(made, Refused), made
    return made


def second_page(rows: dict[int, dict[str, Any]]) -> Page:
    """Put the same rows into an answer of Coinbase."""
    body = [
        [start // 1000, float(row["l"]), float(row["h"]), float(row["o"]), float(row["c"]), 1]
        for start, row in sorted(rows.items(), reverse=True)
    ]
    url = (
        f"{COINBASE}/products/BTC-USD/candles?granularity=60"
        f"&start={format_time(at(-20))}&end={format_time(DEADLINE)}"
    )
    made = evidence_page(exchange(url, json.dumps(body), fetched_at=FETCHED))
    assert not isinstance(made, Refused), made
    return made


@given(WALKS, CALLS, st.data())
def test_settlement_does_not_depend_on_how_responses_are_cut(
    walk: list[list[int] | None], terms: Terms, data: st.DataObject
) -> None:
    """One answer, or many that overlap, in any order and with their rows shuffled: the same."""
    rows = rows_of(walk)
    whole = page(list(rows.values()), -11, MINUTES, FETCHED)
    confirm = market([second_page(rows)])
    cuts = sorted(data.draw(st.sets(st.integers(1, MINUTES - 1), max_size=4)))
    pages = []
    for first, last in zip([-11, *cuts], [*cuts, MINUTES], strict=True):
        reach = data.draw(st.integers(0, 5))
        own = [row for start, row in rows.items() if at(first) <= start <= at(last + reach)]
        fetched_at = FETCHED + 1000 * data.draw(st.integers(0, 50))
        pages.append(page(data.draw(st.permutations(own)), first, last + reach, fetched_at))
    results = [
        attempt(terms, POSTED, source=market(asked), confirm=confirm, rules=RULES)
        for asked in ([whole], pages, data.draw(st.permutations(pages)), [*pages, whole])
    ]
    assert results[1:] == results[:1] * 3


@given(WALKS, st.integers(0, MINUTES - 1), st.integers(101, 150))
def test_a_wick_never_turns_a_hit_into_a_miss(
    walk: list[list[int] | None], minute: int, height: int
) -> None:
    """A print added inside the window can only help a touch."""
    assume(walk[minute] is not None)
    rows = rows_of(walk)
    before = attempt(
        TOUCH,
        POSTED,
        source=market([page(list(rows.values()), -11, MINUTES, FETCHED)]),
        confirm=market([second_page(rows)]),
        rules=RULES,
    )
    high = max(height, int(rows[at(minute)]["h"][:-2]))
    rows[at(minute)] = {**rows[at(minute)], "h": f"{high}.0"}
    after = attempt(
        TOUCH,
        POSTED,
        source=market([page(list(rows.values()), -11, MINUTES, FETCHED)]),
        confirm=market([second_page(rows)]),
        rules=RULES,
    )
    assert isinstance(before, Attempt)
    assert isinstance(after, Attempt)
    if before.result == "settled":
        assert after.outcome == "hit"


@given(WALKS, CALLS, st.sampled_from([2, 10, 1000]))
def test_scaling_all_prices_changes_no_outcome(
    walk: list[list[int] | None], terms: Terms, factor: int
) -> None:
    """A price in another unit settles alike."""

    def scaled(row: Candle) -> Candle:
        return Candle._make([row.start, *(value * factor for value in row[1:5]), row.volume])

    rows = page(list(rows_of(walk).values()), -11, MINUTES, FETCHED)
    one = market([rows]).minutes[HL]
    many = CandlePath(tuple(map(scaled, one.candles)), one.covered)
    if isinstance(terms, Range):
        bigger: Terms = Range(HL, terms.low * factor, terms.high * factor, DEADLINE)
    else:
        assert isinstance(terms, Touch | Close)
        bigger = type(terms)(HL, terms.direction, terms.level * factor, DEADLINE)
    made, other = settle(terms, one), settle(bigger, many)
    assert made[:2] == other[:2]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(-2, 8)), max_size=8))
def test_joined_spans_cover_the_same(spans: list[tuple[int, int]]) -> None:
    """Joining changes no start, and leaves a hole between each two spans."""
    raw = [Span(first, first + length) for first, length in spans]
    joined = join_spans(raw, 1)
    inside = {start for span in raw for start in range(span.first, span.last + 1)}
    whole = CandlePath((), joined, 1)
    assert {start for start in range(-5, 70) if whole.covers(start)} == inside
    assert all(two.first > one.last + 1 for one, two in pairwise(joined))
