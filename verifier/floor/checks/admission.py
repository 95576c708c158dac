"""
Step 9: a call kept the rules of admission when it was posted.

Horizon, kinds, symbols, measures and margins; grid and cut-off; p; the spot at
posting; caps over rolling windows; duplicates; the label; the text.

Source:
    floor.md section 9; floor-clarifications.md 6, 29-33, 46-48.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.pricing import NotPriced, spot_at
from formulas.floor.primitives import DAY_MS, SECOND_MS
from formulas.floor.settlement import Unseen
from formulas.floor.terms import Close, Conditional, Range, Relative, Touch
from verifier.claim import Claim
from verifier.findings import Where
from verifier.floor.checks.calls import CALLS, subject
from verifier.floor.checks.catalogue import ADMISSION
from verifier.floor.resettle import baseline_evidence
from verifier.floor.terms import kind_of_terms
from verifier.floor.text import text_problem

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.rules import AdmissionRules
    from formulas.floor.terms import Inner
    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.rows import Call

__all__ = ["check_admission", "check_quotes"]


def check_admission(context: Context, call: Call) -> list[Finding]:
    """Judge one call by every rule of admission."""
    claim = Claim(ADMISSION, subject(call), Where(CALLS, call.line))
    rules = context.rules.admission
    terms = call.terms
    parts: tuple[Inner, ...] = (
        (terms.gate, terms.inner) if isinstance(terms, Conditional) else (terms,)
    )
    _check_opened(claim, parts, kind_of_terms(terms), rules)
    _check_times(claim, call, parts[-1], rules)
    _check_probability(claim, call, rules)
    for part in parts:
        _check_spot(claim, context, call, part)
    _check_crowd(claim, context, call, rules)
    for name, text in (("claim", call.claim), ("note", call.note)):
        problem = None if text is None else text_problem(text, context.rules.text)
        if problem is not None:
            claim.fail(f"the {name} {problem}", published=text, pointer=f"/{name}")
    if not call.claim:
        claim.fail("the claim is empty", pointer="/claim")
    return claim.close("kept every rule when posted")


def _check_opened(claim: Claim, parts: tuple[Inner, ...], kind: str, rules: AdmissionRules) -> None:
    for name in dict.fromkeys((kind, *(kind_of_terms(part) for part in parts))):
        if name not in rules.kinds:
            claim.fail("the kind is not open", published=name, pointer="/terms")
    for part in parts:
        legs = (part.source, part.other) if isinstance(part, Relative) else (part.source,)
        for leg in legs:
            if leg.symbol not in rules.symbols:
                claim.fail("the symbol is not open", published=leg, pointer="/terms")
            if leg.measure not in rules.measures:
                claim.fail("the measure is not open", published=leg, pointer="/terms")
        margins = rules.margins
        if isinstance(part, Relative) and margins is not None and part.margin not in margins:
            claim.fail("the margin is not open", published=part.margin, pointer="/terms")


def _check_times(claim: Claim, call: Call, inner: Inner, rules: AdmissionRules) -> None:
    deadline = call.terms.deadline
    ahead = deadline - call.posted_at
    low, high = rules.horizon_min_seconds, rules.horizon_max_seconds
    if not low * SECOND_MS <= ahead <= high * SECOND_MS:
        claim.fail(
            f"the deadline is not {low} to {high} s after posting",
            published=f"{ahead // SECOND_MS} s",
            pointer="/terms/deadline",
        )
    if not isinstance(inner, Close | Relative):
        return
    if deadline % (rules.grid_seconds * SECOND_MS):
        claim.fail(f"the deadline is no multiple of {rules.grid_seconds} s", pointer="/terms")
    daily = deadline % DAY_MS == 0
    cutoff = rules.cutoff_daily_seconds if daily else rules.cutoff_hourly_seconds
    if ahead < cutoff * SECOND_MS:
        claim.fail(
            f"posted in the last {cutoff} s before the deadline",
            published=f"{ahead // SECOND_MS} s before",
            pointer="/posted_at",
        )


def _check_probability(claim: Claim, call: Call, rules: AdmissionRules) -> None:
    if not rules.p_min <= call.p <= rules.p_max:
        claim.fail(
            f"p is not in [{rules.p_min}, {rules.p_max}]", published=call.p, pointer="/terms/p"
        )
    hugging = abs(call.p - call.b) <= rules.hugging
    label = (rules.hugging_label,) if hugging else ()
    # Compared as lists: an empty text, or the word none, is a label too.
    if call.labels != label:
        claim.fail(
            "the label differs",
            published=" ".join(call.labels) or "none",
            recomputed=" ".join(label) or "none",
            pointer="/labels",
        )


def _check_spot(claim: Claim, context: Context, call: Call, part: Inner) -> None:
    """A touch level may not be reached at posting, and a range must hold the spot."""
    if not isinstance(part, Touch | Range) or part.source.measure != "price":
        return
    rules = context.rules
    evidence = baseline_evidence(context, call, rules)
    if evidence.spot.untimely is not None or evidence.spot.lacking is not None:
        claim.unproven("the spot at posting cannot be read: see floor/baseline")
        return
    spot = spot_at(part.source, call.posted_at, history=evidence.history, rules=rules)
    if isinstance(spot, Unseen):
        claim.unproven(f"no response covers {part.source} at posting")
    elif isinstance(spot, NotPriced):
        claim.fail(f"{part.source}: {spot.reason}", pointer="/evidence/spot")
    elif not _open_at(part, spot):
        claim.fail("spot is there already", published=spot, pointer="/terms")


def _open_at(part: Touch | Range, spot: Decimal) -> bool:
    if isinstance(part, Range):
        return part.low < spot < part.high
    return spot < part.level if part.direction == "above" else spot > part.level


def _check_crowd(claim: Claim, context: Context, call: Call, rules: AdmissionRules) -> None:
    crowd = context.crowds[call.line - 1]
    if crowd.recent > rules.max_calls:
        claim.fail(
            f"more than {rules.max_calls} calls in {rules.max_calls_seconds} s",
            recomputed=crowd.recent,
        )
    if crowd.open > rules.max_open:
        claim.fail(f"more than {rules.max_open} calls open", recomputed=crowd.open)
    if crowd.settled < rules.provisional_settled and crowd.open > rules.max_open_provisional:
        claim.fail(
            f"more than {rules.max_open_provisional} calls open while provisional",
            recomputed=f"{crowd.open} open, {crowd.settled} settled",
        )
    if crowd.twin is not None:
        claim.fail(
            "a duplicate of an open call", recomputed=context.columns.calls.seals.hex(crowd.twin)
        )


def check_quotes(context: Context) -> list[Finding]:
    """Say that one rule of admission has no evidence (floor.md section 11)."""
    claim = Claim(ADMISSION, "quotes", Where(CALLS))
    count = len(context.tables.calls)
    claim.exempt(
        f"that both venues quoted the symbol when each of {count} calls was posted is a rule "
        "without evidence in the bundle"
    )
    return claim.found
