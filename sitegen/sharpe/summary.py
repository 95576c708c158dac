"""
What the list of boards says of each of them.

A dossier holds a board's returns, pairs and steps. The list needs a line of it, and
keeps no more: so the memory of a chapter does not grow with the number of boards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.dossier.sharpe import BoardDossier

__all__ = ["BoardSummary", "summary_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardSummary:
    """
    One board in the list of them.

    Args:
        name: Of its file; hostile text.
        tier: Its tier.
        release: Its release.
        kernel: The kernel that it names.
        seeds: How many.
        sealed: Whether they were sealed.
        entries: Its rows.
        scored: Of these, how many have a score.
        figures: Numbers that it publishes.
        same: Of these, how many recompute to the same double.
        counts: Its findings by verdict.
        verdict: The worst of them, exempt ones aside.
    """

    name: str
    tier: str
    release: str
    kernel: str
    seeds: int
    sealed: bool
    entries: int
    scored: int
    figures: int
    same: int
    counts: Mapping[Verdict, int]
    verdict: Verdict


def summary_of(dossier: BoardDossier) -> BoardSummary:
    """Take from a judged board what the list says of it."""
    board = dossier.board
    return BoardSummary(
        name=dossier.name,
        tier=board.tier,
        release=board.protocol,
        kernel=board.kernel,
        seeds=board.seed_count,
        sealed=dossier.sealed,
        entries=len(dossier.rows),
        scored=sum(row.row.deflated_sharpe is not None for row in dossier.rows),
        figures=len(dossier.figures),
        same=sum(figure.verdict is Verdict.PASS for figure in dossier.figures),
        counts=dossier.counts,
        verdict=dossier.verdict,
    )
