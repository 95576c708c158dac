"""
One board of SharpeArena and its rows, as their readers want to see them: data, and nothing else.

Verdicts are the worst of the findings that an audit has on the same thing, exempt ones
aside; without any, nothing was judged and the verdict is unproven.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from formulas.sharpe.deflated import deflation_bar, effective_trials
from verifier.dossier.sharpe_figures import worst
from verifier.dossier.sharpe_order import exact_ties, unseparated
from verifier.findings import Verdict
from verifier.sharpe.board import SealedSeeds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formulas.sharpe.kernel import Kernel
    from verifier.dossier.sharpe_disclosure import Disclosure
    from verifier.dossier.sharpe_figures import Evidence, Figure
    from verifier.dossier.sharpe_gaps import GapShown
    from verifier.dossier.sharpe_order import ClaimShown, PairShown
    from verifier.dossier.sharpe_row import Gate, SeedScore
    from verifier.explanation import Explanation
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.context import BoardFile
    from verifier.sharpe.evidence import Commitment

__all__ = ["BoardDossier", "RowDossier"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowDossier:
    """
    One row.

    Args:
        row: As published.
        rank: The rank that the release would print, from the published scores.
        score: Deflated Sharpe.
        rate: pass^k rate.
        mean: Mean return; context only.
        interval: Parts of the interval by name.
        gates: Gates of eligibility, in their order.
        eligible: Whether all gates hold; None where the evidence cannot tell.
        generalization: Its generalization gap.
        transfers: The transfers that it lists.
        seeds: Every seed on its own.
        evidence: The files behind it.
        findings: What the audit says of it.
        explanation: How every figure comes from the returns.
    """

    row: Row
    rank: str
    score: Figure
    rate: Figure
    mean: Figure
    interval: Mapping[str, Figure]
    gates: tuple[Gate, ...]
    eligible: bool | None
    generalization: GapShown
    transfers: tuple[GapShown, ...]
    seeds: tuple[SeedScore, ...]
    evidence: tuple[Evidence, ...]
    findings: tuple[Finding, ...]
    explanation: Explanation

    @property
    def policy(self) -> str:
        """Name of the agent, as the board states it; hostile text."""
        return self.row.policy

    @property
    def verdict(self) -> Verdict:
        """Worst verdict on the row, exempt ones aside."""
        judged = (found for found in self.findings if found.verdict is not Verdict.EXEMPT)
        return worst(judged) or Verdict.UNPROVEN

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every number of the row, those of its gaps last."""
        gaps = (self.generalization, *self.transfers)
        of_gaps = (
            figure for gap in gaps for figure in (*(side.score for side in gap.sides), gap.gap)
        )
        return (self.score, self.rate, self.mean, *self.interval.values(), *of_gaps)

    def verdict_of(self, step: int) -> Verdict:
        """Worst verdict of one step on the row; unproven where it was not judged."""
        return worst(found for found in self.findings if found.step == step) or Verdict.UNPROVEN

    @property
    def reason(self) -> str | None:
        """Why the row has no score, as published; None where it has one."""
        return None if self.row.deflated_sharpe is not None else self.row.status


@dataclass(frozen=True, kw_only=True)
class BoardDossier:
    """
    One board.

    Args:
        file: The board's file, as read.
        board: The board.
        kernel: The kernel its figures are judged by; None where it is unknown.
        rows: In printed order.
        pairs: The pairwise table, in the order of the scores.
        claims: What the publisher says beats what.
        disclosures: The checklist.
        commitment: The commitment of a sealed board.
        findings: Everything that the audit says of this board.
        evidence: The board's own files.
        text: The board's file, exact bytes.
        explanation: What was found about it as a whole: its seeds, order, pairs and claims.
        notes: What a passing audit of this board rests on and does not establish.
    """

    file: BoardFile
    board: Board
    kernel: Kernel | None
    rows: tuple[RowDossier, ...]
    pairs: tuple[PairShown, ...]
    claims: tuple[ClaimShown, ...]
    disclosures: tuple[Disclosure, ...]
    commitment: Commitment | None
    findings: tuple[Finding, ...]
    evidence: tuple[Evidence, ...]
    text: bytes
    explanation: Explanation
    notes: tuple[str, ...]

    @property
    def name(self) -> str:
        """Name of the board's file; hostile text."""
        return self.file.name

    @cached_property
    def counts(self) -> Counter[Verdict]:
        """Number of findings by verdict."""
        return Counter(found.verdict for found in self.findings)

    @cached_property
    def verdict(self) -> Verdict:
        """Worst verdict on the board, exempt ones aside."""
        judged = (found for found in self.findings if found.verdict is not Verdict.EXEMPT)
        return worst(judged) or Verdict.UNPROVEN

    def verdict_of(self, step: int) -> Verdict:
        """Worst verdict of one step on the whole board; unproven where it was not judged."""
        return worst(found for found in self.findings if found.step == step) or Verdict.UNPROVEN

    @cached_property
    def figures(self) -> tuple[Figure, ...]:
        """Every number of the board: of its rows, of their gaps, of its pairs."""
        of_rows = (figure for row in self.rows for figure in row.figures)
        return (*of_rows, *(figure for pair in self.pairs for figure in pair.figures))

    @cached_property
    def exact_ties(self) -> tuple[tuple[str, ...], ...]:
        """Policies whose published scores are the same double."""
        return exact_ties(self.board)

    @cached_property
    def unseparated(self) -> tuple[tuple[str, ...], ...]:
        """Runs of neighbours between which no difference was shown."""
        return unseparated(self.pairs)

    @property
    def trials(self) -> int | None:
        """Trials that the scores are deflated against; None where the kernel is unknown."""
        return None if self.kernel is None else effective_trials(self.board.scoring.trials)

    @property
    def bar(self) -> float | None:
        """Sharpe ratio a period that luck alone reaches in that many trials."""
        if self.kernel is None:
            return None
        return deflation_bar(self.kernel, self.board.scoring.trials)

    @property
    def sealed(self) -> bool:
        """Whether the seeds were sealed."""
        return isinstance(self.board.seeds, SealedSeeds)

    @cached_property
    def _below(self) -> dict[str, PairShown]:
        return {pair.a: pair for pair in reversed(self.pairs)}

    def pair_below(self, policy: str) -> PairShown | None:
        """The pair of a policy with the next one by score, if there is one."""
        return self._below.get(policy)
