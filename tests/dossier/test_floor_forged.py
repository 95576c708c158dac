"""Dossiers of forged seasons of the Floor: a lie is told where it was made, and only there."""

from __future__ import annotations

import pytest
from overlays import overlays

from verifier.bundle import Bundle, overlay
from verifier.dossier.floor import FloorSeason, load_floor
from verifier.dossier.floor_agent import floor_agent
from verifier.dossier.floor_call import floor_call
from verifier.dossier.floor_ledger import hours_of, ledger_hour
from verifier.dossier.floor_rules import rules_shown
from verifier.dossier.floor_table import standings
from verifier.findings import Verdict
from verifier.policy import Policy

FORGERIES = {forgery.name: forgery for forgery in overlays("floor-demo")}


def forged(floor_demo: Bundle, name: str) -> FloorSeason:
    """Load the season of a forgery."""
    forgery = FORGERIES[name]
    return load_floor(
        overlay(floor_demo, forgery.changes(floor_demo), relist=forgery.relist),
        Policy(),
        "season-1",
    )


LIES = {
    "points-off": ("7a342a6b3661ac04", "miss", "miss", "fail"),
    "outcome-flipped": ("39ad2c35d7008867", "hit", "miss", "fail"),
    "settled-that-is-void": ("fbab0c901499bae6", "miss", "void", "fail"),
    "void-that-settled": ("e8ef2fb8fc4d716d", "void", "miss", "fail"),
    "wick-edited": ("48a42722d93c8d21", "hit", "void", "fail"),
    "fetched-too-early": ("03ce83559ecf92bd", "hit", None, "fail"),
    "raw-body-gone": ("4ede945091e69014", "miss", None, "unproven"),
    "entry-removed": ("e8ef2fb8fc4d716d", None, None, "fail"),
    "baseline-off": ("ec748ff0c181337e", "hit", "hit", "fail"),
    "nonce-twice": ("03ce83559ecf92bd", "hit", "hit", "fail"),
    "p-edited": ("dea44fca396fd31c", "hit", "hit", "fail"),
}
"""By forgery: the call that it is about, its outcome published and recomputed, its verdict."""


@pytest.mark.parametrize("name", LIES)
def test_a_lie_about_a_call_is_told_on_its_call(floor_demo: Bundle, name: str) -> None:
    """The call loses its pass and shows both values; its neighbours keep theirs."""
    seal, published, recomputed, verdict = LIES[name]
    season = forged(floor_demo, name)
    place = next(at for at, held in enumerate(season.calls) if held.call.seal.startswith(seal))
    call = floor_call(season, season.calls[place])
    assert (call.outcome.published, call.outcome.recomputed) == (published, recomputed)
    assert call.verdict == verdict
    if name == "points-off":
        assert (str(call.points.published), str(call.points.recomputed)) == ("45.5219", "45.5218")
    for held in (season.calls[place - 20], season.calls[place - 40]):
        assert floor_call(season, held).verdict is Verdict.PASS


def test_a_changed_b_shows_published_and_recomputed(floor_demo: Bundle) -> None:
    """A baseline that was sealed anew differs from what its responses give."""
    season = forged(floor_demo, "baseline-off")
    seal = LIES["baseline-off"][0]
    held = next(held for held in season.calls if held.call.seal.startswith(seal))
    bad = floor_call(season, held)
    assert bad.baseline is not None
    b = bad.baseline.b
    assert b.verdict is Verdict.FAIL
    assert b.published != b.recomputed
    assert bad.seal.verdict is Verdict.PASS


def test_a_root_of_another_hour(floor_demo: Bundle) -> None:
    """The hour says so, and so does the proof of each of its calls."""
    season = forged(floor_demo, "root-of-another-hour")
    (hour,) = (
        each for at in hours_of(season) if (each := ledger_hour(season, at)).verdict is Verdict.FAIL
    )
    assert hour.root.published != hour.root.recomputed
    for entry in hour.entries:
        held = next(held for held in season.calls if held.call.seal == entry.entry.call)
        call = floor_call(season, held)
        assert call.proof is not None
        assert call.proof.included is Verdict.FAIL
        assert call.verdict is Verdict.FAIL


def test_a_row_that_was_dropped(floor_demo: Bundle) -> None:
    """The agent stands in the table all the same, as one that the publication leaves out."""
    season = forged(floor_demo, "season-row-dropped")
    table = standings(season)
    missing = [row for row in table.rows if row.values["standing"].published is None]
    (row,) = missing
    assert row.verdict is Verdict.FAIL
    assert row.values["standing"].recomputed is not None
    record = floor_agent(season, row.agent)
    assert record.verdict is Verdict.FAIL
    assert record.reason is not None
    assert "leaves the agent out" in record.reason


def test_without_known_rules_nothing_passes(floor_demo: Bundle) -> None:
    """A rule set of another name leaves every value unproven, and nothing crashes."""
    rules = floor_demo.read("floor/rules.json").replace(b'"floor-rules/1"', b'"floor-rules/9"')
    changed = overlay(floor_demo, {"floor/rules.json": rules}, relist=True)
    season = load_floor(changed, Policy(), "season-1")
    table = standings(season)
    assert {row.verdict for row in (*table.rows, *table.unlisted)} == {Verdict.UNPROVEN}
    assert floor_agent(season, "a-0001").verdict is Verdict.UNPROVEN
    call = floor_call(season, season.calls[0])
    assert call.verdict is Verdict.UNPROVEN
    assert call.baseline is None
    assert not call.legs
    assert rules_shown(season.context).verdict is Verdict.UNPROVEN
