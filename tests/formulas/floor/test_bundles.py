"""
Every number of the two reference bundles, recomputed from their raw responses.

100 % of the calls: baseline, every attempt's result, outcome, deciding values,
reason, points, and the season tables.
"""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from floor_evidence import Bundle, rules, terms
from shared import SHARED, needs_shared

from formulas.floor.attempts import settlement, timing_problems
from formulas.floor.pricing import Priced, price
from formulas.floor.primitives import format_time, parse_time
from formulas.floor.proved import decimal
from formulas.floor.score import points
from formulas.floor.season import Entry, season_table
from formulas.floor.settlement import Attempt, attempt
from verifier.venues.evidence import attempt_times, baseline_times, history, market

pytestmark = needs_shared

NAMES = pytest.mark.parametrize("name", ["floor-demo", "floor-full"])


@cache
def bundle(name: str) -> Bundle:
    """Read a bundle once for all tests."""
    return Bundle(SHARED / "reference" / "bundles" / name)


@cache
def calls(name: str) -> dict[str, Any]:
    """Give the calls of a bundle by their seal."""
    return {call["seal"]: call for call in bundle(name).lines("floor/calls.jsonl")}


@NAMES
def test_rule_set_is_the_released_document(name: str) -> None:
    """The bundle's rules are the bytes that the formulas are released with."""
    document = bundle(name).table("floor/rules.json")
    assert rules(document["id"].replace("/", "-")).id == document["id"]


@NAMES
def test_baselines(name: str) -> None:
    """The baseline of every call follows from the responses that priced it."""
    own = bundle(name)
    used = rules()
    for call in calls(name).values():
        posted_at = parse_time(call["posted_at"])
        times = baseline_times(posted_at, rules=used.settlement)
        paths = history(
            spot=own.evidence(call["evidence"]["spot"], times),
            past=own.evidence(call["evidence"]["history"], times),
        )
        priced = price(terms(call["terms"]), posted_at, history=paths, rules=used)
        assert isinstance(priced, Priced), (call["seal"], priced)
        assert priced.b == call["baseline"]["b"], call["seal"]


@NAMES
def test_settlements(name: str) -> None:
    """Every attempt's result, and what it decided on, follows from its own responses."""
    own = bundle(name)
    used = rules().settlement
    entries = {line["body"]["call"]: line["body"] for line in own.lines("floor/ledger.jsonl")}
    outcomes: Counter[str] = Counter()
    for record in own.lines("floor/settlements.jsonl"):
        call = calls(name)[record["call"]]
        called, posted_at = terms(call["terms"]), parse_time(call["posted_at"])
        made = []
        for tried in record["attempts"]:
            at = parse_time(tried["at"])
            sides = {
                side: market(
                    own.evidence(
                        tried[side],
                        attempt_times(called, posted_at, at=at, side=side, rules=used),
                    )
                )
                for side in ("source", "confirm")
            }
            result = attempt(called, posted_at, rules=used, **sides)
            assert isinstance(result, Attempt), (record["call"], result)
            assert result.result == tried["result"], record["call"]
            made.append(result)
        settled = settlement(made)
        deciding = settled.deciding and {
            "at": format_time(settled.deciding.at),
            "confirm": settled.deciding.confirm,
            "source": settled.deciding.source,
        }
        assert settled.outcome == record["outcome"], record["call"]
        assert deciding == record["deciding"], record["call"]
        assert settled.reason == entries[record["call"]]["reason"], record["call"]
        data_void = settled.reason in ("data_gap", "unconfirmed")
        times = [parse_time(tried["at"]) for tried in record["attempts"]]
        assert not timing_problems(times, data_void=data_void, deadline=called.deadline, rules=used)
        outcomes[f"{settled.outcome} {settled.reason}"] += 1
    assert sum(outcomes.values()) == len(entries)
    assert outcomes["hit None"]
    assert outcomes["miss None"]
    assert outcomes["void data_gap"]


@NAMES
def test_points(name: str) -> None:
    """Points follow from the sealed p and b."""
    used = rules()
    for line in bundle(name).lines("floor/ledger.jsonl"):
        body = line["body"]
        if body["outcome"] == "void":
            assert body["points"] is None
            continue
        call = calls(name)[body["call"]]
        p, b = Decimal(call["terms"]["p"]), Decimal(call["baseline"]["b"])
        real = points(p, b, hit=body["outcome"] == "hit", rules=used.score)
        assert decimal(real, used.decimals.points) == body["points"], body["call"]


@NAMES
def test_seasons(name: str) -> None:
    """Every row, rank and unlisted agent of every season table."""
    own = bundle(name)
    entries = []
    for line in own.lines("floor/ledger.jsonl"):
        body = line["body"]
        call = calls(name)[body["call"]]
        gained = None if body["points"] is None else Decimal(body["points"])
        p = Decimal(call["terms"]["p"])
        settled_at = parse_time(body["settled_at"])
        entries.append(Entry(call["agent"], body["outcome"], p, gained, settled_at))
    tables = sorted((own.root / "floor" / "seasons").iterdir())
    assert tables
    for path in tables:
        published = own.table(f"floor/seasons/{path.name}")
        season = published["season"]
        table = season_table(
            entries,
            start=parse_time(season["start"]),
            end=parse_time(season["end"]),
            rules=rules(),
        )
        assert [row._asdict() for row in table.rows] == published["rows"]
        assert [row._asdict() for row in table.unlisted] == published["unlisted"]
