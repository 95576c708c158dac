"""
ARCANA's season score before it was sealed: formulas F1, F2 and F3.

They matter for score rows that were published without a manifest. They take
the steps of version 1 with these differences; none of them knows an exposure,
and none leaves an agent unranked:

* **F1**, until 2026-09-09: the strategy factor is always 50, and is added with
  a weight of its own.
* **F2**, on 2026-09-09: the strategy is measured, and still added.
* **F3**, on 2026-09-09: the strategy becomes the multiplier. Rebuilt from the
  published document, as its source could not be read.

Consistency is measured on a scale of 0.02, and is 50 for an agent without a
decision.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from formulas.arcana_score import steps, v1
from formulas.arith import parse_floats, round1

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["CONSTANTS", "LegacyName", "LegacyScore", "score"]

LegacyName = Literal["F1", "F2", "F3"]

# Without an exposure the deviations and drawdowns are divided by one.
_FULL_EXPOSURE: Final = 1.0

_F3: Final = steps.read_constants(v1.CONSTANTS)._replace(consistency_scale=0.02)
_F1: Final = _F3._replace(w_performance=0.30, w_risk=0.20)

CONSTANTS: Final[Mapping[LegacyName, steps.Constants]] = {"F1": _F1, "F2": _F1, "F3": _F3}

_W_STRATEGY: Final = 0.10


@dataclass(frozen=True, slots=True, kw_only=True)
class LegacyScore:
    """The outputs, in points; the multiplier is a fraction, and 1 in F1 and F2."""

    performance: float
    risk: float
    strategy: float
    regime: float
    consistency: float
    creator: float
    longevity: float
    strategy_multiplier: float
    arcana: float


def score(
    name: LegacyName,
    *,
    navs: Sequence[str],
    actions: Sequence[str],
    strategy_type: str,
    peers: Sequence[float],
) -> LegacyScore:
    """
    Compute a score of before sealing.

    Args:
        name: Which formula.
        navs: Shape (n_ticks,), net asset values as column text, oldest first.
        actions: Shape (n_decisions,), in the record's order.
        strategy_type: The strategy that the agent declared.
        peers: Shape (n_peers,), performance scores in points of the creator's
            other agents, in order.

    Source:
        ARCANA's scoring document and its source of 2026-09-09.
    """
    c = CONSTANTS[name]
    values = parse_floats(navs)
    market = steps.market_of(c, values, _FULL_EXPOSURE)
    consistency = market.consistency if actions else c.neutral
    creator = steps.creator_factor(c, steps.mean_in_order(peers))
    longevity = steps.longevity_factor(c, len(values))
    fit = steps.fit_of(c, strategy_type, actions)
    strategy = c.neutral if name == "F1" else fit.strategy
    multiplier = fit.multiplier if name == "F3" else 1.0
    total = c.w_performance * market.performance + c.w_risk * market.risk
    if name != "F3":
        total += _W_STRATEGY * strategy
    total = (
        total
        + c.w_regime * c.neutral
        + c.w_consistency * consistency
        + c.w_creator * creator
        + c.w_longevity * longevity
    )
    return LegacyScore(
        performance=market.performance,
        risk=market.risk,
        strategy=strategy,
        regime=c.neutral,
        consistency=consistency,
        creator=creator,
        longevity=longevity,
        strategy_multiplier=multiplier,
        arcana=round1(total * multiplier),
    )
