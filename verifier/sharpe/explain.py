"""
The way from the returns to one row of a board, or to its pairwise table.

A row: the checks that judged it; moments of the pooled track, the bar, the z-score and
its probability, each with its 64 bits; the interval, the pass of every seed, the gates
and the gap. Then the same under every other released kernel, which judges nothing but
shows what the version is worth, and under the exact normal distribution.
"""

from __future__ import annotations

from math import isfinite
from statistics import NormalDist
from struct import pack
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaError
from formulas.sharpe.deflated import (
    deflation_bar,
    effective_trials,
    prior_deviation,
    probabilistic_sharpe,
    working,
)
from formulas.sharpe.eligibility import DEFAULT_SCORER
from formulas.sharpe.interval import interval
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.row import PASS_BAR, passes, score_row
from formulas.sharpe.series import pool
from verifier.explanation import Explanation, Line, Section
from verifier.findings import Verdict
from verifier.sharpe.board import SealedSeeds
from verifier.sharpe.checks.figures import bootstrap_of
from verifier.sharpe.context import kernel_of
from verifier.sharpe.family import check_board
from verifier.sharpe.single import gates_of, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formulas.sharpe.eligibility import Eligibility
    from formulas.sharpe.kernel import Kernel
    from verifier.findings import Finding
    from verifier.sharpe.board import Board, Pair, Row
    from verifier.sharpe.checks.returns import RowReturns
    from verifier.sharpe.context import BoardFile, Context
    from verifier.sharpe.evidence import Band

__all__ = ["explain_board", "explain_row"]

_NORMAL: Final = NormalDist()
_NONE: Final = "unavailable"


def explain_row(  # noqa: PLR0913 - a row, its board, and what is known of them already
    context: Context,
    file: BoardFile,
    board: Board,
    row: Row,
    *,
    findings: Iterable[Finding] | None = None,
    judged: tuple[RowReturns, Eligibility | None] | None = None,
) -> Explanation:
    """
    Explain one row of a board.

    Args:
        context: The bundle.
        file: The board's file.
        board: What it holds.
        row: The row.
        findings: What was found about the board; it is checked here when None.
        judged: The row with its returns, and its gates; they are read here when None.
    """
    subject = f"{file.name}/{row.policy}"
    own = (subject, f"{subject} transfers")
    said = check_board(context, file) if findings is None else findings
    found = [each for each in said if each.subject in own]
    sections = [Section("Checks of this row", tuple(_check_lines(found)))]
    kernel = kernel_of(board)
    if kernel is not None:
        if judged is None:
            read = next(each for each in rows_of(context, file, board) if each.row is row)
            judged = read, gates_of(context, kernel, file, board, read)
        read, gates = judged
        if read.band is not None:
            sections += _arithmetic(kernel, board, row, read.band)
            sections.append(Section("Gates", tuple(_gates(gates))))
            sections += _other_kernels(kernel, board, read.band)
    return Explanation(subject, _facts(board, row), tuple(sections))


def explain_board(
    context: Context, file: BoardFile, board: Board, *, findings: Iterable[Finding] | None = None
) -> Explanation:
    """
    Explain what a board says as a whole: its order, pairs and claims.

    Args:
        context: The bundle.
        file: The board's file.
        board: What it holds.
        findings: What was found about the board; it is checked here when None.
    """
    subjects = {f"{file.name}/{row.policy}" for row in board.rows}
    said = check_board(context, file) if findings is None else findings
    found = [each for each in said if each.subject.removesuffix(" transfers") not in subjects]
    rows = tuple(
        _figure("5", f"{row.rank} {row.policy}", row.deflated_sharpe) for row in board.rows
    )
    pairs = tuple(line for pair in board.pairs for line in _pair_lines(pair))
    sections = [Section("Checks of this board", tuple(_check_lines(found)))]
    sections.append(Section("Order, as published", rows))
    if pairs:
        sections.append(Section("Neighbours, as published", pairs))
    return Explanation(file.name, _facts(board, None), tuple(sections))


def _pair_lines(pair: Pair) -> Iterator[Line]:
    yield Line(step="7", name="higher, lower", recomputed=f"{pair.a}, {pair.b}")
    yield _figure("7", "difference", pair.point_diff)
    yield _figure("7", "at least", pair.lo)
    yield _figure("7", "at most", pair.hi)
    yield _figure("7", "p", pair.p_value)
    yield Line(step="7", name="verdict", recomputed=pair.verdict)


def _facts(board: Board, row: Row | None) -> tuple[tuple[str, str], ...]:
    kind = "sealed" if isinstance(board.seeds, SealedSeeds) else "public"
    facts = [
        ("release", f"{board.protocol}, kernel {board.kernel}"),
        ("ran on", f"{board.env_id}, {board.seed_count} {kind} seeds"),
    ]
    if row is not None:
        facts += [("rank", row.rank), ("returns", row.returns), ("status", row.status)]
    return tuple(facts)


def _check_lines(findings: Iterable[Finding]) -> Iterator[Line]:
    for finding in sorted(findings, key=lambda found: (found.step, found.check)):
        bad = finding.verdict is Verdict.FAIL
        published, recomputed = finding.published, finding.recomputed
        both = bad and published is not None and recomputed is not None
        yield Line(
            step=str(finding.step),
            name=finding.check,
            recomputed=recomputed if both and recomputed is not None else finding.message,
            published=published if both else None,
            note=finding.message if both else None,
            differs=bad,
            unproven=finding.verdict is Verdict.UNPROVEN,
        )


def _bits(value: float | None) -> str | None:
    return None if value is None else pack(">d", value).hex()


def _shown(value: float | None) -> str:
    if value is None:
        return _NONE
    return repr(value) if isfinite(value) else "not finite"


def _figure(step: str, name: str, value: float | None, note: str | None = None) -> Line:
    """Show a value that nobody published."""
    return Line(step=step, name=name, recomputed=_shown(value), bits=_bits(value), note=note)


def _compared(step: str, name: str, recomputed: float | None, published: float | None) -> Line:
    """Show a value beside the published one."""
    return Line(
        step=step,
        name=name,
        recomputed=_shown(recomputed),
        bits=_bits(recomputed),
        published=_shown(published),
        published_bits=_bits(published),
        note=f"{name} differs" if recomputed != published else None,
        differs=recomputed != published,
    )


def _arithmetic(kernel: Kernel, board: Board, row: Row, band: Band) -> Iterator[Section]:
    track = pool(band)
    trials = board.scoring.trials
    try:
        found = score_row(kernel, band, trials)
        lines = [
            *_working(kernel, track, trials),
            _compared("4", "deflated_sharpe", found.score.value, row.deflated_sharpe),
            _compared("4", "pass_k_rate", found.pass_k_rate, row.pass_k_rate),
            _compared("4", "mean_return", found.mean_return, row.mean_return),
        ]
        lines += _interval(kernel, board, row, band)
    except FormulaError as error:
        lines = [Line(step="4", name="figures", recomputed=f"cannot be computed: {error}")]
    title = f"Arithmetic of sharpe-kernel/{kernel.name}, every value with its 64 bits"
    yield Section(title, tuple(lines))
    title = f"Every seed of the list on its own, against 0: it passes from {PASS_BAR} on"
    yield Section(title, tuple(_seeds(kernel, band)))


def _working(kernel: Kernel, track: list[float], trials: int) -> Iterator[Line]:
    """Moments, bar, z-score and probability of a pooled track, refused or not."""
    steps = working(kernel, track, deflation_bar(kernel, trials))
    m = steps.moments
    yield Line(step="4", name="bars", recomputed=str(m.count))
    yield _figure("4", "mean", m.mean)
    yield _figure("4", "deviation", m.deviation)
    yield _figure("4", "sharpe_a_period", m.sharpe)
    yield _figure("4", "skewness", m.skewness)
    yield _figure("4", "kurtosis", m.kurtosis)
    of = f"{trials} declared, 50 of the kernel's own"
    yield Line(step="4", name="trials", recomputed=f"{effective_trials(trials)}: {of}")
    yield _figure("4", "prior_deviation", prior_deviation(kernel))
    yield _figure("4", "bar", steps.benchmark)
    yield _figure("4", "variance", steps.variance)
    yield _figure("4", "z", steps.score)
    yield _figure("4", "probability", steps.probability)
    exact = _NORMAL.cdf(steps.score)
    off = steps.probability - exact
    note = f"the kernel's approximation is off by {off:.1e}" if isfinite(off) else None
    yield _figure("4", "exact probability of z", exact, note)


def _interval(kernel: Kernel, board: Board, row: Row, band: Band) -> Iterator[Line]:
    published = row.interval
    try:
        found = interval(kernel, band, bootstrap_of(board, board.scoring.trials))
    except FormulaError as error:
        yield Line(
            step="4",
            name="interval",
            recomputed=f"none: {error}",
            published=None if published is None else f"[{published.lo!r}, {published.hi!r}]",
            differs=published is not None,
        )
        return
    for name in ("lo", "hi", "width"):
        yield _compared(
            "4",
            f"interval_{name}",
            getattr(found, name),
            None if published is None else getattr(published, name),
        )


def _seeds(kernel: Kernel, band: Band) -> Iterator[Line]:
    for at, series in enumerate(band):
        said = "passes" if passes(kernel, series) else "does not pass"
        yield _figure("4", f"{at} {said}", probabilistic_sharpe(kernel, series, 0.0))


def _gates(found: Eligibility | None) -> Iterator[Line]:
    if found is None:
        yield Line(step="6", name="gates", recomputed="cannot be judged", unproven=True)
        return
    scorer = DEFAULT_SCORER
    process = {None: "no traces", True: "no block event", False: "a block event"}
    for gate, said in (
        ("deflated_sharpe", f"{found.deflated_sharpe!r}, asked for {scorer.dsr_bar}"),
        ("pass_k", "every seed passes" if found.passed_k else "not every seed passes"),
        ("process", process[found.process_clean]),
        ("bootstrap_p", f"{found.bootstrap_p!r}, asked for less than {scorer.alpha}"),
        (
            "drawdown",
            f"{_shown(found.max_drawdown)}, worst seed {_shown(found.worst_run_drawdown)}",
        ),
        ("kernel", found.deflation_error or found.bootstrap_error or "no error"),
    ):
        holds = "does not hold" if gate in found.failed else "holds"
        unproven = gate == "process" and found.process_clean is None
        holds = "not judged" if unproven else holds
        yield Line(step="6", name=gate, recomputed=f"{holds}: {said}", unproven=unproven)


def _other_kernels(kernel: Kernel, board: Board, band: Band) -> Iterator[Section]:
    track = pool(band)
    for other in KERNELS.values():
        if other is not kernel:
            try:
                lines = tuple(_working(other, track, board.scoring.trials))
            except (FormulaError, ArithmeticError) as error:
                lines = (Line(step="4", name="figures", recomputed=f"cannot be computed: {error}"),)
            title = f"What sharpe-kernel/{other.name} would have made of it"
            yield Section(title, lines)
