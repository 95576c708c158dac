"""The Floor's commands: a call's story, standings, records, and a season under other rules."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import overlays
from shared import FIXTURES, SHARED, needs_shared

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.errors import UsageError
from verifier.explain import explain
from verifier.explanation import Explanation, render_json, render_text
from verifier.floor.context import load_context
from verifier.floor.find import one_call
from verifier.floor.whatif import what_if
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from verifier.explanation import Line

DEMO: Final = FIXTURES / "floor-demo"


def rows(name: str) -> list[dict[str, Any]]:
    """Read a file of lines of the demo."""
    return [json.loads(line) for line in (DEMO / "floor" / name).read_bytes().split(b"\n")[:-1]]


CALLS: Final = rows("calls.jsonl")
ENTRIES: Final = [row["body"] for row in rows("ledger.jsonl")]
RECORDS: Final = {row["call"]: row for row in rows("settlements.jsonl")}
KNOWN: Final = frozenset((DEMO / "floor/calls.jsonl").read_bytes().splitlines())
SCORED: Final = {(row["call"], row["outcome"], row["points"]) for row in ENTRIES}
SEASON: Final = json.loads((DEMO / "floor/seasons/season-1.json").read_bytes())


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the real command."""
    return subprocess.run(
        [sys.executable, "-m", "verifier", *map(str, arguments)],
        capture_output=True,
        check=False,
        cwd=FIXTURES.parent,
        encoding="utf-8",
    )


def test_the_story_of_a_call() -> None:
    """Terms in words, baseline, window, attempts, candles of both venues, points."""
    entry = next(row for row in ENTRIES if row["outcome"] == "hit")
    call = next(row for row in CALLS if row["seal"] == entry["call"])
    deciding = RECORDS[entry["call"]]["deciding"]
    done = run("floor", "call", entry["call"][:10], "--bundle", DEMO)
    assert (done.returncode, done.stderr) == (0, "")
    for section in ("Checks of this call", "Baseline", "Window", "Attempts", "Points"):
        assert section in done.stdout
    for text in (deciding["at"], deciding["source"], deciding["confirm"], "coinbase:"):
        assert text in done.stdout
    shown = {line.split()[1]: line for line in done.stdout.splitlines() if len(line.split()) > 2}
    assert shown["points"].split()[2:] == [f"{entry['points']:g}", "="]
    assert f"{call['baseline']['b']:.6f}".rstrip("0") in shown["b"]
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_story_as_json() -> None:
    """--json is --format json: canonical, with published beside recomputed."""
    seal = ENTRIES[0]["call"]
    short = run("floor", "call", seal, "--bundle", DEMO, "--json")
    assert short.stdout == run("floor", "call", seal, "--bundle", DEMO, "--format", "json").stdout
    story = json.loads(short.stdout)
    assert canonical_bytes(story) + b"\n" == short.stdout.encode()
    points = [
        line for part in story["sections"] for line in part["lines"] if line["name"] == "points"
    ]
    assert points[0]["published"] == points[0]["recomputed"]


def story(bundle: Bundle, seal: str) -> dict[str, dict[str, Line]]:
    """Give the lines of a call's story by section and name; the last of a name counts."""
    told = explain(bundle, seal, policy=Policy())
    assert told.first_difference is None
    text = render_text(told).decode()
    assert all(len(line) <= 80 for line in text.splitlines())
    return {
        part.title.split()[0]: {line.name: line for line in part.lines} for part in told.sections
    }


def test_a_fact_that_is_wrapped_gives_no_orders() -> None:
    """A long note is continued under its beginning, and no line begins with two colons."""
    note = f"{'x' * 69} ::error::hello"
    text = render_text(Explanation("call", (("note", note), ("claim", "")), ())).decode()
    assert text.splitlines()[1:4] == [
        f"note      {'x' * 69}",
        f"{'':10}<U+003A>:error::hello",
        "claim     ",
    ]


def test_candles_stand_in_columns(demo: Bundle) -> None:
    """Prices of one venue end under their names."""
    seal = next(row["call"] for row in ENTRIES if row["outcome"] == "hit")
    told = explain(demo, seal, policy=Policy())
    (part,) = (part for part in told.sections if part.title.startswith("The candles"))
    texts = [line.recomputed for line in part.lines if line.recomputed != "not asked for"]
    heads = [at for at, text in enumerate(texts) if "open" in text]
    assert len(heads) == 2
    for first, after in zip(heads, (*heads[1:], len(texts)), strict=True):
        assert after > first + 1
        assert len({len(text) for text in texts[first:after]}) == 1


@needs_shared
def test_the_stories_of_the_full_design() -> None:
    """Gates with the minute that met them, prints for funding, and why a void is one."""
    folder = SHARED / "reference/bundles/floor-full"
    seen: Counter[str] = Counter()
    with open_bundle(folder) as bundle:
        for line in bundle.read("floor/ledger.jsonl").splitlines():
            entry = json.loads(line)["body"]
            told = story(bundle, entry["call"])
            window, attempts = told["Window,"], told["Attempts"]
            assert attempts["outcome"].published == entry["outcome"]
            if entry["outcome"] == "void":
                assert attempts["reason"].published == entry["reason"]
            if "gate" not in window:
                seen["print" if "funding prints" in told["Baseline"] else "price"] += 1
                continue
            gate, held = window["gate"].recomputed, [name for name in window if ":" in name]
            if entry["reason"] == "gate_not_met":
                assert gate == "not met"
                assert len(held) == 1
            elif entry["outcome"] != "void":
                assert gate.startswith("met at ")
                # What the window misses beyond the gate's deadline is none of the gate's.
                assert "unseen" not in "".join(window[name].recomputed for name in held)
            seen[entry["reason"] or "met"] += 1
    assert {"price", "print", "met", "gate_not_met", "data_gap", "unconfirmed"} == set(seen)


def test_a_voided_call_has_a_story(demo: Bundle) -> None:
    """Each attempt with its verdict, and no points."""
    for entry in ENTRIES:
        if entry["outcome"] == "void" and len(RECORDS[entry["call"]]["attempts"]) > 1:
            text = render_text(explain(demo, entry["call"], policy=Policy())).decode()
            # Once for each attempt, and once as the reason.
            assert text.count(entry["reason"]) > len(RECORDS[entry["call"]]["attempts"])
            assert "a void scores nothing" in text
            return
    pytest.fail("the demo has no call that was tried twice")


def test_every_call_and_entry_has_a_story(demo: Bundle) -> None:
    """Open ones, voids and all kinds; nothing of an honest bundle differs."""
    context = load_context(demo, Policy())
    seals = [row["seal"] for row in CALLS]
    still_open = next(seal for seal in seals if seal not in context.entries)
    for subject in (*seals[::23], still_open, "entry 0", "entry 17", f"call {seals[5]}"):
        story = explain(demo, subject, policy=Policy())
        assert story.first_difference is None
        assert not story.unproven
        render_json(story)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("points-off", "floor/points"),
        ("baseline-off", "floor/baseline"),
        ("outcome-flipped", "floor/settlement"),
        ("wick-edited", "floor/confirmation"),
    ],
)
def test_the_story_of_a_forged_call_stops_the_eye(demo: Bundle, name: str, first: str) -> None:
    """The first line that differs is the check that sees the lie."""
    (forgery,) = (each for each in overlays("floor-demo") if each.name == name)
    forged = overlay(demo, forgery.changes(demo), relist=True)
    context = load_context(forged, Policy())
    changed = [line for line in forged.read("floor/calls.jsonl").splitlines() if line not in KNOWN]
    seals = {json.loads(line)["seal"] for line in changed}
    for line in forged.read("floor/ledger.jsonl").splitlines():
        body = json.loads(line)["body"]
        if (body["call"], body["outcome"], body["points"]) not in SCORED:
            seals.add(body["call"])
    stories = [explain(forged, seal, policy=Policy()) for seal in sorted(seals)]
    assert len(stories) < len(context.tables.calls) / 2
    marked = [story.first_difference for story in stories if story.first_difference is not None]
    assert [line.name for line in marked] == [first]


def test_nothing_goes_by_that_name(demo: Bundle) -> None:
    """Too short, unknown, or of another kind."""
    context = load_context(demo, Policy())
    for seal in ("abc", "f" * 64, "entry 3", "G" * 64):
        with pytest.raises(UsageError):
            one_call(context, seal)
    assert run("floor", "call", "abc", "--bundle", DEMO).returncode == 2
    assert run("floor", "standings", FIXTURES / "arcana-demo").returncode == 2


def test_hostile_text_is_shown_and_not_obeyed(demo: Bundle) -> None:
    """Control and bidi characters of a claim are made visible wherever it is printed."""
    lines = demo.read("floor/calls.jsonl").split(b"\n")
    call = json.loads(lines[0])
    call |= {"claim": "safe\u202egnp.exe \u001b[2J", "note": "<U+202E>"}
    lines[0] = canonical_bytes(call)
    hostile = overlay(demo, {"floor/calls.jsonl": b"\n".join(lines)}, relist=True)
    text = render_text(explain(hostile, call["seal"], policy=Policy())).decode()
    assert "safe<U+202E>gnp.exe <U+001B>[2J" in text
    assert "\u202e" not in text
    assert "\u001b" not in text


def test_standings_at_the_end_of_a_season_are_its_table() -> None:
    """
    Over a first season, all calls are the season's, so standings must be the table's.

    Except of agents with a call settled at the very end, which the season leaves out.
    """
    end = SEASON["season"]["end"]
    late = {row["call"] for row in ENTRIES if row["settled_at"] == end}
    edge = {row["agent"] for row in CALLS if row["seal"] in late}
    assert edge
    done = run("floor", "standings", DEMO, "--at", end, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    shown = {row["agent"]: row for row in json.loads(done.stdout)["rows"]}
    for row in (row for row in SEASON["rows"] if row["agent"] not in edge):
        for member in ("brier", "hits", "misses", "standing", "voids"):
            assert shown[row["agent"]][member] == row[member]
        assert not shown[row["agent"]]["provisional"]
    for row in (row for row in SEASON["unlisted"] if row["agent"] not in edge):
        assert shown[row["agent"]]["standing"] == row["standing"]
        assert shown[row["agent"]]["provisional"]


def test_standings_in_text() -> None:
    """A table of records, highest first; nothing has happened before the first call."""
    done = run("floor", "standings", DEMO)
    first = done.stdout.splitlines()[3].split()
    assert first[0] == "a-0001"
    assert "Provisional: a-0012, a-0013." in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    before = run("floor", "standings", DEMO, "--at", "2026-01-01T00:00:00Z", "--format", "json")
    assert {row["standing"] for row in json.loads(before.stdout)["rows"]} == {0}
    assert run("floor", "standings", DEMO, "--at", "tomorrow").returncode == 2


def test_an_agents_record() -> None:
    """Hits, misses, voids, labels, and every call."""
    own = [call for call in CALLS if call["agent"] == "a-0006"]
    settled = {row["call"]: row for row in ENTRIES}
    done = run("floor", "agent", "a-0006", "--bundle", DEMO, "--format", "json")
    shown = json.loads(done.stdout)
    assert [call["seal"] for call in shown["calls"]] == [call["seal"] for call in own]
    assert shown["record"]["labels"] == sum(bool(call["labels"]) for call in own)
    assert shown["record"]["hits"] == sum(
        settled[call["seal"]]["outcome"] == "hit" for call in own if call["seal"] in settled
    )
    text = run("floor", "agent", "a-0006", "--bundle", DEMO).stdout
    assert all(call["seal"][:12] in text for call in own)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert run("floor", "agent", "nobody", "--bundle", DEMO).returncode == 2


def test_a_season_under_its_own_rules_is_the_published_one(demo: Bundle) -> None:
    """Everything is computed again from the responses, and nothing changes."""
    context = load_context(demo, Policy())
    for season in context.tables.seasons:
        found = what_if(context, season, context.rules)
        assert (found.table.rows, found.table.unlisted) == (season.rows, season.unlisted)
        assert not any(each.changed or each.kept for each in found.entries)


def test_a_season_under_other_rules(tmp_path: Path) -> None:
    """What would change is shown, and marked as not the published table."""
    rules = json.loads((DEMO / "floor/rules.json").read_bytes())
    rules |= {"id": "mine/1"}
    rules["settlement"]["confirm_tolerance"] = "0"
    rules["flags"]["one_operator"]["on"] = True
    other = tmp_path / "mine.json"
    other.write_bytes(canonical_bytes(rules))
    command = ("floor", "season", DEMO, "--rules", other)
    done = run(*command, "--format", "json", "--season", "season-1")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    (season,) = found["seasons"]
    assert "not the published table" in found["warning"]
    assert season["published_rows"] == SEASON["rows"]
    assert len(season["changed"]) > 100
    assert season["rows"] != SEASON["rows"]
    text = run(*command).stdout
    assert text.startswith("WHAT-IF: not the published table")
    assert text.splitlines()[-1].startswith("WHAT-IF: not the published table")


@pytest.mark.parametrize("content", ["[]", "{}", "{", '{"id":"x"}'])
def test_rules_that_are_none(tmp_path: Path, content: str) -> None:
    """A document that cannot be read as rules is refused in one line."""
    other = tmp_path / "mine.json"
    other.write_text(content, encoding="utf-8")
    done = run("floor", "season", DEMO, "--rules", other)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
