"""Whatever finite numbers come: every shape is inside, and no extreme is lost."""

from decimal import Decimal
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from chart_samples import HOUR, MINUTE, START, href
from drawings import outside
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from sitegen.charts import (
    Bin,
    Candle,
    Covered,
    Decided,
    Hour,
    NavPoint,
    PricePath,
    Stage,
    StandingPoint,
    Term,
    Whisker,
    coverage,
    funnel,
    ledger_strip,
    nav_curve,
    price_path,
    reliability,
    sparkline,
    standing_line,
    waterfall,
    whiskers,
)
from sitegen.charts.reliability import wilson
from sitegen.charts.svg import Scale, coord, nice_ticks, thinned

FINITE: Final = st.floats(-1e15, 1e15)
COUNT: Final = st.integers(0, 10**7)
HOURS: Final = st.lists(st.integers(0, 2000), min_size=1, max_size=60, unique=True).map(sorted)
LABEL: Final = st.text(max_size=60)


def well_inside(markup: str) -> None:
    """Assert that a drawing is well-formed, says no NaN, and keeps to its viewBox."""
    ET.fromstring(f"<all>{markup}</all>")
    assert outside(markup) == []


@given(st.lists(FINITE, min_size=1, max_size=400))
def test_sparkline(values: list[float]) -> None:
    """Any finite values make a line of 120 by 24."""
    well_inside(sparkline("a", values))


@given(HOURS, st.data())
def test_standing_and_nav(hours: list[int], data: st.DataObject) -> None:
    """Any finite values at any hours make a curve."""
    values = data.draw(st.lists(FINITE, min_size=len(hours), max_size=len(hours)))
    at = [START + hour * HOUR for hour in hours]
    pairs = list(zip(at, values, strict=True))
    well_inside(standing_line("a", [StandingPoint(*pair) for pair in pairs]))
    well_inside(nav_curve("a", [NavPoint(moment, abs(value)) for moment, value in pairs]))


@given(st.lists(st.tuples(COUNT, st.floats(0, 1), st.floats(0, 1)), min_size=10, max_size=10))
def test_reliability(bins: list[tuple[int, float, float]]) -> None:
    """Any counts, shares of hits and means make a diagram."""
    drawn = [
        Bin(index / 10, (index + 1) / 10, count, int(count * share), mean)
        for index, (count, share, mean) in enumerate(bins)
    ]
    markup = reliability("a", drawn)
    if any(count for count, _, _ in bins):
        well_inside(markup)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_is_that_of_scipy(count: int, share: float) -> None:
    """The whisker is the Wilson score interval at 95%, to the digits of its z."""
    hits = int(count * share)
    theirs = stats.binomtest(hits, count).proportion_ci(0.95, method="wilson")
    assert wilson(hits, count) == pytest.approx((theirs.low, theirs.high), abs=1e-7)


@given(st.lists(st.tuples(LABEL, COUNT), max_size=8), COUNT)
def test_funnel_and_coverage(parts: list[tuple[str, int]], rest: int) -> None:
    """Any labels and counts make nested bars and a cut bar."""
    stages = tuple(Stage(label, count, "void") for label, count in parts)
    whole = Stage("posted", sum(count for _, count in parts) + rest, parts=stages)
    if whole.count:
        well_inside(funnel("a", whole))
    if any(count for _, count in parts):
        well_inside(coverage("a", [Covered(label, count, "unsealed") for label, count in parts]))


@given(st.lists(st.tuples(LABEL, FINITE, FINITE, FINITE), min_size=1, max_size=8), FINITE)
def test_waterfall(terms: list[tuple[str, float, float, float]], total: float) -> None:
    """Any terms, negative ones too, make a waterfall."""
    drawn = [Term(*term, constant=index == 1) for index, term in enumerate(terms)]
    sums = sum(term[3] for term in terms)
    well_inside(
        waterfall("a", drawn, weighted_sum=sums, multiplier=0.5, product=sums / 2, total=total)
    )


@given(HOURS, st.booleans(), st.data())
def test_price_path(minutes: list[int], band: bool, data: st.DataObject) -> None:  # noqa: FBT001 - drawn
    """Any minutes, levels and moments make a path."""
    price = st.decimals(0, 10**9, places=2)
    pairs = data.draw(
        st.lists(st.tuples(price, price), min_size=len(minutes), max_size=len(minutes))
    )
    candles = [
        Candle(START + minute * MINUTE, min(pair), max(pair))
        for minute, pair in zip(minutes, pairs, strict=True)
    ]
    moment = st.integers(START - 10 * HOUR, START + 50 * HOUR)
    start, end = sorted(data.draw(st.tuples(moment, moment)))
    shown = PricePath(
        venue=data.draw(LABEL),
        minutes=candles,
        levels=tuple(data.draw(st.lists(price, max_size=2))),
        band=band,
        window=(start, end),
        posted=data.draw(st.none() | moment),
        deadline=data.draw(st.none() | moment),
        decided=data.draw(st.none() | st.builds(Decided, moment, price, st.just("touched"))),
        second_venue="Coinbase",
        second=candles[::2],
    )
    well_inside(price_path("a", shown))


@given(st.lists(st.tuples(LABEL, st.lists(st.floats(0, 1), min_size=3, max_size=3)), min_size=1))
def test_whiskers(rows: list[tuple[str, list[float]]]) -> None:
    """Any names and intervals make rows."""
    drawn = []
    for label, ends in rows:
        low, point, high = sorted(ends)
        drawn.append(Whisker(label, point, low, high, saturated=point == 1))
    well_inside(whiskers("a", drawn, ties=[(0, len(rows) - 1)] if len(rows) > 1 else []))


@given(HOURS, st.data())
def test_ledger(hours: list[int], data: st.DataObject) -> None:
    """Any hours and counts make cells."""
    drawn = [Hour(START + hour * HOUR, data.draw(COUNT), f"{hour}.html") for hour in hours]
    well_inside(ledger_strip("a", drawn, href=href))


@given(st.lists(FINITE, min_size=1, max_size=2000), st.integers(4, 300))
@settings(max_examples=50)
def test_thinning_keeps_the_extremes(values: list[float], most: int) -> None:
    """What is left is a part, in order, with the first, the last, the least and the greatest."""
    series = list(enumerate(values))
    kept = thinned(series, most)
    assert set(kept) <= set(series)
    assert kept == sorted(kept)
    assert len(kept) <= max(most, 4)
    assert (kept[0], kept[-1]) == (series[0], series[-1])
    assert min(value for _, value in kept) == min(values)
    assert max(value for _, value in kept) == max(values)


def strokes(markup: str) -> list[tuple[str, str]]:
    """Give the lows and highs of the table behind a price path."""
    figure = ET.fromstring(markup)
    rows = figure.findall("details/table/tbody/tr")
    return [(row[3].text or "", row[4].text or "") for row in rows]


def test_thinned_prices_keep_their_extremes() -> None:
    """Of 5,000 minutes the one spike is still drawn and listed, and thinning is said."""
    calm = [Candle(START + i * MINUTE, Decimal("100.1"), Decimal("100.2")) for i in range(5000)]
    calm[3333] = Candle(calm[3333].at, Decimal("90.5"), Decimal("123.4"))
    markup = price_path("a", PricePath(venue="Hyperliquid", minutes=calm))
    found = strokes(markup)
    assert len(found) <= 151
    assert ("90.5", "123.4") in found
    assert "up to 34 minutes share one stroke" in markup


def test_gaps_are_left_empty() -> None:
    """Minutes that are missing have no stroke, and the description counts them."""
    minutes = [Candle(START + i * MINUTE, 1, 2) for i in range(60) if not 20 <= i < 40]
    figure = ET.fromstring(price_path("a", PricePath(venue="v", minutes=minutes)))
    lines = [each for each in figure.iter("line") if each.get("class") == "c-stroke"]
    assert len(lines) == 40
    gap = next(each for each in figure.iter("line") if each.get("class") == "c-gap")
    start, end = float(gap.attrib["x1"]), float(gap.attrib["x2"])
    assert not [line for line in lines if start < float(line.attrib["x1"]) < end - 0.01]
    assert "20 minutes in all" in "".join(figure.itertext())


@given(FINITE, FINITE)
def test_ticks_are_between(low: float, high: float) -> None:
    """An axis has between one and five round numbers, all of them on it."""
    low, high = min(low, high), max(low, high)
    ticks = nice_ticks(low, high)
    assert 1 <= len(ticks) <= 5
    assert all(low <= tick <= high for tick in ticks)


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(-1e300, 1e300))
def test_scales_never_leave_their_ends(value: float, end: float) -> None:
    """Whatever is drawn, it is drawn between the ends."""
    assert 0 <= Scale(0.0, end, 0, 100)(value) <= 100


@given(st.floats(-1e6, 1e6))
def test_coordinates_have_no_minus_zero(value: float) -> None:
    """A coordinate reads back to within half of a hundredth, and is never minus zero."""
    assert abs(float(coord(value)) - value) <= 0.0051
    assert coord(value) != "-0"
