"""
The double barrier seen twice: images against eigenfunctions, at any precision.

The formula uses each series where it is good. Here both are written again, in
mpmath and without sharing a line, and must agree with it on either side.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, isclose
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formulas.floor.barrier import eigenfunctions, images, stay
from formulas.floor.baseline import Spread, close, spread, touch
from formulas.floor.primitives import DAY_MS, HOUR_MS
from formulas.floor.proved import Real, decimal, exactly

SIGMAS = st.decimals("0.05", "20", places=4)
PRICES = st.decimals("50", "100000", places=2)
SHARES = st.decimals("0.0005", "0.5", places=4)
DURATIONS = st.integers(HOUR_MS, 30 * DAY_MS)


def over(sigma: Decimal, duration: int = DAY_MS) -> Spread:
    """Spread a volatility that is known exactly."""
    return spread(exactly(Fraction(sigma)), duration, year_seconds=31_536_000)


def by_images(low: Any, high: Any, deviation: Any) -> Any:
    """Sum reflected normal distributions over all reflections, both ways from the middle."""
    mp: Any = mpmath.mp
    width = high - low
    return mp.nsum(
        lambda k: (
            mp.ncdf((high - 2 * k * width) / deviation)
            - mp.ncdf((low - 2 * k * width) / deviation)
            - mp.ncdf((-high - 2 * k * width) / deviation)
            + mp.ncdf((low - 2 * high - 2 * k * width) / deviation)
        ),
        [-40, 40],
    )


def by_eigenfunctions(low: Any, high: Any, deviation: Any) -> Any:
    """Sum the heat equation's modes on the interval."""
    mp: Any = mpmath.mp
    width = high - low
    total = mp.mpf(0)
    for n in range(1, 400, 2):
        decay = mp.exp(-((n * mp.pi * deviation / width) ** 2) / 2)
        total += 4 / (n * mp.pi) * mp.sin(n * mp.pi * -low / width) * decay
        if decay < mp.mpf(10) ** -45:
            break
    return total


@pytest.mark.parametrize("sigma", ["0.1", "0.4", "0.6", "0.62", "0.65", "0.7", "1", "3"])
@pytest.mark.parametrize(("low", "high"), [("97", "103"), ("99", "120"), ("60", "101")])
def test_two_series_and_the_formula(sigma: str, low: str, high: str) -> None:
    """On both sides of the change-over the formula is what both other series say."""
    real = stay(spot=Decimal(100), low=Decimal(low), high=Decimal(high), over=over(Decimal(sigma)))
    proved = decimal(Real(value=0.0, error=inf, ball=real.ball), 30)
    with mpmath.workdps(50):
        deviation = mpmath.mpf(sigma) * mpmath.sqrt(mpmath.mpf(1) / 365)
        edges = mpmath.log(mpmath.mpf(low) / 100), mpmath.log(mpmath.mpf(high) / 100)
        assert abs(by_images(*edges, deviation) - mpmath.mpf(str(proved))) < 1e-29
        assert abs(by_eigenfunctions(*edges, deviation) - mpmath.mpf(str(proved))) < 1e-29
    assert abs(Decimal(real.value) - proved) <= Decimal(real.error)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.floats(0.5, 0.75))
def test_both_series_agree_around_the_change(up: float, down: float, share: float) -> None:
    """In binary64 too there is no step where one series takes over from the other."""
    width = up + down
    deviation = share * width
    assert isclose(
        images(up, down, deviation), eigenfunctions(down, width, deviation), abs_tol=1e-12
    )


@given(PRICES, SHARES, SHARES, SIGMAS, DURATIONS)
def test_bound_holds(
    spot: Decimal, below: Decimal, above: Decimal, sigma: Decimal, duration: int
) -> None:
    """The stated error of every baseline contains the true value."""
    low, high = spot * (1 - below), spot * (1 + above)
    wide = over(sigma, duration)
    for real in (
        stay(spot=spot, low=low, high=high, over=wide),
        touch(spot=spot, level=high, over=wide),
        close(spot=spot, level=low, direction="below", over=wide),
    ):
        proved = decimal(Real(value=0.0, error=inf, ball=real.ball), 30)
        assert abs(Fraction(real.value) - Fraction(proved)) <= Fraction(real.error)
        assert real.error < 1e-9


@given(PRICES, SHARES, SIGMAS, DURATIONS)
def test_touch_is_at_least_close(
    spot: Decimal, above: Decimal, sigma: Decimal, duration: int
) -> None:
    """To end beyond a level the price must reach it: twice the probability, to be exact."""
    level, wide = spot * (1 + above), over(sigma, duration)
    reached = touch(spot=spot, level=level, over=wide)
    ends = close(spot=spot, level=level, direction="above", over=wide)
    assert decimal(reached, 6) >= decimal(ends, 6)
    assert isclose(reached.value, 2 * ends.value, abs_tol=1e-14)
    other = close(spot=spot, level=level, direction="below", over=wide)
    assert isclose(ends.value + other.value, 1, abs_tol=1e-14)


@given(PRICES, SHARES, SHARES, SIGMAS, DURATIONS)
def test_range_is_one_less_the_probability_to_leave(
    spot: Decimal, below: Decimal, above: Decimal, sigma: Decimal, duration: int
) -> None:
    """To leave is at least as likely as touching either edge, at most as both together."""
    low, high = spot * (1 - below), spot * (1 + above)
    wide = over(sigma, duration)
    leave = 1 - stay(spot=spot, low=low, high=high, over=wide).value
    lower = touch(spot=spot, level=low, over=wide).value
    upper = touch(spot=spot, level=high, over=wide).value
    assert max(lower, upper) - 1e-9 <= leave <= lower + upper + 1e-9
    # An edge that is out of reach leaves the touch of the other.
    far = stay(spot=spot, low=spot / 10**80, high=high, over=wide).value
    assert isclose(1 - far, upper, abs_tol=1e-9)


@given(PRICES, SHARES, SHARES, SIGMAS, st.integers(1, 10**6))
def test_scaling_all_prices_changes_nothing(
    spot: Decimal, below: Decimal, above: Decimal, sigma: Decimal, factor: int
) -> None:
    """A price in another unit has the same baselines, to the last digit."""
    low, high = spot * (1 - below), spot * (1 + above)
    wide = over(sigma)
    for one, many in (
        (
            stay(spot=spot, low=low, high=high, over=wide),
            stay(spot=spot * factor, low=low * factor, high=high * factor, over=wide),
        ),
        (
            touch(spot=spot, level=high, over=wide),
            touch(spot=spot * factor, level=high * factor, over=wide),
        ),
        (
            close(spot=spot, level=low, direction="below", over=wide),
            close(spot=spot * factor, level=low * factor, direction="below", over=wide),
        ),
    ):
        assert decimal(one, 6) == decimal(many, 6)
