"""
Step 7: entries hash and link, say what the record of their call says, and become final.

A rewritten entry shows in its own hash, a rewritten hash in the link of the
next entry, a dropped or moved entry in its number.

Source:
    floor.md section 7; floor-clarifications.md 15, 21, 25, 27.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import SECOND_MS
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import FINALITY, LEDGER
from verifier.floor.ledger import link_problem
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.columns import SettlementColumns
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry

__all__ = ["LEDGER_FILE", "check_entry", "check_finality", "subject"]

LEDGER_FILE: Final = "floor/ledger.jsonl"


def subject(entry: Entry) -> str:
    """Name an entry in findings; its line, since its number may be wrong."""
    return f"entry {entry.line - 1}"


def check_entry(context: Context, entry: Entry) -> list[Finding]:
    """Judge an entry's place in the chain, and what it says of its settlement."""
    claim = Claim(LEDGER, subject(entry), Where(LEDGER_FILE, entry.line))
    position = entry.line - 1
    before = context.tables.entries[position - 1] if position else None
    problem = link_problem(entry, before, position)
    if problem is not None:
        published, recomputed = _shown(problem, entry, before, position)
        claim.fail(problem, published=published, recomputed=recomputed)
    rules = context.rules.ledger
    claim.equal("the kind", entry.kind, rules.kind, pointer="/body/kind")
    claim.equal("the unit", entry.unit, rules.unit, pointer="/body/unit")
    record = context.settlements.place(entry.call)
    if record is not None:
        _check_record(claim, entry, context.columns.settlements, record)
    elif entry.record in context.records:
        claim.fail("the record is that of another call", published=entry.record)
    else:
        claim.unproven("no settlement has the hash of the record", published=entry.record)
    return claim.close("hashed, linked, as the record says")


def _shown(
    problem: str, entry: Entry, before: Entry | None, position: int
) -> tuple[str, str | None]:
    if "number" in problem:
        return str(entry.entry), str(position)
    if "prev" in problem:
        return entry.prev, "0" * 64 if before is None else before.hash
    if "order" in problem:
        return say_time(entry.settled_at), None
    return entry.hash, entry.body_sha256


def _check_record(claim: Claim, entry: Entry, records: SettlementColumns, place: int) -> None:
    """Compare an entry with the settlement at a place."""
    outcome, last = records.outcomes[place], records.last[place]
    claim.equal(
        "the hash of the settlement", entry.record, records.lines.hex(place), pointer="/body/record"
    )
    claim.equal("the outcome", entry.outcome, outcome, pointer="/body/outcome")
    claim.equal(
        "the time of the last attempt",
        say_time(entry.settled_at),
        say_time(last),
        pointer="/body/settled_at",
    )
    reason = None
    if outcome == "void":
        result = records.results[place]
        reason = "gate_not_met" if result == "settled" else result
    claim.equal("the reason", entry.reason, reason, pointer="/body/reason")


def check_finality(context: Context, entry: Entry) -> list[Finding]:
    """Judge when an entry becomes final, and say whether it is by the caller's clock."""
    claim = Claim(FINALITY, subject(entry), Where(LEDGER_FILE, entry.line, "/body/final_at"))
    final_at = entry.settled_at + context.rules.ledger.dispute_seconds * SECOND_MS
    claim.equal("final_at", say_time(entry.final_at), say_time(final_at))
    state = "final since" if final_at <= context.now else "provisional until"
    return claim.close(f"{state} {say_time(final_at)}")
