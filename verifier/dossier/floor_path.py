"""
The price path of a call as the responses of its last attempt hold it, on both venues.

Source:
    floor.md sections 4, 5; floor-clarifications.md 11 to 14, 19.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formulas.floor.paths import CandlePath, FundingPath
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS
from formulas.floor.settlement import Unseen, attempt
from formulas.floor.terms import Close, Conditional, Range, Touch
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal

    from formulas.floor.paths import Candle
    from formulas.floor.rules import SettlementRules
    from formulas.floor.settlement import Deciding, Market
    from formulas.floor.terms import Inner, Source
    from verifier.floor.resettle import Trial
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["Leg", "legs_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """
    One source in the window of a call.

    Args:
        role: ``gate``, ``inner`` or empty: which part of the call it is for.
        source: The source.
        second: The other venue that confirms it; None for funding.
        first: Start of the window's first minute, ms; behind a gate, of the one after it was met.
        last: Start of its last minute, or hour of funding, ms.
        deadline: Of that part of the call, ms.
        levels: Level, or both edges; none for a relative.
        candles: Minutes from posting to the deadline that the source's responses hold.
        second_candles: The same of the second venue.
        longest: Longest run of missing minutes.
        prints: Of funding, the prints up to the deadline; None is a missing hour.
        met: Of a gate, what met it.
    """

    role: str
    source: Source
    second: Source | None
    first: int
    last: int
    deadline: int
    levels: tuple[Decimal, ...]
    candles: tuple[Candle, ...] = ()
    second_candles: tuple[Candle, ...] = ()
    longest: int = 0
    prints: tuple[tuple[int, Decimal | None], ...] = ()
    met: Deciding | None = None


def legs_of(
    call: Call, row: SettlementRow | None, trials: tuple[Trial, ...], rules: SettlementRules
) -> tuple[Leg, ...]:
    """Give the paths that settled a call; none if it is open."""
    if row is None or not trials:
        return ()
    markets = trials[-1].markets
    if isinstance(call.terms, Conditional):
        gate, inner = call.terms.gate, call.terms.inner
        met = _met(gate, call.posted_at, markets, rules)
        gates = (
            replace(leg, met=met) for leg in _legs("gate", gate, call.posted_at, markets, rules)
        )
        inners = _legs("inner", inner, call.posted_at, markets, rules)
        if met is not None and isinstance(inner, Touch | Range):
            # Close and relative keep the whole window.
            inners = (replace(leg, first=max(leg.first, met.at + MINUTE_MS)) for leg in inners)
        return (*(replace(leg, met=met) for leg in gates), *inners)
    return tuple(_legs("", call.terms, call.posted_at, markets, rules))


def _met(
    gate: Touch, posted_at: int, markets: tuple[Market, Market], rules: SettlementRules
) -> Deciding | None:
    """Find the minute that met the gate of a call; None if none did, or nobody can tell."""
    source, confirm = markets
    found = attempt(gate, posted_at, source=source, confirm=confirm, rules=rules)
    if isinstance(found, Unseen) or found.outcome != "hit":
        return None
    return found.deciding


def _legs(
    role: str,
    terms: Inner,
    posted_at: int,
    markets: tuple[Market, Market],
    rules: SettlementRules,
) -> Iterator[Leg]:
    first = -(-posted_at // MINUTE_MS) * MINUTE_MS
    last = terms.deadline // MINUTE_MS * MINUTE_MS - MINUTE_MS
    levels: tuple[Decimal, ...] = ()
    if isinstance(terms, Touch | Close):
        levels = (terms.level,)
    elif isinstance(terms, Range):
        levels = (terms.low, terms.high)
    for source in dict.fromkeys(sources(terms)):
        leg = Leg(
            role=role,
            source=source,
            second=source.second(),
            first=first,
            last=last,
            deadline=terms.deadline,
            levels=levels,
        )
        if source.measure == "funding":
            yield _funding(terms, markets[0], rules, leg)
            continue
        window = markets[0].minutes.get(source, CandlePath()).window(posted_at, terms.deadline)
        other = markets[1].minutes.get(source.second(), CandlePath())
        yield replace(
            leg,
            candles=tuple(window.candles),
            second_candles=tuple(other.window(posted_at, terms.deadline).candles),
            longest=window.longest,
        )


def _funding(terms: Inner, market: Market, rules: SettlementRules, leg: Leg) -> Leg:
    last = terms.deadline // HOUR_MS * HOUR_MS
    first = last - rules.funding_window_seconds * SECOND_MS
    prints = market.funding.get(leg.source, FundingPath()).prints
    hours = range(first, last + HOUR_MS, HOUR_MS)
    return replace(
        leg,
        second=None,
        first=first,
        last=last,
        prints=tuple((hour, prints.get(hour)) for hour in hours),
    )
