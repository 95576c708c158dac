"""
Points and Brier score of a settled call.

A hit scores ``scale * log2(p / b)``, a miss ``scale * log2((1 - p) / (1 - b))``,
both probabilities clamped first. A void has no score: leave it out. Brier is
the mean of ``(p - o)**2`` over settled calls, *p* as sealed, ``o`` 1 for a hit.

A base-2 logarithm of a fraction is rational only for powers of two, and those
are recognised and scored exactly.

Source:
    floor.md section 6; floor-clarifications.md 35, 36.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError
from formulas.floor.proved import EPSILON, LIBRARY, Real, ball_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

    from flint import arb

    from formulas.floor.rules import ScoreRules

__all__ = ["brier", "clamp", "points"]


def clamp(probability: Decimal, rules: ScoreRules) -> Decimal:
    """
    Limit a probability to the range that is scored.

    Args:
        probability: A probability, 0 to 1.
        rules: Holds the limits.

    Returns:
        The nearest probability within the limits.

    Raises:
        FormulaDomainError: Not a probability.

    Source:
        floor.md section 6.
    """
    # Written so that NaN fails too: it compares as false.
    if not (probability.is_finite() and 0 <= probability <= 1):
        raise FormulaDomainError(f"a probability lies in [0, 1], was {probability}")
    return min(max(probability, rules.clamp_min), rules.clamp_max)


def points(p: Decimal, b: Decimal, *, hit: bool, rules: ScoreRules) -> Real:
    """
    Score one settled call against its baseline.

    Higher is better; agreeing with the baseline scores exactly 0.

    Args:
        p: Sealed probability of the called outcome.
        b: Sealed (rounded) baseline of the same outcome.
        hit: Whether the called outcome happened.
        rules: Scale and clamps.

    Returns:
        Points, unrounded.

    Raises:
        FormulaDomainError: *p* or *b* is not a probability.

    Source:
        floor.md section 6; floor-clarifications.md 36.
    """
    called, base = Fraction(clamp(p, rules)), Fraction(clamp(b, rules))
    ratio = called / base if hit else (1 - called) / (1 - base)
    # The quotient of two integers is correctly rounded, which moves the
    # logarithm by at most EPSILON / ln 2.
    logarithm = log2(ratio.numerator / ratio.denominator)
    power = _power_of_two(ratio)

    def ball() -> arb:
        return ball_of(ratio).log() / ball_of(Fraction(2)).log() * rules.scale

    return Real(
        value=rules.scale * logarithm,
        error=rules.scale * (2 * EPSILON + (LIBRARY + 2 * EPSILON) * abs(logarithm)),
        ball=ball,
        exact=None if power is None else Fraction(rules.scale * power),
    )


def brier(calls: Iterable[tuple[Decimal, bool]]) -> Fraction | None:
    """
    Mean squared distance of the probabilities from what happened; lower is better.

    Args:
        calls: Of each settled call its sealed probability and whether it hit.

    Returns:
        The mean, exact; None without a settled call, since 0 would be the best.

    Source:
        floor.md section 6.

    >>> from decimal import Decimal
    >>> brier([(Decimal("0.3"), True), (Decimal("0.3"), False)])
    Fraction(29, 100)
    """
    squares = [(Fraction(p) - (1 if hit else 0)) ** 2 for p, hit in calls]
    return sum(squares, Fraction(0)) / len(squares) if squares else None


def _power_of_two(ratio: Fraction) -> int | None:
    top, bottom = ratio.numerator, ratio.denominator
    if top & (top - 1) or bottom & (bottom - 1):
        return None
    return top.bit_length() - bottom.bit_length()
