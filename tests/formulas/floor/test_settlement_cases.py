"""
The settlement cases, each settled from rows that went through a venue's adapter.

The cases have rows of five minutes: every minute of such a row gets its prices,
so extremes, closes and gaps stay what they are. Cases marked by_rule are asked
for the answer of floor-rules/1, named beside each.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from floor_evidence import COINBASE, HYPERLIQUID, exchange, in_minutes, rules
from shared import FIXTURES

from formulas.floor.attempts import schedule, timing_problems
from formulas.floor.paths import Candle, CandlePath, FundingPath, Span
from formulas.floor.primitives import HOUR_MS, MINUTE_MS
from formulas.floor.settlement import Attempt, Market, attempt
from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Terms, Touch
from verifier.venues.evidence import read
from verifier.venues.exchange import CandlePage, Refused

CASES = {
    case["id"][-3:]: case
    for case in json.loads((FIXTURES / "vectors/floor/settlement.json").read_bytes())["cases"]
}
SOURCE = Source("hyperliquid", "BTC", "price")
OTHER = SOURCE.second()
RULES = rules().settlement
FIVE = 5 * MINUTE_MS

# Where the case lists an answer for each reading, the one of floor-rules/1.
OURS = {
    "004": "at_or_beyond",  # a print on the level touches
    "005": "at_or_beyond",
    "016": "strictly_beyond",  # a close on the level misses
    "019": "void_on_any_gap",  # a touch before a gap does not survive it
}
MEANING = {
    "hit": Attempt("settled", "hit"),
    "miss": Attempt("settled", "miss"),
    "retry_then_void": Attempt("data_gap"),
    "wait_up_to_1h_then_void": Attempt("unconfirmed"),
}


def page(case: dict[str, Any], name: str = "rows") -> CandlePage | Refused:
    """Put a case's rows into a reply of the venue they are shaped like, and read it."""
    call = case["input"]["call"]
    fetched_at = call["deadline_ms"] + 2 * MINUTE_MS
    if "array_rows" in case["input"]:
        made = exchange(
            f"{COINBASE}/products/BTC-USD/candles?granularity=300",
            json.dumps(case["input"]["array_rows"]),
            fetched_at=fetched_at,
        )
    else:
        rows = [{**row, "s": "BTC", "i": "5m", "v": "1.5", "n": 1} for row in case["input"][name]]
        req = {"coin": "BTC", "interval": "5m", "startTime": call["posted_ms"]}
        made = exchange(
            HYPERLIQUID,
            json.dumps(rows),
            body={"type": "candleSnapshot", "req": req},
            fetched_at=fetched_at,
        )
    read_page = read(made)
    assert isinstance(read_page, CandlePage | Refused)
    return read_page


def called(call: dict[str, Any]) -> Terms:
    """Read a case's call."""
    if call["kind"] == "range":
        return Range(SOURCE, Decimal(call["low"]), Decimal(call["high"]), call["deadline_ms"])
    made = Touch if call["kind"] == "touch" else Close
    return made(SOURCE, call["side"], Decimal(call["level"]), call["deadline_ms"])


def settle(call: dict[str, Any], source: CandlePath, confirm: CandlePath | None = None) -> Attempt:
    """Settle a case; without a second venue of its own the source confirms itself."""
    result = attempt(
        called(call),
        call["posted_ms"],
        source=Market({SOURCE: source}),
        confirm=Market({OTHER: source if confirm is None else confirm}),
        rules=RULES,
    )
    assert isinstance(result, Attempt)
    return result


def minutes(read_page: CandlePage | Refused, call: dict[str, Any]) -> CandlePath:
    """Give a page's rows as minutes, with everything up to the deadline asked for."""
    assert isinstance(read_page, CandlePage)
    covered = Span(call["posted_ms"] - HOUR_MS, call["deadline_ms"])
    return in_minutes(read_page.path.candles, FIVE, covered)


def numbers(*first_last: int) -> list[str]:
    """Name cases from the first to the last."""
    first, last = first_last
    return [f"{number:03}" for number in range(first, last + 1)]


@pytest.mark.parametrize("number", [*numbers(1, 8), *numbers(10, 24), *numbers(26, 27)])
def test_windows(number: str) -> None:
    """Wicks, edges, gaps and the bounds of the window."""
    case = CASES[number]
    call, expected = case["input"]["call"], case["expected"]
    result = settle(call, minutes(page(case), call))
    outcome = expected.get("outcome") or expected["by_rule"][OURS[number]]
    wanted = MEANING[outcome]
    assert result.result == wanted.result
    assert result.outcome == wanted.outcome
    if "deciding_row_t" in expected:
        assert result.deciding is not None
        assert result.deciding.at == expected["deciding_row_t"]
    if "value" in expected:
        assert result.deciding is not None
        assert Decimal(result.deciding.source) == Decimal(expected["value"])


def test_posted_inside_a_coarse_row() -> None:
    """s009: the minutes show that the wick came before the posting."""
    case = CASES["009"]
    call = case["input"]["call"]
    coarse = minutes(page(case), call)
    fine = {
        row["t"]: Candle._make([row["t"], *(Decimal(row[name]) for name in "ohlc"), Decimal(1)])
        for row in case["input"]["rows_1m"]
    }
    candles = tuple(fine.get(candle.start, candle) for candle in coarse.candles)
    assert settle(call, CandlePath(candles, coarse.covered)).outcome == "miss"


@pytest.mark.parametrize(
    ("number", "code"), [("025", "conflict"), ("028", "price"), ("029", "price")]
)
def test_refused_rows(number: str, code: str) -> None:
    """Two values for one row, an empty price, high below low: the body is refused by name."""
    refused = page(CASES[number])
    assert isinstance(refused, Refused)
    assert refused.code == code


@pytest.mark.parametrize("number", numbers(30, 33))
def test_confirmation(number: str) -> None:
    """Within 0.5 % of the source's value, the bound included; absence is no confirmation."""
    case = CASES[number]
    call = case["input"]["call"]
    second = minutes(page(case, "second_rows"), call)
    result = settle(call, minutes(page(case), call), second)
    assert result[:2] == MEANING[case["expected"]["outcome"]][:2]


def test_before_the_grace() -> None:
    """s034: nothing is settled before the deadline and two minutes."""
    call = CASES["034"]["input"]["call"]
    earliest = CASES["034"]["expected"]["earliest_fetch_ms"]
    assert schedule(call["deadline_ms"], RULES).first == earliest

    def problems(at: int) -> tuple[str, ...]:
        return timing_problems([at], data_void=False, deadline=call["deadline_ms"], rules=RULES)

    assert problems(CASES["034"]["input"]["fetched_ms"])
    assert not problems(earliest)


@pytest.mark.parametrize("number", ["035", "036"])
def test_the_stored_response_after_the_grace_decides(number: str) -> None:
    """An earlier fetch is not used, and a later one does not change what was recorded."""
    case = CASES[number]
    call, expected = case["input"]["call"], case["expected"]
    first = schedule(call["deadline_ms"], RULES).first
    used = next(r for r in case["input"]["responses"] if r["fetched_ms"] >= first)
    rows = {"input": {"call": call, "rows": used["rows"]}}
    result = settle(call, minutes(page(rows), call))
    assert result.outcome == (expected.get("outcome") or expected["recomputed_from_stored"])


@pytest.mark.parametrize(("number", "outcome"), [("037", "miss"), ("038", "hit")])
def test_relative(number: str, outcome: str) -> None:
    """Equal returns miss (strictly_beats, clarification 18); the margin itself is reached."""
    given = CASES[number]["input"]
    deadline, sources = HOUR_MS * 500_000, {}
    for name, symbol in (("a", "ETH"), ("b", "SOL")):
        start, end = Decimal(given[name]["start"]), Decimal(given[name]["end"])
        candles = tuple(
            Candle(at, price, price, price, price, Decimal(1))
            for at in range(deadline - HOUR_MS - MINUTE_MS, deadline, MINUTE_MS)
            for price in (start if at < deadline - MINUTE_MS else end,)
        )
        sources[Source("hyperliquid", symbol, "price")] = CandlePath(candles)
    a, b = sources
    result = attempt(
        Relative(a, b, Decimal(given["margin"]), deadline),
        deadline - HOUR_MS,
        source=Market(sources),
        confirm=Market({source.second(): path for source, path in sources.items()}),
        rules=RULES,
    )
    assert isinstance(result, Attempt)
    assert result.outcome == outcome


@pytest.mark.parametrize(
    ("number", "result"), [("039", "data_gap"), ("040", "data_gap"), ("041", "hit")]
)
def test_funding(number: str, result: str) -> None:
    """
    The print of the deadline's hour decides, and the six hours before it are read.

    The cases show only the hours since posting, so the earlier ones of the six
    are added. s039 stops an hour short of its deadline: there the rule's value,
    the print of that hour, is missing, which clarification 20 makes a gap.
    s041: hour_bucket.
    """
    given = CASES[number]["input"]
    call = given["call"]
    prints = {made["time"] // HOUR_MS * HOUR_MS: Decimal(made["rate"]) for made in given["prints"]}
    before = range(call["deadline_ms"] - 6 * HOUR_MS, min(prints), HOUR_MS)
    path = FundingPath(
        prints | dict.fromkeys(before, Decimal(0)),
        (Span(before.start, call["deadline_ms"]),),
    )
    source = Source("hyperliquid", "ETH", "funding")
    terms = Close(source, call["side"], Decimal(call["level"]), call["deadline_ms"])
    made = attempt(
        terms, call["posted_ms"], source=Market({}, {source: path}), confirm=Market(), rules=RULES
    )
    assert isinstance(made, Attempt)
    assert (made.outcome or made.result) == result


@pytest.mark.parametrize("met_after", [None, 0])
def test_gate(met_after: int | None) -> None:
    """s042, s043 (before_deadline): a gate not met before its deadline voids, whatever follows."""
    assert CASES["042"]["expected"]["outcome"] == "void"
    gate_deadline, deadline = HOUR_MS * 500_000, HOUR_MS * 500_001
    candles = tuple(
        Candle(
            at, *(Decimal(100 if at >= gate_deadline and met_after == 0 else 90),) * 4, Decimal(1)
        )
        for at in range(gate_deadline - HOUR_MS, deadline, MINUTE_MS)
    )
    market = Market({SOURCE: CandlePath(candles), OTHER: CandlePath(candles)})
    terms = Conditional(
        Touch(SOURCE, "above", Decimal(100), gate_deadline),
        Touch(SOURCE, "below", Decimal(95), deadline),
    )
    result = attempt(terms, gate_deadline - HOUR_MS, source=market, confirm=market, rules=RULES)
    assert isinstance(result, Attempt)
    assert (result.outcome, result.reason) == ("void", "gate_not_met")
    assert result.deciding is not None
    assert result.deciding.at == gate_deadline


def test_scaled_prices() -> None:
    """s044: with the stated decimals the level is reached."""
    case = CASES["044"]
    call = case["input"]["call"]
    rows = [
        Candle(row["t"], *(Decimal(row["high_scaled"]).scaleb(-row["decimals"]),) * 4, Decimal(1))
        for row in case["input"]["scaled_rows"]
    ]
    path = in_minutes(rows, FIVE, Span(call["posted_ms"], call["deadline_ms"]))
    assert settle(call, path).outcome == case["expected"]["outcome"]


def test_every_case_is_used() -> None:
    """No case of the file is left out."""
    assert set(CASES) == set(numbers(1, 44))
