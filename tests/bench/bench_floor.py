"""
How fast the Floor's formulas are, as ratios taken in one run.

Run it with ``python tests/bench/bench_floor.py``. It asserts nothing: it prints
what was measured, beside the time of the plain numpy or scipy function over
an array of the same length. Goals: points in at most five times ``log2``,
baselines in at most five times ``ndtr``. Rows near a rounding boundary are
settled exactly within the time shown.

Then calls are settled one by one from three days of minutes of eight symbols,
which they share. Goal: at least 2,000 calls a second once responses are parsed.
"""

from __future__ import annotations

import json
import sys
import timeit
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from formulas.floor.barrier import stay
from formulas.floor.baseline import Spread, close, spread, touch
from formulas.floor.paths import Candle, CandlePath, Span
from formulas.floor.proved import Real, exactly
from formulas.floor.rules import rules_from
from formulas.floor.settlement import Market, attempt
from formulas.floor.terms import Close, Range, Relative, Source, Terms, Touch
from formulas.floor.vector import close_units, points_units, stay_units, touch_units

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = 1_000_000
DAY = 86_400_000
YEAR_SECONDS = 31_536_000
RULES = rules_from(json.loads(files("formulas.floor").joinpath("floor-rules-1.json").read_bytes()))


def best(run: Callable[[], object], repeat: int = 9) -> float:
    """Time the fastest of some runs, in seconds."""
    return min(timeit.repeat(run, number=1, repeat=repeat))


def report(name: str, ours: float, other: str, theirs: float) -> None:
    """Print one measurement."""
    sys.stdout.write(
        f"{name:8} {ours * 1e3:8.1f} ms {CALLS / ours / 1e6:7.1f} M/s"
        f"   {other} {theirs * 1e3:6.1f} ms   ratio {ours / theirs:5.2f}\n"
    )


def settlements(calls: int = 20_000) -> None:
    """Settle calls of all launch kinds and of up to three days on shared paths."""
    rng = np.random.default_rng(3)
    first = 1_793_577_600_000
    span = 3 * 1440
    minutes, second = {}, {}
    for symbol in RULES.admission.symbols:
        walk = np.round(100 * np.exp(np.cumsum(rng.normal(0, 0.0005, span))), 2)
        candles = []
        for number, price in enumerate(walk):
            close_price = Decimal(repr(float(price)))
            wick = Decimal(int(rng.integers(0, 9))) / 100
            candles.append(
                Candle(
                    first + number * 60_000,
                    close_price,
                    close_price + wick,
                    close_price - wick,
                    close_price,
                    Decimal(1),
                )
            )
        path = CandlePath(tuple(candles), (Span(first, first + span * 60_000),))
        source = Source("hyperliquid", symbol, "price")
        minutes[source], second[source.second()] = path, path
    source_side, confirm_side = Market(minutes), Market(second)
    legs = list(minutes)
    made: list[tuple[Terms, int]] = []
    for number in range(calls):
        leg = legs[number % 8]
        posted_at = first + 900_000 + 1000 * int(rng.integers(0, 86_400))
        hours = int(rng.integers(2, 47))
        deadline = (posted_at // 3_600_000 + hours) * 3_600_000
        level = Decimal(int(rng.integers(9_000, 11_000))) / 100
        kinds: list[Terms] = [
            Touch(leg, "above", level, deadline),
            Close(leg, "below", level, deadline),
            Range(leg, level - 5, level + 5, deadline),
            Relative(leg, legs[(number + 1) % 8], Decimal(0), deadline),
        ]
        made.append((kinds[number // 8 % 4], posted_at))

    def settle() -> None:
        for terms, posted_at in made:
            attempt(
                terms,
                posted_at,
                source=source_side,
                confirm=confirm_side,
                rules=RULES.settlement,
            )

    seconds = best(settle, 3)
    sys.stdout.write(f"settled  {seconds * 1e3:8.1f} ms {calls / seconds:9.0f} calls/s\n")


def main() -> None:
    """Measure points, touch, close and range over a million calls each."""
    rng = np.random.default_rng(20261103)
    p = np.round(rng.uniform(0.02, 0.98, CALLS), 4)
    b = np.round(rng.uniform(0.0, 1.0, CALLS), 6)
    miss = rng.random(CALLS) < 0.5
    ours = best(lambda: points_units(p, b, miss, rules=RULES), 50)
    report("points", ours, "log2", best(lambda: np.log2(p), 50))

    spot = np.round(rng.uniform(50, 100_000, CALLS), 2)
    level = np.round(spot * np.exp(rng.normal(0, 0.03, CALLS)), 2)
    low = np.round(spot * np.exp(-rng.uniform(0.003, 0.1, CALLS)), 2)
    high = np.round(spot * np.exp(rng.uniform(0.003, 0.1, CALLS)), 2)
    above = rng.random(CALLS) < 0.5
    sigma = np.round(rng.uniform(0.3, 1.2, CALLS), 4)
    deviation = sigma * np.sqrt(DAY / 1000 / YEAR_SECONDS)

    def price(array: np.ndarray[tuple[int], np.dtype[np.float64]], row: int) -> Decimal:
        return Decimal(repr(float(array[row])))

    def over(row: int) -> Spread:
        return spread(exactly(Fraction(price(sigma, row))), DAY, year_seconds=YEAR_SECONDS)

    def one_touch(row: int) -> Real:
        return touch(spot=price(spot, row), level=price(level, row), over=over(row))

    def one_close(row: int) -> Real:
        return close(
            spot=price(spot, row),
            level=price(level, row),
            direction="above" if above[row] else "below",
            over=over(row),
        )

    def one_stay(row: int) -> Real:
        return stay(
            spot=price(spot, row), low=price(low, row), high=price(high, row), over=over(row)
        )

    move = level / spot
    down, up = spot / low, high / spot
    z = (move - 1) / deviation
    normal = best(lambda: ndtr(z))
    relative = 1e-15
    for name, run in (
        (
            "touch",
            lambda: touch_units(move, deviation, relative=relative, exact=one_touch, places=6),
        ),
        (
            "close",
            lambda: close_units(
                move, deviation, above, relative=relative, exact=one_close, places=6
            ),
        ),
        (
            "range",
            lambda: stay_units(down, up, deviation, relative=relative, exact=one_stay, places=6),
        ),
    ):
        report(name, best(run), "ndtr", normal)
    settlements()


if __name__ == "__main__":
    main()
