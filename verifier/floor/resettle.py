"""
What the evidence of a call gives: its baseline, and each attempt's result.

Checks compare this with what was published, explanations show it step by step,
and a what-if asks for it under other rules.

Source:
    floor.md sections 3 to 5; floor-clarifications.md 9, 37, 44.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.errors import FormulaDomainError
from formulas.floor.pricing import NotPriced, price
from formulas.floor.settlement import Unseen, attempt
from verifier.floor.raw import body_path
from verifier.floor.when import say_time
from verifier.venues.evidence import attempt_times, baseline_times, history, market

if TYPE_CHECKING:
    from formulas.floor.pricing import History, Priced
    from formulas.floor.rules import Rules
    from formulas.floor.settlement import Attempt, Market
    from verifier.floor.context import Context
    from verifier.floor.raw import Gathered
    from verifier.floor.rows import AttemptRow, Call

__all__ = ["BaselineEvidence", "Lack", "Pricing", "Trial", "baseline_evidence", "priced", "tried"]


@dataclass(frozen=True, slots=True)
class Lack:
    """Why evidence gives no result; *wrong* if it is the evidence's own fault."""

    message: str
    wrong: bool


@dataclass(frozen=True, slots=True)
class BaselineEvidence:
    """A call's responses at posting, and the paths they make."""

    spot: Gathered
    past: Gathered
    history: History

    @property
    def lack(self) -> Lack | None:
        """What is wrong with the lists themselves."""
        return _lack("spot", self.spot) or _lack("history", self.past)


@dataclass(frozen=True, slots=True)
class Pricing:
    """A baseline recomputed, or why there is none."""

    evidence: BaselineEvidence
    result: Priced | Lack


@dataclass(frozen=True, slots=True)
class Trial:
    """One attempt recomputed: its responses, the paths they make, and its result."""

    source: Gathered
    confirm: Gathered
    markets: tuple[Market, Market]
    result: Attempt | Lack


def _lack(side: str, gathered: Gathered) -> Lack | None:
    if gathered.untimely is not None:
        message = f"{side}: response {gathered.untimely} was not fetched in time"
        return Lack(message, wrong=True)
    if gathered.lacking is not None:
        return Lack(f"{side}: response {gathered.lacking} is not in the bundle", wrong=False)
    return None


def _unseen(unseen: Unseen, gathered: Gathered) -> Lack:
    message = (
        f"{unseen.side}: no response covers {unseen.source} at {say_time(unseen.start)}, "
        "which is needed"
    )
    # A response that was refused may be the one that should have.
    for sha256, why in gathered.refused:
        message += f"; {body_path(sha256)} gives nothing: {why.reason}"
    return Lack(message, wrong=False)


def baseline_evidence(context: Context, call: Call, rules: Rules) -> BaselineEvidence:
    """Gather the responses that priced a call."""
    times = baseline_times(call.posted_at, rules=rules.settlement)
    spot = context.responses.gather(call.spot, times)
    past = context.responses.gather(call.history, times)
    return BaselineEvidence(spot, past, history(spot=spot.pages, past=past.pages))


def priced(context: Context, call: Call, rules: Rules) -> Pricing:
    """Recompute the baseline of a call from the responses that it names."""
    evidence = baseline_evidence(context, call, rules)
    if evidence.lack is not None:
        return Pricing(evidence, evidence.lack)
    found = price(call.terms, call.posted_at, history=evidence.history, rules=rules)
    if isinstance(found, Unseen):
        asked = evidence.spot if found.side == "spot" else evidence.past
        return Pricing(evidence, _unseen(found, asked))
    if isinstance(found, NotPriced):
        return Pricing(evidence, Lack(f"not to be admitted: {found.reason}", wrong=True))
    return Pricing(evidence, found)


def tried(context: Context, call: Call, row: AttemptRow, rules: Rules) -> Trial:
    """Recompute one attempt from the responses that it names."""
    used = rules.settlement
    times = attempt_times(call.terms, call.posted_at, at=row.at, side="source", rules=used)
    source = context.responses.gather(row.source, times)
    times = attempt_times(call.terms, call.posted_at, at=row.at, side="confirm", rules=used)
    confirm = context.responses.gather(row.confirm, times)
    markets = market(source.pages), market(confirm.pages)
    return Trial(source, confirm, markets, _result(call, source, confirm, markets, rules))


def _result(
    call: Call, source: Gathered, confirm: Gathered, markets: tuple[Market, Market], rules: Rules
) -> Attempt | Lack:
    lack = _lack("source", source) or _lack("confirm", confirm)
    if lack is not None:
        return lack
    try:
        found = attempt(
            call.terms,
            call.posted_at,
            source=markets[0],
            confirm=markets[1],
            rules=rules.settlement,
        )
    except FormulaDomainError as problem:
        return Lack(str(problem), wrong=True)
    if isinstance(found, Unseen):
        return _unseen(found, confirm if found.side == "confirm" else source)
    return found
