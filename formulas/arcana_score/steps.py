"""
The steps that ARCANA's score formulas have in common, each in its fixed order.

The numbers are those of ``v1.json``. The earlier formulas take the same steps
with other constants, so what differs between them stands in their own modules.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from formulas.arith import clamp01, population_stdev, round1, sum_in_order
from formulas.errors import FormulaConstantsError

__all__ = [
    "Constants",
    "Fit",
    "Market",
    "complement",
    "creator_factor",
    "exposure_of",
    "fit_of",
    "longevity_factor",
    "market_of",
    "max_drawdown",
    "mean_in_order",
    "read_constants",
    "returns_of",
    "risk_factor",
]

_PROFILE_KEYS: Final = ("turnover_lo", "turnover_hi", "sell_share_lo", "sell_share_hi")
_DIVISORS: Final = (
    "perf_scale",
    "vol_scale",
    "dd_scale",
    "consistency_scale",
    "longevity_ticks",
    "strategy_fit_tolerance",
)


# Named tuples, not dataclasses: three are made for each score, and whoever verifies
# one score would spend more time on building the classes than on computing with them.
class Constants(NamedTuple):
    """A formula's constants as doubles; the meaning of each is in ``v1.json``."""

    w_performance: float
    w_risk: float
    w_consistency: float
    w_regime: float
    w_longevity: float
    w_creator: float
    strategy_floor: float
    strategy_min_decisions: float
    min_participation_decisions: float
    perf_scale: float
    vol_scale: float
    dd_scale: float
    consistency_scale: float
    longevity_ticks: float
    min_exposure: float
    neutral: float
    strategy_fit_tolerance: float
    w_strat_turnover: float
    w_strat_sell_share: float
    strategy_profiles: Mapping[str, Mapping[str, float]]


class Fit(NamedTuple):
    """How an agent's trading fits the strategy it declared (steps 5 and 6)."""

    checkable: bool
    turnover: float | None
    sell_share: float | None
    strategy: float
    multiplier: float


class Market(NamedTuple):
    """What the NAVs say (steps 9 to 13); ``None`` is a value without a definition."""

    returns: int
    total_return: float | None
    performance: float
    exposure_used: float
    mean_return: float | None
    stdev_return: float | None
    stdev_per_exposure: float | None
    drawdown: float | None
    drawdown_per_exposure: float | None
    risk: float
    consistency: float


def read_constants(constants: Mapping[str, object]) -> Constants:
    """
    Take the constants from a mapping such as a manifest holds.

    Args:
        constants: Numbers by name, and under ``strategy_profiles`` a mapping of
            profile names to the four numbers of each profile. Other keys are
            left alone.

    Raises:
        FormulaConstantsError: A key is missing, a value is no number, or a
            number that the formula divides by is zero.
    """
    names = (name for name in Constants._fields if name != "strategy_profiles")
    numbers = {name: _number(constants, name, name) for name in names}
    for name in _DIVISORS:
        if numbers[name] == 0:
            raise FormulaConstantsError(f"{name} is 0, and the formula divides by it")
    if not numbers["min_exposure"] > 0:
        raise FormulaConstantsError("min_exposure is not above 0, and the formula divides by it")
    profiles = constants.get("strategy_profiles")
    if not isinstance(profiles, Mapping):
        raise FormulaConstantsError("strategy_profiles is missing or no object")
    read = {}
    for name, profile in profiles.items():
        if not isinstance(profile, Mapping):
            raise FormulaConstantsError(f"strategy_profiles.{name} is no object")
        read[name] = {
            key: _number(profile, key, f"strategy_profiles.{name}.{key}") for key in _PROFILE_KEYS
        }
    return Constants(**numbers, strategy_profiles=read)


def _number(constants: Mapping[str, object], key: str, where: str) -> float:
    value = constants.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormulaConstantsError(f"{where} is missing or no number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise FormulaConstantsError(f"{where} is not a finite double")
    return number


def exposure_of(navs: Sequence[float], cash: Sequence[float]) -> float:
    """
    Step 2: the mean invested share of the ticks whose NAV is positive.

    Cash above the NAV counts as nothing invested; cash below zero counts as
    more than everything.

    Args:
        navs: Shape (n_ticks,), net asset values.
        cash: Shape (n_ticks,), the cash within each.

    Returns:
        A fraction, 0 without such a tick.
    """
    total = 0.0
    ticks = 0
    for nav, held in zip(navs, cash, strict=True):
        if nav > 0:
            invested = (nav - held) / nav
            total += 0.0 if invested < 0 else invested
            ticks += 1
    return total / ticks if ticks else 0.0


def mean_in_order(values: Sequence[float]) -> float | None:
    """Step 4: add in order from 0 and divide once; ``None`` without a value."""
    return sum_in_order(values) / len(values) if values else None


def fit_of(c: Constants, strategy_type: str, actions: Sequence[str]) -> Fit:
    """
    Steps 5 and 6: the strategy factor, and the multiplier that follows from it.

    Turnover is the share of decisions that trade, sell share the share of the
    trades that sell. A share inside its profile's band fits fully, and fits
    less the further it lies outside.

    Args:
        c: The constants.
        strategy_type: What the agent declared; known only if it is exactly the
            name of a profile.
        actions: Shape (n_decisions,), the decisions' actions.
    """
    decisions = len(actions)
    profile = c.strategy_profiles.get(strategy_type)
    # Without a decision there is no turnover, whatever minimum is stated.
    if profile is None or decisions < c.strategy_min_decisions or not decisions:
        return Fit(False, None, None, c.neutral, 1.0)
    sells = actions.count("sell")
    trades = actions.count("buy") + sells
    turnover = trades / decisions
    sell_share = sells / trades if trades else None

    def fit(value: float, low: float, high: float) -> float:
        if value < low:
            return clamp01(1 - (low - value) / c.strategy_fit_tolerance)
        if value > high:
            return clamp01(1 - (value - high) / c.strategy_fit_tolerance)
        return 1.0

    turnover_fit = fit(turnover, profile["turnover_lo"], profile["turnover_hi"])
    sell_fit = 1.0
    if sell_share is not None:
        sell_fit = fit(sell_share, profile["sell_share_lo"], profile["sell_share_hi"])
    strategy = round1((c.w_strat_turnover * turnover_fit + c.w_strat_sell_share * sell_fit) * 100)
    multiplier = c.strategy_floor + complement(c.strategy_floor) * (strategy / 100)
    return Fit(True, turnover, sell_share, strategy, multiplier)


def complement(x: float) -> float:
    """
    Subtract the decimal text of *x* from 1 exactly, then round once.

    The engine holds ``1 - 0.7`` as a constant expression, which its compiler
    folds to the double nearest 0.3. Subtracting doubles would give the next one.

    >>> complement(0.7), 1 - 0.7
    (0.3, 0.30000000000000004)
    """
    from decimal import Decimal  # noqa: PLC0415 - slow to load, needed for declared strategies

    numerator, denominator = Decimal(repr(x)).as_integer_ratio()
    return (denominator - numerator) / denominator


def longevity_factor(c: Constants, ticks: int) -> float:
    """Step 8: points for the number of ticks, full from ``longevity_ticks`` on."""
    return clamp01(ticks / c.longevity_ticks) * 100


def creator_factor(c: Constants, peer_mean: float | None) -> float:
    """Step 8: the creator's mean performance in points, neutral without one."""
    return c.neutral if peer_mean is None else clamp01(peer_mean / 100) * 100


def returns_of(navs: Sequence[float]) -> list[float]:
    """
    Step 10: the change from each positive NAV to the next, as a fraction of it.

    Args:
        navs: Shape (n_ticks,), oldest first.

    >>> returns_of([100.0, 110.0, 0.0, 50.0])
    [0.1, -1.0]
    """
    return [(nav - last) / last for last, nav in pairwise(navs) if last > 0]


def max_drawdown(navs: Sequence[float]) -> float:
    """
    Step 13: the largest fall below the running peak, as a fraction of that peak.

    Args:
        navs: Shape (n_ticks,) with at least one tick, oldest first. The first
            is a peak; a peak that is not positive measures nothing.

    >>> max_drawdown([100.0, 120.0, 60.0, 180.0, 45.0, 200.0])
    0.75
    """
    peak = navs[0]
    largest = 0.0
    for nav in navs:
        if nav > peak:  # noqa: PLR1730 - twice as fast as max(), and this loop is the longest
            peak = nav
        if peak > 0:
            fall = (peak - nav) / peak
            if fall > largest:  # noqa: PLR1730 - the same
                largest = fall
    return largest


def risk_factor(c: Constants, sd: float, dd: float) -> float:
    """
    Step 13: half from the deviation, half from the drawdown, rounded to one decimal.

    Args:
        c: The constants.
        sd: Standard deviation of the returns for each unit of exposure, a fraction.
        dd: Largest drawdown for each unit of exposure, a fraction.
    """
    steady = clamp01(1 - sd / c.vol_scale) * 100
    held = clamp01(1 - dd / c.dd_scale) * 100
    return round1(0.5 * steady + 0.5 * held)


def market_of(c: Constants, navs: Sequence[float], exposure: float) -> Market:
    """
    Steps 9 to 13: performance, risk and consistency.

    Args:
        c: The constants.
        navs: Shape (n_ticks,), oldest first.
        exposure: Mean invested fraction of step 2.
    """
    used = max(exposure, c.min_exposure)
    performance = risk = consistency = c.neutral
    total_return = mean = stdev = sd = drawdown = dd = None
    if navs and navs[0] > 0:
        total_return = (navs[-1] - navs[0]) / navs[0]
        performance = clamp01(0.5 + total_return / c.perf_scale) * 100
    returns = returns_of(navs)
    if returns:
        mean = sum_in_order(returns) / len(returns)
        stdev = population_stdev(returns, mean)
        sd = stdev / used
        drawdown = max_drawdown(navs)
        dd = drawdown / used
        risk = risk_factor(c, sd, dd)
        consistency = clamp01(1 - sd / c.consistency_scale) * 100
    return Market(
        returns=len(returns),
        total_return=total_return,
        performance=performance,
        exposure_used=used,
        mean_return=mean,
        stdev_return=stdev,
        stdev_per_exposure=sd,
        drawdown=drawdown,
        drawdown_per_exposure=dd,
        risk=risk,
        consistency=consistency,
    )
