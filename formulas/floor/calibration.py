"""
Calibration: of the calls made with some probability, how many came true.

Calls are put into ten bins by the probability *p* that was sealed: from 0 to 0.1,
0.1 to 0.2, and so on, each with its lower edge and without its upper one; the
last holds 1 too. Voids are left out: nothing happened that *p* was about.

Source:
    The bins are this program's own, for display; nothing is ranked by them.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BINS", "Bin", "calibration"]

BINS: Final = 10


class Bin(NamedTuple):
    """
    One bin.

    Attributes:
        low: Lower edge, which belongs to it.
        high: Upper edge, which belongs to the next one.
        calls: Settled calls in it.
        hits: Those that hit.
        mean_p: Mean of their probabilities, exact; None without a call.
        share: Hits as a share of the calls, exact; None without a call.
    """

    low: Decimal
    high: Decimal
    calls: int
    hits: int
    mean_p: Fraction | None
    share: Fraction | None


def calibration(calls: Iterable[tuple[Decimal, bool]]) -> tuple[Bin, ...]:
    """
    Count calls by their probability.

    Args:
        calls: Of each settled call its sealed probability and whether it hit.

    Returns:
        All ten bins, the lowest first.

    Raises:
        FormulaDomainError: Not a probability.

    >>> from decimal import Decimal
    >>> bins = calibration([(Decimal("0.1"), True), (Decimal("0.15"), False), (Decimal(1), True)])
    >>> [(bin.calls, bin.hits) for bin in bins if bin.calls]
    [(2, 1), (1, 1)]
    """
    own: list[list[tuple[Decimal, bool]]] = [[] for _ in range(BINS)]
    for p, hit in calls:
        # Written so that NaN fails too: it compares as false.
        if not (p.is_finite() and 0 <= p <= 1):
            raise FormulaDomainError(f"a probability lies in [0, 1], was {p}")
        own[min(int(Fraction(p) * BINS), BINS - 1)].append((p, hit))
    return tuple(_bin(place, each) for place, each in enumerate(own))


def _bin(place: int, calls: list[tuple[Decimal, bool]]) -> Bin:
    low, high = Decimal(place) / BINS, Decimal(place + 1) / BINS
    count, hits = len(calls), sum(hit for _, hit in calls)
    if not count:
        return Bin(low, high, 0, 0, None, None)
    mean = sum((Fraction(p) for p, _ in calls), Fraction(0)) / count
    return Bin(low, high, count, hits, mean, Fraction(hits, count))
