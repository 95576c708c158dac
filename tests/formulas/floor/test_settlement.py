"""Settlement, rule by rule, on small paths."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

import pytest
from floor_evidence import rules

from formulas.errors import FormulaDomainError
from formulas.floor.attempts import schedule, settlement, timing_problems
from formulas.floor.paths import Candle, CandlePath, FundingPath, Span
from formulas.floor.primitives import HOUR_MS, MINUTE_MS
from formulas.floor.settlement import Attempt, Deciding, Market, Unseen, attempt
from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Terms, Touch

if TYPE_CHECKING:
    from collections.abc import Sequence

RULES = rules().settlement
POSTED = 1_793_600_000_000 // HOUR_MS * HOUR_MS
MINUTES = 60
DEADLINE = POSTED + MINUTES * MINUTE_MS
HL = Source("hyperliquid", "BTC", "price")
CB = HL.second()


def flat(start: int, price: str | Decimal = "100", **other: str) -> Candle:
    """Make a candle that stands still, but for what is named."""
    prices = {name: Decimal(other.get(name, price)) for name in ("open", "high", "low", "close")}
    return Candle(start, **prices, volume=Decimal(1))


def path(*special: Candle, missing: Sequence[int] = (), covered: bool = True) -> CandlePath:
    """Lay a path from before posting to the deadline, with special candles in their minutes."""
    own = {candle.start: candle for candle in special}
    rows = []
    for minute in range(-11, MINUTES):
        if minute not in missing:
            start = POSTED + minute * MINUTE_MS
            rows.append(own.get(start, flat(start)))
    asked = (Span(POSTED - 11 * MINUTE_MS, DEADLINE - MINUTE_MS),) if covered else ()
    return CandlePath(tuple(rows), asked)


def at(minute: int) -> int:
    """Give the start of a minute after posting."""
    return POSTED + minute * MINUTE_MS


def settle(terms: Terms, source: CandlePath, confirm: CandlePath | None = None) -> Attempt | Unseen:
    """Settle a call on HL:BTC, confirmed by *confirm* or by an equal path."""
    second = source if confirm is None else confirm
    return attempt(
        terms, POSTED, source=Market({HL: source}), confirm=Market({CB: second}), rules=RULES
    )


TOUCH = Touch(HL, "above", Decimal(101), DEADLINE)
BELOW = Touch(HL, "below", Decimal(99), DEADLINE)
RANGE = Range(HL, Decimal(99), Decimal(101), DEADLINE)
ABOVE = Close(HL, "above", Decimal("99.5"), DEADLINE)


class TestDeciding:
    """The deciding moment, and the values recorded for it."""

    def test_first_minute_that_touched(self) -> None:
        """Of several minutes that reach the level the first decides, with its extreme."""
        wicks = [flat(at(7), high="101.50"), flat(at(9), high="140")]
        second = path(flat(at(7), high="101.2"))
        result = settle(TOUCH, path(*wicks), second)
        assert result == Attempt("settled", "hit", None, Deciding(at(7), "101.5", "101.2"))

    def test_touch_from_above(self) -> None:
        """For a level below, lows count on both venues."""
        low = path(flat(at(3), low="98.7"))
        assert settle(BELOW, low) == Attempt(
            "settled", "hit", None, Deciding(at(3), "98.7", "98.7")
        )

    def test_low_edge_first(self) -> None:
        """A minute that leaves a range by both edges leaves it by the low one."""
        both = path(flat(at(5), high="102", low="98.9"))
        assert settle(RANGE, both) == Attempt(
            "settled", "miss", None, Deciding(at(5), "98.9", "98.9")
        )
        high = path(flat(at(5), high="101"))
        assert settle(RANGE, high) == Attempt(
            "settled", "miss", None, Deciding(at(5), "101", "101")
        )

    def test_without_a_decider_the_deadline_decides(self) -> None:
        """A miss of a touch and a hit of a range take the values at the deadline."""
        deciding = Deciding(DEADLINE, "100", "100")
        assert settle(TOUCH, path()) == Attempt("settled", "miss", None, deciding)
        assert settle(RANGE, path()) == Attempt("settled", "hit", None, deciding)

    def test_silent_second_venue_at_the_minute(self) -> None:
        """Without a candle of the minute, the second venue's value at its end is used."""
        wick = path(flat(at(30), high="101"))
        quiet = path(flat(at(29), "100.9"), missing=[30])
        result = settle(TOUCH, wick, quiet)
        assert result == Attempt("settled", "hit", None, Deciding(at(30), "101", "100.9"))
        old = path(missing=range(20, 31))
        assert settle(TOUCH, wick, old) == Attempt("unconfirmed")

    @pytest.mark.parametrize(
        ("second", "result"), [("100.5", "settled"), ("100.51", "unconfirmed")]
    )
    def test_half_a_percent_of_the_source(self, second: str, result: str) -> None:
        """The bound itself confirms, and its base is the source's value."""
        other = path(flat(at(59), second))
        made = settle(ABOVE, path(), other)
        assert isinstance(made, Attempt)
        assert made.result == result
        if result == "settled":
            turned = settle(ABOVE, other, path())
            assert isinstance(turned, Attempt)
            assert turned.result == "settled"


class TestGaps:
    """Runs of missing minutes, and values that are too old."""

    @pytest.mark.parametrize("first", [0, 20, 49, 50])
    def test_ten_minutes_are_no_gap_eleven_are(self, first: int) -> None:
        """Longer than 10 minutes, window edges included, and only inside the window."""
        wick = [flat(at(15), high="101")] if first else []
        ten = path(*wick, missing=range(first, min(first + 10, 60)))
        made = settle(TOUCH, ten)
        assert isinstance(made, Attempt)
        assert made.result == "settled"
        if first < 50:
            eleven = path(*wick, missing=range(first, first + 11))
            assert settle(TOUCH, eleven) == Attempt("data_gap")

    def test_a_run_before_posting_adds_nothing(self) -> None:
        """Only window minutes lengthen a run: 5 before and 10 inside are no gap."""
        made = settle(TOUCH, path(missing=range(-5, 10)))
        assert isinstance(made, Attempt)
        assert made.result == "settled"

    def test_a_gap_is_seen_before_the_second_venue(self) -> None:
        """Confirmation is read only when no gap was found."""
        gap = path(missing=range(20, 31))
        assert settle(TOUCH, gap, CandlePath()) == Attempt("data_gap")

    def test_value_ten_minutes_old(self) -> None:
        """A value may end 600 s before the time, not 601."""
        one = CandlePath((flat(at(0)),), (Span(at(-20), at(30)),))
        ends = at(1)
        assert one.value_at(ends + 600_000, max_age=600_000).value == 100
        assert one.value_at(ends + 601_000, max_age=600_000).value is None
        assert one.value_at(ends, max_age=600_000).value == 100
        assert one.value_at(ends - 1000, max_age=600_000).value is None


class TestUnseen:
    """What nobody asked for is unproven, and goes before any result."""

    def test_missing_minute_that_was_not_asked_for(self) -> None:
        """A hole that no response covers is no gap."""
        assert settle(TOUCH, path(missing=[5], covered=False)) == Unseen("source", HL, at(5))

    def test_unseen_goes_before_a_gap(self) -> None:
        """An attempt with both lacks evidence: clarification 44."""
        hole = path(missing=range(20, 40))
        partly = CandlePath(hole.candles, (Span(at(-11), at(31)),))
        assert settle(TOUCH, partly) == Unseen("source", HL, at(32))

    def test_rows_count_without_being_covered(self) -> None:
        """A row that is there needs no coverage."""
        made = settle(TOUCH, path(covered=False))
        assert isinstance(made, Attempt)

    def test_second_venue_not_asked(self) -> None:
        """The value at the deadline is looked for back to its greatest age."""
        assert settle(ABOVE, path(), CandlePath()) == Unseen("confirm", CB, at(59))
        recent = CandlePath((), (Span(at(52), at(59)),))
        assert settle(ABOVE, path(), recent) == Unseen("confirm", CB, at(51))
        silent = CandlePath((), (Span(at(49), at(59)),))
        assert settle(ABOVE, path(), silent) == Attempt("unconfirmed")

    def test_far_deadline_costs_nothing(self) -> None:
        """A window of centuries is refused or settled at once, without walking it."""
        far = Touch(HL, "above", Decimal(101), 250_000_000_000_000)
        assert settle(far, path()) == Unseen("source", HL, DEADLINE)


class TestConditional:
    """Gate and inner, in the order of clarification 44."""

    GATE = Touch(HL, "above", Decimal(101), at(30))

    def test_not_met(self) -> None:
        """A void of its own reason, decided by the gate alone."""
        terms = Conditional(self.GATE, Touch(HL, "below", Decimal(99), DEADLINE))
        late = path(flat(at(30), high="101"))
        assert settle(terms, late) == Attempt(
            "settled", "void", "gate_not_met", Deciding(at(30), "100", "100")
        )

    def test_inner_touch_looks_after_the_gate(self) -> None:
        """The minute that met the gate is no part of the inner window, the next one is."""
        terms = Conditional(self.GATE, Touch(HL, "below", Decimal(99), DEADLINE))
        same = path(flat(at(10), high="101", low="98"))
        made = settle(terms, same)
        assert isinstance(made, Attempt)
        assert made.outcome == "miss"
        after = path(flat(at(10), high="101"), flat(at(11), low="98.8"))
        assert settle(terms, after) == Attempt(
            "settled", "hit", None, Deciding(at(11), "98.8", "98.8")
        )

    def test_gap_of_the_gate_is_the_result(self) -> None:
        """The inner call is not looked at."""
        terms = Conditional(self.GATE, ABOVE)
        assert settle(terms, path(missing=range(5, 16))) == Attempt("data_gap")
        wick = path(flat(at(3), high="120"))
        assert settle(terms, wick, path()) == Attempt("unconfirmed")

    def test_inner_close_keeps_the_whole_window(self) -> None:
        """A gap before the gate was met voids an inner close, not an inner touch."""
        other = Source("coinbase", "ETH", "price")
        wick = path(flat(at(20), high="101"))
        holed = path(missing=range(11))
        for inner, result in (
            (Close(other, "above", Decimal(1), DEADLINE), "data_gap"),
            (Touch(other, "above", Decimal(200), DEADLINE), "settled"),
        ):
            made = attempt(
                Conditional(self.GATE, inner),
                POSTED,
                source=Market({HL: wick, other: holed}),
                confirm=Market({CB: wick, other.second(): path()}),
                rules=RULES,
            )
            assert isinstance(made, Attempt)
            assert made.result == result

    def test_gate_met_in_the_last_minute(self) -> None:
        """An inner range with no minute to look at hits without a print, and says so."""
        gate = Touch(HL, "above", Decimal(101), DEADLINE)
        terms = Conditional(gate, Range(HL, Decimal(50), Decimal(150), DEADLINE))
        made = settle(terms, path(flat(at(59), high="101")))
        assert isinstance(made, Attempt)
        assert made.outcome == "hit"
        assert made.printless


class TestFunding:
    """Six hours of prints, the one of the deadline's hour deciding."""

    SOURCE = Source("hyperliquid", "BTC", "funding")
    DEADLINE = POSTED + 7 * HOUR_MS
    TERMS = Close(SOURCE, "above", Decimal("0.0001"), DEADLINE)

    def settle(self, hours: Sequence[int], rate: str = "0.0002") -> Attempt | Unseen:
        """Settle with prints at those hours before the deadline; all seven were asked for."""
        prints = {self.DEADLINE - hour * HOUR_MS: Decimal(rate) for hour in hours}
        covered = (Span(self.DEADLINE - 6 * HOUR_MS, self.DEADLINE),)
        source = Market({}, {self.SOURCE: FundingPath(prints, covered)})
        return attempt(self.TERMS, POSTED, source=source, confirm=Market(), rules=RULES)

    def test_all_hours(self) -> None:
        """No second venue: confirm is null."""
        assert self.settle(range(6), "0.00020") == Attempt(
            "settled", "hit", None, Deciding(self.DEADLINE, "0.0002", None)
        )

    def test_equal_is_a_miss(self) -> None:
        """A print on the level is on neither side."""
        made = self.settle(range(6), "0.00010")
        assert isinstance(made, Attempt)
        assert made.outcome == "miss"

    @pytest.mark.parametrize("gone", range(6))
    def test_any_missing_hour_is_a_gap(self, gone: int) -> None:
        """Two hours lie between the neighbours of a missing print, more than 1.5."""
        assert self.settle([hour for hour in range(6) if hour != gone]) == Attempt("data_gap")

    def test_the_sixth_hour_before_is_not_needed(self) -> None:
        """The beginning of the six hours is a point by itself (clarification 43)."""
        source = Market({}, {self.SOURCE: FundingPath({}, ())})
        made = attempt(self.TERMS, POSTED, source=source, confirm=Market(), rules=RULES)
        assert made == Unseen("source", self.SOURCE, self.DEADLINE - 5 * HOUR_MS)


class TestRelative:
    """Both legs are needed, and each is confirmed by its own second venue."""

    OTHER = Source("hyperliquid", "ETH", "price")
    TERMS = Relative(HL, OTHER, Decimal(0), DEADLINE)

    def settle(self, a: CandlePath, b: CandlePath, *seconds: CandlePath) -> Attempt | Unseen:
        """Settle on two legs, confirmed by themselves unless seconds are given."""
        confirm = seconds or (a, b)
        legs = (HL, self.OTHER)
        second = {leg.second(): path for leg, path in zip(legs, confirm, strict=True)}
        source = Market({HL: a, self.OTHER: b})
        return attempt(self.TERMS, POSTED, source=source, confirm=Market(second), rules=RULES)

    def test_values_of_both_legs(self) -> None:
        """A's and B's values stand side by side, joined by one space."""
        rise = path(flat(at(59), "101.0"))
        assert self.settle(rise, path()) == Attempt(
            "settled", "hit", None, Deciding(DEADLINE, "101 100", "101 100")
        )
        assert self.settle(path(), rise)[:2] == ("settled", "miss")

    @pytest.mark.parametrize("leg", [0, 1])
    def test_each_leg_is_needed(self, leg: int) -> None:
        """A gap, an unconfirmed value or a silent second venue of either leg ends the attempt."""

        def both(special: CandlePath) -> tuple[CandlePath, CandlePath]:
            return (path(), special) if leg else (special, path())

        hole = both(path(missing=range(30, 41)))
        assert self.settle(*hole) == Attempt("data_gap")
        far = both(path(flat(at(59), "101")))
        assert self.settle(path(), path(), *far) == Attempt("unconfirmed")
        silent = both(path(missing=range(49, 60)))
        assert self.settle(path(), path(), *silent) == Attempt("unconfirmed")
        unseen = self.settle(path(), path(), *both(CandlePath()))
        assert unseen == Unseen("confirm", (CB, self.OTHER.second())[leg], at(59))
        early = both(CandlePath(path().candles[11:], (Span(at(0), at(59)),)))
        assert self.settle(*early) == Unseen("source", (HL, self.OTHER)[leg], at(-1))


def test_relative_needs_prices() -> None:
    """No return can be taken from a price of zero."""
    other = Source("hyperliquid", "ETH", "price")
    nothing = CandlePath(tuple(flat(row.start, "0") for row in path().candles))
    with pytest.raises(FormulaDomainError, match="no return"):
        attempt(
            Relative(HL, other, Decimal(0), DEADLINE),
            POSTED,
            source=Market({HL: nothing, other: path()}),
            confirm=Market(),
            rules=RULES,
        )


class TestAttempts:
    """Times of attempts, and what a row of them comes to."""

    def test_schedule(self) -> None:
        """Deadline + 120 s to + 3,720 s; a void from + 3,120 s."""
        times = schedule(0, RULES)
        assert times == (120_000, 3_120_000, 3_720_000)
        for tried, void, fine in (
            ([120_000], False, True),
            ([119_000], False, False),
            ([3_720_000], True, True),
            ([3_721_000], False, False),
            ([3_120_000], True, True),
            ([3_119_000], True, False),
            ([120_000, 3_500_000], True, True),
            ([3_500_000, 3_500_000], True, False),
            ([], False, False),
        ):
            problems = timing_problems(tried, data_void=void, deadline=0, rules=RULES)
            assert (not problems) is fine, (tried, problems)

    def test_last_attempt_settles(self) -> None:
        """Earlier ones may fail; the last gives outcome, or the void its reason."""
        gap, hit = Attempt("data_gap"), Attempt("settled", "hit", None, Deciding(0, "1", "1"))
        assert settlement([gap, hit]) == ("hit", None, Deciding(0, "1", "1"))
        assert settlement([gap]) == ("void", "data_gap", None)
        assert settlement([gap, Attempt("unconfirmed")]) == ("void", "unconfirmed", None)
        for wrong in ([], [hit, gap]):
            with pytest.raises(FormulaDomainError):
                settlement(wrong)
