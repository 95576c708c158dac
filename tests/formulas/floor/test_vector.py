"""The vectorised and the scalar path give the same digits, near boundaries too."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import erfc, log, sqrt
from typing import TYPE_CHECKING

import numpy as np
import pytest
from floor_evidence import rules

from formulas.errors import FormulaDomainError
from formulas.floor.barrier import stay
from formulas.floor.baseline import Spread, close, spread, touch
from formulas.floor.primitives import DAY_MS
from formulas.floor.proved import Real, decimal, exactly
from formulas.floor.score import points
from formulas.floor.vector import close_units, points_units, stay_units, touch_units

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Doubles = NDArray[np.float64]

CALLS = 3_000
RULES = rules()


def exact(array: Doubles, row: int) -> Decimal:
    """Give the decimal that a double was read from."""
    return Decimal(repr(float(array[row])))


@pytest.fixture(scope="module", name="rng")
def _rng() -> np.random.Generator:
    return np.random.default_rng(7)


def test_points(rng: np.random.Generator) -> None:
    """Points of the array are the proved points of each call, and read as the same double."""
    p = np.round(rng.uniform(0.0, 1.0, CALLS), 4)
    b = np.round(rng.uniform(0.0, 1.0, CALLS), 6)
    p[:4], b[:4] = [0.0, 1.0, 0.02, 0.98], [1.0, 0.0, 0.01, 0.99]
    b[4:100] = p[4:100] / 2
    miss = rng.random(CALLS) < 0.5
    units = points_units(p, b, miss, rules=RULES)
    for row in range(CALLS):
        real = points(exact(p, row), exact(b, row), hit=not miss[row], rules=RULES.score)
        published = decimal(real, 4)
        assert units[row] == published.scaleb(4)
        assert units[row] / 10_000 == float(published)


def test_points_near_a_boundary() -> None:
    """A row that binary64 cannot decide is decided exactly: forced by asking for 12 decimals."""
    places = 12
    many = replace(RULES, decimals=replace(RULES.decimals, points=places))
    p = np.array([0.6, 0.61, 0.3, 0.45])
    b = np.array([0.31, 0.327, 0.6, 0.4501])
    miss = np.array([False, True, True, False])
    units = points_units(p, b, miss, rules=many)
    for row in range(len(p)):
        real = points(exact(p, row), exact(b, row), hit=not miss[row], rules=many.score)
        assert units[row] == decimal(real, places).scaleb(places)


@pytest.mark.parametrize("bad", [-0.1, 1.1, float("nan"), float("inf")])
def test_points_refuses_what_is_no_probability(bad: float) -> None:
    """Not even one row of the array may be outside [0, 1]."""
    good = np.array([0.5, 0.5])
    wrong = np.array([0.5, bad])
    miss = np.array([True, False])
    for p, b in ((wrong, good), (good, wrong)):
        with pytest.raises(FormulaDomainError):
            points_units(p, b, miss, rules=RULES)
    with pytest.raises(FormulaDomainError, match="shapes differ"):
        points_units(good, good[:1], miss, rules=RULES)


@pytest.mark.parametrize("volatility", [(0.2, 1.5), (0.01, 0.2), (2.0, 30.0)])
@pytest.mark.parametrize("places", [6, 11])
def test_baselines(rng: np.random.Generator, volatility: tuple[float, float], places: int) -> None:
    """Touch, close and range; at 11 decimals most rows have to be decided by the scalar path."""
    calls = 300
    spot = np.round(rng.uniform(50, 100_000, calls), 2)
    level = np.round(spot * np.exp(rng.normal(0, 0.03, calls)), 2)
    low = np.round(spot * np.exp(-rng.uniform(0.001, 0.3, calls)), 2)
    high = np.round(spot * np.exp(rng.uniform(0.001, 0.3, calls)), 2)
    above = rng.random(calls) < 0.5
    sigma = np.round(rng.uniform(*volatility, calls), 4)
    level[0] = spot[0]
    deviation = sigma * np.sqrt(1 / 365)

    def over(row: int) -> Spread:
        return spread(exactly(Fraction(exact(sigma, row))), DAY_MS, year_seconds=31_536_000)

    def one_touch(row: int) -> Real:
        return touch(spot=exact(spot, row), level=exact(level, row), over=over(row))

    def one_close(row: int) -> Real:
        return close(
            spot=exact(spot, row),
            level=exact(level, row),
            direction="above" if above[row] else "below",
            over=over(row),
        )

    def one_stay(row: int) -> Real:
        edges = exact(low, row), exact(high, row)
        return stay(spot=exact(spot, row), low=edges[0], high=edges[1], over=over(row))

    move, few = level / spot, 1e-15
    touched = touch_units(move, deviation, relative=few, exact=one_touch, places=places)
    closed = close_units(move, deviation, above, relative=few, exact=one_close, places=places)
    stayed = stay_units(
        spot / low, high / spot, deviation, relative=few, exact=one_stay, places=places
    )
    for row in range(calls):
        assert touched[row] == decimal(one_touch(row), places).scaleb(places)
        assert closed[row] == decimal(one_close(row), places).scaleb(places)
        assert stayed[row] == decimal(one_stay(row), places).scaleb(places)


def test_only_narrow_ranges() -> None:
    """A block in which every range is wide against the motion takes the images alone."""
    down, up, deviation = np.array([1.5, 1.2]), np.array([1.4, 1.01]), np.array([0.01, 0.005])

    def one(row: int) -> Real:
        raise AssertionError(row)

    units = stay_units(down, up, deviation, relative=1e-15, exact=one, places=6)
    leaves = erfc(log(1.01) / 0.005 / sqrt(2))
    assert list(units) == [1_000_000, round(1e6 * (1 - leaves))]


def test_an_unknown_deviation_decides_nothing() -> None:
    """With a useless bound every row goes to the scalar path."""
    asked = []

    def one(row: int) -> Real:
        asked.append(row)
        return exactly(Fraction(1, 3))

    move, deviation = np.array([1.01, 1.02]), np.array([0.1, 0.1])
    units = touch_units(move, deviation, relative=1.0, exact=one, places=6)
    assert list(units) == [333_333, 333_333]
    assert asked == [0, 1]
