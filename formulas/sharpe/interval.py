"""
Seed-paired bootstrap interval of a deflated Sharpe ratio.

1. point: deflated Sharpe of all seeds pooled, N = 50 + declared trials;
2. resample r draws as many seeds as there are, with replacement, by draws
   r*k to r*k + k - 1 of one SplitMix64 stream from the resample seed;
3. its track is the drawn seeds' series in draw order (the order matters to the
   bits), its statistic the deflated Sharpe with the same N;
4. lo and hi are the quantiles at alpha / 2 and 1 - alpha / 2, width = hi - lo,
   confidence = 1 - alpha.

Kernel 0.5.0 refuses nothing: one seed gives width 0, no seed or no resample
lo = hi = point. Kernel 0.28.0 refuses arguments and bands that give no interval.
What no version can be asked for, a NaN or an alpha outside (0, 1), is an error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.deflated import deflated_sharpe, deflation_bar
from formulas.sharpe.kernel import DAYS_PER_YEAR, KernelRefusalError, TooMuchWorkError
from formulas.sharpe.quantile import position
from formulas.sharpe.series import check_band, pool

if TYPE_CHECKING:
    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.locate import Located
    from formulas.sharpe.series import Band

__all__ = ["DEFAULT_BOOTSTRAP", "Bootstrap", "Interval", "interval"]

RESAMPLES_LIMIT: Final = 10**6
DRAWS_LIMIT: Final = 2**23


@dataclass(frozen=True, slots=True, kw_only=True)
class Bootstrap:
    """
    Settings of a seed bootstrap; the defaults are those of the calls.

    Args:
        trials: Declared trials; the kernel adds 50.
        n_boot: Number of resamples.
        resample_seed: Seed of the generator, a 64-bit unsigned integer.
        alpha: One minus the confidence, strictly between 0 and 1.
        periods_per_year: Bars a year, which converts the yearly prior.
    """

    trials: int = 0
    n_boot: int = 2000
    resample_seed: int = 0x5BA72026
    alpha: float = 0.05
    periods_per_year: float = DAYS_PER_YEAR


DEFAULT_BOOTSTRAP: Final = Bootstrap()


@dataclass(frozen=True, slots=True)
class Interval:
    """
    Interval of a deflated Sharpe ratio.

    Args:
        point: Deflated Sharpe of the whole band.
        lo: Lower bound.
        hi: Upper bound.
        width: hi - lo.
        confidence: 1 - alpha.
        n_boot: Number of resamples.
    """

    point: float
    lo: float
    hi: float
    width: float
    confidence: float
    n_boot: int


def interval(kernel: Kernel, band: Band, settings: Bootstrap = DEFAULT_BOOTSTRAP) -> Interval:
    """
    Bootstrap interval of the deflated Sharpe ratio of *band*.

    Args:
        kernel: The released kernel.
        band: Shape (n_seeds, n_bars of that seed), in the order of the seed list.
        settings: Declared trials, resamples, seed and alpha.

    Raises:
        KernelRefusalError: The kernel gives no interval; holds its reason.
        FormulaDomainError: A return is not finite, or a setting makes no sense.
        TooMuchWorkError: Above 10^6 resamples, or 2^23 draws of a seed.
    """
    bar = check_settings(kernel, settings)
    check_band(band)
    refuse(kernel.band_error(band, settings.n_boot))
    refuse(kernel.statistic_error(band))
    point = finite(deflated_sharpe(kernel, pool(band), settings.trials, settings.periods_per_year))
    if not band or not settings.n_boot:
        lo = hi = point
    else:
        lo, hi = bounds(locate_scores(kernel, band, settings, bar), settings)
    return Interval(point, lo, hi, hi - lo, 1.0 - settings.alpha, settings.n_boot)


def check_settings(kernel: Kernel, settings: Bootstrap) -> float:
    """
    Refuse settings that make no sense under any kernel.

    Returns:
        The Sharpe ratio a period that the declared trials set as the bar.

    Raises:
        FormulaDomainError: A setting is out of its range; names it.
    """
    if not 0.0 < settings.alpha < 1.0:
        raise FormulaDomainError(f"alpha must be in (0, 1), was {settings.alpha!r}")
    if settings.n_boot < 0:
        raise FormulaDomainError(f"n_boot must not be negative, was {settings.n_boot}")
    if settings.n_boot > RESAMPLES_LIMIT:
        raise TooMuchWorkError(f"n_boot {settings.n_boot} is above {RESAMPLES_LIMIT}")
    if not 0 <= settings.resample_seed < 2**64:
        raise FormulaDomainError(
            f"resample seed must be in [0, 2^64), was {settings.resample_seed}"
        )
    return deflation_bar(kernel, settings.trials, settings.periods_per_year)


def refuse(reason: str | None) -> None:
    """Raise the kernel's reason if there is one."""
    if reason is not None:
        raise KernelRefusalError(reason)


def locate_scores(kernel: Kernel, band: Band, settings: Bootstrap, bar: float) -> Located:
    """Statistics of all resamples of a non-empty band, exact where they are asked for."""
    # NumPy comes in here and not above: most commands never resample.
    from formulas.sharpe.enclosures import enclose  # noqa: PLC0415
    from formulas.sharpe.locate import Located  # noqa: PLC0415
    from formulas.sharpe.splitmix import index_table  # noqa: PLC0415
    from formulas.sharpe.tracks import SeedTable, track_scores  # noqa: PLC0415

    if settings.n_boot * len(band) > DRAWS_LIMIT:
        raise TooMuchWorkError(
            f"{settings.n_boot} resamples of {len(band)} seeds are above {DRAWS_LIMIT} draws"
        )
    table = SeedTable(band)
    draws = index_table(settings.resample_seed, settings.n_boot, len(band))
    low, high = enclose(kernel, table, draws, bar)
    return Located(low, high, lambda at: track_scores(kernel, table, draws[at], bar))


def bounds(values: Located, settings: Bootstrap) -> tuple[float, float]:
    """
    Quantiles of resampled values at alpha / 2 and 1 - alpha / 2.

    Raises:
        FormulaDomainError: A bound is not finite.
    """
    half = settings.alpha / 2.0
    below = position(half, settings.n_boot)
    above = position(1.0 - half, settings.n_boot)
    v = values.order_statistics([below.low, below.high, above.low, above.high])
    return finite(below.between(v[0], v[1])), finite(above.between(v[2], v[3]))


def finite(value: float) -> float:
    """
    Give *value* back, or refuse what no board can publish.

    Raises:
        FormulaDomainError: The arithmetic overflowed.
    """
    if not math.isfinite(value):
        raise FormulaDomainError("a statistic of the returns is not finite")
    return value
