"""
The story of one call, or of one entry of the ledger, published and recomputed.

Checks first; then the baseline with its inputs, the window with what its
responses hold, every attempt with its verdict, the candles around the deciding
moment on both venues, the points step by step, and the entry in the ledger.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import HOUR_MS, SECOND_MS, plain
from formulas.floor.proved import decimal
from formulas.floor.score import clamp
from formulas.floor.terms import Conditional
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.explanation import Explanation, Line, Section
from verifier.findings import Verdict
from verifier.floor.checks.points import points_of
from verifier.floor.checks.roots import TREE, leaves
from verifier.floor.checks.rules import check_rules
from verifier.floor.checks.settlement import check_settlement
from verifier.floor.family import check_call, check_ledger_entry
from verifier.floor.ledger import NO_ENTRY
from verifier.floor.moment import moment_section, window_section
from verifier.floor.resettle import Lack, priced, tried
from verifier.floor.when import say_time
from verifier.floor.words import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["check_lines", "explain_call", "explain_entry", "findings_of_call"]

CHECKS_OF_CALL: Final = "Checks of this call"
SIGMA_DECIMALS: Final = 12


def explain_call(
    context: Context, call: Call, findings: Iterable[Finding] | None = None
) -> Explanation:
    """
    Tell the story of one call.

    Args:
        context: The bundle.
        call: The call.
        findings: What :func:`findings_of_call` gave, if it has been asked.
    """
    row = context.settlements.get(call.seal)
    entry = context.entries.get(call.seal)
    if findings is None:
        findings = findings_of_call(context, call)
    sections = [Section(CHECKS_OF_CALL, tuple(check_lines(findings)))]
    if context.state.rules is not None:
        sections.append(Section("Baseline at posting", _baseline(context, call)))
        if row is not None:
            sections.append(window_section(context, call, row))
            sections.append(Section("Attempts", tuple(_attempts(context, call, row, entry))))
            moment = moment_section(context, call, row)
            if moment is not None:
                sections.append(moment)
        if entry is not None:
            sections.append(Section("Points", tuple(_points(context, call, entry))))
    agent = context.agents.get(call.agent)
    return Explanation(
        f"call {call.seal}",
        (
            ("called", describe(call.terms)),
            ("p", plain(call.p)),
            ("agent", f"{call.agent} {agent.name}" if agent is not None else call.agent),
            ("posted", say_time(call.posted_at)),
            ("claim", call.claim),
            ("note", call.note or "none"),
            ("labels", ", ".join(call.labels) or "none"),
        ),
        tuple(sections),
    )


def findings_of_call(context: Context, call: Call) -> Iterator[Finding]:
    """Run every check that is about one call, its settlement or its entry."""
    row = context.settlements.get(call.seal)
    entry = context.entries.get(call.seal)
    if context.state.rules is None:
        yield from check_rules(context)
        return
    yield from check_call(context, call)
    if row is not None:
        yield from check_settlement(context, row, call)
    if entry is not None:
        yield from check_ledger_entry(context, entry)


def check_lines(findings: Iterable[Finding]) -> Iterator[Line]:
    """Make a line of every finding, in the order of the procedure."""
    for finding in sorted(findings, key=lambda found: (found.step, found.check)):
        bad = finding.verdict is Verdict.FAIL
        both = bad and finding.recomputed is not None and finding.published is not None
        yield Line(
            step=str(finding.step),
            name=finding.check,
            recomputed=finding.recomputed if both else finding.message,  # type: ignore[arg-type]
            published=finding.published if both else None,
            note=finding.message if both else None,
            differs=bad,
            unproven=finding.verdict is Verdict.UNPROVEN,
        )


def _baseline(context: Context, call: Call) -> tuple[Line, ...]:
    rules = context.rules
    pricing = priced(context, call, rules)
    lines = [
        _line("3", "model", rules.baseline.version, call.version),
        _line("3", "responses", f"{len(call.spot)} spot, {len(call.history)} history"),
    ]
    found = pricing.result
    if isinstance(found, Lack):
        lines.append(
            Line(
                step="3",
                name="b",
                recomputed=found.message,
                differs=found.wrong,
                unproven=not found.wrong,
            )
        )
        return tuple(lines)
    inner = call.terms.inner if isinstance(call.terms, Conditional) else call.terms
    seconds = (inner.deadline - call.posted_at) // SECOND_MS
    if found.spot is not None:
        lines.append(_line("3", "spot", plain(found.spot)))
    if found.sigma is not None:
        lines.append(_line("3", "hours of history", str(found.rows)))
        lines.append(_line("3", "sigma, a year", plain(decimal(found.sigma, SIGMA_DECIMALS))))
        lines.append(_line("3", "time", f"{seconds} s of {rules.baseline.year_seconds}"))
    elif found.rows:
        lines.append(_line("3", "funding prints", str(found.rows)))
    lines.append(_line("3", "b", plain(found.b), plain(call.b)))
    return tuple(lines)


def _attempts(
    context: Context, call: Call, row: SettlementRow, entry: Entry | None
) -> Iterator[Line]:
    for each in row.attempts:
        trial = tried(context, call, each, context.rules)
        name = say_time(each.at)
        count = f"{len(each.source)} source and {len(each.confirm)} confirming responses"
        refused = [
            f"{sha256[:12]} gives nothing: {why.reason}"
            for sha256, why in (*trial.source.refused, *trial.confirm.refused)
        ]
        note = "; ".join((count, *refused))
        if isinstance(trial.result, Lack):
            lack = trial.result
            yield Line(
                step="5",
                name=name,
                recomputed=lack.message,
                note=note,
                differs=lack.wrong,
                unproven=not lack.wrong,
            )
            continue
        result = trial.result.result
        yield _line("5", name, result, each.result, note=note)
        # The last attempt decides: if it failed too, the call is void for what it met.
        if trial.result.outcome is not None or each is row.attempts[-1]:
            outcome = trial.result.outcome or "void"
            yield _line("5", "outcome", outcome, row.outcome)
            if outcome == "void":
                stated = None if entry is None else entry.reason or "none"
                yield _line("5", "reason", trial.result.reason or result, stated)
        if trial.result.deciding is not None and row.deciding is not None:
            found, said = trial.result.deciding, row.deciding
            yield _line("5", "decided at", say_time(found.at), say_time(said.at))
            yield _line("5", "source", found.source, said.source)
            if found.confirm is not None or said.confirm is not None:
                yield _line("5", "second venue", str(found.confirm), str(said.confirm))


def _points(context: Context, call: Call, entry: Entry) -> Iterator[Line]:
    score = context.rules.score
    yield _line("7", "entry", str(entry.entry), note=f"hash {entry.hash}")
    yield _line("7", "settled at", say_time(entry.settled_at))
    state = "final since" if entry.final_at <= context.now else "provisional until"
    yield _line("7", "state", f"{state} {say_time(entry.final_at)}")
    try:
        found = points_of(call, entry.outcome, context.rules)
        p, b = clamp(call.p, score), clamp(call.b, score)
    except FormulaDomainError as problem:
        yield Line(step="6", name="points", recomputed=str(problem), differs=True)
        return
    if found is None:
        yield _line("6", "points", "null: a void scores nothing", _points_text(entry))
        return
    hit = entry.outcome == "hit"
    called, base = (p, b) if hit else (1 - p, 1 - b)
    ratio = Fraction(called) / Fraction(base)
    yield _line("6", "p and b, clamped", f"{plain(p)} and {plain(b)}")
    formula = "p / b" if hit else "(1 - p) / (1 - b)"
    yield _line("6", formula, f"{ratio.numerator / ratio.denominator:.12f}")
    logarithm = log2(ratio.numerator / ratio.denominator)
    yield _line("6", "log2", f"{logarithm:.12f}", note="shown in binary64; the digits are proved")
    yield _line("6", "points", plain(found), _points_text(entry))


def _points_text(entry: Entry) -> str:
    return "null: a void scores nothing" if entry.points is None else plain(entry.points)


def _line(
    step: str, name: str, recomputed: str, published: str | None = None, *, note: str | None = None
) -> Line:
    return Line(
        step=step,
        name=name,
        recomputed=recomputed,
        published=published,
        note=note,
        differs=published is not None and published != recomputed,
    )


def explain_entry(context: Context, entry: Entry) -> Explanation:
    """Tell how an entry hangs in the chain, and in the tree of its hour."""
    position = entry.line - 1
    before = context.tables.entries[position - 1].hash if position else NO_ENTRY
    lines = [
        _line("7", "hash", entry.body_sha256, entry.hash),
        _line("7", "number", str(position), str(entry.entry)),
        _line("7", "prev", before, entry.prev),
    ]
    findings: list[Finding] = []
    if context.state.rules is not None:
        findings += check_ledger_entry(context, entry)
    hour = entry.settled_at // HOUR_MS * HOUR_MS
    own = [context.tables.entries[place] for place in context.hours[hour]]
    tree = [
        _line("7", "hour", say_time(hour)),
        _line("7", "leaf", f"{own.index(entry)} of {len(own)}"),
    ]
    roots = [each for each in context.tables.roots if each.hour == hour]
    recomputed = root(leaves(own), scheme(TREE)).hex()
    if roots:
        tree.append(_line("7", "root", recomputed, roots[0].root))
    else:
        tree.append(_line("7", "root", recomputed, note="not published yet: the hour is not over"))
    return Explanation(
        f"entry {entry.entry}",
        (
            ("call", entry.call),
            ("outcome", entry.outcome),
            ("settled", say_time(entry.settled_at)),
        ),
        (
            Section("Checks of this entry", tuple(check_lines(findings))),
            Section("Chain", tuple(lines)),
            Section("Tree of the hour", tuple(tree)),
        ),
    )
