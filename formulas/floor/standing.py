"""
Standing: points that lose half their weight every half-life.

``sum of points * 2**(-(t - settled_at) / half_life)`` over settled calls, with
the points as published. A void has no points and does not count.

Exactness. Write an age as whole half-lives plus a rest; the terms of one rest
share the factor ``2**(-rest/H)``, H the half-life in the unit of time. For
different rests below H these factors are linearly independent over the
rationals (they are powers of a root of ``x**H - 2``, which is irreducible by
Eisenstein's criterion). So the sum is rational just when every rest but 0 has
terms that cancel, and then it is the exact sum of rest 0.

Source:
    floor.md section 6; floor-clarifications.md 35.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import SECOND_MS
from formulas.floor.proved import EPSILON, LIBRARY, Real, ball_of, nearest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from flint import arb

    from formulas.floor.rules import ScoreRules

__all__ = ["standing"]

# Each costs a bit of exact arithmetic. A month fits as often from 1970 to the year 9999.
MOST_HALVINGS: Final = 100_000


def standing(calls: Iterable[tuple[Decimal, int]], *, at: int, rules: ScoreRules) -> Real:
    """
    Weigh an agent's points at one moment.

    Args:
        calls: Of each settled call its published points and settling time in ms.
        at: The moment, in ms; no call may be settled after it.
        rules: Holds the half-life.

    Returns:
        The standing; exactly 0 without calls.

    Raises:
        FormulaDomainError: A call was settled after *at*: its weight would exceed 1;
            or more than 100,000 half-lives before, which no rule set of the Floor needs.

    Source:
        floor.md section 6.
    """
    half_life = rules.half_life_seconds * SECOND_MS
    by_rest: dict[int, Fraction] = {}
    for gained, settled_at in calls:
        if settled_at > at:
            raise FormulaDomainError(f"a call settled at {settled_at} ms has no weight at {at} ms")
        halvings, rest = divmod(at - settled_at, half_life)
        if halvings > MOST_HALVINGS:
            raise FormulaDomainError(f"{halvings} half-lives are more than {MOST_HALVINGS}")
        by_rest[rest] = by_rest.get(rest, Fraction(0)) + Fraction(gained) / 2**halvings
    terms = {rest: sum_ for rest, sum_ in by_rest.items() if sum_}

    value = size = 0.0
    for rest, sum_ in terms.items():
        term = nearest(sum_) * 2.0 ** (-rest / half_life)
        value += term
        size += abs(term)

    def ball() -> arb:
        total = ball_of(Fraction(0))
        for rest, sum_ in terms.items():
            total += ball_of(sum_) * ball_of(Fraction(2)) ** ball_of(Fraction(-rest, half_life))
        return total

    return Real(
        value=value,
        # Per term: the power, its argument and two roundings; then the sum.
        error=size * (LIBRARY + (4 + len(terms)) * EPSILON),
        ball=ball,
        exact=terms.get(0, Fraction(0)) if terms.keys() <= {0} else None,
    )
