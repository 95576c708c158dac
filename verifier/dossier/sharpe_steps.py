"""The way to what a board says as a whole: its bar, its order, and its pairs."""

from __future__ import annotations

from struct import pack
from typing import TYPE_CHECKING

from formulas.sharpe.deflated import deflation_bar, effective_trials, prior_deviation
from verifier.explanation import Line, Section
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.sharpe.kernel import Kernel
    from verifier.dossier.sharpe_figures import Figure
    from verifier.dossier.sharpe_order import PairShown
    from verifier.sharpe.board import Board

__all__ = ["bar_steps", "line_of", "order_steps", "pair_steps"]


def line_of(step: str, name: str, figure: Figure) -> Line:
    """One compared figure as a line of an explanation."""
    return Line(
        step=step,
        name=name,
        recomputed=_shown(figure.recomputed, "not recomputed"),
        bits=_bits(figure.recomputed),
        published=_shown(figure.published, "not published"),
        published_bits=_bits(figure.published),
        note=figure.note,
        differs=figure.verdict is Verdict.FAIL,
        unproven=figure.verdict is Verdict.UNPROVEN,
    )


def _shown(value: float | None, without: str) -> str:
    return without if value is None else repr(value)


def _bits(value: float | None) -> str | None:
    return None if value is None else pack(">d", value).hex()


def bar_steps(kernel: Kernel, board: Board) -> Section:
    """What every score of a board is deflated against."""
    declared = board.scoring.trials
    values = {
        "prior deviation of Sharpe ratios, a period": prior_deviation(kernel),
        "bar: best Sharpe ratio to expect by luck, a period": deflation_bar(kernel, declared),
    }
    return Section(
        "The bar",
        (
            Line(
                step="4",
                name="trials",
                recomputed=str(effective_trials(declared)),
                note=f"{declared} declared, and the kernel's own 50",
            ),
            *(
                Line(step="4", name=name, recomputed=repr(value), bits=_bits(value))
                for name, value in values.items()
            ),
        ),
    )


def order_steps(board: Board, ranks: Sequence[str]) -> Section:
    """Printed ranks beside those that the published scores give."""
    return Section(
        "Order",
        tuple(
            Line(
                step="5",
                name=row.policy,
                recomputed=rank,
                published=row.rank,
                note=f"score {row.deflated_sharpe!r}" if row.deflated_sharpe is not None else None,
                differs=rank != row.rank,
            )
            for row, rank in zip(board.rows, ranks, strict=True)
        ),
    )


def pair_steps(pairs: Sequence[PairShown]) -> Iterator[Section]:
    """Every figure of every pair, a section for each."""
    for pair in pairs:
        lines = [line_of("7", figure.name, figure) for figure in pair.figures]
        lines.append(
            Line(
                step="7",
                name="verdict",
                recomputed=pair.recomputed or "none",
                published=pair.published or "none",
                note=pair.note,
                differs=pair.verdict is Verdict.FAIL and pair.published != pair.recomputed,
                unproven=pair.verdict is Verdict.UNPROVEN,
            )
        )
        yield Section(f"{pair.a} against {pair.b}", tuple(lines))
