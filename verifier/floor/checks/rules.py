"""Step 1: the rule set document is one that is known, to the byte (clarification 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.catalogue import CHECKS, LAYOUT, RAW, RULES, SEAL, VENUE_AGREEMENT
from verifier.floor.layout import RULES_FILE
from verifier.floor.rulesets import KNOWN

if TYPE_CHECKING:
    from verifier.findings import Finding
    from verifier.floor.context import Context

__all__ = ["check_rules", "unjudged"]

# What can be said about a bundle whatever its rules are.
_WITHOUT_RULES = {LAYOUT, RULES, SEAL, RAW, VENUE_AGREEMENT}


def check_rules(context: Context) -> list[Finding]:
    """Judge the document: a known id with its bytes, and trusted by the policy."""
    state = context.state
    claim = Claim(RULES, "rule set", Where(RULES_FILE))
    if state.name is None:
        claim.unproven("there is no rule set document")
    elif state.name not in KNOWN:
        claim.unproven("this release does not know the rule set", published=state.name)
    else:
        claim.equal(f"the document of {state.name}", state.digest, KNOWN[state.name])
        if not state.trusted:
            claim.unproven("the policy does not trust the rule set", published=state.name)
    return claim.close(f"{state.name}, byte for byte")


def unjudged(context: Context) -> list[Finding]:
    """Say of every check that needs rules that it could not be made."""
    found = []
    for check in CHECKS:
        if check not in _WITHOUT_RULES:
            claim = Claim(check, "rule set", Where(RULES_FILE))
            claim.unproven("not checked: the rule set is not known", published=context.state.name)
            found += claim.found
    return found
