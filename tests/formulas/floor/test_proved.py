"""
Clarification 35: raise the precision until the interval excludes the boundary.

No fixed number of digits suffices, no tolerance may count as a tie, and exact
ties are decided exactly.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import as_written, parse_decimal, plain, round_half_away
from formulas.floor.proved import LAST_BITS, Real, ball_of, decimal, exactly

if TYPE_CHECKING:
    from flint import arb

FRACTIONS = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**9)


def hidden(truth: Fraction) -> Real:
    """Make a number that neither binary64 nor its being rational helps to round."""
    return Real(value=0.0, error=inf, ball=lambda: ball_of(truth))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("digits", [10, 29, 100, 3_000])
def test_however_near_a_boundary(digits: int, sign: int) -> None:
    """A value 10**-digits below half a unit rounds down, one above it up."""
    half, step = Fraction(5, 10**5), Fraction(1, 10**digits)
    assert decimal(hidden(sign * (half - step)), 4) == 0
    assert decimal(hidden(sign * (half + step)), 4) == sign * Decimal("0.0001")


@pytest.mark.parametrize(
    ("value", "rounded"),
    [("0.00005", "0.0001"), ("-0.00005", "-0.0001"), ("0.00015", "0.0002"), ("2.5", "2.5")],
)
def test_exact_ties_go_away_from_zero(value: str, rounded: str) -> None:
    """Half away from zero, on both sides, and not to even."""
    assert decimal(exactly(Fraction(value)), 4) == Decimal(rounded)


def test_a_tie_that_is_not_known_to_be_one_is_refused() -> None:
    """Without the knowledge that it is rational no precision decides a tie: an error, no hang."""
    third = Fraction(1, 3)

    def ball() -> arb:
        # Exactly half a unit, in a form that no ball can see through.
        return ball_of(third) * 3 / 20_000

    with pytest.raises(FormulaDomainError, match=f"undecided at {LAST_BITS} bits"):
        decimal(Real(value=0.00005, error=1e-20, ball=ball), 4)


def test_zero_has_no_sign() -> None:
    """A minus zero is written 0 (clarification 4)."""
    for real in (hidden(Fraction(-1, 10**9)), exactly(Fraction(-1, 10**9)), exactly(Fraction(0))):
        assert str(decimal(real, 2)) == "0.00"
    assert str(decimal(Real(value=-1e-9, error=1e-12, ball=lambda: ball_of(Fraction(0))), 2)) == (
        "0.00"
    )


def test_balls_are_asked_only_near_a_boundary() -> None:
    """Far from any boundary binary64 decides, within its bound it does not."""
    asked = []

    def ball() -> arb:
        asked.append(1)
        return ball_of(Fraction(1, 3))

    assert decimal(Real(value=1 / 3, error=1e-15, ball=ball), 6) == Decimal("0.333333")
    assert not asked
    assert decimal(Real(value=0.3333335, error=1e-6, ball=ball), 6) == Decimal("0.333333")
    assert asked


@given(FRACTIONS, st.integers(0, 8), st.floats(0, 1e-3))
def test_three_roads_one_decimal(truth: Fraction, places: int, error: float) -> None:
    """Binary64 with any honest bound, balls and fractions agree."""
    exact = round_half_away(truth, places)
    assert decimal(exactly(truth), places) == exact
    assume((2 * abs(truth) * 10**places).denominator != 1 or truth == 0)
    assert decimal(hidden(truth), places) == exact
    near = Real(
        value=float(truth) + error, error=error * 1.001 + 1e-12, ball=lambda: ball_of(truth)
    )
    assert decimal(near, places) == exact


@given(FRACTIONS, st.integers(0, 12))
def test_rounding_is_to_the_nearest(truth: Fraction, places: int) -> None:
    """No other decimal is nearer, and at the same distance none is farther from zero."""
    rounded = Fraction(round_half_away(truth, places))
    distance = abs(rounded - truth) * 10**places
    assert distance <= Fraction(1, 2)
    if distance == Fraction(1, 2):
        assert abs(rounded) > abs(truth)


@given(st.decimals(-(10**9), 10**9, places=12), st.integers(0, 20))
def test_plain_is_one_spelling(value: Decimal, zeros: int) -> None:
    """Equal decimals are written alike, and the text reads back as an equal decimal."""
    text = plain(value)
    assert parse_decimal(text) == value
    longer = text + ("" if "." in text else ".") + "0" * (zeros + 1)
    assert plain(parse_decimal(longer)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_as_written_is_the_shortest_text(number: float) -> None:
    """The decimal of a JSON number reads back as that number."""
    assert float(as_written(number)) == number


@pytest.mark.parametrize("number", [inf, -inf, float("nan")])
def test_as_written_refuses_what_json_cannot_hold(number: float) -> None:
    """Infinity and NaN are no JSON numbers."""
    with pytest.raises(FormulaDomainError):
        as_written(number)
