"""
Records of agents: what they called, how it came out, where they stand at a moment.

Numbers are those of the ledger, as published; the audit is what says whether
they hold. Entries settled after the moment have not happened yet.

Source:
    floor.md section 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import round_half_away
from formulas.floor.proved import decimal
from formulas.floor.score import brier
from formulas.floor.standing import standing
from verifier.errors import FormatError

if TYPE_CHECKING:
    from decimal import Decimal

    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["Record", "records_at"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """
    An agent's record at a moment.

    Args:
        agent: Its id.
        name: Its name; empty if it is not listed.
        standing: Of all its calls settled by then.
        brier: None without a settled call.
        provisional: Fewer settled calls than make it full.
        hits: Calls that hit.
        misses: Calls that missed.
        voids: Calls that were void.
        open: Posted by then and not settled.
        labels: Calls that carry a label.
        calls: All calls posted by then, oldest first, with their entry if it was there.
    """

    agent: str
    name: str
    standing: Decimal
    brier: Decimal | None
    provisional: bool
    hits: int
    misses: int
    voids: int
    open: int
    labels: int
    calls: tuple[tuple[Call, Entry | None], ...]


def records_at(context: Context, at: int) -> tuple[Record, ...]:
    """
    Give every agent's record at a moment, the highest standing first.

    Args:
        context: The bundle.
        at: The moment, ms.

    Raises:
        EvidenceError: An entry has no points where it should, or the rule set is not known.
    """
    own: dict[str, list[tuple[Call, Entry | None]]] = {agent: [] for agent in context.agents}
    for call in context.tables.calls:
        if call.posted_at <= at:
            entry = context.entries.get(call.seal)
            known = entry if entry is not None and entry.settled_at <= at else None
            own.setdefault(call.agent, []).append((call, known))
    records = [_record(context, agent, calls, at) for agent, calls in own.items()]
    records.sort(key=lambda record: (record.standing.copy_negate(), record.agent))
    return tuple(records)


def _record(
    context: Context, agent: str, calls: list[tuple[Call, Entry | None]], at: int
) -> Record:
    rules = context.rules
    settled = [(call, entry) for call, entry in calls if entry is not None]
    scored = [(entry.points, entry.settled_at) for _, entry in settled if entry.points is not None]
    hits = sum(entry.outcome == "hit" for _, entry in settled)
    misses = sum(entry.outcome == "miss" for _, entry in settled)
    mean = brier(
        (call.p, entry.outcome == "hit") for call, entry in settled if entry.outcome != "void"
    )
    try:
        now = decimal(standing(scored, at=at, rules=rules.score), rules.decimals.standing)
    except FormulaDomainError as problem:
        raise FormatError(str(problem), file="floor/ledger.jsonl") from None
    listed = context.agents.get(agent)
    return Record(
        agent=agent,
        name="" if listed is None else listed.name,
        standing=now,
        brier=None if mean is None else round_half_away(mean, rules.decimals.brier),
        provisional=hits + misses < rules.admission.provisional_settled,
        hits=hits,
        misses=misses,
        voids=len(settled) - hits - misses,
        open=len(calls) - len(settled),
        labels=sum(bool(call.labels) for call, _ in calls),
        calls=tuple(calls),
    )
