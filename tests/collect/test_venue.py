"""
A call's window, asked again: what is the same, what was revised, what is gone.

The venues are those that the demo bundle remembers, at the time just after the
call was settled. Nothing here changes what an audit says of the call.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from arena.venues import Venues
from fetching import Clock, Done, tree
from shared import FIXTURES
from venue_answers import TEN, prints

from formulas.floor.primitives import DAY_MS, parse_time
from verifier.collect import http
from verifier.collect.revisions import Stretch, compare
from verifier.venues.exchange import FundingPage, Refused

Fetch = Callable[..., Done]

DEMO: Final = FIXTURES / "floor-demo"
CALLS: Final = {
    call["seal"]: call
    for call in map(json.loads, (DEMO / "floor/calls.jsonl").read_text().splitlines())
}
SETTLED: Final = {
    row["call"]: row
    for row in map(json.loads, (DEMO / "floor/settlements.jsonl").read_text().splitlines())
}


def a_call(kind: str, source: str) -> str:
    """The first settled call of a kind on a source."""
    found: str = next(
        seal
        for seal, row in SETTLED.items()
        if CALLS[seal]["terms"]["kind"] == kind
        and CALLS[seal]["terms"]["source"].endswith(source)
        and CALLS[seal]["terms"]["source"].startswith("hyperliquid")
        and row["attempts"][-1]["result"] == "settled"
    )
    return found


PRICE: Final = a_call("touch", ":price")


@pytest.fixture(scope="module")
def remembered() -> Venues:
    """The venues as the demo remembers them."""
    return Venues(DEMO)


@pytest.fixture
def venues(remembered: Venues) -> Venues:
    """The same, honest again."""
    remembered.change = lambda _, rows: rows
    remembered.statuses = []
    remembered.asked = []
    remembered.now = 0
    return remembered


@pytest.fixture
def ask(
    venues: Venues, fetch: Fetch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Done]:
    """Run ``fetch venue`` about a call, some time after it was settled."""

    def run(seal: str, later: int = 60_000) -> Done:
        clock = Clock()
        at = parse_time(SETTLED[seal]["attempts"][-1]["at"]) + later
        monkeypatch.setattr(http, "PinnedTransport", lambda **_: venues.transport())
        waits = partial(http.Waits, now=lambda: at, clock=lambda: clock.seconds, sleep=clock.sleep)
        monkeypatch.setattr(http, "Waits", waits)
        arguments = ("--call", seal[:16], "--bundle", DEMO, "-o", tmp_path / "got")
        return fetch("venue", *arguments, private=False)

    return run


def revisions(folder: Path) -> Any:
    """What was written about the comparison."""
    return json.loads((folder / "got" / "revisions.json").read_bytes())


@pytest.mark.parametrize("seal", [PRICE, a_call("close", ":price"), a_call("range", ":price")])
def test_a_venue_that_says_the_same(
    ask: Callable[..., Done], venues: Venues, tmp_path: Path, seal: str
) -> None:
    """Exit code 0, with both sides' responses and their index in the folder."""
    done = ask(seal)
    assert (done.code, done.err) == (0, "")
    found = revisions(tmp_path)
    assert found["revisions"] == found["refused"] == found["unseen"] == []
    assert sum(each["rows"] for each in found["compared"]) > 10
    got = tree(tmp_path / "got")
    published = [json.loads(line) for line in got["published/raw/index.jsonl"].splitlines()]
    named = {*CALLS[seal]["evidence"]["spot"], *CALLS[seal]["evidence"]["history"]}
    for attempt in SETTLED[seal]["attempts"]:
        named |= {*attempt["source"], *attempt["confirm"]}
    assert {line["sha256"] for line in published} == named
    index = [json.loads(line) for line in got["raw/index.jsonl"].splitlines()]
    assert [line["sha256"] for line in index] == sorted(line["sha256"] for line in index)
    assert {line["request"]["url"] for line in index} == {*venues.asked}
    for folder, lines in (("published/raw", published), ("raw", index)):
        for line in lines:
            body = got[f"{folder}/{line['sha256'][:2]}/{line['sha256']}"]
            assert len(body) == line["bytes"]


def raised(name: str, rows: list[Any]) -> list[Any]:
    """Raise the close of every venue's middle candle above its high."""
    changed: list[Any] = json.loads(json.dumps(rows))
    row = changed[len(changed) // 2]
    if name == "hyperliquid":
        row["h"] = row["c"] = "999999.5"
    return changed


def test_a_revised_candle(ask: Callable[..., Done], venues: Venues, tmp_path: Path) -> None:
    """Exit code 1, and a line a candle with both values; the stored evidence is as it was."""
    venues.change = raised
    done = ask(PRICE)
    assert done.code == 1
    lines = done.err.splitlines()
    assert lines
    assert all(line.startswith("tallyproof: venue/revised: hyperliquid:") for line in lines)
    assert all("now 999999.5" in line for line in lines)
    found = revisions(tmp_path)
    assert len(found["revisions"]) == len(lines)
    for revision in found["revisions"]:
        assert revision["kind"] == "venue/revised"
        assert revision["stored"]["close"] != revision["now"]["close"] == "999999.5"


def test_a_candle_that_is_gone_and_one_that_is_new(
    ask: Callable[..., Done], venues: Venues, tmp_path: Path
) -> None:
    """A row on one side alone, which the other would have, is a difference as well."""
    venues.change = lambda name, rows: rows[:3] + rows[4:] if name == "hyperliquid" else rows
    done = ask(PRICE)
    assert done.code == 1
    assert "there is none any more, stored is open" in done.err
    assert all(each["now"] is None for each in revisions(tmp_path)["revisions"])


def test_what_the_venue_keeps_no_longer(
    ask: Callable[..., Done], venues: Venues, tmp_path: Path
) -> None:
    """Minutes older than Hyperliquid's 5,000 are not compared, and named."""
    venues.now = parse_time("2026-11-12T00:00:00Z")
    done = ask(PRICE, later=10 * DAY_MS)
    assert done.code == 3
    assert "are stored, and not served any more" in done.err
    found = revisions(tmp_path)
    assert {each["source"].split(":")[0] for each in found["unseen"]} == {"hyperliquid"}
    assert found["revisions"] == []


@pytest.mark.parametrize("body", [None, {"message": "NotFound"}])
def test_a_venue_that_refuses(
    ask: Callable[..., Done], venues: Venues, tmp_path: Path, body: Any
) -> None:
    """An answer that is none is named, and is no revision of anything."""
    venues.change = lambda name, rows: body if name == "hyperliquid" else rows
    done = ask(PRICE)
    assert done.code == 3
    assert ": shape: " in done.err
    found = revisions(tmp_path)
    assert found["revisions"] == []
    assert {each["url"] for each in found["refused"]} == {"https://api.hyperliquid.xyz/info"}


def test_an_empty_answer(ask: Callable[..., Done], venues: Venues) -> None:
    """Venues answer with nothing now and then: they are asked once more before it counts."""
    served = 0

    def change(_: str, rows: list[Any]) -> list[Any]:
        nonlocal served
        served += 1
        return rows if served > 1 else []

    venues.change = change
    assert ask(PRICE).code == 0


def test_a_funding_print() -> None:
    """A print is compared by its hour, and by value."""
    hour = {"coin": "BTC", "premium": "0", "time": TEN + 110}
    stored, same, other = (
        prints([{**hour, "fundingRate": rate}]) for rate in ("0.0000125", "0.00001250", "-0.1")
    )
    for page in (stored, same, other):
        assert isinstance(page, FundingPage)
        assert not isinstance(stored, Refused)
        found = compare([stored], [page], [stored])
        assert found.compared == (Stretch("hyperliquid:BTC:funding", "1h", TEN, TEN, 1),)
        assert len(found.revisions) == (page is other)


def test_a_busy_venue(ask: Callable[..., Done], venues: Venues) -> None:
    """429 is waited out."""
    venues.statuses = [429, 503]
    assert ask(PRICE).code == 0


def test_a_call_that_nobody_made(fetch: Fetch, tmp_path: Path) -> None:
    """An unknown seal, and a bundle without the Floor, are the caller's mistakes."""
    for bundle in (DEMO, FIXTURES / "sharpe-demo"):
        done = fetch(
            "venue", "--call", "ab" * 32, "--bundle", bundle, "-o", tmp_path / "x", private=False
        )
        assert done.code == 2
        assert done.err.count("\n") == 1
