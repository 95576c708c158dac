"""
The 40 composed venue traps, settled from their raw bodies through the adapters.

Where the clarifications of the Floor decide otherwise than a case states:

* relative-tie-floats: equal returns miss (18), the case says hit.
* seconds-vs-ms: Advanced Trade is no evidence (40). It comes out as stated when
  the endpoint is let in, and is refused when it is not.
* The funding cases hold only the hours since posting, while six hours are read
  (20, 43); the missing earlier hours are put beside them.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from floor_evidence import ADVANCED, COINBASE, HYPERLIQUID, exchange, rules
from shared import FIXTURES

from formulas.floor.attempts import schedule
from formulas.floor.primitives import HOUR_MS
from formulas.floor.settlement import Market, Unseen, attempt
from formulas.floor.terms import Close, Range, Relative, Source, Terms, Touch
from verifier.venues.evidence import evidence_page, market, read
from verifier.venues.exchange import Exchange, Page, Refused

CASES = json.loads((FIXTURES / "vectors" / "floor" / "traps.json").read_bytes())["cases"]
RULES = rules().settlement
BEATEN = {"relative-tie-floats": "miss"}


def called(call: dict[str, Any]) -> Terms:
    """Read a trap's call."""
    venue, deadline = call["venue"], call["deadline_ms"]
    if call["kind"] == "relative":
        a, b = (Source(venue, call[leg], "price") for leg in "ab")
        return Relative(a, b, Decimal(call["margin"]), deadline)
    source = Source(venue, call["symbol"], call["measure"])
    if call["kind"] == "range":
        return Range(source, Decimal(call["lower"]), Decimal(call["upper"]), deadline)
    made = Touch if call["kind"] == "touch" else Close
    return made(source, call["direction"], Decimal(call["level"]), deadline)


def stored(response: dict[str, Any]) -> Exchange:
    """Store a trap's response with the host that its path belongs to."""
    request = response["request"]
    path = request["path"]
    if path == "/info":
        url = HYPERLIQUID
    else:
        url = (ADVANCED if path.startswith("/api/v3/") else COINBASE) + path
    return exchange(
        url,
        response["body"],
        body=request.get("body"),
        status=response["status"],
        fetched_at=response["fetched_at_ms"],
    )


def earlier_prints(call: dict[str, Any]) -> Exchange:
    """Store prints of the hours before posting, which the funding cases leave out."""
    deadline, posted_at = call["deadline_ms"], call["posted_at_ms"]
    hours = range(deadline - 6 * HOUR_MS, posted_at, HOUR_MS)
    rows = [{"coin": call["symbol"], "fundingRate": "0.00001", "time": hour} for hour in hours]
    body = {
        "type": "fundingHistory",
        "coin": call["symbol"],
        "startTime": hours.start,
        "endTime": posted_at - 1,
    }
    fetched_at = deadline + 120_000
    return exchange(HYPERLIQUID, json.dumps(rows), body=body, fetched_at=fetched_at)


def verdict(case: dict[str, Any]) -> str:
    """Settle a trap in the words of the file."""
    terms, call = called(case["call"]), case["call"]
    times = schedule(terms.deadline, RULES)
    sides: dict[str, list[Page]] = {"primary": [], "confirm": []}
    refused: list[Refused] = []
    responses = [r for r in case["responses"] if r["role"] != "primary_trades"]
    for response in responses:
        page = read(stored(response))
        side = response["role"].split("_")[0]
        if isinstance(page, Refused):
            refused.append(page)
        elif page.fetched_at >= times.first:
            sides[side].append(page)
    if call.get("measure") == "funding" and call["posted_at_ms"] > terms.deadline - 6 * HOUR_MS:
        page = read(earlier_prints(call))
        assert not isinstance(page, Refused)
        sides["primary"].append(page)
    if any(page.code != "rate-limited" for page in refused):
        return "parse_error"
    result = attempt(
        terms,
        call["posted_at_ms"],
        source=market(sides["primary"]),
        confirm=market(sides["confirm"]),
        rules=RULES,
    )
    if isinstance(result, Unseen):
        return "gap"  # nobody asked for it yet: fetch again
    if result.outcome is not None:
        return result.outcome
    over = max(response["fetched_at_ms"] for response in responses) >= times.void_from
    return "void" if over else "gap"


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_trap(case: dict[str, Any]) -> None:
    """Each trap comes out as stated, or as the clarification that beats it says."""
    assert verdict(case) == BEATEN.get(case["id"], case["expected"])


def test_advanced_trade_is_no_evidence() -> None:
    """Clarification 40: whatever it says, an Advanced Trade body contributes nothing."""
    case = next(case for case in CASES if case["id"] == "seconds-vs-ms")
    page = evidence_page(stored(case["responses"][0]))
    assert isinstance(page, Refused)
    assert page.code == "request"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("cb-not-found", "status"),
        ("cb-too-many", "status"),
        ("hl-422", "status"),
        ("hl-null", "status"),
        ("hl-429", "rate-limited"),
        ("truncated-json", "json"),
        ("wrong-coin", "identity"),
    ],
)
def test_refusals_have_names(name: str, code: str) -> None:
    """An answer that contributes nothing says why; a rate limit says something else."""
    case = next(case for case in CASES if case["id"] == name)
    page = read(stored(case["responses"][0]))
    assert isinstance(page, Refused)
    assert page.code == code
    # The same body with status 200 is still no list of candles.
    plain = read(stored({**case["responses"][0], "status": 200}))
    assert isinstance(plain, Refused)


def test_refused_answers_are_not_zero_candles() -> None:
    """Nothing refused may look like silence of the venue: the attempt stays undecided."""
    case = next(case for case in CASES if case["id"] == "hl-429")
    terms = called(case["call"])
    result = attempt(
        terms,
        case["call"]["posted_at_ms"],
        source=market([]),
        confirm=Market(),
        rules=RULES,
    )
    assert isinstance(result, Unseen)
