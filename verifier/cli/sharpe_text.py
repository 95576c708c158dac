"""Boards and curricula for a terminal and as JSON; text by publishers is shown, never obeyed."""

from __future__ import annotations

from itertools import groupby
from math import isfinite
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from formulas.sharpe.eligibility import DEFAULT_SCORER
from verifier.core.canon import canonical_bytes
from verifier.findings import Verdict
from verifier.report.visible import visible
from verifier.report.words import SYMBOLS, plural
from verifier.sharpe.board import SealedSeeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.sharpe.eligibility import Eligibility
    from verifier.core.jsonread import JsonValue
    from verifier.sharpe.board import Board, Pair, Row
    from verifier.sharpe.curriculum import Deviation, Replay
    from verifier.sharpe.single import BoardAudit

__all__ = ["board", "curriculum", "curriculum_json"]

_WIDTH: Final = 80
_POLICY: Final = 20
_NOTHING: Final = "\N{EN DASH}"
_GATES: Final = ("deflated_sharpe", "pass_k", "process", "bootstrap_p", "drawdown", "kernel")


def board(audit: BoardAudit) -> bytes:
    """
    Show a board as it was published, in 80 columns.

    The symbol before a row is the worst verdict on it, the marks before its gates say
    what the evidence gives. No line begins with a publisher's text: build servers take
    orders from lines that begin with ``::``, blanks before it or not.
    """
    found = audit.file.board
    if found is None:
        return _lines(*_wrapped(f"{audit.file.name}: no board that can be read"))
    lines = [*_head(found), "", *_table_head(found)]
    for row in found.rows:
        lines += _row_lines(audit, row)
    lines += ["", *_ties(found.rows)]
    if found.pairs:
        lines += ["", *_pair_lines(found)]
    for claim in found.claims:
        lines += _wrapped(f"Claim: {claim.better} beats {claim.worse}.")
    return _lines(*lines)


def _lines(*lines: str) -> bytes:
    return ("\n".join(line.rstrip() for line in lines) + "\n").encode()


def _wrapped(text: str, indent: str = "│ ") -> list[str]:
    return wrap(
        visible(text),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _head(found: Board) -> Iterator[str]:
    kind = "sealed" if isinstance(found.seeds, SealedSeeds) else "public"
    scoring = found.scoring
    yield from _wrapped(f"{found.name}: {found.protocol}, kernel {found.kernel}, {found.env_id}")
    yield from _wrapped(
        f"{plural(found.seed_count, f'{kind} seed')} of {found.settings.n_days} bars; "
        f"{scoring.trials} trials declared; {scoring.n_boot} resamples"
    )


def _table_head(found: Board) -> Iterator[str]:
    alpha = found.scoring.alpha
    level = f"{100 * (1 - alpha):.6g}% interval" if 0 < alpha < 1 else "interval"
    head = ("rank", "policy", "deflated", level, "pass^k", "mean", "gap")
    yield _columns(" ", *head)


def _columns(*cells: str) -> str:
    mark, rank, policy, score, interval, rate, mean, gap = cells
    return (
        f"{mark} {rank:<4} {_cut(policy):<{_POLICY}} {score:>8}  {interval:<16} "
        f"{rate:>6} {mean:>9} {gap:>7}"
    )


def _cut(text: str, width: int = _POLICY) -> str:
    shown = visible(text)
    return shown if len(shown) <= width else shown[: width - 1] + "…"


def _number(value: float | None, form: str) -> str:
    return _NOTHING if value is None else format(value, form)


def _row_lines(audit: BoardAudit, row: Row) -> Iterator[str]:
    bounds = row.interval
    yield _columns(
        SYMBOLS[audit.worst[row.policy]] if row.policy in audit.worst else "·",
        _cut(row.rank, 4),
        row.policy,
        _number(row.deflated_sharpe, ".4f"),
        _NOTHING if bounds is None else f"[{bounds.lo:.4f}, {bounds.hi:.4f}]",
        _number(row.pass_k_rate, ".2f"),
        _number(row.mean_return, ".6f"),
        _number(None if row.gap is None else row.gap.gap, "+.4f"),
    )
    indent = "│      "
    said = {True: "eligible", False: "not eligible", None: "not judged"}[row.eligible]
    because = f": {', '.join(row.reasons)}" if row.reasons else ""
    yield from _wrapped(f"{said}{because}", indent)
    gates = audit.gates.get(row.policy)
    if gates is not None:
        yield from _wrapped("  ".join(_gates(gates)), indent)
    if row.deflated_sharpe is None:
        yield from _wrapped(row.status, indent)


def _gates(found: Eligibility) -> Iterator[str]:
    details = {
        "deflated_sharpe": f"{found.deflated_sharpe:.4f}/{DEFAULT_SCORER.dsr_bar}",
        "bootstrap_p": f"{found.bootstrap_p:.4f}",
        "drawdown": f"{found.max_drawdown:.4f}" if isfinite(found.max_drawdown) else "overflow",
    }
    for gate in _GATES:
        mark = Verdict.FAIL if gate in found.failed else Verdict.PASS
        if gate == "process" and found.process_clean is None:
            mark = Verdict.UNPROVEN
        # No blank inside a gate, so that none is broken over two lines.
        detail = f"({details[gate]})" if gate in details else ""
        yield f"{SYMBOLS[mark]}{gate}{detail}"


def _ties(rows: Sequence[Row]) -> Iterator[str]:
    """Name groups of equal scores, and those that four decimals do not tell apart."""
    said = False
    for score, group in groupby(rows, key=lambda row: row.deflated_sharpe):
        names = [row.policy for row in group]
        if score is not None and len(names) > 1:
            said = True
            yield from _wrapped(f"Exactly tied: {', '.join(names)}.")
    scored = [row for row in rows if row.deflated_sharpe is not None]
    for _, group in groupby(scored, key=lambda row: _number(row.deflated_sharpe, ".4f")):
        members = list(group)
        if len({row.deflated_sharpe for row in members}) > 1:
            said = True
            names = [row.policy for row in members]
            yield from _wrapped(f"Apart only beyond four decimals: {', '.join(names)}.")
    if not said:
        yield "No ties."


def _pair_lines(found: Board) -> Iterator[str]:
    title = f"Neighbours, {plural(found.pairs_trials, 'trial')} declared: difference, interval, p"
    yield from _wrapped(title)
    for pair in found.pairs:
        yield _pair_line(pair)
    for names in _undecided(found.pairs):
        yield from _wrapped(f"No difference shown within: {', '.join(names)}.")


def _pair_line(pair: Pair) -> str:
    sign = {"a_better": ">", "b_better": "<"}.get(pair.verdict, "~")
    return (
        f"│ {_cut(pair.a):>{_POLICY}} {sign} {_cut(pair.b):<{_POLICY}}"
        f"{pair.point_diff:+8.4f} [{pair.lo:+.4f}, {pair.hi:+.4f}] {pair.p_value:5.3g}"
    )


def _undecided(pairs: Sequence[Pair]) -> Iterator[list[str]]:
    """Chains of neighbours none of which is shown to be better than the next."""
    chain: list[str] = []
    for pair in pairs:
        if pair.verdict == "tied":
            chain = [*(chain or [pair.a]), pair.b]
        elif chain:
            yield chain
            chain = []
    if chain:
        yield chain


def curriculum(found: Replay) -> bytes:
    """Show the levels after a log, and what in it does not follow."""
    head = f"{'level':>20}  {'solved':>9}  {'rate':<20}  {'weight':<20}"
    lines = [f"{plural(found.episodes, 'episode')}, {plural(len(found.levels), 'level')}", "", head]
    lines += [
        f"{level.seed:>20}  {f'{level.solved}/{level.attempts}':>9}  "
        f"{level.rate!r:<20}  {level.weight!r:<20}"
        for level in found.levels
    ]
    lines += ["", f"The next level is {found.following}."]
    lines += [_deviation(each) for each in found.deviations]
    count = len(found.deviations)
    lines.append(
        f"{plural(count, 'recorded value')} {'does' if count == 1 else 'do'} not follow."
        if count
        else "Every recorded rate, weight and selection follows."
    )
    return _lines(*lines)


def _deviation(each: Deviation) -> str:
    follows = "is no level" if each.recomputed is None else f"{each.recomputed!r} follows"
    return f"✗ episode {each.episode}: {each.what} {each.recorded!r} is recorded, {follows}"


def curriculum_json(found: Replay) -> bytes:
    """Write a replay as canonical JSON and one newline."""
    value: JsonValue = {
        "format": "tallyproof-curriculum/1",
        "episodes": found.episodes,
        "next": found.following,
        "levels": [
            {
                "seed": level.seed,
                "solved": level.solved,
                "attempts": level.attempts,
                "success_rate": level.rate,
                "weight": level.weight,
            }
            for level in found.levels
        ],
        "deviations": [
            {
                "episode": each.episode,
                "what": each.what,
                "recorded": each.recorded,
                "recomputed": each.recomputed,
            }
            for each in found.deviations
        ],
    }
    return canonical_bytes(value) + b"\n"
