"""
Calibration: of the calls made with some probability, how many came true.

Calls are put into ten bins by the probability *p* that was sealed: from 0 to 0.1,
0.1 to 0.2, and so on, each with its lower edge and without its upper one; the
last holds 1 too. Voids are left out: nothing happened that *p* was about.

The interval of a bin is Wilson's at 95 %: the shares that would not be rejected
by a score test on *hits* of *count*. It says how much a bin with few calls can
tell, and ranks nobody.

Source:
    The bins are this program's own, for display. E. B. Wilson, "Probable inference,
    the law of succession, and statistical inference", Journal of the American
    Statistical Association 22 (1927), pages 209 to 212.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["BINS", "Bin", "Share", "Z", "calibration", "wilson"]

BINS: Final = 10
Z: Final = 1.959963984540054
"""The 97.5th percentile of the normal distribution, to the nearest binary64."""


class Share(NamedTuple):
    """Ends of an interval of shares, 0 to 1."""

    low: float
    high: float


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
        interval: Of the share; None without a call.
    """

    low: Decimal
    high: Decimal
    calls: int
    hits: int
    mean_p: Fraction | None
    share: Fraction | None
    interval: Share | None


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
        return Bin(low, high, 0, 0, None, None, None)
    mean = sum((Fraction(p) for p, _ in calls), Fraction(0)) / count
    return Bin(low, high, count, hits, mean, Fraction(hits, count), wilson(hits, count))


def wilson(hits: int, count: int) -> Share:
    """
    Give Wilson's 95 % interval of a share.

    Args:
        hits: 0 to *count*.
        count: 1 or more.

    Returns:
        Its ends, in binary64; exactly 0 and 1 where nothing or everything hit.

    Raises:
        FormulaDomainError: No such counts.

    Source:
        Wilson (1927).

    >>> low, high = wilson(5, 10)
    >>> round(low, 4), round(high, 4)
    (0.2366, 0.7634)
    """
    if not 0 <= hits <= count or not count:
        raise FormulaDomainError(f"no share of {hits} in {count}")
    square = Z * Z
    middle = hits + square / 2
    reach = Z * sqrt(hits * (count - hits) / count + square / 4)
    low = 0.0 if hits == 0 else (middle - reach) / (count + square)
    high = 1.0 if hits == count else (middle + reach) / (count + square)
    return Share(low, high)
