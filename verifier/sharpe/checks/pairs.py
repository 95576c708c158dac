"""
Step 7: the pairwise table, and the claims that rest on it.

Every two neighbours among the scored rows, by published score, are compared under
the board's alpha, resamples, resample seed and ``pairs_trials``; figures are the same
doubles, the verdict follows from the interval. Where the paired call refuses, the
release gives no table at all. A claim "A beats B" needs the pair of these two with a
significant verdict in its direction: else it is a coin flip dressed as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.paired import PairedDifference, paired_difference
from formulas.sharpe.ranking import neighbours
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import PAIRS
from verifier.sharpe.checks.figures import bootstrap_of, compare, not_computed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.sharpe.kernel import Kernel
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, BoardClaim, Pair
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile

__all__ = ["check_pairs"]

Found = dict[tuple[str, str], PairedDifference | None]
"""Each pair of neighbours, higher first; None where the series of one cannot be read."""

Absent = frozenset[str]
"""Policies whose returns file is not in the bundle (clarification 31): unproven, not wrong."""

_FIGURES: Final = ("point_diff", "lo", "hi", "p_value")


def check_pairs(
    kernel: Kernel, file: BoardFile, board: Board, rows: Sequence[RowReturns]
) -> list[Finding]:
    """Judge the pairwise table and the claims of one board."""
    claim = Claim(PAIRS, file.name, Where(file.path, pointer="/pairs"))
    found: Found = {}
    trouble: FormulaError | None = None
    absent = frozenset(row.row.policy for row in rows if row.absent)
    try:
        found = _recompute(kernel, board, rows)
    except KernelRefusalError as refusal:
        if board.pairs:
            claim.fail(
                f"the release gives no pairwise table: {refusal.reason}",
                published=f"{len(board.pairs)} pairs",
                recomputed="none",
            )
    except FormulaError as error:
        trouble = error
        not_computed(claim, "the pairs", error)
    else:
        _check_table(claim, board, found, absent)
    return [
        *claim.close("each two neighbours are compared, with the recomputed figures"),
        *_check_claims(file, board, found, trouble, absent),
    ]


def _recompute(kernel: Kernel, board: Board, rows: Sequence[RowReturns]) -> Found:
    settings = bootstrap_of(board, board.pairs_trials)
    found: Found = {}
    for above, below in neighbours([row.deflated_sharpe for row in board.rows]):
        a, b = rows[above], rows[below]
        pair = None
        if a.band is not None and b.band is not None:
            pair = paired_difference(kernel, a.band, b.band, settings)
        found[a.row.policy, b.row.policy] = pair
    return found


def _check_table(claim: Claim, board: Board, found: Found, absent: Absent) -> None:
    published = [(pair.a, pair.b) for pair in board.pairs]
    if published != list(found):
        claim.fail(
            "the table is not that of each two neighbours by score",
            published=_names(published),
            recomputed=_names(list(found)),
        )
    for index, pair in enumerate(board.pairs):
        pointer = f"/pairs/{index}"
        if (pair.a, pair.b) not in found:
            continue  # said above
        recomputed = found[pair.a, pair.b]
        if recomputed is None and absent & {pair.a, pair.b}:
            claim.unproven(f"the returns of {pair.a} or {pair.b} are not in the bundle")
        elif recomputed is None:
            claim.fail(
                f"{pair.a} and {pair.b} are compared, but a series of theirs cannot be read",
                pointer=pointer,
            )
        else:
            _check_pair(claim, pair, recomputed, pointer)


def _check_pair(claim: Claim, pair: Pair, found: PairedDifference, pointer: str) -> None:
    for name in _FIGURES:
        compare(
            claim,
            f"{name} of {pair.a} and {pair.b}",
            getattr(pair, name),
            getattr(found, name),
            f"{pointer}/{name}",
        )
    for name in ("significant", "verdict"):
        claim.equal(
            f"{name} of {pair.a} and {pair.b}",
            getattr(pair, name),
            getattr(found, name),
            pointer=f"{pointer}/{name}",
        )


def _names(pairs: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{a}/{b}" for a, b in pairs) or "none"


def _check_claims(
    file: BoardFile, board: Board, found: Found, trouble: FormulaError | None, absent: Absent
) -> list[Finding]:
    winners = _winners(found)
    findings: list[Finding] = []
    for index, stated in enumerate(board.claims):
        subject = f"{file.name}: {stated.better} beats {stated.worse}"
        claim = Claim(PAIRS, subject, Where(file.path, pointer=f"/claims/{index}"))
        if trouble is not None:
            not_computed(claim, "the pairs behind it", trouble)
        else:
            _check_claim(claim, stated, winners, absent)
        findings += claim.close("a significant paired verdict says so")
    return findings


def _winners(found: Found) -> Mapping[frozenset[str], str | None]:
    """Significant winner of each compared pair, None where no difference was shown."""
    winners: dict[frozenset[str], str | None] = {}
    for (a, b), pair in found.items():
        verdict = None if pair is None else pair.verdict
        winners[frozenset((a, b))] = {"a_better": a, "b_better": b}.get(verdict or "")
    return winners


def _check_claim(
    claim: Claim,
    stated: BoardClaim,
    winners: Mapping[frozenset[str], str | None],
    absent: Absent,
) -> None:
    entries = frozenset((stated.better, stated.worse))
    if entries not in winners:
        claim.fail("the two were never compared: a coin flip dressed as a result")
    elif absent & entries:
        claim.unproven("the returns of one of the two are not in the bundle")
    elif winners[entries] is None:
        claim.fail("no difference was shown: a coin flip dressed as a result", recomputed="tied")
    else:
        claim.equal("the better one", stated.better, winners[entries])
