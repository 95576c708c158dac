"""Steps 4 and 5: the figures of a row, its interval, and the order of a board."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from formulas.sharpe.ranking import has_marks, rank_cells
from verifier.selftest.mutations import Mutation
from verifier.selftest.sharpe.forgery import Evidence, Forgery, boards, nudged, rows
from verifier.sharpe.checks.catalogue import FIGURES, ORDER
from verifier.sharpe.context import returns_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.selftest.mutations import Changes
    from verifier.sharpe.board import Board, Row


def _telling(_: Board, row: Row) -> bool:
    """Whether a row's score and bounds are not all saturated at 0 or 1."""
    score, found = row.deflated_sharpe, row.interval
    return score is not None and 0.0 < score < 1.0 and found is not None and found.lo < found.hi


def _figure(evidence: Evidence, *, name: str) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: getattr(row, name) not in {None, 0.5}):
        forgery = Forgery(evidence)
        forgery.row(file, row)[name] = nudged(getattr(row, name))
        return forgery.changes()
    return None


def _bound(evidence: Evidence, *, name: str) -> Changes | None:
    for file, _, row in rows(evidence, _telling):
        forgery = Forgery(evidence)
        interval = forgery.row(file, row)["interval"]
        interval[name] = nudged(interval[name])
        return forgery.changes()
    return None


def _scoring(
    evidence: Evidence,
    *,
    name: str,
    other: Callable[[Board], float],
    fits: Callable[[Board, Row], bool] = _telling,
) -> Changes | None:
    """State another setting of the scoring of a board with a row that tells the difference."""
    for file, board, _ in rows(evidence, fits):
        forgery = Forgery(evidence)
        forgery.file(file.path)["scoring"][name] = other(board)
        return forgery.changes()
    return None


def _other_seed(board: Board) -> int:
    return 0 if board.scoring.resample_seed else 1


def _no_interval(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, _telling):
        forgery = Forgery(evidence)
        forgery.row(file, row)["interval"] = None
        return forgery.changes()
    return None


def _raised_return(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, _telling):
        forgery = Forgery(evidence)
        if forgery.has(returns_path(file.name, row.policy)):
            forgery.returns(file, row.policy)["returns"][0][0] += 0.001
            forgery.rehash(file)
            return forgery.changes()
    return None


def _swapped_ranks(evidence: Evidence) -> Changes | None:
    for file, board in boards(evidence):
        if len(board.rows) > 1 and board.rows[0].rank != board.rows[1].rank:
            forgery = Forgery(evidence)
            for row, other in ((0, 1), (1, 0)):
                forgery.row(file, board.rows[row])["rank"] = board.rows[other].rank
            return forgery.changes()
    return None


def _by_return(evidence: Evidence) -> Changes | None:
    """Sort a board by mean return, its ranks written as the release would."""
    for file, board in boards(evidence):
        ordered = sorted(board.rows, key=lambda row: -row.mean_return)
        scores = [row.deflated_sharpe for row in ordered]
        if scores == [row.deflated_sharpe for row in board.rows]:
            continue
        forgery = Forgery(evidence)
        members = forgery.file(file.path)
        members["rows"] = [members["rows"][row.index] for row in ordered]
        cells = rank_cells(scores, marks=has_marks(board.release))
        for row, cell in zip(members["rows"], cells, strict=True):
            row["rank"] = cell
        return forgery.changes()
    return None


def _unmarked(evidence: Evidence) -> Changes | None:
    for file, _, row in rows(evidence, lambda _, row: row.rank[-1:] in {"=", "~"}):
        forgery = Forgery(evidence)
        forgery.row(file, row)["rank"] = row.rank[:-1]
        return forgery.changes()
    return None


def _figures(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=FIGURES.id, what=what, apply=apply)


def _order(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=ORDER.id, what=what, apply=apply)


MUTATIONS: Final = (
    _figures(
        "score-one-ulp",
        "A deflated Sharpe is one unit in the last place off.",
        partial(_figure, name="deflated_sharpe"),
    ),
    _figures(
        "rate-one-ulp",
        "A pass^k rate is one unit in the last place off.",
        partial(_figure, name="pass_k_rate"),
    ),
    _figures(
        "mean-one-ulp",
        "A mean return is one unit in the last place off.",
        partial(_figure, name="mean_return"),
    ),
    _figures(
        "bound-one-ulp",
        "The lower bound of an interval is one unit in the last place off.",
        partial(_bound, name="lo"),
    ),
    _figures(
        "other-resample-seed",
        "A board states another resample seed than its intervals were made with.",
        partial(_scoring, name="resample_seed", other=_other_seed),
    ),
    _figures(
        "other-alpha",
        "A board states another alpha than its intervals were made with.",
        partial(_scoring, name="alpha", other=lambda board: board.scoring.alpha / 2),
    ),
    _figures(
        "trials-undeclared",
        "A board declares no trials, though its scores are deflated by some.",
        partial(
            _scoring,
            name="trials",
            other=lambda _: 0,
            fits=lambda board, row: board.scoring.trials > 0 and _telling(board, row),
        ),
    ),
    _figures("interval-left-out", "The interval of a scored row is left out.", _no_interval),
    _figures(
        "return-raised", "A return is raised, and its row states the new hash.", _raised_return
    ),
    _order("ranks-swapped", "The first two ranks of a board are exchanged.", _swapped_ranks),
    _order("ordered-by-return", "A board is ordered by mean return, and ranked so.", _by_return),
    _order("tie-mark-dropped", "The mark of a tie is dropped from a rank.", _unmarked),
)
