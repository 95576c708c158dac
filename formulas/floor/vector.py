"""
The same proved decimals for whole arrays of calls.

Values are computed in binary64 with numpy (and scipy's ``erfc``), in blocks
that stay in the cache, each with a bound on its error; the few rows that lie
too near a rounding boundary for that bound are handed to the scalar formulas,
which decide them exactly. So both paths give the same digits, always.

Decimals come in as the binary64 nearest to them, which is what a JSON reader
gives, and go out as whole units of the last decimal: points 1.2345 are 12345.0.
``units / 10**places`` is then the very double that the published text reads as.

numpy and scipy are imported when a function is called: who settles calls one
by one needs neither.

Source:
    floor.md sections 1, 3, 6; floor-clarifications.md 35.
"""

from __future__ import annotations

from math import inf, pi, sqrt
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor import score
from formulas.floor.primitives import as_written
from formulas.floor.proved import EPSILON, LIBRARY, Real, decimal
from formulas.floor.volatility import LOG_RATIO_ERROR

if TYPE_CHECKING:
    from collections.abc import Callable
    from decimal import Decimal

    import numpy as np
    from numpy.typing import NDArray

    from formulas.floor.rules import Rules

    Doubles = NDArray[np.float64]
    Flags = NDArray[np.bool_]

__all__ = ["close_units", "points_units", "stay_units", "touch_units"]

_BLOCK: Final = 65_536
_SQRT2: Final = sqrt(2.0)
# Lower than the scalar formula's: here sines are cheap and tails are dear, and a
# remainder only has to keep clear of half a unit.
_CROSSOVER: Final = 0.15


def points_units(p: Doubles, b: Doubles, miss: Flags, *, rules: Rules) -> Doubles:
    """
    Score many settled calls.

    Args:
        p: Shape (n_calls,), sealed probabilities of the called outcomes.
        b: Shape (n_calls,), sealed baselines of the same outcomes.
        miss: Shape (n_calls,), whether each did not happen.
        rules: Scale, clamps and decimals.

    Returns:
        Shape (n_calls,), points in units of their last decimal.

    Raises:
        FormulaDomainError: A probability lies outside [0, 1], or the shapes differ.

    Source:
        floor.md section 6; :func:`formulas.floor.score.points` is its scalar twin.
    """
    import numpy as np  # noqa: PLC0415  # only for arrays

    if not p.shape == b.shape == miss.shape:
        raise FormulaDomainError(f"shapes differ: {p.shape}, {b.shape}, {miss.shape}")
    limits, places = rules.score, rules.decimals.points
    low, high = float(limits.clamp_min), float(limits.clamp_max)
    scale = float(limits.scale * 10**places)
    # A double off by EPSILON is off by EPSILON / nearest in relative terms, after
    # the subtraction from 1 too; two of those and the quotient's rounding.
    nearest = min(low, 1 - high)
    largest = abs(np.log2(nearest))
    bound = scale * (6 * EPSILON / nearest + (LIBRARY + 4 * EPSILON) * largest)
    threshold = 0.5 - bound
    units = np.empty(p.shape)
    called, base, missed = np.empty((3, _BLOCK))
    for start in range(0, len(p), _BLOCK):
        part = slice(start, min(start + _BLOCK, len(p)))
        size = part.stop - start
        x, y, m = called[:size], base[:size], missed[:size]
        np.copyto(m, miss[part])
        for given, out in ((p[part], x), (b[part], y)):
            least, most = given.min(), given.max()
            # Written so that NaN fails too.
            if not (least >= 0.0 and most <= 1.0):
                raise FormulaDomainError("a probability lies in [0, 1]")
            if least < low or most > high:
                given = np.clip(given, low, high, out=out)  # noqa: PLW2901  # the same, limited
            # One road for hits and misses: (p - 1) / (b - 1) is (1 - p) / (1 - b).
            np.subtract(given, m, out=out)
        np.divide(x, y, out=x)
        np.log2(x, out=x)
        np.multiply(x, scale, out=x)
        whole = np.rint(x, out=units[part])
        np.subtract(x, whole, out=x)
        if not (x.max() < threshold and x.min() > -threshold):
            for row in np.flatnonzero(~(np.abs(x) < threshold)):
                index = start + int(row)
                exact = score.points(
                    as_written(float(p[index])),
                    as_written(float(b[index])),
                    hit=not miss[index],
                    rules=limits,
                )
                units[index] = _in_units(decimal(exact, places))
    return units


def touch_units(
    distance: Doubles,
    deviation: Doubles,
    *,
    relative: float,
    exact: Callable[[int], Real],
    places: int,
) -> Doubles:
    """
    Baselines of many touch calls.

    Args:
        distance: Shape (n_calls,), quotients ``level / spot`` of the prices' doubles.
        deviation: Shape (n_calls,), ``sigma * sqrt(T)``, above 0.
        relative: Bound on the relative error of *deviation*.
        exact: Gives the scalar baseline of a row, for the rows that need it.
        places: Decimals of a baseline.

    Returns:
        Shape (n_calls,), baselines in units of their last decimal.

    Source:
        floor.md section 3; :func:`formulas.floor.baseline.touch`.
    """
    import numpy as np  # noqa: PLC0415  # only for arrays
    from scipy.special import erfc  # noqa: PLC0415  # only for arrays

    logs = np.log(distance)
    moves = np.abs(logs)
    bound = 2 * _tail_bound(moves, deviation, relative)
    return _round(erfc(moves / deviation / _SQRT2), bound, exact, places)


def close_units(  # noqa: PLR0913  # three arrays and what decides their rounding
    distance: Doubles,
    deviation: Doubles,
    above: Flags,
    *,
    relative: float,
    exact: Callable[[int], Real],
    places: int,
) -> Doubles:
    """
    Baselines of many close calls on prices.

    Args:
        distance: Shape (n_calls,), quotients ``level / spot`` of the prices' doubles.
        deviation: Shape (n_calls,), ``sigma * sqrt(T)``, above 0.
        above: Shape (n_calls,), whether the called side is above.
        relative: Bound on the relative error of *deviation*.
        exact: Gives the scalar baseline of a row, for the rows that need it.
        places: Decimals of a baseline.

    Returns:
        Shape (n_calls,), baselines in units of their last decimal.

    Source:
        floor.md section 3; :func:`formulas.floor.baseline.close`.
    """
    import numpy as np  # noqa: PLC0415  # only for arrays
    from scipy.special import erfc  # noqa: PLC0415  # only for arrays

    logs = np.log(distance)
    bound = _tail_bound(np.abs(logs), deviation, relative)
    moves = logs * (2.0 * above - 1.0)
    return _round(erfc(moves / deviation / _SQRT2) / 2, bound, exact, places)


def stay_units(  # noqa: PLR0913  # three arrays and what decides their rounding
    down: Doubles,
    up: Doubles,
    deviation: Doubles,
    *,
    relative: float,
    exact: Callable[[int], Real],
    places: int,
) -> Doubles:
    """
    Baselines of many range calls.

    Args:
        down: Shape (n_calls,), quotients ``spot / low`` of the prices' doubles, above 1.
        up: Shape (n_calls,), quotients ``high / spot``, above 1.
        deviation: Shape (n_calls,), ``sigma * sqrt(T)``, above 0.
        relative: Bound on the relative error of *deviation*.
        exact: Gives the scalar baseline of a row, for the rows that need it.
        places: Decimals of a baseline.

    Returns:
        Shape (n_calls,), baselines in units of their last decimal.

    Source:
        floor.md section 3; :func:`formulas.floor.barrier.stay`, also for the bounds.
    """
    import numpy as np  # noqa: PLC0415  # only for arrays

    units = np.empty(down.shape)
    for start in range(0, len(down), _BLOCK):
        part = slice(start, start + _BLOCK)
        below, above, spread = np.log(down[part]), np.log(up[part]), deviation[part]
        width = below + above
        error = LOG_RATIO_ERROR + LIBRARY * width
        narrow = spread <= _CROSSOVER * width
        rows = np.flatnonzero(narrow)
        if rows.size == width.size:
            value, bound = _images(below, above, spread, error)
        else:
            # Where the images are right the eigenfunctions are wrong but harmless.
            value, bound = _eigenfunctions(below, width, spread, error)
            if rows.size:
                value[rows], bound[rows] = _images(
                    below[rows], above[rows], spread[rows], error[rows]
                )
        bound += 4 * relative + 4 * LIBRARY
        bound[~(error < 0.01 * width)] = inf
        units[part] = _round(value, bound, exact, places, first=start)
    return units


def _images(
    below: Doubles, above: Doubles, deviation: Doubles, error: Doubles
) -> tuple[Doubles, Doubles]:
    from scipy.special import erfc  # noqa: PLC0415  # only for arrays

    unit = deviation * _SQRT2
    value = 1.0 - erfc(below / unit)
    value -= erfc(above / unit)
    # The reflections left out are each at least a width away, 1/0.15 deviations,
    # where both tails together are below 6e-11.
    return value, 5 * error / deviation + 6e-11


def _eigenfunctions(
    below: Doubles, width: Doubles, deviation: Doubles, error: Doubles
) -> tuple[Doubles, Doubles]:
    import numpy as np  # noqa: PLC0415  # only for arrays

    before = np.sin(pi * below / width)
    step = 2.0 - 4.0 * before * before  # 2 * cos(2 * place)
    after = before * (1.0 + step)  # sin(3 * place)
    power = np.exp(np.square(deviation / width) * (-pi * pi / 2))
    eighth = np.square(np.square(np.square(power)))
    growth = eighth.copy()
    total = before * power
    for n in range(3, 15, 2):
        # exp(-n*n*rate) and sin(n*place) from the ones before.
        power *= growth
        growth *= eighth
        total += after * power * (1 / n)
        before, after = after, step * after - before
    # Left out is n = 15 on, below 2e-12; the recurrences lose less than 1e-12.
    return total * (4 / pi), 24 * error / width + 4e-12


def _tail_bound(moves: Doubles, deviation: Doubles, relative: float) -> float:
    # One bound for all rows, from the worst of them, is far below half a unit
    # for any price that moves at all.
    error = LOG_RATIO_ERROR + LIBRARY * float(moves.max(initial=0.0))
    smallest = float(deviation.min(initial=inf))
    if not (smallest > 0.0 and relative < 0.01):
        return inf
    return 0.41 * error / smallest + 0.25 * (relative + 8 * EPSILON) + LIBRARY


def _round(
    value: Doubles,
    bound: Doubles | float,
    exact: Callable[[int], Real],
    places: int,
    *,
    first: int = 0,
) -> Doubles:
    """Round to units; rows whose bound reaches a boundary are decided by *exact*."""
    import numpy as np  # noqa: PLC0415  # only for arrays

    scale = 10.0**places
    value *= scale
    units = np.rint(value)
    value -= units
    np.abs(value, out=value)
    value += np.multiply(bound, scale) + 4 * scale * EPSILON
    for row in np.flatnonzero(~(value < 0.5)):
        units[row] = _in_units(decimal(exact(first + int(row)), places))
    return units


def _in_units(rounded: Decimal) -> float:
    # The digits without their point; a product would be rounded to 28 of them.
    return float(f"{rounded:f}".replace(".", ""))
