"""
Pricing a call at posting: the baseline's inputs taken from its evidence.

Spot is the value of the source at ``posted_at``. Volatility is that of the
hourly candles that start at or after ``posted_at`` less the days of history and
end at or before ``posted_at``. A funding baseline takes the prints of the hours
from ``posted_at`` less the days of funding up to, not including, ``posted_at``.

A call without a baseline is not admitted: no spot, too few hours or prints, or
a price that never moved.

Source:
    floor.md section 3; floor-clarifications.md 13, 22-24.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from formulas.errors import FormulaDomainError
from formulas.floor.barrier import stay
from formulas.floor.baseline import close, funding_share, spread, touch
from formulas.floor.paths import CandlePath, FundingPath
from formulas.floor.primitives import DAY_MS, HOUR_MS, SECOND_MS, round_half_away
from formulas.floor.proved import Real, decimal
from formulas.floor.settlement import Unseen
from formulas.floor.terms import Close, Conditional, Range, Relative, Touch
from formulas.floor.volatility import ewma

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from formulas.floor.terms import Source, Terms

__all__ = ["History", "NotPriced", "Priced", "price", "spot_at"]


@dataclass(frozen=True, slots=True)
class History:
    """Paths that price a call; a source that is not listed was never asked for."""

    minutes: Mapping[Source, CandlePath] = field(default_factory=dict)
    hours: Mapping[Source, CandlePath] = field(default_factory=dict)
    funding: Mapping[Source, FundingPath] = field(default_factory=dict)


class Priced(NamedTuple):
    """
    A baseline and what it was taken from.

    Attributes:
        b: As published, rounded.
        spot: Price at posting, where it counts.
        sigma: Annualised volatility, where it counts.
        rows: Hours or prints that were used.
    """

    b: Decimal
    spot: Decimal | None = None
    sigma: Real | None = None
    rows: int = 0


class NotPriced(NamedTuple):
    """The call has no baseline, so it may not be admitted."""

    reason: str


def price(
    terms: Terms, posted_at: int, *, history: History, rules: Rules
) -> Priced | NotPriced | Unseen:
    """
    Price a call.

    Args:
        terms: What was called; a conditional has the baseline of its inner call.
        posted_at: When, ms.
        history: Paths from the call's ``spot`` and ``history`` responses.
        rules: Constants and decimals.

    Returns:
        The baseline, why there is none, or the evidence that is lacking.

    Source:
        floor.md section 3; floor-clarifications.md 13, 22-24, 45.
    """
    if isinstance(terms, Conditional):
        return price(terms.inner, posted_at, history=history, rules=rules)
    if isinstance(terms, Relative):
        return Priced(round_half_away(Fraction(rules.baseline.relative), rules.decimals.b))
    if isinstance(terms, Close) and terms.source.measure == "funding":
        return _funding(terms, posted_at, history, rules)
    return _lognormal(terms, posted_at, history, rules)


def spot_at(
    source: Source, posted_at: int, *, history: History, rules: Rules
) -> Decimal | NotPriced | Unseen:
    """
    Take the spot of a source at posting.

    Args:
        source: A price.
        posted_at: When, ms.
        history: Paths from the call's ``spot`` responses.
        rules: The greatest age of a value.

    Returns:
        The value, that there is none, or the evidence that is lacking.

    Source:
        floor.md section 3, 4; floor-clarifications.md 22, 32.
    """
    path = history.minutes.get(source, CandlePath())
    value = path.value_at(posted_at, max_age=rules.settlement.value_max_age_seconds * SECOND_MS)
    if value.unseen is not None:
        return Unseen("spot", source, value.unseen)
    return NotPriced("no spot: a gap at posting") if value.value is None else value.value


def _lognormal(
    terms: Touch | Close | Range, posted_at: int, history: History, rules: Rules
) -> Priced | NotPriced | Unseen:
    spot = spot_at(terms.source, posted_at, history=history, rules=rules)
    if isinstance(spot, NotPriced | Unseen):
        return spot
    base = rules.baseline
    path = history.hours.get(terms.source, CandlePath(step=HOUR_MS))
    hours = path.window(posted_at - base.history_days * DAY_MS, posted_at)
    if hours.unseen is not None:
        return Unseen("history", terms.source, hours.unseen)
    needed = max(1, base.history_min_hours)
    if len(hours.candles) < needed:
        return NotPriced(f"{len(hours.candles)} hours of history, {needed} needed")
    first, last = hours.candles[0].start, hours.candles[-1].start
    try:
        sigma = _ewma(_Known(path), first, last, base.decay, base.annual_hours)
        if sigma.exact == 0:
            return NotPriced("sigma is 0: the price never moved")
        over = spread(sigma, terms.deadline - posted_at, year_seconds=base.year_seconds)
        if isinstance(terms, Touch):
            real = touch(spot=spot, level=terms.level, over=over)
        elif isinstance(terms, Close):
            real = close(spot=spot, level=terms.level, direction=terms.direction, over=over)
        else:
            real = stay(spot=spot, low=terms.low, high=terms.high, over=over)
    except FormulaDomainError as problem:
        return NotPriced(str(problem))
    return Priced(decimal(real, rules.decimals.b), spot, sigma, len(hours.candles))


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """A path that is the same only if it is the same object: comparing candles takes longer."""

    path: CandlePath

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and other.path is self.path

    def __hash__(self) -> int:
        return id(self.path)


# Calls of one hour on one source share their history. The key keeps the path, so that no
# other can get its place in memory.
@lru_cache(maxsize=256)
def _ewma(known: _Known, first: int, last: int, decay: Decimal, annual_hours: int) -> Real:
    path = known.path
    candles = path.candles[bisect_left(path.starts, first) : bisect_right(path.starts, last)]
    return ewma([each.close for each in candles], decay=decay, annual_hours=annual_hours)


def _funding(
    terms: Close, posted_at: int, history: History, rules: Rules
) -> Priced | NotPriced | Unseen:
    base = rules.baseline
    path = history.funding.get(terms.source, FundingPath())
    first = -(-(posted_at - base.funding_days * DAY_MS) // HOUR_MS) * HOUR_MS
    last = (posted_at - 1) // HOUR_MS * HOUR_MS
    unseen = path.unseen(first, last)
    if unseen is not None:
        return Unseen("history", terms.source, unseen)
    hours = range(first, last + HOUR_MS, HOUR_MS)
    rates = [path.prints[hour] for hour in hours if hour in path.prints]
    if len(rates) < base.funding_min_prints or not rates:
        return NotPriced(f"{len(rates)} funding prints, {base.funding_min_prints} needed")
    share = funding_share(rates, level=terms.level, direction=terms.direction)
    return Priced(round_half_away(share, rules.decimals.b), rows=len(rates))
