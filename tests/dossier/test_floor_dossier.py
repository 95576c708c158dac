"""Dossiers of the Floor: everything published beside what follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verifier.dossier.floor import FloorSeason, load_floor
from verifier.dossier.floor_agent import floor_agent
from verifier.dossier.floor_ledger import days_of, hours_of, ledger_hour
from verifier.dossier.floor_rules import constants_of, known_document, rules_shown
from verifier.dossier.floor_table import bins_of, explain_season, funnel_of, standings
from verifier.errors import FormatError
from verifier.findings import Verdict
from verifier.policy import Policy

if TYPE_CHECKING:
    from verifier.bundle import Bundle
    from verifier.dossier.floor_call import FloorCall


def test_every_line_of_the_table_recomputes(season: FloorSeason) -> None:
    """Listed and unlisted, ranks, standings, Brier and counts are equal and not just stated."""
    table = standings(season)
    assert len(table.rows) == 11
    assert [row.agent for row in table.unlisted] == ["a-0012", "a-0013"]
    for row in (*table.rows, *table.unlisted):
        assert row.verdict is Verdict.PASS
        assert all(each.published == each.recomputed for each in row.values.values())
        settled = row.values["settled"].published
        assert isinstance(settled, int)
        assert 0 < len(row.course) <= settled
    assert table.unlisted[0].reason == "19 of the 20 settled calls that it takes"
    assert explain_season(season).first_difference is None


def test_the_funnel_adds_up(floor_demo: Bundle, season: FloorSeason) -> None:
    """Every call of the two seasons is counted once; settled is what the table calls settled."""
    funnel = funnel_of(season)
    assert funnel.posted == funnel.settled + funnel.voids + funnel.open + funnel.late == 346
    assert funnel.settled == funnel.hits + funnel.misses == 295
    table = standings(season)
    rows = (*table.rows, *table.unlisted)
    assert funnel.settled == sum(int(str(row.values["settled"].published)) for row in rows)
    assert dict(funnel.reasons) == {"data_gap": 34, "unconfirmed": 7}
    assert sum(count for _, count in funnel.reasons) == funnel.voids
    after = funnel_of(load_floor(floor_demo, Policy(), "season-2"))
    assert (
        (funnel.late, funnel.early) == (after.settled + after.voids, 0) == (after.early, after.late)
    )
    settled = sum(each.calls for each in bins_of(season.calls))
    assert settled == funnel.hits + funnel.misses


def test_records_of_agents(season: FloorSeason) -> None:
    """Each agent's own numbers follow from its calls, in the order of the ledger."""
    for agent in season.members:
        record = floor_agent(season, agent)
        assert record.verdict is Verdict.PASS
        lines = [call.entry.line for call in record.calls if call.entry is not None]
        assert lines == sorted(lines)
        voids = [call for call in record.calls if call.entry and call.entry.outcome == "void"]
        assert sum(record.voids.values()) == len(voids) == record.values["voids"].recomputed
        for call in voids:
            assert call.points.published is None
            assert call.points.recomputed is None
            assert call.points.note is not None
        assert record.hugging == sum(call.labels.recomputed != "none" for call in record.calls)
    unlisted = floor_agent(season, "a-0012")
    assert unlisted.provisional
    assert unlisted.values["brier"].verdict is Verdict.EXEMPT


def test_every_call_recomputes(shown: tuple[FloorCall, ...]) -> None:
    """Outcome, reason, points, baseline and label of each call are equal to what was published."""
    assert {call.verdict for call in shown} == {Verdict.PASS}
    for call in shown:
        if call.held.entry is None:
            assert call.outcome.verdict is Verdict.EXEMPT
            continue
        assert call.outcome.published == call.outcome.recomputed == call.held.entry.outcome
        assert call.points.published == call.points.recomputed == call.held.entry.points
        assert call.baseline is not None
        assert call.baseline.b.published == call.baseline.b.recomputed
        assert all(each.result.verdict is Verdict.PASS for each in call.attempts)
        assert all(each.verdict is Verdict.PASS for each in call.deciding)
        assert (call.reason is not None) == (call.held.entry.outcome == "void")


def test_price_paths_hold_the_deciding_moment(shown: tuple[FloorCall, ...]) -> None:
    """A touch that hit has its minute in the path, and the level between its low and high."""
    touched = 0
    for call in shown:
        if call.kind != "touch" or call.outcome.published != "hit":
            continue
        (leg,) = call.legs
        assert call.settlement is not None
        assert call.settlement.deciding is not None
        at = call.settlement.deciding.at
        (minute,) = (each for each in leg.candles if each.start == at)
        assert minute.low <= leg.levels[0] <= minute.high or leg.levels[0] == minute.low
        # A second venue that was silent in that minute confirms with its value at the end.
        assert any(at - 600_000 <= each.start <= at for each in leg.second_candles)
        touched += 1
    assert touched > 20


def test_every_body_is_named(season: FloorSeason, shown: tuple[FloorCall, ...]) -> None:
    """The raw responses of a call are those that it and its settlement name, and are there."""
    for call in shown:
        row = call.settlement
        named = {*call.held.call.spot, *call.held.call.history}
        for each in () if row is None else row.attempts:
            named |= {*each.source, *each.confirm}
        assert {body.sha256 for body in call.bodies} == named
        assert all(body.present and body.lines and body.uses for body in call.bodies)
        assert all(season.context.bundle.has(body.path) for body in call.bodies)


def test_hours_of_the_ledger(season: FloorSeason) -> None:
    """Every hour of the season recomputes, empty ones too."""
    hours = [ledger_hour(season, hour) for hour in hours_of(season)]
    assert {hour.verdict for hour in hours} == {Verdict.PASS}
    assert sum(len(hour.entries) for hour in hours) == 336
    assert any(not hour.entries for hour in hours)
    assert sum(len(own) for own in days_of(season).values()) == len(hours)


def test_every_constant_has_its_words(season: FloorSeason) -> None:
    """No constant of a known rule set is without a mark, a meaning and a section."""
    rules = rules_shown(season.context)
    assert rules.verdict is Verdict.PASS
    for name in ("floor-rules/1", "floor-rules/1-full"):
        listed = list(constants_of(known_document(name)))
        assert len(listed) == 81
        assert all(each.mark and each.section and each.words for each in listed)
        assert "not known" not in {each.words for each in listed}


def test_constants_of_an_unknown_document() -> None:
    """What a document holds is shown, whether this release knows it or not."""
    (one, other) = constants_of({"id": "floor-rules/9", "score": {"bonus": {"on": True}}})
    assert (one.value, one.mark) == ('"floor-rules/9"', "F")
    assert (other.name, other.value, other.mark) == ("bonus.on", "true", None)


def test_an_unknown_season(floor_demo: Bundle) -> None:
    """A season that the bundle lacks is refused by name."""
    with pytest.raises(FormatError, match=r"season-9\.json"):
        load_floor(floor_demo, Policy(), "season-9")
