"""
Step 4: deflated Sharpe, pass^k rate, mean return and interval are the same doubles.

A figure is unavailable (null) exactly where the kernel refuses it, and the status
is then the kernel's whole text. A difference of one unit in the last place is a
failure like any other; its message says what else can cause it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import KernelRefusalError, TooMuchWorkError
from formulas.sharpe.row import score_row
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import FIGURES

if TYPE_CHECKING:
    from formulas.sharpe.interval import Interval
    from formulas.sharpe.kernel import Kernel
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile

__all__ = ["bootstrap_of", "check_figures", "compare", "not_computed"]

ONE_UNIT: Final = (
    "; it is one unit in the last place, which another C library's exp or log can cause"
)
_FIELDS: Final = ("point", "lo", "hi", "width", "confidence", "n_boot")


def bootstrap_of(board: Board, trials: int) -> Bootstrap:
    """Bootstrap settings of a board; its figures are always those of daily bars."""
    return Bootstrap(
        trials=trials,
        n_boot=board.scoring.n_boot,
        resample_seed=board.scoring.resample_seed,
        alpha=board.scoring.alpha,
    )


def compare(
    claim: Claim, what: str, published: float | None, recomputed: float | None, pointer: str
) -> None:
    """Fail a figure that is not the recomputed double, null standing for none."""
    if published == recomputed:
        return
    near = (
        published is not None
        and recomputed is not None
        and math.nextafter(recomputed, published) == published
    )
    claim.fail(
        f"{what} differs{ONE_UNIT if near else ''}",
        published=_text(published),
        recomputed=_text(recomputed),
        pointer=pointer,
    )


def not_computed(claim: Claim, what: str, error: FormulaError) -> None:
    """Say that a figure cannot be had: too much work proves nothing, anything else is wrong."""
    if isinstance(error, TooMuchWorkError):
        claim.unproven(f"{what} take more work than is done here: {error}")
    else:
        claim.fail(f"{what} cannot be computed: {error}")


def _text(figure: float | None) -> str:
    return "null" if figure is None else repr(figure)


def check_figures(kernel: Kernel, file: BoardFile, board: Board, read: RowReturns) -> list[Finding]:
    """Judge the figures of one row; nothing where its returns cannot be read."""
    row, band = read.row, read.band
    if band is None:
        return []
    claim = Claim(FIGURES, f"{file.name}/{row.policy}", Where(file.path, pointer=row.pointer))
    try:
        found = score_row(kernel, band, board.scoring.trials)
    except FormulaError as error:
        not_computed(claim, "the figures", error)
        return claim.found
    at = row.pointer
    compare(
        claim,
        "the deflated Sharpe",
        row.deflated_sharpe,
        found.score.value,
        f"{at}/deflated_sharpe",
    )
    claim.equal("the status", row.status, found.score.status, pointer=f"{at}/status")
    compare(claim, "the pass^k rate", row.pass_k_rate, found.pass_k_rate, f"{at}/pass_k_rate")
    compare(claim, "the mean return", row.mean_return, found.mean_return, f"{at}/mean_return")
    _check_interval(claim, kernel, board, row, read)
    return claim.close("score, rate, mean return and interval are the recomputed doubles")


def _check_interval(claim: Claim, kernel: Kernel, board: Board, row: Row, read: RowReturns) -> None:
    assert read.band is not None
    pointer = f"{row.pointer}/interval"
    found: Interval | None = None
    refusal = ""
    try:
        found = interval(kernel, read.band, bootstrap_of(board, board.scoring.trials))
    except KernelRefusalError as error:
        refusal = error.reason
    except FormulaError as error:
        not_computed(claim, "the bounds of the interval", error)
        return
    if found is None or row.interval is None:
        if found is not row.interval:
            claim.fail(
                "the interval differs: "
                + (f"the kernel gives none ({refusal})" if found is None else "none is published"),
                published="null" if row.interval is None else _bounds(row.interval),
                recomputed="null" if found is None else _bounds(found),
                pointer=pointer,
            )
        return
    for name in _FIELDS:
        compare(
            claim,
            f"the interval's {name}",
            getattr(row.interval, name),
            getattr(found, name),
            f"{pointer}/{name}",
        )


def _bounds(found: Interval) -> str:
    return f"[{found.lo!r}, {found.hi!r}]"
