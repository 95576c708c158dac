"""
SharpeArena boards as a reader of them wants to see them: published beside recomputed.

>>> from verifier.bundle import open_bundle
>>> from verifier.dossier.sharpe import load_arena
>>> from verifier.policy import Policy
>>> with open_bundle("fixtures/sharpe-demo") as bundle:
...     board = load_arena(bundle, Policy()).board("hard-new")
>>> board.rows[0].score.published, board.rows[0].score.verdict.value
(0.11126535829686285, 'pass')

A board is judged when it is asked for, once. Everything is data without any markup,
made by the same formulas as an audit; the findings of that audit come along.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from verifier.dossier.sharpe_board import BoardDossier, RowDossier
from verifier.dossier.sharpe_disclosure import disclosures_of
from verifier.dossier.sharpe_figures import Evidence
from verifier.dossier.sharpe_gaps import generalization_of, transfers_of
from verifier.dossier.sharpe_order import (
    PairShown,
    claims_of,
    pairs_of,
    ranks_of,
)
from verifier.dossier.sharpe_row import (
    SeedScore,
    figures_of,
    gates_of_row,
    interval_of,
    seed_scores,
)
from verifier.dossier.sharpe_steps import bar_steps, order_steps, pair_steps
from verifier.errors import UsageError
from verifier.explanation import Explanation
from verifier.sharpe.context import (
    BoardFile,
    gap_path,
    kernel_of,
    load_context,
    returns_path,
    trace_path,
)
from verifier.sharpe.explain import explain_board, explain_row
from verifier.sharpe.family import check_board
from verifier.sharpe.notes import notes_of
from verifier.sharpe.single import board_file, gates_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formulas.sharpe.kernel import Kernel
    from verifier.bundle import Bundle
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import Context

__all__ = ["Arena", "BoardDossier", "RowDossier", "gap_path", "load_arena", "returns_path"]

UNREADABLE: Final = "the returns cannot be read"


class Arena:
    """
    All boards of a bundle.

    Args:
        context: The boards, read.
    """

    def __init__(self, context: Context) -> None:
        self.context: Final = context

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the boards that could be read, in order of path."""
        return tuple(file.name for file in self.context.boards if file.board is not None)

    @property
    def policies(self) -> tuple[str, ...]:
        """Names of all agents of these boards, each once; hostile text."""
        boards = (file.board for file in self.context.boards if file.board is not None)
        return tuple(dict.fromkeys(row.policy for board in boards for row in board.rows))

    @property
    def unreadable(self) -> tuple[BoardFile, ...]:
        """Files under ``sharpe/boards`` whose shape is another; their findings say which."""
        return tuple(file for file in self.context.boards if file.board is None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a passing audit rests on and does not establish."""
        return tuple(notes_of(self.context))

    def board(self, name: str) -> BoardDossier:
        """
        Judge one board and everything behind it.

        Raises:
            UsageError: There is none of that name, or it has another shape.
            EvidenceError: A file behind it is no JSON.
        """
        file = board_file(self.context, name)
        board = file.board
        if board is None:
            raise UsageError(f"the board {name} has another shape: {file.findings[0].message}")
        findings = tuple(check_board(self.context, file))
        kernel = kernel_of(board)
        rows = rows_of(self.context, file, board)
        ranks = ranks_of(board)
        pairs = pairs_of(kernel, board, rows)
        by_subject: dict[str, list[Finding]] = defaultdict(list)
        for found in findings:
            by_subject[found.subject.removesuffix(" transfers")].append(found)
        commitments = () if self.context.seeds is None else self.context.seeds.commitments
        return BoardDossier(
            file=file,
            board=board,
            kernel=kernel,
            rows=tuple(
                _row(
                    self.context,
                    kernel,
                    file,
                    board,
                    read,
                    rank,
                    tuple(by_subject[f"{file.name}/{read.row.policy}"]),
                )
                for read, rank in zip(rows, ranks, strict=True)
            ),
            pairs=pairs,
            claims=claims_of(board.claims, pairs),
            disclosures=disclosures_of(board, findings),
            commitment=next((each for each in commitments if each.board == board.name), None),
            findings=findings,
            evidence=(
                _evidence(self.context.bundle, "the board", file.path),
                _evidence(self.context.bundle, "bands and commitments", "sharpe/seeds.json"),
            ),
            text=self.context.bundle.read(file.path),
            explanation=_explain(self.context, file, board, findings, kernel, ranks, pairs),
            notes=tuple(notes_of(replace(self.context, boards=(file,)))),
        )


def load_arena(bundle: Bundle, policy: Policy) -> Arena:
    """
    Read all boards of a bundle.

    Raises:
        EvidenceError: One of them is no strict JSON.
    """
    return Arena(load_context(bundle, policy))


def _row(  # noqa: PLR0913, PLR0917 - a row, the rules, and everything around it
    context: Context,
    kernel: Kernel | None,
    file: BoardFile,
    board: Board,
    read: RowReturns,
    rank: str,
    findings: tuple[Finding, ...],
) -> RowDossier:
    row = read.row
    why = _why_not(kernel, read)
    score, rate, mean = figures_of(kernel, board, row, read.band, why)
    gates = None if kernel is None else gates_of(context, kernel, file, board, read)
    seeds: tuple[SeedScore, ...] = ()
    if read.file is not None and read.band is not None:
        seeds = seed_scores(kernel, read.file.seeds, read.band)
    return RowDossier(
        row=row,
        rank=rank,
        score=score,
        rate=rate,
        mean=mean,
        interval=interval_of(kernel, board, row, read.band, why),
        gates=gates_of_row(row, gates),
        eligible=None if gates is None else gates.eligible,
        generalization=generalization_of(context.bundle, kernel, file, row),
        transfers=transfers_of(context.bundle, kernel, file, row),
        seeds=seeds,
        evidence=tuple(_files(context.bundle, file.name, row.policy)),
        findings=findings,
        explanation=explain_row(context, file, board, row, findings=findings, judged=(read, gates)),
    )


def _explain(  # noqa: PLR0913, PLR0917 - a board and all that was found about it
    context: Context,
    file: BoardFile,
    board: Board,
    findings: tuple[Finding, ...],
    kernel: Kernel | None,
    ranks: list[str],
    pairs: tuple[PairShown, ...],
) -> Explanation:
    checks = explain_board(context, file, board, findings=findings)
    sections = [checks.sections[0]]
    if kernel is not None:
        sections.append(bar_steps(kernel, board))
    sections.append(order_steps(board, ranks))
    return Explanation(checks.subject, checks.facts, (*sections, *pair_steps(pairs)))


def _why_not(kernel: Kernel | None, read: RowReturns) -> str:
    if kernel is None:
        return "the board's kernel cannot be judged"
    return "the returns are not in the bundle" if read.absent else UNREADABLE


def _files(bundle: Bundle, board: str, policy: str) -> Iterator[Evidence]:
    for role, path in (
        ("returns, one series a seed", returns_path(board, policy)),
        ("process events", trace_path(board, policy)),
        ("both sides of the generalization gap", gap_path(board, policy, "generalization")),
        ("sides of the transfers", gap_path(board, policy, "transfer")),
    ):
        yield _evidence(bundle, role, path)


def _evidence(bundle: Bundle, role: str, path: str) -> Evidence:
    there = bundle.has(path)
    return Evidence(
        role=role,
        path=path,
        sha256=bundle.digest(path) if there else None,
        size=bundle.size(path) if there else None,
    )
