"""
The normal distribution as the SharpeBench kernels compute it, in every version.

Neither function is the true normal distribution. The error function is formula
7.1.26 of Abramowitz and Stegun (wrong by up to 1.5e-7), the inverse is Acklam's
rational approximation without a refinement step (relative error up to 1.2e-9).
Published scores contain these errors, so a better function would give other
scores. ``cdf(0)`` is 0.5000000005; ``cdf`` is exactly 1 from about 8.25 up and
exactly 0 from about -8.3 down, which is why exact ties at 0 and 1 are common.

Source:
    SharpeBench 0.5.0 and 0.28.0, as specified in the board protocol's reference.
"""

from __future__ import annotations

import math
from typing import Final

__all__ = ["CDF_ERROR", "INVERSE_ERROR", "cdf", "erf", "inverse_cdf"]

CDF_ERROR: Final = 7.6e-8
"""Largest distance of :func:`cdf` from the true distribution function."""

INVERSE_ERROR: Final = 1.2e-9
"""Largest relative error of :func:`inverse_cdf` for the probabilities of a bar."""

SQRT_2: Final = math.sqrt(2.0)

ERF_SCALE: Final = 0.3275911
ERF_COEFFICIENTS: Final = (
    1.061405429,
    -1.453152027,
    1.421413741,
    -0.284496736,
    0.254829592,
)

SPLIT: Final = 0.02425
CENTRAL_NUMERATOR: Final = (
    -3.969683028665376e1,
    2.209460984245205e2,
    -2.759285104469687e2,
    1.38357751867269e2,
    -3.066479806614716e1,
    2.506628277459239,
)
CENTRAL_DENOMINATOR: Final = (
    -5.447609879822406e1,
    1.615858368580409e2,
    -1.556989798598866e2,
    6.680131188771972e1,
    -1.328068155288572e1,
    1.0,
)
TAIL_NUMERATOR: Final = (
    -7.784894002430293e-3,
    -3.223964580411365e-1,
    -2.400758277161838,
    -2.549732539343734,
    4.374664141464968,
    2.938163982698783,
)
TAIL_DENOMINATOR: Final = (
    7.784695709041462e-3,
    3.224671290700398e-1,
    2.445134137142996,
    3.754408661907416,
    1.0,
)


def erf(x: float) -> float:
    """
    Approximate the error function by Abramowitz and Stegun 7.1.26.

    Args:
        x: Any double; the sign of zero counts as positive.

    >>> erf(0.0)
    9.999999717180685e-10
    """
    a = abs(x)
    t = 1.0 / (1.0 + ERF_SCALE * a)
    tail = _horner(ERF_COEFFICIENTS, t) * t * math.exp(-a * a)
    magnitude = 1.0 - tail
    return -magnitude if x < 0.0 else magnitude


def cdf(x: float) -> float:
    """
    Probability that a standard normal variable is at most *x*, as the kernels have it.

    >>> cdf(0.0)
    0.5000000005
    """
    return 0.5 * (1.0 + erf(x / SQRT_2))


def inverse_cdf(p: float) -> float:
    """
    Value below which a standard normal variable lies with probability *p*, by Acklam.

    Args:
        p: Probability; at most 0 gives minus infinity, at least 1 plus infinity.

    >>> inverse_cdf(0.5)
    0.0
    """
    if p <= 0.0:
        return -math.inf
    if p >= 1.0:
        return math.inf
    if p < SPLIT:
        q = math.sqrt(-2.0 * math.log(p))
        return _horner(TAIL_NUMERATOR, q) / _horner(TAIL_DENOMINATOR, q)
    if p <= 1.0 - SPLIT:
        q = p - 0.5
        r = q * q
        return _horner(CENTRAL_NUMERATOR, r) * q / _horner(CENTRAL_DENOMINATOR, r)
    q = math.sqrt(-2.0 * math.log(1.0 - p))
    return -_horner(TAIL_NUMERATOR, q) / _horner(TAIL_DENOMINATOR, q)


def _horner(coefficients: tuple[float, ...], x: float) -> float:
    value = coefficients[0]
    for coefficient in coefficients[1:]:
        value = value * x + coefficient
    return value
