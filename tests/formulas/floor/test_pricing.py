"""Pricing: what a baseline needs, and when there is none."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from floor_evidence import rules

from formulas.errors import FormulaDomainError
from formulas.floor.barrier import stay
from formulas.floor.baseline import close, spread, touch
from formulas.floor.paths import Candle, CandlePath, FundingPath, Span
from formulas.floor.pricing import History, NotPriced, Priced, price, spot_at
from formulas.floor.primitives import DAY_MS, HOUR_MS, MINUTE_MS
from formulas.floor.proved import decimal, exactly
from formulas.floor.settlement import Unseen
from formulas.floor.terms import Close, Conditional, Range, Relative, Source, Terms, Touch
from formulas.floor.volatility import ewma

RULES = rules("floor-rules-1-full")
HL = Source("hyperliquid", "BTC", "price")
FUNDING = Source("hyperliquid", "BTC", "funding")
POSTED = 1_793_600_000_000 // HOUR_MS * HOUR_MS + 639_000
DEADLINE = POSTED // HOUR_MS * HOUR_MS + 24 * HOUR_MS
FIRST = -(-(POSTED - 30 * DAY_MS) // HOUR_MS) * HOUR_MS
LAST = POSTED // HOUR_MS * HOUR_MS - HOUR_MS
NEARLY_ONE = "1." + "0" * 59 + "1"
TOUCH = Touch(HL, "above", Decimal(105), DEADLINE)


def flat(start: int, value: Decimal) -> Candle:
    """Make a candle that stands still."""
    return Candle(start, value, value, value, value, Decimal(1))


def hours(*, step: str = "0.1", missing: int = 0, covered: bool = True) -> CandlePath:
    """Make 30 days of hours that go up and down by a step, some of the first missing."""
    rows = [
        flat(start, Decimal(100) + Decimal(step) * (number % 3))
        for number, start in enumerate(range(FIRST, LAST + HOUR_MS, HOUR_MS))
    ]
    asked = (Span(FIRST, LAST),) if covered else ()
    return CandlePath(tuple(rows[missing:]), asked, HOUR_MS)


def minutes() -> CandlePath:
    """Make the minute that holds the spot."""
    last = POSTED // MINUTE_MS * MINUTE_MS - MINUTE_MS
    return CandlePath((flat(last, Decimal(100)),), (Span(last, last),))


def priced(
    terms: Terms, *, spot: CandlePath | None = None, past: CandlePath | None = None
) -> object:
    """Price a call on HL:BTC."""
    history = History(
        {HL: minutes() if spot is None else spot}, {HL: hours() if past is None else past}
    )
    return price(terms, POSTED, history=history, rules=RULES)


def test_hours_used() -> None:
    """
    Starts from posting less 30 days rounded up to posting less an hour rounded down.

    Off the hour that leaves 719 whole hours of the 720.
    """
    made = priced(TOUCH)
    assert isinstance(made, Priced)
    assert made.rows == 719
    assert made.spot == 100
    assert made.sigma is not None


@pytest.mark.parametrize(("missing", "enough"), [(71, True), (72, False)])
def test_648_hours_are_needed(missing: int, *, enough: bool) -> None:
    """Hours that are missing count against the call, not against the evidence."""
    made = priced(TOUCH, past=hours(missing=missing))
    assert isinstance(made, Priced if enough else NotPriced)


def test_hours_nobody_asked_for() -> None:
    """They are unseen: the baseline is unproven, not refused."""
    made = priced(TOUCH, past=hours(missing=72, covered=False))
    assert made == Unseen("history", HL, FIRST)
    assert priced(TOUCH, past=CandlePath(step=HOUR_MS)) == Unseen("history", HL, FIRST)


def test_no_spot() -> None:
    """A gap at posting admits no call; a spot nobody asked for is unseen."""
    last = POSTED // MINUTE_MS * MINUTE_MS - MINUTE_MS
    silent = CandlePath((), (Span(last - HOUR_MS, last),))
    assert isinstance(priced(TOUCH, spot=silent), NotPriced)
    assert priced(TOUCH, spot=CandlePath()) == Unseen("spot", HL, last)
    found = spot_at(HL, POSTED, history=History({HL: minutes()}), rules=RULES)
    assert found == 100


def test_a_price_that_never_moved() -> None:
    """Clarification 22: sigma 0 is not admitted, whatever the limits of the formulas are."""
    made = priced(TOUCH, past=hours(step="0"))
    assert made == NotPriced("sigma is 0: the price never moved")


def test_what_the_formulas_refuse_is_not_priced() -> None:
    """A level or a close that is no price, and a deadline before posting."""
    for terms in (
        Touch(HL, "above", Decimal(-1), DEADLINE),
        Range(HL, Decimal(0), Decimal(200), DEADLINE),
        Touch(HL, "above", Decimal(105), POSTED - 1000),
    ):
        assert isinstance(priced(terms), NotPriced)


def test_conditional_is_priced_as_its_inner_call() -> None:
    """The gate needs nothing, and a relative inner call is the constant."""
    other = HL._replace(symbol="ETH")
    gate = Touch(other, "above", Decimal(1), DEADLINE - HOUR_MS)
    past = hours()
    for inner in (
        TOUCH,
        Close(HL, "below", Decimal(101), DEADLINE),
        Range(HL, Decimal(90), Decimal(110), DEADLINE),
    ):
        assert priced(Conditional(gate, inner), past=past) == priced(inner, past=past)
    relative = Relative(HL, other, Decimal(0), DEADLINE)
    for terms in (relative, Conditional(gate, relative)):
        assert priced(terms) == Priced(Decimal("0.500000"))


class TestFunding:
    """The share of the prints of 180 days."""

    TERMS = Close(FUNDING, "above", Decimal("0.0001"), DEADLINE)
    FIRST = -(-(POSTED - 180 * DAY_MS) // HOUR_MS) * HOUR_MS
    LAST = POSTED // HOUR_MS * HOUR_MS

    def made(self, prints: dict[int, Decimal], *covered: Span) -> object:
        """Price the call on those prints."""
        history = History(funding={FUNDING: FundingPath(prints, covered)})
        return price(self.TERMS, POSTED, history=history, rules=RULES)

    def test_hours_before_posting(self) -> None:
        """The hour that holds the posting counts, later and earlier ones do not."""
        prints = {
            hour: Decimal("0.0002" if number % 4 == 0 else "0.0001")
            for number, hour in enumerate(range(self.FIRST, self.LAST + HOUR_MS, HOUR_MS))
        }
        assert len(prints) == 4320
        outside = {self.FIRST - HOUR_MS: Decimal(1), self.LAST + HOUR_MS: Decimal(1)}
        assert self.made(prints | outside) == Priced(Decimal("0.250000"), rows=4320)

    def test_3888_prints_are_needed(self) -> None:
        """With one fewer there is no baseline; unasked ones are unseen."""
        every = range(self.FIRST, self.LAST + HOUR_MS, HOUR_MS)
        span = Span(self.FIRST, self.LAST)
        enough = dict.fromkeys(list(every)[-3888:], Decimal(0))
        assert isinstance(self.made(enough, span), Priced)
        few = dict.fromkeys(list(every)[-3887:], Decimal(0))
        assert isinstance(self.made(few, span), NotPriced)
        assert self.made(few) == Unseen("history", FUNDING, self.FIRST)

    def test_on_the_hour_the_posting_hour_is_out(self) -> None:
        """Hours before posting means strictly before."""
        hour = self.LAST
        history = History(funding={FUNDING: FundingPath({}, (Span(0, hour - HOUR_MS),))})
        assert isinstance(price(self.TERMS, hour, history=history, rules=RULES), NotPriced)


def test_volatility_of_nearly_nothing() -> None:
    """Moves too small for binary64 leave a number that only balls can tell."""
    closes = [Decimal(1), Decimal(NEARLY_ONE), Decimal(1)]
    sigma = ewma(closes, decay=Decimal("0.94"), annual_hours=8760)
    assert sigma.exact is None
    over = spread(sigma, DAY_MS, year_seconds=31_536_000)
    assert over.relative == float("inf")


def test_negative_volatility_or_time() -> None:
    """Neither can be negative."""
    for sigma, duration in ((-1, 1), (1, -1)):
        with pytest.raises(FormulaDomainError):
            spread(exactly(Fraction(sigma)), duration, year_seconds=1)


def test_a_still_price_on_the_level() -> None:
    """Where nothing moves, a close on the level itself is on neither side."""
    still = spread(exactly(Fraction(0)), DAY_MS, year_seconds=31_536_000)
    with pytest.raises(FormulaDomainError):
        close(spot=Decimal(1), level=Decimal(1), direction="above", over=still)


def test_balls_where_binary64_knows_nothing() -> None:
    """A volatility of 1e-58 has baselines too: far from any level nothing is reached."""
    closes = [Decimal(1), Decimal(NEARLY_ONE), Decimal(1)]
    sigma = ewma(closes, decay=Decimal("0.94"), annual_hours=8760)
    over = spread(sigma, DAY_MS, year_seconds=31_536_000)
    one, near = Decimal(1), Decimal(NEARLY_ONE)
    assert decimal(touch(spot=one, level=Decimal(2), over=over), 6) == 0
    assert decimal(close(spot=one, level=Decimal(2), direction="below", over=over), 6) == 1
    assert decimal(stay(spot=one, low=Decimal("0.5"), high=Decimal(2), over=over), 6) == 1
    assert 0 < decimal(touch(spot=one, level=near, over=over), 6) < 1
    low, high = Decimal("0." + "9" * 59), Decimal("1." + "0" * 58 + "1")
    assert 0 < decimal(stay(spot=one, low=low, high=high, over=over), 6) < 1
