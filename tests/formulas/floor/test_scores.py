"""Scores, standings and seasons: the properties that make them fair."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING

import pytest
from floor_evidence import rules
from hypothesis import given
from hypothesis import strategies as st

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import DAY_MS, SECOND_MS
from formulas.floor.proved import Real, decimal
from formulas.floor.score import brier, clamp, points
from formulas.floor.season import Entry, Row, order, season_table
from formulas.floor.standing import standing

if TYPE_CHECKING:
    from formulas.floor.settlement import Outcome

RULES = rules()
PROBABILITIES = st.decimals("0.02", "0.98", places=4)
BASELINES = st.decimals("0", "1", places=6)
POINTS = st.decimals("-562", "562", places=4)
AGES = st.integers(0, 400 * 86_400)


def score(p: Decimal, b: Decimal, *, hit: bool) -> Decimal:
    """Score to 20 decimals."""
    return decimal(points(p, b, hit=hit, rules=RULES.score), 20)


@given(PROBABILITIES, PROBABILITIES, BASELINES)
def test_honest_probability_has_the_highest_expected_score(
    honest: Decimal, other: Decimal, b: Decimal
) -> None:
    """Whoever believes p expects most by saying p, whatever the baseline; strictly so."""

    def expected(said: Decimal) -> Decimal:
        return honest * score(said, b, hit=True) + (1 - honest) * score(said, b, hit=False)

    if other == honest:
        return
    assert expected(honest) > expected(other)


@given(BASELINES)
def test_agreeing_with_the_baseline_scores_nothing(b: Decimal) -> None:
    """A copy of the baseline scores exactly 0 either way."""
    for hit in (True, False):
        assert points(b, b, hit=hit, rules=RULES.score).exact == 0


@given(PROBABILITIES, PROBABILITIES)
def test_trading_places_turns_the_sign(p: Decimal, b: Decimal) -> None:
    """What one gains against the other, the other would have lost."""
    assert score(p, b, hit=True) == -score(b, p, hit=True)
    assert score(p, b, hit=True) == score(1 - p, 1 - b, hit=False)


@given(PROBABILITIES, BASELINES, st.booleans())
def test_bound_holds(p: Decimal, b: Decimal, hit: bool) -> None:  # noqa: FBT001  # drawn
    """The stated error contains the true value, and leaves at least nine decimals."""
    real = points(p, b, hit=hit, rules=RULES.score)
    proved = decimal(Real(value=0.0, error=inf, ball=real.ball, exact=real.exact), 30)
    assert abs(Fraction(real.value) - Fraction(proved)) <= Fraction(real.error) + Fraction(
        1, 10**29
    )
    assert real.error < 1e-10


@pytest.mark.parametrize("bad", ["-0.1", "1.000001", "NaN", "Infinity"])
def test_what_is_no_probability_is_refused(bad: str) -> None:
    """A probability lies in [0, 1]; it is limited only within."""
    with pytest.raises(FormulaDomainError):
        clamp(Decimal(bad), RULES.score)


@given(st.lists(st.tuples(POINTS, AGES), max_size=12))
def test_standing_halves_in_thirty_days(calls: list[tuple[Decimal, int]]) -> None:
    """Without new calls a standing is worth half a half-life later, exactly."""
    settled = [(gained, 10**12 - age * SECOND_MS) for gained, age in calls]
    now = standing(settled, at=10**12, rules=RULES.score)
    later = standing(settled, at=10**12 + 30 * DAY_MS, rules=RULES.score)
    assert abs(decimal(now, 20) - 2 * decimal(later, 20)) <= Decimal("1e-19")
    if now.exact is not None:
        assert later.exact == now.exact / 2
    proved = decimal(Real(value=0.0, error=inf, ball=now.ball, exact=now.exact), 30)
    assert abs(Fraction(now.value) - Fraction(proved)) <= Fraction(now.error) + Fraction(1, 10**29)


def test_standings_that_are_rational_are_exact() -> None:
    """Ages that are whole half-lives, and terms that cancel, leave a fraction to round."""
    month = 30 * DAY_MS
    tie = [(Decimal("0.0001"), 0)]
    assert decimal(standing(tie, at=month, rules=RULES.score), 4) == Decimal("0.0001")
    assert decimal(standing([(Decimal("-0.0001"), 0)], at=month, rules=RULES.score), 4) == (
        Decimal("-0.0001")
    )
    cancelled = [*tie, (Decimal(50), month - 1000), (Decimal(-50), month - 1000)]
    assert standing(cancelled, at=month, rules=RULES.score).exact == Fraction(1, 20_000)
    # The same rest in another month cancels with twice the points.
    apart = [(Decimal(50), month - 1000), (Decimal(-100), -1000)]
    assert standing(apart, at=month, rules=RULES.score).exact == 0
    assert standing([(Decimal(1), 1000)], at=month, rules=RULES.score).exact is None


@pytest.mark.parametrize("sign", [1, -1])
def test_standings_beyond_binary64(sign: int) -> None:
    """Points that no formula gives still have a standing, and no float overflows on the way."""
    absurd = [(sign * Decimal("1.7e308"), 0), (sign * Decimal("1.7e308"), 0)]
    real = standing(absurd, at=1000, rules=RULES.score)
    size = abs(decimal(real, 4))
    assert Decimal("3.39e308") < size < Decimal("3.4e308")
    assert (decimal(real, 4) > 0) is (sign > 0)


@st.composite
def entries(draw: st.DrawFn) -> list[Entry]:
    """Draw a ledger with few agents, so that ties are common."""
    made = []
    for _ in range(draw(st.integers(0, 30))):
        outcomes: list[Outcome] = ["hit", "miss", "void"]
        outcome = draw(st.sampled_from(outcomes))
        gained = None if outcome == "void" else draw(st.sampled_from([Decimal(10), Decimal(-10)]))
        agent = draw(st.sampled_from("abcde"))
        settled_at = SECOND_MS * draw(st.integers(-1, 11))
        made.append(Entry(agent, outcome, Decimal("0.5"), gained, settled_at))
    return made


# Listed from two settled calls on, so that small ledgers fill a table.
FEW = replace(RULES, season=replace(RULES.season, min_settled=2))


@given(entries(), st.randoms(use_true_random=False))
def test_season_does_not_depend_on_input_order(made: list[Entry], random: object) -> None:
    """The same entries in any order make the same table."""
    shuffled = list(made)
    assert hasattr(random, "shuffle")
    random.shuffle(shuffled)
    window = {"start": 0, "end": 10_000}
    assert season_table(made, **window, rules=FEW) == season_table(shuffled, **window, rules=FEW)


@given(entries())
def test_season_holds_every_agent_once(made: list[Entry]) -> None:
    """Who has an entry in the season, voids included, is listed or unlisted."""
    table = season_table(made, start=0, end=10_000, rules=FEW)
    inside = {entry.agent for entry in made if 0 <= entry.settled_at < 10_000}
    named = [row.agent for row in table.rows] + [row.agent for row in table.unlisted]
    assert sorted(named) == sorted(inside)
    assert all(row.settled >= FEW.season.min_settled for row in table.rows)


ROWS = st.builds(
    Row,
    st.text("abc", min_size=1, max_size=3),
    st.sampled_from([Decimal("0.2"), Decimal("0.20"), Decimal("0.3")]),
    st.just(0),
    st.just(0),
    st.just(0),
    st.integers(20, 22),
    st.sampled_from([Decimal(0), Decimal("-0"), Decimal("12.5")]),
    st.just(0),
)


@given(st.lists(ROWS, max_size=12, unique_by=lambda row: row.agent))
def test_order_is_total(rows: list[Row]) -> None:
    """Any two rows are ordered, equals share a rank, and ranks skip as places do."""
    ranked = order(rows)
    assert order(list(reversed(ranked))) == ranked
    for place, (one, two) in enumerate(pairwise(ranked), start=1):
        equal = (one.standing, one.brier, one.settled) == (two.standing, two.brier, two.settled)
        better = (-one.standing, one.brier, -one.settled) <= (
            -two.standing,
            two.brier,
            -two.settled,
        )
        assert better
        assert two.rank == (one.rank if equal else place + 1)
        if equal:
            assert one.agent < two.agent


def test_an_entry_that_contradicts_itself_is_refused() -> None:
    """A void has no points, a hit has some."""
    for outcome, gained in (("void", Decimal(1)), ("hit", None)):
        made = Entry("a", outcome, Decimal("0.5"), gained, 0)  # type: ignore[arg-type]
        with pytest.raises(FormulaDomainError):
            season_table([made], start=0, end=1, rules=FEW)


def test_brier_of_nobody_is_undefined() -> None:
    """0 would be the best of all scores."""
    assert brier([]) is None
