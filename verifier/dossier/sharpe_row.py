"""
One row of a board: everything that it states, beside what its returns give.

The published figures stand as they are; the recomputed ones come from the same pure
formulas as the audit's. Where the kernel is unknown, or the returns are not there,
nothing is recomputed and every figure says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.deflated import working
from formulas.sharpe.eligibility import DEFAULT_SCORER
from formulas.sharpe.interval import interval
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.mean_return import mean_return
from formulas.sharpe.row import passes, score_row, typed_errors
from verifier.dossier.sharpe_figures import compared, unjudged
from verifier.findings import Verdict
from verifier.sharpe.checks.figures import bootstrap_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formulas.sharpe.eligibility import Eligibility
    from formulas.sharpe.kernel import Kernel
    from verifier.dossier.sharpe_figures import Figure
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.evidence import Band

__all__ = ["GATES", "Gate", "SeedScore", "figures_of", "gates_of_row", "interval_of", "seed_scores"]

INTERVAL: Final = ("lo", "hi", "width", "confidence", "n_boot", "point")

GATES: Final = {
    "deflated_sharpe": "deflated Sharpe of the pooled runs",
    "pass_k": "every run passes",
    "process": "no block event in any run",
    "bootstrap_p": "block-bootstrap p of the mean return",
    "drawdown": "drawdown within the mandate",
    "kernel": "the kernel gives no error",
}
"""Every gate of eligibility in the published order, with what it asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """
    One gate of eligibility.

    Args:
        name: As ``reasons`` names it.
        title: What it asks for.
        value: What the runs give.
        asked: The bound.
        holds: Whether it holds; None where the evidence cannot tell.
        named: Whether the published reasons name it as failing; None where not judged.
        verdict: Whether the two agree.
    """

    name: str
    title: str
    value: str
    asked: str
    holds: bool | None
    named: bool | None
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SeedScore:
    """
    One seed of a row on its own; a score of None is one that the kernel refuses.

    Args:
        seed: The seed.
        bars: Number of bars.
        sharpe: Sharpe ratio a period.
        probability: Probabilistic Sharpe ratio against 0.
        passes: Whether it counts as passed.
        mean_return: Mean return a bar; None where it overflows.
        refusal: The kernel's reason.
    """

    seed: int
    bars: int
    sharpe: float | None
    probability: float | None
    passes: bool
    mean_return: float | None
    refusal: str | None


def figures_of(
    kernel: Kernel | None, board: Board, row: Row, band: Band | None, why: str
) -> tuple[Figure, Figure, Figure]:
    """Deflated Sharpe, pass^k rate and mean return of a row; *why* is why there is no band."""
    published = {
        "deflated_sharpe": row.deflated_sharpe,
        "pass_k_rate": row.pass_k_rate,
        "mean_return": row.mean_return,
    }
    if kernel is None or band is None:
        score, rate, mean = (unjudged(name, value, why) for name, value in published.items())
        return score, rate, mean
    try:
        found = score_row(kernel, band, board.scoring.trials)
    except FormulaError as error:
        score, rate, mean = (
            unjudged(name, value, f"cannot be computed: {error}")
            for name, value in published.items()
        )
        return score, rate, mean
    reason = found.score.status if found.score.value is None else None
    return (
        compared("deflated_sharpe", row.deflated_sharpe, found.score.value, reason),
        compared("pass_k_rate", row.pass_k_rate, found.pass_k_rate, reason),
        compared("mean_return", row.mean_return, found.mean_return),
    )


def interval_of(
    kernel: Kernel | None, board: Board, row: Row, band: Band | None, why: str
) -> dict[str, Figure]:
    """Parts of a row's interval, by name; all None where kernel and board give none."""
    published = {
        name: None if row.interval is None else getattr(row.interval, name) for name in INTERVAL
    }
    if kernel is None or band is None:
        return {name: unjudged(name, value, why) for name, value in published.items()}
    try:
        found = interval(kernel, band, bootstrap_of(board, board.scoring.trials))
    except KernelRefusalError as refusal:
        return {
            name: compared(name, value, None, refusal.reason) for name, value in published.items()
        }
    except FormulaError as error:
        return {
            name: unjudged(name, value, f"cannot be computed: {error}")
            for name, value in published.items()
        }
    return {name: compared(name, value, getattr(found, name)) for name, value in published.items()}


def gates_of_row(row: Row, found: Eligibility | None) -> tuple[Gate, ...]:
    """All gates of a row in their order; *found* is None where nothing could be judged."""
    return tuple(_gates(row, found))


def _gates(row: Row, found: Eligibility | None) -> Iterator[Gate]:
    scorer = DEFAULT_SCORER
    process = {None: "no traces", True: "none", False: "at least one"}
    values = (
        {}
        if found is None
        else {
            "deflated_sharpe": "none" if found.deflation_error else repr(found.deflated_sharpe),
            "pass_k": "every run" if found.passed_k else "not every run",
            "process": process[found.process_clean],
            "bootstrap_p": repr(found.bootstrap_p),
            "drawdown": f"{found.max_drawdown!r}, worst run {found.worst_run_drawdown!r}",
            "kernel": found.deflation_error or found.bootstrap_error or "none",
        }
    )
    asked = {
        "deflated_sharpe": f"at least {scorer.dsr_bar}",
        "pass_k": f"each at least {scorer.per_run_psr_bar} against 0",
        "process": "none",
        "bootstrap_p": f"below {scorer.alpha}",
        "drawdown": f"at most {scorer.max_drawdown}, each run {scorer.max_run_drawdown}",
        "kernel": "none",
    }
    for name, title in GATES.items():
        holds = None if found is None else name not in found.failed
        if name == "process" and found is not None and found.process_clean is None:
            holds = None
        named = None if row.eligible is None else name in row.reasons
        if holds is None or named is None:
            verdict = Verdict.UNPROVEN
        else:
            verdict = Verdict.PASS if holds is not named else Verdict.FAIL
        yield Gate(
            name=name,
            title=title,
            value=values.get(name, "not judged"),
            asked=asked[name],
            holds=holds,
            named=named,
            verdict=verdict,
        )


def seed_scores(kernel: Kernel | None, seeds: tuple[int, ...], band: Band) -> tuple[SeedScore, ...]:
    """Every seed on its own, as the pass^k rate looks at it: against 0, without deflation."""
    return tuple(
        _seed_score(kernel, seed, series) for seed, series in zip(seeds, band, strict=True)
    )


def _seed_score(kernel: Kernel | None, seed: int, series: tuple[float, ...]) -> SeedScore:
    refused = None if kernel is None else "; ".join(typed_errors(kernel, series)) or None
    found = None if kernel is None or refused else working(kernel, series, 0.0)
    return SeedScore(
        seed=seed,
        bars=len(series),
        sharpe=None if found is None else _finite(found.moments.sharpe),
        probability=None if found is None else _finite(found.probability),
        passes=kernel is not None and passes(kernel, series),
        mean_return=_finite(mean_return(series)),
        refusal=refused or ("unknown kernel" if kernel is None else None),
    )


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
