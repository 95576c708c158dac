"""The course of a standing is what the standing was at each of its moments."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formulas.errors import FormulaDomainError
from formulas.floor.course import course
from formulas.floor.proved import decimal
from formulas.floor.standing import standing
from verifier.floor.rulesets import known_rules

RULES = known_rules("floor-rules/1")
MONTH_MS = RULES.score.half_life_seconds * 1000

points = st.decimals(-600, 600, places=4, allow_nan=False)
# Whole half-lives apart lie the ties that no running sum can decide.
moments = st.one_of(
    st.integers(0, 400).map(lambda days: days * 86_400_000),
    st.integers(0, 40).map(lambda months: months * MONTH_MS),
    st.integers(0, 10**13).map(lambda second: second // 1000 * 1000),
)


@given(st.lists(st.tuples(points, moments), max_size=12))
def test_every_moment_is_the_standing_then(calls: list[tuple[Decimal, int]]) -> None:
    """At each settlement the course says what the rule says of the calls so far, to the digit."""
    found = course(calls, rules=RULES)
    assert [moment.at for moment in found] == sorted({at for _, at in calls})
    for moment in found:
        so_far = [(gained, at) for gained, at in calls if at <= moment.at]
        exact = standing(so_far, at=moment.at, rules=RULES.score)
        assert moment.standing == decimal(exact, RULES.decimals.standing)


def test_a_tie_is_decided_exactly() -> None:
    """Half of 0.0001 lies on a boundary, and is rounded away from zero."""
    calls = [(Decimal("0.0001"), 0), (Decimal(0), MONTH_MS)]
    assert course(calls, rules=RULES)[-1].standing == Decimal("0.0001")
    calls = [(Decimal("-0.0001"), 0), (Decimal(0), MONTH_MS)]
    assert course(calls, rules=RULES)[-1].standing == Decimal("-0.0001")


def test_numbers_beyond_binary64() -> None:
    """Points that no binary64 holds are weighed exactly."""
    huge = Decimal(f"1{'0' * 320}")
    found = course([(huge, 0), (Decimal(1), 1000)], rules=RULES)
    assert found[0].standing == huge
    exact = standing([(huge, 0), (Decimal(1), 1000)], at=1000, rules=RULES.score)
    assert found[1].standing == decimal(exact, RULES.decimals.standing)


def test_without_calls() -> None:
    """Nothing settled, no moment."""
    assert course([], rules=RULES) == ()


def test_ages_are_bounded() -> None:
    """More half-lives than the standing takes are refused by it."""
    far = 100_002 * MONTH_MS
    calls = [(Decimal(f"1{'0' * 320}"), 0), (Decimal(1), far)]
    with pytest.raises(FormulaDomainError, match="half-lives"):
        course(calls, rules=RULES)
