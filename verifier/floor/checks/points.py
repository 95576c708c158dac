"""
Step 6: the points of an entry follow from the sealed p and b and its outcome.

Source:
    floor.md section 6; floor-clarifications.md 35, 36.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError
from formulas.floor.proved import decimal
from formulas.floor.score import points
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import POINTS
from verifier.floor.checks.ledger import LEDGER_FILE, subject

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["check_points", "points_of"]


def points_of(call: Call, outcome: str, rules: Rules) -> Decimal | None:
    """
    Score a call with an outcome; None for a void.

    Raises:
        FormulaDomainError: p or b is not a probability.
    """
    return _points(call.p, call.b, outcome, rules)


def _points(p: Decimal, b: Decimal, outcome: str, rules: Rules) -> Decimal | None:
    if outcome == "void":
        return None
    real = points(p, b, hit=outcome == "hit", rules=rules.score)
    return decimal(real, rules.decimals.points)


def check_points(context: Context, entry: Entry) -> list[Finding]:
    """Score an entry again, with the outcome that it states."""
    claim = Claim(POINTS, subject(entry), Where(LEDGER_FILE, entry.line, "/body/points"))
    call = context.calls.place(entry.call)
    if call is None:
        claim.unproven("the call is not in the bundle", published=entry.points)
        return claim.found
    calls = context.columns.calls
    p, b = calls.p.number(call), calls.b.number(call)
    try:
        claim.equal("points", entry.points, _points(p, b, entry.outcome, context.rules))
    except FormulaDomainError as problem:
        claim.fail(str(problem), published=entry.points)
    return claim.close("points recomputed and equal")
