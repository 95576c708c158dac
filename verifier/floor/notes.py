"""
What ends every report on the Floor: calls by outcome, and what a pass does not establish.

Source:
    floor.md section 11.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from formulas.floor.attempts import schedule
from formulas.floor.primitives import MINUTE_MS
from formulas.floor.terms import Conditional, Range
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.floor.context import Context

__all__ = ["notes", "outcome_counts"]

# Hyperliquid keeps its newest 5,000 candles; a fetch comes two minutes after the deadline or later.
_KEPT_MINUTES: Final = 4_900


def outcome_counts(context: Context) -> str:
    """Say how many calls came out how."""
    calls = context.tables.calls
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for call in calls:
        entry = context.entries.get(call.seal)
        outcomes["open" if entry is None else entry.outcome] += 1
        if entry is not None and entry.outcome == "void":
            reasons[str(entry.reason)] += 1
    voids = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    return (
        f"{len(calls)} calls: {outcomes['hit']} hit, {outcomes['miss']} missed, "
        f"{outcomes['void']} void{f' ({voids})' if voids else ''}, {outcomes['open']} open."
    )


def notes(context: Context) -> Sequence[str]:
    """Count the calls, and state the limits of a pass, each counted where it can be."""
    return [f"Floor: {sentence}" for sentence in (outcome_counts(context), *_limits(context))]


def _limits(context: Context) -> Iterator[str]:
    tables = context.tables
    final = sum(entry.final_at <= context.now for entry in tables.entries)
    yield (
        f"{final} entries are final, {len(tables.entries) - final} may still be disputed at the "
        "time of this audit."
    )
    yield (
        f"{len(tables.raw)} raw responses carry no signature of their venue: one edited on both "
        "venues alike shows only where another response holds the same minute."
    )
    yield (
        f"{len(tables.calls)} signatures cover neither b nor posted_at: b is recomputed, "
        "posted_at is bounded by the signed time alone."
    )
    attempts = sum(len(row.attempts) for row in tables.settlements)
    alone = 0
    if context.state.rules is not None:
        used = context.rules.settlement
        for row in tables.settlements:
            call = context.calls.get(row.call)
            if call is not None and len(row.attempts) == 1 and row.attempts[0].result != "settled":
                alone += row.attempts[0].at >= schedule(call.terms.deadline, used).void_from
    yield (
        f"{attempts} attempts were chosen by the operator, and one that was left out cannot be "
        f"seen. Void on a single attempt in the last minutes allowed: {alone}."
    )
    cached = sum(line.venue == "coinbase" for line in tables.raw)
    yield (
        f"{cached} answers of Coinbase can be up to five minutes old, so that a young one may look "
        "like quiet minutes."
    )
    yield (
        f"that both venues quoted the symbol when {len(tables.calls)} calls were posted is a rule "
        "without evidence."
    )
    long_ = sum(
        call.terms.deadline - call.posted_at > _KEPT_MINUTES * MINUTE_MS
        and any(each.venue == "hyperliquid" for each in sources(call.terms))
        for call in tables.calls
    )
    yield (
        f"{long_} calls are longer than Hyperliquid keeps its minutes, and rest on responses "
        "captured on the way."
    )
    gated = sum(
        isinstance(call.terms, Conditional) and isinstance(call.terms.inner, Range)
        for call in tables.calls
    )
    yield (
        f"{gated} calls are ranges behind a gate: one whose gate is met in the last minute hits "
        "without a print, and is then listed under floor/settlement."
    )
