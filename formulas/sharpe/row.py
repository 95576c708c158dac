"""
The figures of one board row, from the per-seed returns of an entry.

1. deflated Sharpe: of the pooled track, against N = 50 + declared trials; the
   rank key;
2. pass^k rate: the share of seeds whose own series has a probabilistic Sharpe
   ratio of at least 0.90 against 0, with no deflation. Kernel 0.5.0 skips a seed
   of fewer than two bars; under 0.28.0 one seed that cannot be scored makes the
   whole rate unavailable;
3. mean return: NumPy's mean of the pooled track.

Where the kernel refuses, the row has no score and its status is the release's
text: ``unavailable_scoring_kernel_error: `` and the typed errors as
``name: message``, in order of name, joined with ``; ``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.sharpe.deflated import deflated_sharpe, probabilistic_sharpe
from formulas.sharpe.interval import finite
from formulas.sharpe.kernel import DAYS_PER_YEAR
from formulas.sharpe.mean_return import mean_return
from formulas.sharpe.series import check_band, pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.series import Band

__all__ = [
    "PASS_BAR",
    "SCORED",
    "Row",
    "Score",
    "pass_rate",
    "passes",
    "score_row",
    "score_track",
    "typed_errors",
]

PASS_BAR: Final = 0.9
SCORED: Final = "scored"
UNAVAILABLE: Final = "unavailable_scoring_kernel_error: "
NO_COMPOSITE: Final = "unavailable_scoring_kernel_value: deflated_sharpe is None, not a number"


@dataclass(frozen=True, slots=True)
class Score:
    """
    Deflated Sharpe of a track, or why there is none.

    Args:
        value: The deflated Sharpe ratio, None where the kernel refuses.
        status: ``scored``, or the release's text.
    """

    value: float | None
    status: str


@dataclass(frozen=True, slots=True)
class Row:
    """
    Figures of one row.

    Args:
        score: Deflated Sharpe of the pooled track.
        pass_k_rate: Share of seeds that pass, None where it is unavailable.
        mean_return: Mean return a bar of the pooled track.
    """

    score: Score
    pass_k_rate: float | None
    mean_return: float


def score_row(
    kernel: Kernel, band: Band, declared: int = 0, periods_per_year: float = DAYS_PER_YEAR
) -> Row:
    """
    Figures of a board row.

    Args:
        kernel: The released kernel.
        band: Shape (n_seeds, n_bars of that seed), in the order of the seed list.
        declared: Declared trials; the kernel adds 50.
        periods_per_year: Bars a year.

    Raises:
        FormulaDomainError: A return is not finite (names seed and bar), or the
            arithmetic overflows where the kernel has no typed error for it.
    """
    check_band(band)
    track = pool(band)
    score = score_track(kernel, track, declared, periods_per_year)
    if score.value is None and len(track) < 2:
        # A board does not ask the kernel then, and finds no score in the answer.
        score = Score(None, NO_COMPOSITE)
    return Row(score, pass_rate(kernel, band), finite(mean_return(track)))


def score_track(
    kernel: Kernel,
    track: Sequence[float],
    declared: int = 0,
    periods_per_year: float = DAYS_PER_YEAR,
) -> Score:
    """
    Deflated Sharpe of a pooled track as the release publishes it.

    Raises:
        FormulaDomainError: The arithmetic overflows without a typed error.
    """
    if errors := typed_errors(kernel, track):
        return Score(None, UNAVAILABLE + "; ".join(errors))
    return Score(finite(deflated_sharpe(kernel, track, declared, periods_per_year)), SCORED)


def typed_errors(kernel: Kernel, track: Sequence[float]) -> list[str]:
    """Typed errors of the kernel for a pooled track, in order of name."""
    errors = {
        "bootstrap_error": kernel.bootstrap_error(track),
        "deflation_error": kernel.track_error(track),
    }
    return [f"{name}: {reason}" for name, reason in errors.items() if reason is not None]


def passes(
    kernel: Kernel, run: Sequence[float], *, benchmark: float = 0.0, bar: float = PASS_BAR
) -> bool:
    """Whether one run's probabilistic Sharpe ratio reaches *bar*; a refused run does not."""
    if kernel.track_error(run) is not None:
        return False
    return probabilistic_sharpe(kernel, run, benchmark) >= bar


def pass_rate(kernel: Kernel, band: Band) -> float | None:
    """
    Share of seeds that pass on their own, None where the board shows none.

    Raises:
        FormulaDomainError: There is no seed to take a share of.
    """
    if not band:
        raise FormulaDomainError("a pass^k rate needs at least one seed")
    if any(typed_errors(kernel, series) for series in band):
        return None
    scored = [series for series in band if len(series) >= 2]
    return sum(passes(kernel, series) for series in scored) / len(scored) if scored else 0.0
