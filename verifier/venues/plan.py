"""
What to ask the venues for, so that a call can be priced and settled.

Settlement: every minute of the window of each source leg, from the minutes
that could give the value at posting up to the one that ends at the deadline,
and on the second venue the same, since the deciding minute is not known
beforehand. Funding: the hours of the gap rule. Baseline: the minutes of the
spot, and the hours or prints of the history.

Each request stays below what its venue answers at once, and together they
*cover* what is needed once the candles have ended (:mod:`verifier.venues.evidence`).

Source:
    floor.md sections 3-5; floor-clarifications.md 12, 13, 22-24, 43, 45.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from formulas.floor.terms import Conditional, Relative
from verifier.venues import coinbase, hyperliquid
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from formulas.floor.rules import Rules
    from formulas.floor.terms import Source, Terms
    from verifier.venues.exchange import Ask

__all__ = ["BaselineAsks", "SettlementAsks", "baseline_requests", "settlement_requests"]

_INTERVALS = {MINUTE_MS: "1m", HOUR_MS: "1h"}


class SettlementAsks(NamedTuple):
    """Requests for the two sides of an attempt."""

    source: tuple[Ask, ...]
    confirm: tuple[Ask, ...]


class BaselineAsks(NamedTuple):
    """Requests that price a call."""

    spot: tuple[Ask, ...]
    history: tuple[Ask, ...]


def settlement_requests(terms: Terms, posted_at: int, rules: Rules) -> SettlementAsks:
    """
    Ask for what an attempt needs.

    Args:
        terms: What was called.
        posted_at: When, ms.
        rules: Greatest age of a value, hours of the funding rule.

    Returns:
        Requests to send at or after the start of the attempt.

    Source:
        floor.md sections 4, 5; floor-clarifications.md 13, 43.
    """
    used = rules.settlement
    first = _before(posted_at, used.value_max_age_seconds * SECOND_MS)
    last = terms.deadline // MINUTE_MS * MINUTE_MS - MINUTE_MS
    source: list[Ask] = []
    confirm: list[Ask] = []
    for leg in dict.fromkeys(sources(terms)):
        if leg.measure == "funding":
            hour = terms.deadline // HOUR_MS * HOUR_MS
            begin = hour - used.funding_window_seconds * SECOND_MS
            source.extend(hyperliquid.funding_requests(leg.symbol, begin, hour))
        else:
            source.extend(_candles(leg, MINUTE_MS, first, last))
            confirm.extend(_candles(leg.second(), MINUTE_MS, first, last))
    return SettlementAsks(tuple(source), tuple(confirm))


def baseline_requests(terms: Terms, posted_at: int, rules: Rules) -> BaselineAsks:
    """
    Ask for what a baseline needs.

    Args:
        terms: What was called.
        posted_at: When, ms.
        rules: Days of history.

    Returns:
        Requests to send at posting; none for a relative. Funding is asked for
        a minute after posting: only then is the print of its own hour covered.

    Source:
        floor.md section 3; floor-clarifications.md 22-24, 45.
    """
    spot: list[Ask] = []
    history: list[Ask] = []
    used = rules.baseline
    inner = terms.inner if isinstance(terms, Conditional) else terms
    spots = [terms.gate.source] if isinstance(terms, Conditional) else []
    if not isinstance(inner, Relative):
        leg = inner.source
        last = (posted_at - 1) // HOUR_MS * HOUR_MS
        if leg.measure == "funding":
            first = -(-(posted_at - used.funding_days * DAY_MS) // HOUR_MS) * HOUR_MS
            history.extend(hyperliquid.funding_requests(leg.symbol, first, last))
        else:
            spots.append(leg)
            first = -(-(posted_at - used.history_days * DAY_MS) // HOUR_MS) * HOUR_MS
            last = posted_at // HOUR_MS * HOUR_MS - HOUR_MS
            history.extend(_candles(leg, HOUR_MS, first, last))
    first = _before(posted_at, rules.settlement.value_max_age_seconds * SECOND_MS)
    last = posted_at // MINUTE_MS * MINUTE_MS - MINUTE_MS
    for leg in dict.fromkeys(spots):
        spot.extend(_candles(leg, MINUTE_MS, first, last))
    return BaselineAsks(tuple(spot), tuple(history))


def _candles(leg: Source, step: int, first: int, last: int) -> tuple[Ask, ...]:
    if leg.venue == "hyperliquid":
        return hyperliquid.candle_requests(leg.symbol, _INTERVALS[step], first, last)
    return coinbase.candle_requests(leg.symbol, step, first, last)


def _before(at: int, age: int) -> int:
    """Give the first minute that could hold the value at a time."""
    return -(-(at - age) // MINUTE_MS) * MINUTE_MS - MINUTE_MS
