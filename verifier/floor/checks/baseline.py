"""
Step 3: b is the correct rounding of the baseline of the stated responses.

Source:
    floor.md section 3; floor-clarifications.md 9-13, 22-24, 45.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.terms import Conditional, Relative
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS, subject
from verifier.floor.checks.catalogue import BASELINE
from verifier.floor.resettle import Lack, priced

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["check_baseline"]


def check_baseline(context: Context, call: Call) -> list[Finding]:
    """Price a call again from its own responses."""
    claim = Claim(BASELINE, subject(call), Where(CALLS, call.line, "/baseline/b"))
    rules = context.rules
    claim.equal("the version", call.version, rules.baseline.version, pointer="/baseline/version")
    _check_lists(claim, call)
    result = priced(context, call, rules).result
    if not isinstance(result, Lack):
        claim.equal("b", call.b, result.b)
    elif result.wrong:
        claim.fail(result.message, published=call.b)
    else:
        claim.unproven(result.message, published=call.b)
    return claim.close("b recomputed and equal")


def _check_lists(claim: Claim, call: Call) -> None:
    """Some calls name no responses, since nothing of theirs would be read."""
    terms = call.terms
    inner = terms.inner if isinstance(terms, Conditional) else terms
    if isinstance(inner, Relative) and call.history:
        claim.fail("a relative call has no history", pointer="/evidence/history")
    spotless = isinstance(inner, Relative) or inner.source.measure == "funding"
    if spotless and not isinstance(terms, Conditional) and call.spot:
        claim.fail("a call of this kind has no spot", pointer="/evidence/spot")
