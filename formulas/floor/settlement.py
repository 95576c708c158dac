"""
Settlement under ``floor-rules/1``: one attempt, decided from its own evidence.

An attempt reads the source's path and, unless that has a gap, the second
venue's. In this order, and only while nothing earlier ends it: gate source,
gate confirmation, inner source, inner confirmation. Within each, whatever is
needed and was never asked for (:class:`Unseen`) goes before any result.

1. Window: the minutes that lie wholly between posting and the deadline; for an
   inner touch or range, those after the minute that met the gate.
2. ``data_gap``: a run of missing minutes in the window above the limit, or no
   value where one is needed. A touch before a gap does not survive it.
3. Outcome. Touch: some minute reaches the level, a print on it counts. Close:
   strictly beyond, equal is a miss. Range: every minute strictly inside.
   Relative: returns as exact fractions, equal returns miss.
4. Confirmation by the other venue within the tolerance of the source's price,
   at the deciding moment: the first minute that touched or left (its high or
   low on each venue), else the deadline (values). Else ``unconfirmed``.
   Funding has no second venue.

Source:
    floor.md sections 4, 5; floor-clarifications.md 13-21, 43-45.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple

from formulas.errors import FormulaDomainError
from formulas.floor.paths import CandlePath, FundingPath
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS, plain
from formulas.floor.terms import Conditional, Range, Relative, Touch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from formulas.floor.paths import Candle, Slice, Value
    from formulas.floor.rules import SettlementRules
    from formulas.floor.terms import Close, Inner, Source, Terms

__all__ = [
    "Attempt",
    "Deciding",
    "Market",
    "Outcome",
    "Reason",
    "Result",
    "Side",
    "Unseen",
    "attempt",
]

Result = Literal["settled", "data_gap", "unconfirmed"]
Outcome = Literal["hit", "miss", "void"]
Reason = Literal["data_gap", "unconfirmed", "gate_not_met"]
Side = Literal["source", "confirm", "spot", "history"]


@dataclass(frozen=True, slots=True)
class Market:
    """Paths of one side of an attempt; a source that is not listed was never asked for."""

    minutes: Mapping[Source, CandlePath] = field(default_factory=dict)
    funding: Mapping[Source, FundingPath] = field(default_factory=dict)


class Unseen(NamedTuple):
    """Evidence that is needed and nobody asked for: the candle or print at *start*, ms."""

    side: Side
    source: Source
    start: int


class Deciding(NamedTuple):
    """
    What decided: *at* in ms, values in plain decimals.

    Relative calls have two values each, joined by a space; funding has no *confirm*.
    """

    at: int
    source: str
    confirm: str | None


class Attempt(NamedTuple):
    """
    What one attempt comes to.

    Attributes:
        result: As the record states it.
        outcome: None unless settled.
        reason: ``gate_not_met`` for that void, else None.
        deciding: None unless settled.
        printless: The window had no minute to look at (a gate met in the last one).
    """

    result: Result
    outcome: Outcome | None = None
    reason: Reason | None = None
    deciding: Deciding | None = None
    printless: bool = False


def attempt(
    terms: Terms, posted_at: int, *, source: Market, confirm: Market, rules: SettlementRules
) -> Attempt | Unseen:
    """
    Settle a call from one attempt's evidence.

    Args:
        terms: What was called.
        posted_at: When, ms.
        source: Paths from the attempt's ``source`` responses.
        confirm: Paths from its ``confirm`` responses.
        rules: Gaps and tolerances.

    Returns:
        The attempt's result, or the evidence that it lacks.

    Raises:
        FormulaDomainError: A relative call's price at posting is not positive.

    Source:
        floor.md section 5; floor-clarifications.md 14, 16-19, 44.
    """
    desk = _Desk(source, confirm, rules)
    try:
        if not isinstance(terms, Conditional):
            return desk.settle(terms, posted_at, posted_at)
        gate = desk.touch(terms.gate, posted_at)
        if gate.outcome is None or gate.deciding is None:
            return gate
        if gate.outcome == "miss":
            return Attempt("settled", "void", "gate_not_met", gate.deciding)
        return desk.settle(terms.inner, posted_at, gate.deciding.at + MINUTE_MS)
    except _UnseenError as lacking:
        return lacking.unseen


class _UnseenError(Exception):
    """Leaves the stages at once: unseen evidence goes before any result."""

    def __init__(self, unseen: Unseen) -> None:
        super().__init__(unseen)
        self.unseen = unseen


@dataclass(frozen=True, slots=True)
class _Desk:
    """One attempt's evidence, and how each kind of call is settled on it."""

    source: Market
    confirm: Market
    rules: SettlementRules

    def settle(self, terms: Inner, posted_at: int, after: int) -> Attempt:
        """Settle any unconditional call; touch and range look at minutes from *after*."""
        if isinstance(terms, Touch):
            return self.touch(terms, after)
        if isinstance(terms, Range):
            return self.range(terms, after)
        if isinstance(terms, Relative):
            return self.relative(terms, posted_at)
        if terms.source.measure == "funding":
            return self.funding(terms)
        return self.close(terms, posted_at)

    def touch(self, terms: Touch, after: int) -> Attempt:
        above = terms.direction == "above"
        path = self._path("source", terms.source)
        window = path.window(after, terms.deadline)
        reached = None
        for candle in window.candles:
            if candle.high >= terms.level if above else candle.low <= terms.level:
                reached = candle
                break
        outcome: Outcome = "miss" if reached is None else "hit"
        return self._by_extreme(terms, window, outcome, reached, high=above)

    def range(self, terms: Range, after: int) -> Attempt:
        path = self._path("source", terms.source)
        window = path.window(after, terms.deadline)
        left = None
        for candle in window.candles:
            if candle.low <= terms.low or candle.high >= terms.high:
                left = candle
                break
        outcome: Outcome = "hit" if left is None else "miss"
        # The low edge goes first if one minute left by both.
        high = left is not None and left.low > terms.low
        return self._by_extreme(terms, window, outcome, left, high=high)

    def close(self, terms: Close, posted_at: int) -> Attempt:
        window = self._path("source", terms.source).window(posted_at, terms.deadline)
        value = self._value("source", terms.source, terms.deadline)
        self._need("source", terms.source, window, value)
        if value.value is None or self._gap(window):
            return Attempt("data_gap")
        outcome: Outcome = "hit" if _beyond(value.value, terms) else "miss"
        return self._at_deadline(terms, outcome, value.value, window)

    def relative(self, terms: Relative, posted_at: int) -> Attempt:
        legs = (terms.source, terms.other)
        starts, ends, gap = [], [], False
        for leg in legs:
            window = self._path("source", leg).window(posted_at, terms.deadline)
            start = self._value("source", leg, posted_at)
            end = self._value("source", leg, terms.deadline)
            self._need("source", leg, window, start, end)
            gap = gap or self._gap(window)
            starts.append(start.value)
            ends.append(end.value)
        (start_a, start_b), (end_a, end_b) = starts, ends
        if gap or start_a is None or start_b is None or end_a is None or end_b is None:
            return Attempt("data_gap")
        if not (start_a > 0 and start_b > 0):
            raise FormulaDomainError(f"no return from a price of {start_a} or {start_b}")
        lead = Fraction(end_a) / Fraction(start_a) - Fraction(end_b) / Fraction(start_b)
        outcome: Outcome = "hit" if lead > 0 and lead >= Fraction(terms.margin) else "miss"
        seconds = [self._value("confirm", leg.second(), terms.deadline) for leg in legs]
        for leg, second in zip(legs, seconds, strict=True):
            self._need("confirm", leg.second(), second)
        second_a, second_b = (second.value for second in seconds)
        if second_a is None or second_b is None:
            return Attempt("unconfirmed")
        if not (self._near(end_a, second_a) and self._near(end_b, second_b)):
            return Attempt("unconfirmed")
        said = f"{plain(end_a)} {plain(end_b)}"
        confirmed = f"{plain(second_a)} {plain(second_b)}"
        return Attempt("settled", outcome, None, Deciding(terms.deadline, said, confirmed))

    def funding(self, terms: Close) -> Attempt:
        path = self.source.funding.get(terms.source, FundingPath())
        hour = terms.deadline // HOUR_MS * HOUR_MS
        first = hour - self.rules.funding_window_seconds * SECOND_MS
        unseen = path.unseen(first + HOUR_MS, hour)
        if unseen is not None:
            raise _UnseenError(Unseen("source", terms.source, unseen))
        before, widest = first, 0
        for point in range(first + HOUR_MS, hour + HOUR_MS, HOUR_MS):
            if point in path.prints:
                before, widest = point, max(widest, point - before)
        rate = path.prints.get(hour)
        if rate is None or widest > self.rules.funding_gap_seconds * SECOND_MS:
            return Attempt("data_gap")
        outcome: Outcome = "hit" if _beyond(rate, terms) else "miss"
        return Attempt("settled", outcome, None, Deciding(terms.deadline, plain(rate), None))

    def _by_extreme(
        self,
        terms: Touch | Range,
        window: Slice,
        outcome: Outcome,
        decider: Candle | None,
        *,
        high: bool,
    ) -> Attempt:
        """Settle by the minute that reached a level or left a range, or by there being none."""
        if decider is None:
            value = self._value("source", terms.source, terms.deadline)
            self._need("source", terms.source, window, value)
            if value.value is None or self._gap(window):
                return Attempt("data_gap")
            return self._at_deadline(terms, outcome, value.value, window)
        self._need("source", terms.source, window)
        if self._gap(window):
            return Attempt("data_gap")
        other = terms.source.second()
        extreme = decider.high if high else decider.low
        candle = self._path("confirm", other).at(decider.start)
        if candle is not None:
            second: Decimal | None = candle.high if high else candle.low
        else:
            value = self._value("confirm", other, decider.start + MINUTE_MS)
            self._need("confirm", other, value)
            second = value.value
        if second is None or not self._near(extreme, second):
            return Attempt("unconfirmed")
        deciding = Deciding(decider.start, plain(extreme), plain(second))
        return Attempt("settled", outcome, None, deciding)

    def _at_deadline(
        self, terms: Touch | Range | Close, outcome: Outcome, value: Decimal, window: Slice
    ) -> Attempt:
        other = terms.source.second()
        second = self._value("confirm", other, terms.deadline)
        self._need("confirm", other, second)
        if second.value is None or not self._near(value, second.value):
            return Attempt("unconfirmed")
        deciding = Deciding(terms.deadline, plain(value), plain(second.value))
        return Attempt("settled", outcome, None, deciding, printless=not window.candles)

    def _path(self, side: Side, source: Source) -> CandlePath:
        market = self.source if side == "source" else self.confirm
        return market.minutes.get(source, CandlePath())

    def _value(self, side: Side, source: Source, at: int) -> Value:
        max_age = self.rules.value_max_age_seconds * SECOND_MS
        return self._path(side, source).value_at(at, max_age=max_age)

    def _need(self, side: Side, source: Source, *seen: Slice | Value) -> None:
        for each in seen:
            if each.unseen is not None:
                raise _UnseenError(Unseen(side, source, each.unseen))

    def _gap(self, window: Slice) -> bool:
        return window.longest > self.rules.gap_minutes

    def _near(self, value: Decimal, second: Decimal) -> bool:
        x, y = Fraction(value), Fraction(second)
        return abs(x - y) <= Fraction(self.rules.confirm_tolerance) * x


def _beyond(value: Decimal, terms: Close) -> bool:
    return value > terms.level if terms.direction == "above" else value < terms.level
