"""
The course of a standing: what it was at every settlement on the way.

Between two settlements a standing only loses weight, so the whole course follows
from its values where points came in. Each is the rounding that
:func:`~formulas.floor.standing.standing` proves of the same calls at that moment;
a running sum decides it wherever its error cannot reach a rounding boundary.

Source:
    floor.md section 6.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.floor.primitives import SECOND_MS, round_half_away
from formulas.floor.proved import EPSILON, LIBRARY, decimal, nearest
from formulas.floor.standing import standing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from formulas.floor.rules import Rules

__all__ = ["Moment", "course"]

# What a power below the normal numbers may be off by, whatever its value.
_UNDERFLOW: Final = 2.0**-1_070


class Moment(NamedTuple):
    """A standing at a moment: *at* in ms, *standing* as it would be published."""

    at: int
    standing: Decimal


def course(calls: Iterable[tuple[Decimal, int]], *, rules: Rules) -> tuple[Moment, ...]:
    """
    Follow an agent's standing from settlement to settlement.

    Args:
        calls: Of each settled call its published points and settling time in ms,
            in any order.
        rules: Half-life and decimals.

    Returns:
        The standing right after every moment at which a call was settled, ascending.

    Raises:
        FormulaDomainError: The calls lie more than 100,000 half-lives apart.

    Source:
        floor.md section 6.
    """
    half_life = rules.score.half_life_seconds * SECOND_MS
    found: list[Moment] = []
    so_far: list[tuple[Decimal, int]] = []
    value = error = 0.0
    before = 0
    for at, together in groupby(sorted(calls, key=lambda call: call[1]), key=lambda call: call[1]):
        new = list(together)
        so_far += new
        halvings = (at - before) / half_life
        weight = 2.0**-halvings
        kept = abs(value) * weight
        gained = nearest(sum((Fraction(points) for points, _ in new), Fraction(0)))
        error = error * weight + kept * (LIBRARY + (3 + halvings) * EPSILON)
        error += abs(value) * _UNDERFLOW
        value = value * weight + gained
        error += (abs(gained) + abs(value) + kept) * 2 * EPSILON
        found.append(Moment(at, _rounded(value, error, so_far, at, rules)))
        before = at
    return tuple(found)


def _rounded(
    value: float, error: float, calls: list[tuple[Decimal, int]], at: int, rules: Rules
) -> Decimal:
    places = rules.decimals.standing
    if isfinite(value) and isfinite(error):
        centre, reach = Fraction(value), Fraction(error)
        # Rounding never decreases: if both ends give one decimal, so does the truth.
        low = round_half_away(centre - reach, places)
        if low == round_half_away(centre + reach, places):
            return low
    return decimal(standing(calls, at=at, rules=rules.score), places)
