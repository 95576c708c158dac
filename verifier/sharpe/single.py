"""
One board with all that a bundle holds behind it.

The nine steps are those of an audit, on this board alone; other boards are read, since
a commitment must not serve two of them, and not judged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formulas.errors import FormulaError
from formulas.sharpe.eligibility import judge_eligibility
from formulas.sharpe.process import judge_process
from verifier.errors import UsageError
from verifier.findings import Finding, Verdict
from verifier.report.model import ReportBuilder
from verifier.sharpe.checks.catalogue import CHECKS, ELIGIBILITY
from verifier.sharpe.checks.returns import check_returns
from verifier.sharpe.context import BOARDS, Files, kernel_of, load_context, trace_path
from verifier.sharpe.evidence import read_traces
from verifier.sharpe.family import check_board
from verifier.sharpe.notes import notes_of
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formulas.sharpe.eligibility import Eligibility
    from formulas.sharpe.kernel import Kernel
    from formulas.sharpe.process import Process
    from verifier.bundle import Bundle
    from verifier.policy import Policy
    from verifier.report.model import Keep, Report
    from verifier.sharpe.board import Board
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile, Context

    Further = Callable[[BoardFile, Board, Sequence[RowReturns]], Iterable[Finding]]

__all__ = ["BoardAudit", "audit_board", "board_file", "gates_of", "rows_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAudit:
    """
    A board and what was found about it.

    Args:
        file: The board as read.
        report: All findings on it.
        gates: What each gate says of a row, by policy; None where its returns cannot tell.
        worst: Worst verdict on a row or its gaps, by policy.
    """

    file: BoardFile
    report: Report
    gates: dict[str, Eligibility | None]
    worst: dict[str, Verdict]


def board_file(context: Context, name: str) -> BoardFile:
    """
    Find the board of a file name.

    Raises:
        UsageError: There is none.
    """
    for file in context.boards:
        if file.name == name:
            return file
    names = ", ".join(file.name for file in context.boards) or "none"
    raise UsageError(f"the bundle has no file {BOARDS}{name}.json; its boards are {names}")


def rows_of(context: Context, file: BoardFile, board: Board) -> list[RowReturns]:
    """Read the rows of a board with their returns; whether these are right is step 3."""
    return check_returns(Files(context.bundle), file, board)[0]


def gates_of(
    context: Context, kernel: Kernel, file: BoardFile, board: Board, read: RowReturns
) -> Eligibility | None:
    """Judge the gates of a row; None where they cannot be, which step 6 says why."""
    if read.band is None:
        return None
    try:
        process = _process(context, file, read.row.policy)
        return judge_eligibility(kernel, read.band, process, board.scoring.trials)
    except FormulaError:
        return None


def _process(context: Context, file: BoardFile, policy: str) -> Process | None:
    path = trace_path(file.name, policy)
    if not context.bundle.has(path):
        return None
    traces, _ = Files(context.bundle).read(path, read_traces, ELIGIBILITY, policy)
    return None if traces is None else judge_process(traces.runs)


def audit_board(
    bundle: Bundle,
    name: str,
    *,
    policy: Policy,
    keep: Keep = "problems",
    further: Further | None = None,
) -> BoardAudit:
    """
    Verify one board.

    Args:
        bundle: The evidence; its clock is the policy's, or its own.
        name: Name of the board's file, without folder and ending.
        policy: What the caller trusts.
        keep: Which findings the report holds.
        further: How to replay the series of a board that could be read: a pass for every row
            that comes out the same.

    Raises:
        UsageError: The bundle has no such board.
        EvidenceError: A board, or a file behind this one, cannot be read.
    """
    context = load_context(bundle, policy)
    file = board_file(context, name)
    findings = [*context.findings, *check_board(context, file)]
    gates: dict[str, Eligibility | None] = {}
    kernel = None if file.board is None else kernel_of(file.board)
    regenerated = 0
    if file.board is not None and kernel is not None:
        rows = rows_of(context, file, file.board)
        gates = {
            read.row.policy: gates_of(context, kernel, file, file.board, read)
            for read in reversed(rows)
        }
        if further is not None:
            replayed = list(further(file, file.board, rows))
            findings += replayed
            same = sum(finding.verdict is Verdict.PASS for finding in replayed)
            regenerated = same * file.board.seed_count
    builder = ReportBuilder(CHECKS, keep=keep)
    for finding in findings:
        builder.add(finding)
    report = builder.build(
        tool_version=VERSION,
        policy_sha256=policy.sha256,
        bundle_sha256=bundle.sha256,
        as_of=context.as_of,
        title=bundle.index.title,
        notes=notes_of(replace(context, boards=(file,)), regenerated=regenerated),
    )
    return BoardAudit(file=file, report=report, gates=gates, worst=_worst(file, findings))


def _worst(file: BoardFile, findings: Iterable[Finding]) -> dict[str, Verdict]:
    severity = (Verdict.PASS, Verdict.EXEMPT, Verdict.UNPROVEN, Verdict.FAIL)
    found: dict[str, Verdict] = {}
    for finding in findings:
        policy = finding.subject.removeprefix(f"{file.name}/").removesuffix(" transfers")
        if policy != finding.subject and finding.verdict is not Verdict.EXEMPT:
            found[policy] = max(
                found.get(policy, Verdict.PASS), finding.verdict, key=severity.index
            )
    return found
