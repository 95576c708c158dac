"""
Generated calls and ledgers, many to one Node process: Python and JavaScript agree on each.

Rounding boundaries are looked for, since a double decides nothing there.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from flint import arb, ctx, fmpz
from hypothesis import given
from hypothesis import strategies as st
from verify_batches import BATCH
from verify_node import needs_node, values

from formulas.floor.primitives import plain, round_half_away, scaled
from formulas.floor.proved import decimal
from formulas.floor.score import brier, points
from formulas.floor.season import Entry, season_table
from formulas.floor.standing import standing
from verifier.floor.rulesets import known_rules

if TYPE_CHECKING:
    from formulas.floor.settlement import Outcome

pytestmark = needs_node

RULES: Final = known_rules("floor-rules/1")
HALF_LIFE: Final = 2_592_000

probabilities = st.integers(0, 10_000).map(lambda n: Decimal(n) / 10_000)
baselines = st.integers(0, 1_000_000).map(lambda n: Decimal(n) / 1_000_000)
gains = st.integers(-5_700_000, 5_700_000).map(lambda n: Decimal(n) / 10_000)
ages = st.one_of(
    st.integers(0, 3 * HALF_LIFE),
    st.integers(0, 5).map(lambda n: n * HALF_LIFE),
    st.sampled_from([1, 60, 86_400, HALF_LIFE - 1, HALF_LIFE + 1]),
)


@BATCH
@given(st.lists(st.tuples(probabilities, baselines, st.booleans()), min_size=80, max_size=150))
def test_points_of_any_call(calls: list[tuple[Decimal, Decimal, bool]]) -> None:
    """All p of four decimals and b of six."""
    answers = values(("points", f"{p:f}", f"{b:f}", hit) for p, b, hit in calls)
    for (p, b, hit), answer in zip(calls, answers, strict=True):
        exact = decimal(points(p, b, hit=hit, rules=RULES.score), 4)
        assert answer["text"] == plain(exact), (p, b, hit)


def floor_of(value: arb, digits: int) -> int:
    """Cut a number off after so many decimals."""
    whole = (value * arb(fmpz(10) ** digits)).floor().unique_fmpz()
    assert whole is not None
    return int(whole)


def test_points_beside_rounding_boundaries() -> None:
    """Baselines found on both sides of a boundary, with ever more digits."""
    asked: list[tuple[Decimal, Decimal]] = []
    with ctx.workprec(400):
        for p in ("0.6", "0.37", "0.9", "0.05"):
            for half in (1, -1, 101, -777, 12_345, 654_321):
                # b with 100*log2(p/b) = half/20000, to 12 up to 60 digits.
                exponent = -arb(fmpz(half)) / arb(fmpz(2_000_000))
                b = arb(fmpz(int(Decimal(p) * 10_000))) / arb(fmpz(10_000)) * (arb(2) ** exponent)
                for digits in (6, 9, 12, 15, 20, 30, 45, 60):
                    units = floor_of(b, digits)
                    asked += [(Decimal(p), scaled(units + step, digits)) for step in (0, 1)]
    answers = values(("points", f"{p:f}", f"{b:f}", True) for p, b in asked)
    for (called, base), answer in zip(asked, answers, strict=True):
        exact = decimal(points(called, base, hit=True, rules=RULES.score), 4)
        assert answer["text"] == plain(exact), (called, base)
    assert {answer["by"] for answer in answers} == {"double", "fixed point"}


def test_points_of_powers_of_two() -> None:
    """Exactly so many hundreds, whichever way they are decided."""
    asked = [("points", "0.8", text, True) for text in ("0.4", "0.2", "0.1", "0.05", "0.025")]
    texts = [answer["text"] for answer in values([*asked, ("points", "0.4", "0.8", True)])]
    assert texts == ["100", "200", "300", "400", "500", "-100"]


@BATCH
@given(st.lists(st.lists(st.tuples(gains, ages), max_size=30), min_size=20, max_size=40))
def test_standing_of_any_calls(agents: list[list[tuple[Decimal, int]]]) -> None:
    """Ages of all kinds, whole half-lives among them."""
    answers = values(
        ("standing", [(f"{gained:f}", age) for gained, age in calls]) for calls in agents
    )
    at = 10 * HALF_LIFE * 1000
    for calls, answer in zip(agents, answers, strict=True):
        listed = [(gained, at - age * 1000) for gained, age in calls]
        assert answer["text"] == plain(decimal(standing(listed, at=at, rules=RULES.score), 4))


def test_standing_beside_rounding_boundaries() -> None:
    """Two calls whose second pulls the sum onto a boundary, nearer than a double sees."""
    asked: list[list[tuple[Decimal, int]]] = []
    with ctx.workprec(300):
        for age in (1, 86_400, 1_000_000):
            weight = arb(2) ** (-arb(fmpz(age)) / arb(fmpz(HALF_LIFE)))
            for digits in (12, 18, 25, 40):
                term = arb(fmpz(123_4567)) / arb(fmpz(10_000)) * weight
                # 0.00005 less the term, cut off below or above.
                least = 5 * 10 ** (digits - 5) - floor_of(term, digits)
                for step in (0, 1):
                    rest = scaled(least - step, digits)
                    asked.append([(Decimal("123.4567"), age), (rest, 0)])
    answers = values(
        ("standing", [(f"{gained:f}", age) for gained, age in calls]) for calls in asked
    )
    at = HALF_LIFE * 1000
    for calls, answer in zip(asked, answers, strict=True):
        listed = [(gained, at - age * 1000) for gained, age in calls]
        assert answer["text"] == plain(decimal(standing(listed, at=at, rules=RULES.score), 4))
    assert {answer["by"] for answer in answers} == {"fixed point"}


def test_standing_on_a_boundary() -> None:
    """A tie that is exact goes away from zero; terms that cancel leave the rational part."""
    asked = [
        [("0.0001", HALF_LIFE)],
        [("-0.0001", HALF_LIFE)],
        [("0.0001", HALF_LIFE), ("5", 7), ("-5", 7)],
        [("0.0001", HALF_LIFE), ("5", 7), ("-10", 7 + HALF_LIFE), ("3", 3 * HALF_LIFE)],
        [("5", 7), ("-5", 7)],
    ]
    answers = values(("standing", calls) for calls in asked)
    texts = [answer["text"] for answer in answers]
    assert texts == ["0.0001", "-0.0001", "0.0001", "0.3751", "0"]
    assert {answer["by"] for answer in answers} == {"fraction"}


@BATCH
@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=20, max_size=60))
def test_enclosures_hold_the_truth(pairs: list[tuple[int, int]]) -> None:
    """Against ball arithmetic of twice the precision: logarithms and powers lie between."""
    asked: list[tuple[Any, ...]] = []
    truths: list[arb] = []
    with ctx.workprec(700):
        for a, b in pairs:
            n, d = max(a, b) + 1, min(a, b)
            asked.append(("enclose", "encloseLog2", str(n), str(d), "200"))
            truths.append((arb(fmpz(n)) / arb(fmpz(d))).log() / arb(2).log())
            asked.append(("enclose", "encloseHalving", str(d - 1), str(n), "200"))
            truths.append(arb(2) ** (-arb(fmpz(d - 1)) / arb(fmpz(n))))
        for truth, (low, high) in zip(truths, values(asked), strict=True):
            size = truth * arb(2) ** 200
            # Balls: only what lies beyond an end for certain is wrong.
            assert not size < arb(fmpz(int(low)))
            assert not size > arb(fmpz(int(high)))
            assert int(high) - int(low) < 1 << 12


@BATCH
@given(
    st.lists(
        st.lists(st.tuples(probabilities, st.booleans()), max_size=25), min_size=10, max_size=20
    )
)
def test_brier_scores(agents: list[list[tuple[Decimal, bool]]]) -> None:
    """Exact means, rounded once."""
    answers = values(("brier", [(f"{p:f}", hit) for p, hit in calls]) for calls in agents)
    for calls, got in zip(agents, answers, strict=True):
        mean = brier(calls)
        assert got == (None if mean is None else plain(round_half_away(mean, 6)))


@st.composite
def ledgers(draw: st.DrawFn) -> list[Entry]:
    """Draw few agents with few different calls, so that ties come about."""
    kinds: list[tuple[Outcome, Decimal, Decimal | None]] = [
        ("hit", Decimal("0.5"), Decimal(10)),
        ("miss", Decimal("0.5"), Decimal(-10)),
        ("hit", Decimal("0.7"), Decimal("0.0001")),
        ("void", Decimal("0.5"), None),
    ]
    made = []
    ids = st.sampled_from(["a", "B", "é", "\U0001d4b3", "\uffee", "b"])
    for agent in draw(st.sets(ids, min_size=1)):
        for _ in range(draw(st.integers(1, 30))):
            outcome, p, gained = draw(st.sampled_from(kinds))
            at = draw(st.integers(0, 9)) * 1000
            made.append(Entry(agent, outcome, p, gained, at))
    return made


@BATCH
@given(st.lists(ledgers(), min_size=4, max_size=8))
def test_season_tables(listed: list[list[Entry]]) -> None:
    """Rows, ranks with ties, the unlisted, and agents in the order of code points."""
    asked = [
        (
            "table",
            [
                (
                    e.agent,
                    e.outcome,
                    f"{e.p:f}",
                    None if e.points is None else f"{e.points:f}",
                    e.settled_at // 1000,
                )
                for e in entries
            ],
            2,
            8,
        )
        for entries in listed
    ]
    for entries, got in zip(listed, values(asked), strict=True):
        table = season_table(entries, start=2000, end=8000, rules=RULES)
        assert [
            (r["agent"], r["rank"], r["standing"], r["brier"], r["settled"], r["voids"])
            for r in got["rows"]
        ] == [
            (r.agent, r.rank, plain(r.standing), plain(r.brier), r.settled, r.voids)
            for r in table.rows
        ]
        assert [(r["agent"], r["settled"], r["standing"]) for r in got["unlisted"]] == [
            (r.agent, r.settled, plain(r.standing)) for r in table.unlisted
        ]
