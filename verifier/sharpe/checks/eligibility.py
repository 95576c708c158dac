"""
Step 6: ``eligible`` and ``reasons`` follow from all gates, one run a seed.

The scorer's settings are its defaults, never the board's; the declared trials are
the board's. ``reasons`` names the gates that do not hold, in the published order,
and an entry is eligible exactly when there is none. Null means not judged, is
unproven, and has no reasons. Without a trace file the process gate is unproven: then
``process`` in the reasons is set aside and everything else has to agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.errors import FormulaError
from formulas.sharpe.eligibility import judge_eligibility
from formulas.sharpe.process import Process, judge_process
from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import ELIGIBILITY
from verifier.sharpe.checks.figures import not_computed
from verifier.sharpe.context import trace_path
from verifier.sharpe.evidence import read_traces

if TYPE_CHECKING:
    from formulas.sharpe.eligibility import Eligibility
    from formulas.sharpe.kernel import Kernel
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile, Files

__all__ = ["check_eligibility"]


def check_eligibility(
    files: Files, kernel: Kernel, file: BoardFile, board: Board, read: RowReturns
) -> list[Finding]:
    """Judge the gates of one row; nothing where its returns cannot be read."""
    row = read.row
    subject = f"{file.name}/{row.policy}"
    claim = Claim(ELIGIBILITY, subject, Where(file.path, pointer=row.pointer))
    process = _process(claim, files, file, board, row)
    if row.eligible is None:
        if row.reasons:
            claim.fail("not judged, but with reasons", published=_list(row.reasons))
        claim.unproven("the board does not say whether the entry is eligible")
        return claim.found
    if read.band is None:
        return claim.found
    try:
        found = judge_eligibility(kernel, read.band, process, board.scoring.trials)
    except FormulaError as error:
        not_computed(claim, "the gates", error)
        return claim.found
    if process is not None:
        _with_traces(claim, row, found)
    elif not files.bundle.has(trace_path(file.name, row.policy)):
        _without_traces(claim, row, found)
    return claim.close("eligibility and reasons are those of the gates")


def _process(claim: Claim, files: Files, file: BoardFile, board: Board, row: Row) -> Process | None:
    """What the traces say; None where there are none, or a failure says why not."""
    path = trace_path(file.name, row.policy)
    if not files.bundle.has(path):
        return None
    traces, faults = files.read(path, read_traces, ELIGIBILITY, claim.subject)
    claim.found += faults
    if traces is None:
        return None
    inside = Claim(ELIGIBILITY, claim.subject, Where(path), claim.found)
    inside.equal("the policy of the traces", traces.policy, row.policy)
    if len(traces.runs) != board.seed_count:
        inside.fail(
            "not one list of events for each seed",
            published=len(traces.runs),
            recomputed=board.seed_count,
        )
    try:
        return judge_process(traces.runs)
    except FormulaError as error:
        inside.fail(f"the traces cannot be judged: {error}")
        return None


def _with_traces(claim: Claim, row: Row, found: Eligibility) -> None:
    at = row.pointer
    claim.equal("eligible", row.eligible, found.eligible, pointer=f"{at}/eligible")
    _same_reasons(claim, "the reasons", row.reasons, found, f"{at}/reasons")


def _without_traces(claim: Claim, row: Row, found: Eligibility) -> None:
    at = row.pointer
    others = tuple(reason for reason in row.reasons if reason != "process")
    _same_reasons(claim, "the reasons other than process", others, found, f"{at}/reasons")
    if row.eligible and (found.failed or row.reasons):
        claim.fail(
            "called eligible although a gate does not hold",
            published="True",
            recomputed=_list(found.failed or row.reasons),
            pointer=f"{at}/eligible",
        )
    if row.eligible is False and not row.reasons:
        claim.fail("called not eligible without a reason", pointer=f"{at}/reasons")
    claim.unproven("without traces the process gate cannot be judged")


def _same_reasons(
    claim: Claim, what: str, published: tuple[str, ...], found: Eligibility, pointer: str
) -> None:
    # Compared item by item: joined, one text could pass for several or for none.
    if published != found.failed:
        claim.fail(
            f"{what} differ",
            published=_list(published),
            recomputed=_list(found.failed),
            pointer=pointer,
        )


def _list(reasons: tuple[str, ...]) -> str:
    return ", ".join(reasons) or "none"
