"""
ARCANA's season score, ``arcana-score-formula/v1``.

In force from 2026-09-09; scores are sealed from 2026-09-14, all under this version.

Six factors from 0 to 100 are weighted, and the sum is multiplied by how well
the agent kept to the strategy it had declared. Higher is better throughout.
The numbers in the comments are those of the published steps, which
``v1.json`` beside this file gives in words:

1. Read the NAVs.
2. Exposure: the mean invested share of the ticks with a positive NAV.
3. Count the decisions, buys and sells.
4. Creator's mean: the performance of the creator's other agents.
5. Strategy: turnover and sell share against the declared profile's bands.
6. Multiplier, from the strategy.
7. Ranked: with enough decisions.
8. Regime, longevity, creator.
9. Without a NAV the market factors are neutral.
10. Returns from tick to tick.
11. Performance: the return over the season.
12. Exposure used: not under its floor.
13. Risk and consistency, from deviation and drawdown for each unit of exposure.
14. The weighted sum, times the multiplier, rounded: the ARCANA score.
15. Unranked: no risk, consistency or score.

Every operation is a binary64 operation rounded on its own, in the order
written. The one exception is ``1 - strategy_floor`` in step 6, which the
engine's compiler folds exactly before it becomes a double.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from formulas.arcana_score import steps
from formulas.arith import parse_floats, round1, same_double
from formulas.errors import FormulaDomainError

__all__ = [
    "CONSTANTS",
    "ID",
    "OUTPUTS",
    "Working",
    "same_constants",
    "score",
]

ID: Final = "arcana-score-formula/v1"

OUTPUTS: Final = (
    "performance",
    "risk",
    "strategy",
    "regime",
    "consistency",
    "creator",
    "longevity",
    "strategy_multiplier",
    "ranked",
    "arcana",
)


def _profile(
    turnover_lo: float, turnover_hi: float, sell_share_lo: float, sell_share_hi: float
) -> Mapping[str, float]:
    return MappingProxyType(
        {
            "turnover_lo": turnover_lo,
            "turnover_hi": turnover_hi,
            "sell_share_lo": sell_share_lo,
            "sell_share_hi": sell_share_hi,
        }
    )


CONSTANTS: Final[Mapping[str, object]] = MappingProxyType(
    {
        "w_performance": 0.35,
        "w_risk": 0.25,
        "w_consistency": 0.15,
        "w_regime": 0.1,
        "w_longevity": 0.1,
        "w_creator": 0.05,
        "strategy_floor": 0.7,
        "strategy_min_decisions": 5,
        "min_participation_decisions": 5,
        "perf_scale": 0.2,
        "vol_scale": 0.05,
        "dd_scale": 0.2,
        "consistency_scale": 0.04,
        "longevity_ticks": 20,
        "min_exposure": 0.02,
        "neutral": 50,
        "strategy_fit_tolerance": 0.25,
        "w_strat_turnover": 0.6,
        "w_strat_sell_share": 0.4,
        "strategy_profiles": MappingProxyType(
            {
                "buy_and_hold": _profile(0, 0.2, 0, 0.15),
                "momentum": _profile(0.35, 1, 0.15, 0.65),
                "mean_reversion": _profile(0.25, 1, 0.15, 0.65),
            }
        ),
    }
)


class Working(NamedTuple):
    """
    Every intermediate of one score, in the order of the steps.

    Factors, scores and the weighted sum are points; exposure, shares, returns,
    deviations and drawdowns are fractions. ``None`` means that the steps do
    not define the value for this agent.
    """

    ticks: int
    exposure: float
    decisions: int
    buys: int
    sells: int
    peer_mean: float | None
    checkable: bool
    turnover: float | None
    sell_share: float | None
    strategy: float
    strategy_multiplier: float
    ranked: bool
    regime: float
    longevity: float
    creator: float
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
    weighted_sum: float
    arcana: float

    @property
    def outputs(self) -> dict[str, float | bool | None]:
        """The ten published outputs, in their published order (step 15)."""
        return {
            "performance": self.performance,
            "risk": self.risk if self.ranked else None,
            "strategy": self.strategy,
            "regime": self.regime,
            "consistency": self.consistency if self.ranked else None,
            "creator": self.creator,
            "longevity": self.longevity,
            "strategy_multiplier": self.strategy_multiplier,
            "ranked": self.ranked,
            "arcana": self.arcana if self.ranked else None,
        }


def score(  # noqa: PLR0913 - a score has six inputs
    *,
    navs: Sequence[str],
    cash: Sequence[str],
    actions: Sequence[str],
    strategy_type: str,
    peers: Sequence[float],
    constants: Mapping[str, object] = CONSTANTS,
) -> Working:
    """
    Compute one agent's season score, with everything on the way to it.

    Args:
        navs: Shape (n_ticks,), net asset values as column text, oldest first.
        cash: Shape (n_ticks,), the cash within each, as column text.
        actions: Shape (n_decisions,), in the record's order; only exactly
            ``buy`` and ``sell`` are trades, and every action counts.
        strategy_type: The strategy that the agent declared; any text.
        peers: Shape (n_peers,), performance scores in points of the creator's
            other agents, in the manifest's order.
        constants: The constants to compute with.

    Raises:
        FormulaDomainError: *navs* and *cash* differ in length.
        FormulaConstantsError: *constants* lack a key of this version, hold a
            value of another type, or a zero where the formula divides.

    Source:
        ARCANA, ``GET /v1/score-formulas/arcana-score-formula/v1``.

    >>> score(navs=["100.00"], cash=["100.00"], actions=[], strategy_type="", peers=[]).performance
    50.0
    """
    c = steps.read_constants(constants)
    if len(navs) != len(cash):
        raise FormulaDomainError(f"{len(navs)} NAVs, but {len(cash)} values of cash")

    values = parse_floats(navs)  # 1
    exposure = steps.exposure_of(values, parse_floats(cash))  # 2
    decisions, buys, sells = len(actions), actions.count("buy"), actions.count("sell")  # 3
    peer_mean = steps.mean_in_order(peers)  # 4
    fit = steps.fit_of(c, strategy_type, actions)  # 5, 6
    longevity = steps.longevity_factor(c, len(values))  # 8
    creator = steps.creator_factor(c, peer_mean)
    market = steps.market_of(c, values, exposure)  # 9 to 13
    weighted_sum = (  # 14
        c.w_performance * market.performance
        + c.w_risk * market.risk
        + c.w_regime * c.neutral
        + c.w_consistency * market.consistency
        + c.w_creator * creator
        + c.w_longevity * longevity
    )
    return Working(
        ticks=len(values),
        exposure=exposure,
        decisions=decisions,
        buys=buys,
        sells=sells,
        peer_mean=peer_mean,
        checkable=fit.checkable,
        turnover=fit.turnover,
        sell_share=fit.sell_share,
        strategy=fit.strategy,
        strategy_multiplier=fit.multiplier,
        ranked=decisions >= c.min_participation_decisions,  # 7
        regime=c.neutral,
        longevity=longevity,
        creator=creator,
        returns=market.returns,
        total_return=market.total_return,
        performance=market.performance,
        exposure_used=market.exposure_used,
        mean_return=market.mean_return,
        stdev_return=market.stdev_return,
        stdev_per_exposure=market.stdev_per_exposure,
        drawdown=market.drawdown,
        drawdown_per_exposure=market.drawdown_per_exposure,
        risk=market.risk,
        consistency=market.consistency,
        weighted_sum=weighted_sum,
        arcana=round1(weighted_sum * fit.multiplier),
    )


def same_constants(a: object, b: object) -> bool:
    """
    Say whether two sets of constants hold the same keys and the same values.

    Whole numbers and doubles are compared by exact value, so 50 and 50.0 are
    the same while 0 and -0 are not.
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same_constants(a[key], b[key]) for key in a)
    return _same_value(a, b)


def _same_value(a: object, b: object) -> bool:
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, float) and isinstance(b, float):
        return same_double(a, b)
    if isinstance(a, int | float) and isinstance(b, int | float):
        # Mixed: Python compares the whole number with the double exactly.
        return a == b and (a != 0 or same_double(float(a), float(b)))
    return type(a) is type(b) and a == b
