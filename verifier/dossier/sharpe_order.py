"""
Order of a board, its ties, and its pairwise table, published and recomputed.

Order and ranks follow from the published scores, whatever the rows' order is: rows
in another order, or a mark left out, show as another rank. Two rows are an exact tie
where their scores are the same double; two neighbours are not separated where no
paired difference between them was shown.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.ranking import has_marks, neighbours, order, rank_cells
from verifier.dossier.sharpe_figures import Figure, compared, unjudged
from verifier.findings import Verdict
from verifier.sharpe.checks.figures import bootstrap_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.paired import PairedDifference
    from verifier.sharpe.board import Board, BoardClaim, Pair
    from verifier.sharpe.checks.returns import RowReturns

__all__ = [
    "ClaimShown",
    "PairShown",
    "claims_of",
    "exact_ties",
    "pairs_of",
    "ranks_of",
    "unseparated",
]

FIGURES: Final = ("point_diff", "lo", "hi", "p_value")
NOT_NEIGHBOURS: Final = "the two are no neighbours by score"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairShown:
    """
    Two neighbours by score, the higher one first.

    Args:
        a: The higher one.
        b: The lower one.
        figures: ``point_diff``, ``lo``, ``hi`` and ``p_value``.
        published: Published verdict; None where the pair is not published.
        recomputed: Recomputed verdict; None where there is none.
        verdict: What came of comparing figures and verdict.
        note: Why there is nothing to compare.
    """

    a: str
    b: str
    figures: tuple[Figure, ...]
    published: str | None
    recomputed: str | None
    verdict: Verdict
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimShown:
    """
    A statement "A beats B" of the publisher.

    Args:
        better: Who is said to be better.
        worse: Who is said to be worse.
        winner: Whom the recomputed pair of the two says to be better; None for neither.
        compared: Whether the two are neighbours that were compared.
        verdict: Whether the statement rests on a significant pair in its direction.
    """

    better: str
    worse: str
    winner: str | None
    compared: bool
    verdict: Verdict


def ranks_of(board: Board) -> list[str]:
    """Rank of every row, in printed order, as the release would print it."""
    scores = [row.deflated_sharpe for row in board.rows]
    marks = bool(board.release) and _marks(board.release)
    places = order(scores)
    cells = rank_cells([scores[place] for place in places], marks=marks)
    ranks = [""] * len(scores)
    for place, cell in zip(places, cells, strict=True):
        ranks[place] = cell
    return ranks


def _marks(release: str) -> bool:
    # A release that nobody knows may be called anything.
    return all(part.isdecimal() for part in release.split(".")) and has_marks(release)


def exact_ties(board: Board) -> tuple[tuple[str, ...], ...]:
    """Policies of equal score, in printed order; groups of two and more."""
    groups = groupby(
        sorted(
            (row for row in board.rows if row.deflated_sharpe is not None),
            key=lambda row: -(row.deflated_sharpe or 0.0),
        ),
        key=lambda row: row.deflated_sharpe,
    )
    found = (tuple(row.policy for row in tied) for _, tied in groups)
    return tuple(group for group in found if len(group) > 1)


def unseparated(pairs: Sequence[PairShown]) -> tuple[tuple[str, ...], ...]:
    """Runs of neighbours, each of whose recomputed pairs shows no difference."""
    runs: list[list[str]] = []
    for pair in pairs:
        if pair.recomputed != "tied":
            continue
        if runs and runs[-1][-1] == pair.a:
            runs[-1].append(pair.b)
        else:
            runs.append([pair.a, pair.b])
    return tuple(tuple(run) for run in runs)


def pairs_of(
    kernel: Kernel | None, board: Board, rows: Sequence[RowReturns]
) -> tuple[PairShown, ...]:
    """Every pair that is published or has to be, in the order of the scores."""
    published = {(pair.a, pair.b): pair for pair in board.pairs}
    shown = []
    scores = [row.deflated_sharpe for row in board.rows]
    beside = [(rows[above], rows[below]) for above, below in neighbours(scores)]
    try:
        found = [_recompute(kernel, board, a, b) for a, b in beside]
    except KernelRefusalError as refusal:
        # One refused pair, and the release gives no table at all.
        return tuple(_refused(a, b, published, refusal.reason) for a, b in beside)
    for (a, b), (difference, why) in zip(beside, found, strict=True):
        pair = published.pop((a.row.policy, b.row.policy), None)
        shown.append(_shown((a.row.policy, b.row.policy), pair, difference, why))
    shown += [_stray(pair) for pair in published.values()]
    return tuple(shown)


def _recompute(
    kernel: Kernel | None, board: Board, a: RowReturns, b: RowReturns
) -> tuple[PairedDifference | None, str | None]:
    if kernel is None:
        return None, "the board's kernel cannot be judged"
    if a.band is None or b.band is None:
        return None, "a series of theirs cannot be read"
    try:
        settings = bootstrap_of(board, board.pairs_trials)
        return paired_difference(kernel, a.band, b.band, settings), None
    except KernelRefusalError:
        raise
    except FormulaError as error:
        return None, f"cannot be computed: {error}"


def _refused(
    a: RowReturns, b: RowReturns, published: Mapping[tuple[str, str], Pair], reason: str
) -> PairShown:
    names = (a.row.policy, b.row.policy)
    pair = published.get(names)
    return PairShown(
        a=names[0],
        b=names[1],
        figures=tuple(
            compared(name, None if pair is None else getattr(pair, name), None, reason)
            for name in FIGURES
        ),
        published=None if pair is None else pair.verdict,
        recomputed=None,
        verdict=Verdict.PASS if pair is None else Verdict.FAIL,
        note=f"the release gives no pairwise table: {reason}",
    )


def _shown(
    names: tuple[str, str], pair: Pair | None, found: PairedDifference | None, why: str | None
) -> PairShown:
    values = [None if pair is None else getattr(pair, name) for name in FIGURES]
    if found is None:
        figures = tuple(
            unjudged(name, value, why or NOT_NEIGHBOURS)
            for name, value in zip(FIGURES, values, strict=True)
        )
        verdict = Verdict.UNPROVEN
    else:
        figures = tuple(
            compared(name, value, getattr(found, name))
            for name, value in zip(FIGURES, values, strict=True)
        )
        same = all(figure.verdict is Verdict.PASS for figure in figures)
        same &= pair is not None and (pair.significant, pair.verdict) == (
            found.significant,
            found.verdict,
        )
        verdict = Verdict.PASS if same else Verdict.FAIL
        why = "the pair of these neighbours is not published" if pair is None else None
    return PairShown(
        a=names[0],
        b=names[1],
        figures=figures,
        published=None if pair is None else pair.verdict,
        recomputed=None if found is None else found.verdict,
        verdict=verdict,
        note=why,
    )


def _stray(pair: Pair) -> PairShown:
    return PairShown(
        a=pair.a,
        b=pair.b,
        figures=tuple(unjudged(name, getattr(pair, name), NOT_NEIGHBOURS) for name in FIGURES),
        published=pair.verdict,
        recomputed=None,
        verdict=Verdict.FAIL,
        note=NOT_NEIGHBOURS,
    )


def claims_of(claims: Sequence[BoardClaim], pairs: Sequence[PairShown]) -> tuple[ClaimShown, ...]:
    """What the publisher says beats what, beside what the pairs say."""
    by_names = {frozenset((pair.a, pair.b)): pair for pair in pairs}
    return tuple(_claim(claim, by_names) for claim in claims)


def _claim(claim: BoardClaim, pairs: Mapping[frozenset[str], PairShown]) -> ClaimShown:
    pair = pairs.get(frozenset((claim.better, claim.worse)))
    winner = None
    verdict = Verdict.FAIL
    if pair is not None and pair.recomputed is not None:
        winner = {"a_better": pair.a, "b_better": pair.b}.get(pair.recomputed)
        verdict = Verdict.PASS if winner == claim.better else Verdict.FAIL
    elif pair is not None and pair.verdict is Verdict.UNPROVEN:
        verdict = Verdict.UNPROVEN
    return ClaimShown(
        better=claim.better,
        worse=claim.worse,
        winner=winner,
        compared=pair is not None and pair.note != NOT_NEIGHBOURS,
        verdict=verdict,
    )
