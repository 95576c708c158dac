"""
Step 7: no call without an entry once it can no longer be settled, no entry without a call.

Nothing may be stated of a time after the bundle's, nor after the caller's clock.

Source:
    floor.md section 7; floor-clarifications.md 26.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.attempts import schedule
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS
from verifier.floor.checks.calls import subject as subject_of_call
from verifier.floor.checks.catalogue import CLOSURE
from verifier.floor.checks.ledger import LEDGER_FILE
from verifier.floor.checks.ledger import subject as subject_of_entry
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["check_call_closed", "check_entry_open", "not_yet"]


def not_yet(context: Context, claim: Claim, what: str, at: int, pointer: str) -> None:
    """Fail a time that lies after the bundle's moment or the caller's clock."""
    latest = min(context.as_of, context.now)
    if at > latest:
        claim.fail(
            f"{what} is after the time of this audit",
            published=say_time(at),
            recomputed=f"at most {say_time(latest)}",
            pointer=pointer,
        )


def check_call_closed(context: Context, call: Call) -> list[Finding]:
    """Judge that a call was settled, or still may be."""
    claim = Claim(CLOSURE, subject_of_call(call), Where(CALLS, call.line))
    not_yet(context, claim, "posted_at", call.posted_at, "/posted_at")
    if call.seal in context.entries:
        return claim.close("has its entry")
    last = schedule(call.terms.deadline, context.rules.settlement).last
    if last < context.as_of:
        claim.fail(f"no entry, though it had to be settled by {say_time(last)}")
    elif not claim.found:
        claim.exempt(f"open: it may be settled until {say_time(last)}")
    return claim.found


def check_entry_open(context: Context, entry: Entry) -> list[Finding]:
    """Judge that an entry settles a call that there is."""
    claim = Claim(CLOSURE, subject_of_entry(entry), Where(LEDGER_FILE, entry.line, "/body/call"))
    not_yet(context, claim, "settled_at", entry.settled_at, "/body/settled_at")
    if entry.call not in context.calls:
        claim.fail("no call has this seal", published=entry.call)
    first = context.entries.place(entry.call)
    if first != entry.line - 1:
        claim.fail(
            "the call has an entry before this one",
            published=entry.call,
            recomputed=f"entry {first}",
        )
    return claim.close("settles a call of the bundle")
