"""
Step 5: every attempt's result follows from that attempt's own responses.

``floor/settlement`` judges the times of the attempts, gaps, and the outcome;
``floor/confirmation`` whether the second venue bore the source out, and the
deciding moment and values on both. What the one check finds wrong leaves the
other with nothing to judge, and it says so: one lie is called a lie once.

Source:
    floor.md sections 4, 5; floor-clarifications.md 9-21, 37-45.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.attempts import timing_problems
from formulas.floor.terms import Conditional
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import CONFIRMATION, SETTLEMENT
from verifier.floor.resettle import Lack, tried
from verifier.floor.rows import Decider
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from formulas.floor.settlement import Attempt
    from formulas.floor.terms import Terms
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["SETTLEMENTS", "check_settlement", "needs_no_confirmation"]

SETTLEMENTS: Final = "floor/settlements.jsonl"


def needs_no_confirmation(terms: Terms) -> bool:
    """Tell whether a call is settled by one venue alone: funding without a gate."""
    return not isinstance(terms, Conditional) and terms.source.measure == "funding"


def check_settlement(context: Context, row: SettlementRow, call: Call | None) -> list[Finding]:
    """Settle a call again, attempt by attempt; None for a call that is not there."""
    place = Where(SETTLEMENTS, row.line)
    settled = Claim(SETTLEMENT, f"call {row.call}", place)
    confirmed = Claim(CONFIRMATION, f"call {row.call}", place)
    if call is None:
        settled.unproven("the call is not in the bundle")
        confirmed.unproven("the call is not in the bundle")
        return settled.found + confirmed.found
    _check_form(settled, context, call, row)
    last = _check_attempts(settled, confirmed, context, call, row)
    printless = False
    if last is not None:
        settled.equal("the outcome", row.outcome, last.outcome or "void", pointer="/outcome")
        _check_deciding(confirmed, row, last)
        printless = last.printless and last.outcome == "hit" and not settled.found
    found = settled.close(f"{row.outcome}, attempts: {len(row.attempts)}")
    if not confirmed.found and needs_no_confirmation(call.terms):
        confirmed.exempt("funding needs no second venue")
    elif not confirmed.found and row.attempts[-1].result == "data_gap":
        confirmed.exempt("nothing was decided, so there was nothing to confirm")
    found = found + confirmed.close("deciding moment and values recomputed and equal")
    if printless:
        note = Claim(SETTLEMENT, f"call {row.call} without a print", place)
        note.exempt("the window held no minute to look at: it hits without a print")
        found += note.found
    return found


def _check_form(claim: Claim, context: Context, call: Call, row: SettlementRow) -> None:
    """Judge what needs no responses: times, and what may follow what."""
    data_void = row.attempts[-1].result != "settled"
    for problem in timing_problems(
        [each.at for each in row.attempts],
        data_void=data_void,
        deadline=call.terms.deadline,
        rules=context.rules.settlement,
    ):
        claim.fail(problem, pointer="/attempts")
    if any(each.result == "settled" for each in row.attempts[:-1]):
        claim.fail("an attempt follows one that settled the call", pointer="/attempts")
    if data_void and row.outcome != "void":
        claim.fail(
            "no attempt settled the call, so it is void",
            published=row.outcome,
            recomputed="void",
            pointer="/outcome",
        )
    if needs_no_confirmation(call.terms) and any(each.confirm for each in row.attempts):
        claim.fail("funding has no responses of a second venue", pointer="/attempts")


def _check_attempts(
    settled: Claim, confirmed: Claim, context: Context, call: Call, row: SettlementRow
) -> Attempt | None:
    """Compare each attempt's result; give the last attempt if it is as stated."""
    last = None
    for index, each in enumerate(row.attempts):
        last = None
        pointer = f"/attempts/{index}/result"
        result = tried(context, call, each, context.rules).result
        if isinstance(result, Lack):
            message = f"attempt at {say_time(each.at)}: {result.message}"
            if result.wrong:
                settled.fail(message, published=each.result, pointer=pointer)
                confirmed.unproven("not judged: the attempt's evidence does not hold")
            else:
                settled.unproven(message, published=each.result)
                confirmed.unproven(message, published=each.result)
            continue
        if result.result != each.result:
            # Whether the second venue agreed is the other check's claim.
            second = "unconfirmed" in (result.result, each.result)
            about, other = (confirmed, settled) if second else (settled, confirmed)
            other.unproven(f"not judged: {about.check.id} finds an attempt's result wrong")
            about.fail(
                f"the result of the attempt at {say_time(each.at)} differs",
                published=each.result,
                recomputed=result.result,
                pointer=pointer,
            )
            continue
        last = result
    return last


def _check_deciding(claim: Claim, row: SettlementRow, last: Attempt) -> None:
    found = last.deciding and Decider(last.deciding.at, last.deciding.confirm, last.deciding.source)
    if row.deciding is None or found is None:
        claim.equal("what decided", _text(row.deciding), _text(found), pointer="/deciding")
        return
    claim.equal(
        "the deciding moment",
        say_time(row.deciding.at),
        say_time(found.at),
        pointer="/deciding/at",
    )
    claim.equal("the source's value", row.deciding.source, found.source, pointer="/deciding/source")
    claim.equal(
        "the second venue's value",
        row.deciding.confirm,
        found.confirm,
        pointer="/deciding/confirm",
    )


def _text(decider: Decider | None) -> str | None:
    if decider is None:
        return None
    values = decider.source if decider.confirm is None else f"{decider.source}, {decider.confirm}"
    return f"{say_time(decider.at)}: {values}"
