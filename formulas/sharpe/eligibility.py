"""
Rank eligibility of a submission: one run a seed, all gates.

1. ``deflated_sharpe``: of the pooled runs, at least 0.95, N = 50 + declared;
2. ``pass_k``: every run's probabilistic Sharpe ratio against 0 is at least 0.90
   (other settings ask for fewer runs); no runs fail;
3. ``process``: no block event in any run;
4. ``bootstrap_p``: below 0.05, strictly;
5. ``drawdown``: of the pooled track and of the worst run, within the mandate;
6. ``kernel``: no deflation or bootstrap error (kernel 0.28.0).

The reasons are the names of the gates that do not hold, in this order. A board
that scores the pooled list as one run sees neither the pass of each seed nor any
event, so its own eligibility flag says less than this.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from formulas.errors import FormulaDomainError
from formulas.sharpe.block_bootstrap import DEFAULT_SEED, block_p_value
from formulas.sharpe.deflated import deflated_sharpe
from formulas.sharpe.drawdown import maximum_drawdown
from formulas.sharpe.interval import finite
from formulas.sharpe.kernel import DAYS_PER_YEAR
from formulas.sharpe.row import PASS_BAR, passes
from formulas.sharpe.series import check_band, pool

if TYPE_CHECKING:
    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.process import Process
    from formulas.sharpe.series import Band

__all__ = ["DEFAULT_SCORER", "Eligibility", "Gate", "Scorer", "judge_eligibility"]

Gate = Literal["deflated_sharpe", "pass_k", "process", "bootstrap_p", "drawdown", "kernel"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scorer:
    """
    Settings of the scorer of multi-run submissions; the defaults are the published ones.

    Args:
        dsr_bar: Deflated Sharpe to reach.
        per_run_psr_bar: Probabilistic Sharpe ratio that a run must reach.
        per_run_min_annual_sharpe: Benchmark of a run, a year.
        required_passes: Runs that must pass; None for all.
        alpha: Bound of the bootstrap p-value, strict.
        periods_per_year: Bars a year.
        bootstrap_seed: Seed of the block bootstrap.
        n_boot: Number of its resamples.
        block_prob: Its restart probability.
        max_drawdown: Mandate for the pooled track.
        max_run_drawdown: Mandate for each run.
    """

    dsr_bar: float = 0.95
    per_run_psr_bar: float = PASS_BAR
    per_run_min_annual_sharpe: float = 0.0
    required_passes: int | None = None
    alpha: float = 0.05
    periods_per_year: float = DAYS_PER_YEAR
    bootstrap_seed: int = DEFAULT_SEED
    n_boot: int = 2000
    block_prob: float = 0.1
    max_drawdown: float = 1.0
    max_run_drawdown: float = 1.0


DEFAULT_SCORER: Final = Scorer()


@dataclass(frozen=True, slots=True, kw_only=True)
class Eligibility:
    """
    Outcome of all gates.

    Args:
        deflated_sharpe: Of the pooled runs; 0 with a deflation error, as the scorer says.
        passed_k: Whether enough runs pass.
        process_clean: Whether there is no block event; None without traces.
        bootstrap_p: Block-bootstrap p-value of the mean; 1 with a bootstrap error.
        max_drawdown: Drawdown of the pooled track.
        worst_run_drawdown: Largest drawdown of a run.
        deflation_error: The kernel's reason, or None.
        bootstrap_error: The kernel's reason, or None.
        failed: Gates that do not hold, in the published order.
    """

    deflated_sharpe: float
    passed_k: bool
    process_clean: bool | None
    bootstrap_p: float
    max_drawdown: float
    worst_run_drawdown: float
    deflation_error: str | None
    bootstrap_error: str | None
    failed: tuple[Gate, ...]

    @property
    def eligible(self) -> bool | None:
        """Whether all gates hold; None where only the traces could tell."""
        if self.failed:
            return False
        return None if self.process_clean is None else True


def judge_eligibility(
    kernel: Kernel,
    runs: Band,
    process: Process | None,
    declared: int = 0,
    scorer: Scorer = DEFAULT_SCORER,
) -> Eligibility:
    """
    Judge all gates of a submission.

    Args:
        kernel: The released kernel.
        runs: Shape (n_runs, n_bars of that run), one run a seed in the list's order.
        process: What the traces say, None without traces.
        declared: Declared trials; the kernel adds 50.
        scorer: Settings of the scorer.

    Raises:
        FormulaDomainError: A return is not finite (names run and bar as seed and bar),
            a setting is out of range, or the arithmetic overflows.
    """
    check_band(runs)
    if not scorer.n_boot > 0:
        raise FormulaDomainError(f"n_boot must be positive, was {scorer.n_boot}")
    track = pool(runs)
    deflation_error, bootstrap_error = kernel.runs_error(runs), kernel.bootstrap_error(track)
    if deflation_error is None:
        dsr = finite(deflated_sharpe(kernel, track, declared, scorer.periods_per_year))
    else:
        dsr = 0.0
    if bootstrap_error is None:
        p_value = block_p_value(
            track,
            seed=scorer.bootstrap_seed,
            n_boot=scorer.n_boot,
            restart=scorer.block_prob,
        )
    else:
        p_value = 1.0
    pooled = maximum_drawdown(track)
    worst = max((maximum_drawdown(run) for run in runs), default=0.0)
    passed_k = _passed_k(kernel, runs, scorer)
    holds: dict[Gate, bool] = {
        "deflated_sharpe": deflation_error is None and dsr >= scorer.dsr_bar,
        "pass_k": passed_k,
        "process": process is None or process.clean,
        "bootstrap_p": p_value < scorer.alpha,
        "drawdown": pooled <= scorer.max_drawdown and worst <= scorer.max_run_drawdown,
        "kernel": deflation_error is None and bootstrap_error is None,
    }
    return Eligibility(
        deflated_sharpe=dsr,
        passed_k=passed_k,
        process_clean=None if process is None else process.clean,
        bootstrap_p=p_value,
        max_drawdown=pooled,
        worst_run_drawdown=worst,
        deflation_error=deflation_error,
        bootstrap_error=bootstrap_error,
        failed=tuple(gate for gate, held in holds.items() if not held),
    )


def _passed_k(kernel: Kernel, runs: Band, scorer: Scorer) -> bool:
    benchmark = scorer.per_run_min_annual_sharpe / math.sqrt(scorer.periods_per_year)
    passed = sum(
        passes(kernel, run, benchmark=benchmark, bar=scorer.per_run_psr_bar) for run in runs
    )
    required = len(runs) if scorer.required_passes is None else scorer.required_passes
    return bool(runs) and passed >= required
