"""Differences between bundles of the Floor: what was added, what moved, what was rewritten."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from overlays import overlays
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.diff.bundles import diff_bundles
from verifier.diff.model import Effect, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.diff.model import Difference

DEMO: Final = FIXTURES / "floor-demo"


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo bundle once."""
    with open_bundle(DEMO) as bundle:
        yield bundle


def forged(demo: Bundle, name: str) -> Difference:
    """Compare the demo with a forgery of it."""
    (forgery,) = (each for each in overlays("floor-demo") if each.name == name)
    return diff_bundles(demo, overlay(demo, forgery.changes(demo), relist=True))


def earlier(demo: Bundle, as_of: str) -> Bundle:
    """Make the bundle as it was before its last calls and entries."""
    changes: dict[str, bytes | None] = {}
    times: dict[str, Callable[[dict[str, Any]], str]] = {
        "calls": lambda row: row["posted_at"],
        "ledger": lambda row: row["body"]["settled_at"],
        "settlements": lambda row: row["attempts"][-1]["at"],
        "roots": lambda row: row["hour"][:13] + ":59:59Z",
    }
    for name, time in times.items():
        path = f"floor/{name}.jsonl"
        kept = [
            line for line in demo.read(path).split(b"\n")[:-1] if time(json.loads(line)) < as_of
        ]
        changes[path] = b"".join(line + b"\n" for line in kept)
    index = json.loads(demo.read("bundle.json"))
    index |= {"as_of": as_of, "seasons": []}
    changes["bundle.json"] = canonical_bytes(index)
    changes |= {path: None for path in demo.paths if path.startswith("floor/seasons/")}
    return overlay(demo, changes, relist=True)


def test_a_later_bundle_only_extends(demo: Bundle) -> None:
    """What happened after a bundle was made is no rewrite of it."""
    found = diff_bundles(earlier(demo, "2026-11-06T00:30:00Z"), demo)
    effects = {entry.effect for entry in found.entries if entry.where.file != "bundle.json"}
    assert effects == {Effect.EXTENSION}
    assert {entry.subject.partition(" ")[0] for entry in found.entries} >= {
        "call",
        "entry",
        "root",
        "settlement",
    }


def test_an_earlier_bundle_has_lost_something(demo: Bundle) -> None:
    """The same two the other way round: rows that existed are gone."""
    found = diff_bundles(demo, earlier(demo, "2026-11-06T00:30:00Z"))
    removed = [entry for entry in found.entries if entry.kind is Kind.REMOVED]
    assert removed
    assert {entry.effect for entry in removed} == {Effect.REWRITE}


def test_points_rewritten_are_named(demo: Bundle) -> None:
    """The one entry whose points differ shows both; those after it only moved in the chain."""
    found = forged(demo, "points-off")
    points = [entry for entry in found.entries if entry.member == "/body/points"]
    assert [(entry.before, entry.after) for entry in points] == [("45.5218", "45.5219")]
    assert points[0].effect is Effect.REWRITE
    moved = [entry for entry in found.entries if entry.message and "moved" in entry.message]
    assert len(moved) > 300


def test_a_removed_entry_is_named(demo: Bundle) -> None:
    """The settlement and the entry of one call are gone."""
    found = forged(demo, "entry-removed")
    gone = [entry for entry in found.entries if entry.kind is Kind.REMOVED]
    assert sorted(entry.subject.rpartition(" ")[0] for entry in gone if entry.member is None) == [
        "entry of call",
        "settlement",
    ]


def test_a_call_put_into_the_past(demo: Bundle) -> None:
    """A call that a bundle should have had is a rewrite, and says why."""
    before = demo.read("floor/calls.jsonl").split(b"\n")
    less = overlay(demo, {"floor/calls.jsonl": b"\n".join(before[1:])}, relist=True)
    (entry,) = (each for each in diff_bundles(less, demo).entries if each.subject != "bundle")
    assert (entry.effect, entry.kind) == (Effect.REWRITE, Kind.ADDED)
    assert entry.message is not None
    assert "put into the past" in entry.message


def test_agents_may_take_another_name(demo: Bundle) -> None:
    """A name is an update, a wallet a rewrite, a new agent an extension."""
    agents = json.loads(demo.read("floor/agents.json"))
    agents[0]["name"] = "Other"
    agents[1]["wallet"] = "0x" + "0" * 40
    agents.append({"agent": "z", "name": "Z", "operator": "z", "wallet": "0x" + "1" * 40})
    other = overlay(demo, {"floor/agents.json": canonical_bytes(agents)}, relist=True)
    effects = [entry.effect for entry in diff_bundles(demo, other).entries]
    assert sorted(effects) == sorted([Effect.UPDATE, Effect.REWRITE, Effect.EXTENSION])
