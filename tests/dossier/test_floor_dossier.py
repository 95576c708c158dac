"""Dossiers of the Floor: everything published beside what follows, and what becomes of a lie."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from floor_publisher import publish
from hypothesis import given
from hypothesis import strategies as st
from overlays import overlays
from shared import FIXTURES

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.core.merkle import check_inclusion
from verifier.core.schemes import scheme
from verifier.dossier.floor import FloorSeason, load_floor
from verifier.dossier.floor_agent import floor_agent
from verifier.dossier.floor_call import FloorCall, floor_call
from verifier.dossier.floor_ledger import days_of, hours_of, ledger_hour
from verifier.dossier.floor_rules import constants_of, known_document, rules_shown
from verifier.dossier.floor_sealed import entry_body, sealed_members, settlement_record
from verifier.dossier.floor_table import bins_of, explain_season, funnel_of, standings
from verifier.errors import FormatError
from verifier.findings import Verdict
from verifier.floor.rows import read_call
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.jsonread import JsonValue

FORGERIES = {forgery.name: forgery for forgery in overlays("floor-demo")}
SEASON = "season-1"


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo."""
    with open_bundle(FIXTURES / "floor-demo") as opened:
        yield opened


@pytest.fixture(scope="module")
def season(demo: Bundle) -> FloorSeason:
    """Load its first season."""
    return load_floor(demo, Policy(), SEASON)


def forged(demo: Bundle, name: str) -> FloorSeason:
    """Load the season of a forgery."""
    forgery = FORGERIES[name]
    return load_floor(overlay(demo, forgery.changes(demo), relist=forgery.relist), Policy(), SEASON)


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


def test_the_funnel_adds_up(demo: Bundle, season: FloorSeason) -> None:
    """Every call of the two seasons is counted once; settled is what the table calls settled."""
    funnel = funnel_of(season)
    assert funnel.posted == funnel.settled + funnel.voids + funnel.open + funnel.late == 346
    assert funnel.settled == funnel.hits + funnel.misses == 295
    table = standings(season)
    rows = (*table.rows, *table.unlisted)
    assert funnel.settled == sum(int(str(row.values["settled"].published)) for row in rows)
    assert dict(funnel.reasons) == {"data_gap": 34, "unconfirmed": 7}
    assert sum(count for _, count in funnel.reasons) == funnel.voids
    after = funnel_of(load_floor(demo, Policy(), "season-2"))
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


@pytest.fixture(scope="module")
def shown(season: FloorSeason) -> tuple[FloorCall, ...]:
    """Settle every call of the season again."""
    return tuple(floor_call(season, held) for held in season.calls)


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


def test_what_is_shown_hashes_to_what_was_sealed(shown: tuple[FloorCall, ...]) -> None:
    """The JSON that a page shows is what seal, entry and record are hashes of."""
    for call in shown:
        assert sha256(call.sealed) == call.held.call.seal
        if call.held.entry is not None:
            assert sha256(call.entry) == call.held.entry.hash
            assert sha256(call.record) == call.held.entry.record


def sha256(value: JsonValue) -> str:
    """Hash canonical JSON."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def test_proofs_lead_to_the_published_roots(shown: tuple[FloorCall, ...]) -> None:
    """The path of a page, walked by itself, leads from the entry to the root of its hour."""
    tree = scheme("rfc9162-sha256")
    walked = 0
    for call in shown:
        if call.proof is None or call.held.entry is None:
            continue
        path = [bytes.fromhex(each) for each in call.proof.path]
        published = bytes.fromhex(str(call.proof.root.published))
        leaf = tree.leaf(bytes.fromhex(call.held.entry.hash))
        check_inclusion(leaf, call.proof.index, call.proof.size, path, published, scheme=tree)
        walked += 1
    assert walked == 336


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


def test_an_unknown_season(demo: Bundle) -> None:
    """A season that the bundle lacks is refused by name."""
    with pytest.raises(FormatError, match=r"season-9\.json"):
        load_floor(demo, Policy(), "season-9")


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
def test_a_lie_about_a_call_is_told_on_its_call(demo: Bundle, name: str) -> None:
    """The call loses its pass and shows both values; its neighbours keep theirs."""
    seal, published, recomputed, verdict = LIES[name]
    season = forged(demo, name)
    place = next(at for at, held in enumerate(season.calls) if held.call.seal.startswith(seal))
    call = floor_call(season, season.calls[place])
    assert (call.outcome.published, call.outcome.recomputed) == (published, recomputed)
    assert call.verdict == verdict
    if name == "points-off":
        assert (str(call.points.published), str(call.points.recomputed)) == ("45.5219", "45.5218")
    for held in (season.calls[place - 20], season.calls[place - 40]):
        assert floor_call(season, held).verdict is Verdict.PASS


def test_a_changed_b_shows_published_and_recomputed(demo: Bundle) -> None:
    """A baseline that was sealed anew differs from what its responses give."""
    season = forged(demo, "baseline-off")
    seal = LIES["baseline-off"][0]
    held = next(held for held in season.calls if held.call.seal.startswith(seal))
    bad = floor_call(season, held)
    assert bad.baseline is not None
    b = bad.baseline.b
    assert b.verdict is Verdict.FAIL
    assert b.published != b.recomputed
    assert bad.seal.verdict is Verdict.PASS


def test_a_root_of_another_hour(demo: Bundle) -> None:
    """The hour says so, and so does the proof of each of its calls."""
    season = forged(demo, "root-of-another-hour")
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


def test_a_row_that_was_dropped(demo: Bundle) -> None:
    """The agent stands in the table all the same, as one that the publication leaves out."""
    season = forged(demo, "season-row-dropped")
    table = standings(season)
    missing = [row for row in table.rows if row.values["standing"].published is None]
    (row,) = missing
    assert row.verdict is Verdict.FAIL
    assert row.values["standing"].recomputed is not None
    record = floor_agent(season, row.agent)
    assert record.verdict is Verdict.FAIL
    assert record.reason is not None
    assert "leaves the agent out" in record.reason


def test_without_known_rules_nothing_passes(demo: Bundle) -> None:
    """A rule set of another name leaves every value unproven, and nothing crashes."""
    rules = demo.read("floor/rules.json").replace(b'"floor-rules/1"', b'"floor-rules/9"')
    changed = overlay(demo, {"floor/rules.json": rules}, relist=True)
    season = load_floor(changed, Policy(), SEASON)
    table = standings(season)
    assert {row.verdict for row in (*table.rows, *table.unlisted)} == {Verdict.UNPROVEN}
    assert floor_agent(season, "a-0001").verdict is Verdict.UNPROVEN
    call = floor_call(season, season.calls[0])
    assert call.verdict is Verdict.UNPROVEN
    assert call.baseline is None
    assert not call.legs
    assert rules_shown(season.context).verdict is Verdict.UNPROVEN


def test_a_published_bundle(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Calls of another publisher recompute as well."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, 24)
    with open_bundle(folder) as opened:
        season = load_floor(opened, Policy(), opened.index.seasons[0].id)
        shown = [floor_call(season, held) for held in season.calls]
        assert shown
        assert {call.verdict for call in shown} == {Verdict.PASS}
        assert {sha256(call.sealed) == call.held.call.seal for call in shown} == {True}


decimals = st.from_regex(r"(0|[1-9][0-9]{0,6})(\.[0-9]{1,9})?", fullmatch=True)
times = st.sampled_from(["2026-11-03T14:05:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
sources = st.sampled_from(["hyperliquid:BTC:price", "coinbase:k@x/9:funding"])
sides = st.sampled_from(["above", "below"])
touches = st.fixed_dictionaries(
    {
        "kind": st.just("touch"),
        "deadline": times,
        "source": sources,
        "direction": sides,
        "level": decimals,
    }
)
inners = st.one_of(
    touches,
    touches.map(lambda terms: {**terms, "kind": "close"}),
    st.fixed_dictionaries(
        {
            "kind": st.just("range"),
            "deadline": times,
            "source": sources,
            "low": decimals,
            "high": decimals,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("relative"),
            "deadline": times,
            "source": sources,
            "other": sources,
            "margin": decimals,
        }
    ),
)
numbers = st.one_of(
    st.integers(-5, 5),
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6),
    st.sampled_from([1e-7, 1e300, 0.1, 1e21, 123456789012345.6]),
)


@given(
    st.one_of(
        inners,
        st.fixed_dictionaries(
            {"kind": st.just("conditional"), "deadline": times, "gate": touches, "inner": inners}
        ),
    ),
    numbers,
    numbers,
)
def test_any_call_leads_back_to_its_sealed_bytes(
    terms: dict[str, JsonValue], p: float, b: float
) -> None:
    """Whatever kind, level or number was sealed, what is shown of it has the same seal."""
    sealed: dict[str, JsonValue] = {
        "agent": "a",
        "baseline": {"b": b, "version": "v"},
        "posted_at": "2026-11-03T14:05:00Z",
        "terms": {**terms, "p": p},
    }
    call = read_call(
        1,
        {
            **sealed,
            "claim": "c",
            "envelope": "0" * 64,
            "evidence": {"history": [], "spot": []},
            "labels": [],
            "note": None,
            "seal": "0" * 64,
        },
        b"",
    )
    assert sha256(sealed_members(call)) == call.sealed == sha256(sealed)


def test_rows_lead_back_to_their_lines(season: FloorSeason) -> None:
    """Settlements and entries are written as they were read."""
    tables = season.context.tables
    assert all(sha256(settlement_record(row)) == row.sha256 for row in tables.settlements)
    assert all(sha256(entry_body(entry)) == entry.body_sha256 for entry in tables.entries)
