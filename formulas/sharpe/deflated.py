"""
Probabilistic and deflated Sharpe ratio: two probabilities in [0, 1], not ratios.

1. probabilistic Sharpe ratio against a benchmark b a period:
   v = 1 - g3 * SR + ((g4 - 1) / 4) * SR * SR, floored at 1e-12;
   PSR = cdf(((SR - b) * sqrt(n - 1)) / sqrt(v)); 0 for fewer than two bars;
2. expected maximum Sharpe of N trials without skill, whose Sharpe ratios spread
   with deviation sd: sd * ((1 - G) * inv(1 - 1/N) + G * inv(1 - 1/(N * e))), with
   G Euler's constant; 0 for N <= 1 or sd <= 0;
3. deflated Sharpe ratio: the PSR against that maximum. N is 50 (the kernel's own
   footprint) plus the declared trials, capped at 2^32 - 1; sd is the prior 0.5 a
   year divided by the root of the periods a year (the oldest kernel left it
   undivided, its unit bug).

Source:
    Bailey and Lopez de Prado (2014), as computed by SharpeBench.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.kernel import BASE_TRIALS, DAYS_PER_YEAR, TRIALS_LIMIT
from formulas.sharpe.moments import Moments, moments
from formulas.sharpe.normal import cdf, inverse_cdf

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.kernel import Kernel

__all__ = [
    "PRIOR",
    "VARIANCE_FLOOR",
    "Working",
    "deflated_sharpe",
    "deflation_bar",
    "effective_trials",
    "expected_maximum_sharpe",
    "prior_deviation",
    "probabilistic_sharpe",
    "working",
]

PRIOR: Final = 0.5
EULER: Final = 0.5772156649015329
VARIANCE_FLOOR: Final = 1e-12


@dataclass(frozen=True, slots=True)
class Working:
    """
    Everything between a track and its probability.

    Args:
        moments: Moments of the track.
        benchmark: Sharpe a period to be beaten: the bar.
        variance: The floored v of step 1.
        score: The z-score whose probability is the result.
        probability: The probabilistic Sharpe ratio.
    """

    moments: Moments
    benchmark: float
    variance: float
    score: float
    probability: float


def effective_trials(declared: int) -> int:
    """
    Trials that the kernel deflates against when *declared* are declared.

    Raises:
        FormulaDomainError: *declared* is negative or above 2^32 - 1.
    """
    if not 0 <= declared <= TRIALS_LIMIT:
        raise FormulaDomainError(f"declared trials must be in [0, {TRIALS_LIMIT}], was {declared}")
    return min(BASE_TRIALS + declared, TRIALS_LIMIT)


def prior_deviation(kernel: Kernel, periods_per_year: float = DAYS_PER_YEAR) -> float:
    """
    Deviation of Sharpe ratios across trials, a period.

    Raises:
        FormulaDomainError: *periods_per_year* is not positive and finite.
    """
    if not 0.0 < periods_per_year < math.inf:
        raise FormulaDomainError(f"periods per year must be positive, was {periods_per_year!r}")
    return PRIOR / math.sqrt(periods_per_year) if kernel.annual_prior else PRIOR


def expected_maximum_sharpe(deviation: float, trials: int) -> float:
    """
    Best Sharpe ratio to expect from *trials* without skill.

    Args:
        deviation: Deviation of Sharpe ratios across trials, a period.
        trials: Number of trials, the kernel's own included.

    Raises:
        FormulaDomainError: *deviation* is negative or not finite.

    >>> expected_maximum_sharpe(0.5, 50)
    1.1381515469446075
    """
    if not 0.0 <= deviation < math.inf:
        raise FormulaDomainError(f"deviation of trials must be finite and >= 0, was {deviation!r}")
    if trials <= 1 or deviation <= 0.0:
        return 0.0
    best = inverse_cdf(1.0 - 1.0 / trials)
    beyond = inverse_cdf(1.0 - 1.0 / (trials * math.e))
    return deviation * ((1.0 - EULER) * best + EULER * beyond)


def deflation_bar(kernel: Kernel, declared: int, periods_per_year: float = DAYS_PER_YEAR) -> float:
    """Sharpe a period that a track must beat, given its declared trials."""
    return expected_maximum_sharpe(
        prior_deviation(kernel, periods_per_year), effective_trials(declared)
    )


def working(kernel: Kernel, track: Sequence[float], benchmark: float) -> Working:
    """
    Probabilistic Sharpe ratio of *track* against *benchmark*, with every step.

    Args:
        kernel: The released kernel.
        track: Shape (n_bars,), per-bar fractions, oldest first.
        benchmark: Sharpe ratio a period.
    """
    m = moments(kernel, track)
    if m.count < 2:
        return Working(m, benchmark, 1.0, -math.inf, 0.0)
    sr = m.sharpe
    v = 1.0 - m.skewness * sr + ((m.kurtosis - 1.0) / 4.0) * sr * sr
    # In this order a NaN gives the floor too, as in the kernels.
    v = max(VARIANCE_FLOOR, v)
    score = ((sr - benchmark) * math.sqrt(m.count - 1)) / math.sqrt(v)
    return Working(m, benchmark, v, score, cdf(score))


def probabilistic_sharpe(kernel: Kernel, track: Sequence[float], benchmark: float) -> float:
    """Probability that the true Sharpe ratio of *track* is above *benchmark* a period."""
    return working(kernel, track, benchmark).probability


def deflated_sharpe(
    kernel: Kernel,
    track: Sequence[float],
    declared: int = 0,
    periods_per_year: float = DAYS_PER_YEAR,
) -> float:
    """
    Deflated Sharpe ratio of a pooled track, whether or not the kernel would refuse it.

    Use :func:`formulas.sharpe.row.score_track` for the figure that a board may publish.

    Args:
        kernel: The released kernel.
        track: Shape (n_bars,), per-bar fractions, oldest first.
        declared: Trials that the entry declares; the kernel adds 50.
        periods_per_year: Bars a year.
    """
    return working(kernel, track, deflation_bar(kernel, declared, periods_per_year)).probability
