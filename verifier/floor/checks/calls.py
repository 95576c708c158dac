"""
Step 2: a seal is the hash of the sealed members, and terms are of their kind.

The seal covers agent, baseline, posting time and terms; it is the call's id.

Source:
    floor.md section 2; floor-clarifications.md 19, 32, 46.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.terms import Close, Conditional, Range, Relative, Touch
from verifier.claim import Claim
from verifier.core.diagnose import with_guess
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.findings import Where
from verifier.floor.checks.catalogue import SEAL, TERMS
from verifier.floor.rows import SEALED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formulas.floor.terms import Inner
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["CALLS", "check_seal", "check_terms", "subject"]

CALLS = "floor/calls.jsonl"


def subject(call: Call) -> str:
    """Name a call in findings."""
    return f"call {call.seal}"


def check_seal(context: Context, call: Call) -> list[Finding]:
    """Compare the seal with the hash of what it covers."""
    claim = Claim(SEAL, subject(call), Where(CALLS, call.line))
    if call.seal != call.sealed:
        sentence = "the seal is not the SHA-256 of the sealed members"
        # All calls were sealed by one writer: the first that is wrong tells how it writes.
        if call.line == context.missealed:
            sentence = with_guess(sentence, _sealed_members(context, call), call.seal)
        claim.fail(sentence, published=call.seal, recomputed=call.sealed, pointer="/seal")
    return claim.close("the seal is that of agent, baseline, posting time and terms")


def _sealed_members(context: Context, call: Call) -> JsonValue:
    members: JsonValue = None
    # To the end of the file, where its hash is checked.
    for number, text in context.bundle.lines(CALLS):
        if number == call.line:
            row = Obj(read_json(text), SEALED, open_ended=True).value
            members = {name: row[name] for name in SEALED}
    return members


def check_terms(context: Context, call: Call) -> list[Finding]:
    """Judge what the kind of a call allows, whatever the admission rules are."""
    claim = Claim(TERMS, subject(call), Where(CALLS, call.line, "/terms"))
    places = context.rules.decimals.p
    if call.p.as_tuple().exponent < -places:  # type: ignore[operator]  # a finite decimal
        claim.fail(f"p has more than {places} decimals", published=call.p, pointer="/terms/p")
    terms = call.terms
    if isinstance(terms, Conditional):
        if call.deadline != terms.inner.deadline:
            claim.fail("the deadline is not the inner deadline", pointer="/terms/deadline")
        if terms.gate.deadline > terms.inner.deadline:
            claim.fail("the gate ends after the inner call", pointer="/terms/gate/deadline")
        if not call.posted_at < terms.gate.deadline:
            claim.fail("the gate ends before posting", pointer="/terms/gate/deadline")
        parts: tuple[tuple[Inner, str], ...] = (
            (terms.gate, "/terms/gate"),
            (terms.inner, "/terms/inner"),
        )
    else:
        parts = ((terms, "/terms"),)
    for part, pointer in parts:
        for problem, member in _problems(part):
            claim.fail(problem, pointer=f"{pointer}/{member}")
    return claim.close("members, levels and sources fit the kind")


def _problems(part: Inner) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with an unconditional call, and in which member."""
    funding = part.source.measure == "funding"
    if funding and not (isinstance(part, Close) and part.source.venue == "hyperliquid"):
        yield "funding is for close calls on hyperliquid alone", "source"
    if isinstance(part, Touch | Close):
        if not funding and not part.level > 0:
            yield "a price level must be positive", "level"
    elif isinstance(part, Range):
        if not part.low > 0:
            yield "a price level must be positive", "low"
        if not part.low < part.high:
            yield "low is not below high", "high"
    else:
        yield from _relative_problems(part)


def _relative_problems(part: Relative) -> Iterator[tuple[str, str]]:
    if part.other.measure != "price":
        yield "both legs are prices", "other"
    if part.other == part.source:
        yield "the legs are the same", "other"
    if part.other.venue != part.source.venue:
        yield "the legs are on two venues", "other"
    if part.margin < 0:
        yield "a margin is not negative", "margin"
