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
from verifier.floor.context import NOWHERE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.floor.context import Context

__all__ = ["notes", "outcome_counts"]

# Hyperliquid keeps its newest 5,000 candles; a fetch comes two minutes after the deadline or later.
_KEPT_MINUTES: Final = 4_900


def outcome_counts(context: Context) -> str:
    """Say how many calls came out how."""
    entries = context.columns.entries
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for place in context.closing:
        outcomes["open" if place == NOWHERE else entries.outcomes[place]] += 1
        if place != NOWHERE and entries.outcomes[place] == "void":
            reasons[str(entries.reasons[place])] += 1
    voids = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
    return (
        f"{len(context.closing)} calls: {outcomes['hit']} hit, {outcomes['miss']} missed, "
        f"{outcomes['void']} void{f' ({voids})' if voids else ''}, {outcomes['open']} open."
    )


def notes(context: Context) -> Sequence[str]:
    """Count the calls, and state the limits of a pass, each counted where it can be."""
    return [f"Floor: {sentence}" for sentence in (outcome_counts(context), *_limits(context))]


def _limits(context: Context) -> Iterator[str]:
    tables, columns = context.tables, context.columns
    calls = columns.calls
    final = sum(at <= context.now for at in columns.entries.final)
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
    attempts = sum(columns.settlements.attempts)
    alone = 0
    if context.state.rules is not None:
        used = context.rules.settlement
        for place, seal in enumerate(columns.settlements.calls):
            call = tables.indexes.calls.last(seal)
            once = columns.settlements.attempts[place] == 1
            if once and call is not None and columns.settlements.results[place] != "settled":
                earliest = schedule(calls.deadlines[call], used).void_from
                alone += columns.settlements.last[place] >= earliest
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
        calls.deadlines[place] - posted > _KEPT_MINUTES * MINUTE_MS and calls.shapes[place].aged
        for place, posted in enumerate(calls.posted)
    )
    yield (
        f"{long_} calls are longer than Hyperliquid keeps its minutes, and rest on responses "
        "captured on the way."
    )
    gated = sum(calls.shapes[place].gated for place in range(len(calls)))
    yield (
        f"{gated} calls are ranges behind a gate: one whose gate is met in the last minute hits "
        "without a print, and is then listed under floor/settlement."
    )
