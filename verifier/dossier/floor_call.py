"""
One call with everything that speaks for or against it: published, recomputed, and the sources.

The call is settled again from the raw responses that its settlement names; what
the page says of it is what came of that, and never what was published alone.

Source:
    floor.md sections 2 to 8; floor-clarifications.md 9 to 25, 36.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formulas.floor.primitives import SECOND_MS
from formulas.floor.terms import Conditional
from verifier.core.merkle import check_inclusion, inclusion_proof, root
from verifier.core.schemes import scheme
from verifier.dossier.floor_agent import hugging, points_shown
from verifier.dossier.floor_bodies import Body, bodies_of
from verifier.dossier.floor_path import Leg, legs_of
from verifier.dossier.floor_sealed import entry_body, sealed_members, settlement_record
from verifier.dossier.floor_table import UNJUDGED
from verifier.dossier.floor_values import Compared, compared, lacking, worst
from verifier.errors import ProofError
from verifier.findings import Finding, Verdict
from verifier.floor.checks.roots import TREE
from verifier.floor.explain import explain_call, findings_of_call
from verifier.floor.resettle import Lack, priced, tried
from verifier.floor.terms import kind_of_terms
from verifier.floor.when import say_time
from verifier.floor.words import describe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formulas.floor.pricing import Priced
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.floor import FloorSeason, Held
    from verifier.explanation import Explanation
    from verifier.floor.resettle import Trial
    from verifier.floor.rows import Agent, AttemptRow, Envelope, SettlementRow

__all__ = ["Baseline", "FloorCall", "HourProof", "ShownAttempt", "floor_call"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """
    The baseline of a call.

    Args:
        b: Published and recomputed.
        version: Of the model, published and of the rules.
        inputs: What it was computed from; None where it could not be.
        seconds: From posting to the deadline that was priced.
    """

    b: Compared
    version: Compared
    inputs: Priced | None
    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAttempt:
    """
    One attempt at settling.

    Args:
        row: As recorded.
        result: The result that is recorded and the one that its own responses give.
        refused: Of its responses, hashes of those that give nothing, and why.
    """

    row: AttemptRow
    result: Compared
    refused: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HourProof:
    """
    An entry in the tree of its hour.

    Args:
        hour: Beginning of the hour, ms.
        index: Place of the leaf.
        size: Number of leaves.
        path: Hashes from the leaf's sibling upwards, hex.
        root: Published and recomputed.
        included: Whether the path leads to the published root.
        note: What came of walking it.
    """

    hour: int
    index: int
    size: int
    path: tuple[str, ...]
    root: Compared
    included: Verdict
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorCall:
    """
    A call.

    Args:
        held: The call and its entry.
        agent: Who called; None if it is not in the list of agents.
        kind: Of its terms.
        words: Its terms in words.
        sealed: The four sealed members.
        seal: Published and recomputed.
        labels: Labels that it carries and should.
        provisional: Posted before the agent had enough settled calls; None without known rules.
        envelope: The signed message; None if the bundle lacks it.
        baseline: The baseline; None without known rules.
        settlement: The record; None while it is open, or missing.
        record: The record as JSON.
        attempts: All attempts.
        outcome: As the record states it and as the last attempt gives it.
        reason: Of a void, as the entry states it and as recomputed.
        deciding: Moment and values, published beside recomputed; empty where nothing decided.
        legs: The price paths that the last attempt's responses hold.
        bodies: All raw responses that it names.
        points: Published beside recomputed.
        entry: Body of the entry as JSON.
        proof: The entry in its hour.
        checks: Every check that is about it, in the order of the procedure.
        explanation: Every step.
        verdict: Of all of it.
    """

    held: Held
    agent: Agent | None
    kind: str
    words: str
    sealed: dict[str, JsonValue]
    seal: Compared
    labels: Compared
    provisional: bool | None
    envelope: Envelope | None
    baseline: Baseline | None
    settlement: SettlementRow | None
    record: dict[str, JsonValue] | None
    attempts: tuple[ShownAttempt, ...]
    outcome: Compared
    reason: Compared | None
    deciding: tuple[Compared, ...]
    legs: tuple[Leg, ...]
    bodies: tuple[Body, ...]
    points: Compared
    entry: dict[str, JsonValue] | None
    proof: HourProof | None
    checks: tuple[Finding, ...]
    explanation: Explanation
    verdict: Verdict


def floor_call(season: FloorSeason, held: Held) -> FloorCall:
    """
    Settle a call of the season again and gather all that belongs to it.

    Raises:
        EvidenceError: A raw response cannot be read.
    """
    context, call, entry = season.context, held.call, held.entry
    row = context.settlements.get(call.seal)
    checks = sorted(findings_of_call(context, call), key=lambda each: (each.step, each.check))
    story = explain_call(context, call, checks)
    trials: tuple[Trial, ...] = ()
    rules = context.state.rules
    provisional = None
    if rules is not None:
        provisional = context.crowds[call.line - 1].settled < rules.admission.provisional_settled
        if row is not None:
            trials = tuple(tried(context, call, each, rules) for each in row.attempts)
    outcome, reason = _outcome(season, held, row, trials)
    proof = None if entry is None else _proof(season, held)
    shown = {
        "seal": compared("seal", call.seal, call.sealed),
        "labels": hugging(season, call),
        "points": points_shown(season, held),
    }
    verdicts = [each.verdict for each in (*shown.values(), outcome)]
    verdicts += [each.verdict for each in checks]
    if story.first_difference is not None:
        verdicts.append(Verdict.FAIL)
    elif story.unproven:
        verdicts.append(Verdict.UNPROVEN)
    if proof is not None:
        verdicts += [proof.root.verdict, proof.included]
    return FloorCall(
        held=held,
        agent=context.agents.get(call.agent),
        kind=kind_of_terms(call.terms),
        words=describe(call.terms),
        sealed=sealed_members(call),
        **shown,
        provisional=provisional,
        envelope=context.envelopes.get(call.envelope),
        baseline=None if rules is None else _baseline(season, held),
        settlement=row,
        record=None if row is None else settlement_record(row),
        attempts=tuple(_attempts(row, trials)),
        outcome=outcome,
        reason=reason,
        deciding=tuple(_deciding(row, trials)),
        legs=() if rules is None else legs_of(call, row, trials, rules.settlement),
        bodies=bodies_of(context, call, row),
        entry=None if entry is None else entry_body(entry),
        proof=proof,
        checks=tuple(checks),
        # The first section shows the checks again.
        explanation=replace(story, sections=story.sections[1:]),
        verdict=worst(verdicts),
    )


def _baseline(season: FloorSeason, held: Held) -> Baseline:
    call, rules = held.call, season.context.rules
    found = priced(season.context, call, rules).result
    inner = call.terms.inner if isinstance(call.terms, Conditional) else call.terms
    lack = found if isinstance(found, Lack) else None
    return Baseline(
        b=compared("b", call.b, found.b)
        if not isinstance(found, Lack)
        else lacking("b", call.b, found),
        version=compared("model", call.version, rules.baseline.version),
        inputs=None if lack is not None else found,  # type: ignore[arg-type]
        seconds=(inner.deadline - call.posted_at) // SECOND_MS,
    )


def _attempts(row: SettlementRow | None, trials: tuple[Trial, ...]) -> Iterator[ShownAttempt]:
    if row is None:
        return
    for place, each in enumerate(row.attempts):
        if not trials:
            yield ShownAttempt(
                row=each, result=lacking("result", each.result, UNJUDGED), refused=()
            )
            continue
        trial = trials[place]
        if isinstance(trial.result, Lack):
            result = lacking("result", each.result, trial.result)
        else:
            result = compared("result", each.result, trial.result.result)
        refused = (*trial.source.refused, *trial.confirm.refused)
        yield ShownAttempt(
            row=each,
            result=result,
            refused=tuple((sha256, why.reason) for sha256, why in refused),
        )


def _outcome(
    season: FloorSeason, held: Held, row: SettlementRow | None, trials: tuple[Trial, ...]
) -> tuple[Compared, Compared | None]:
    """Compare the outcome of the ledger with that of the last attempt, and a void's reason."""
    entry = held.entry
    if entry is None:
        return season.unsettled(held.call), None
    lack = Lack("the bundle holds no settlement of the call", wrong=False)
    if row is not None and not trials:
        lack = UNJUDGED
    if trials and isinstance(trials[-1].result, Lack):
        lack = trials[-1].result
    if row is None or not trials or isinstance(trials[-1].result, Lack):
        reason = None if entry.outcome != "void" else lacking("reason", entry.reason, lack)
        return lacking("outcome", entry.outcome, lack), reason
    last = trials[-1].result
    outcome = compared("outcome", entry.outcome, last.outcome or "void")
    recomputed = None
    if (last.outcome or "void") == "void":
        recomputed = last.reason or last.result
    if entry.reason is None and recomputed is None:
        return outcome, None
    return outcome, compared("reason", entry.reason, recomputed)


def _deciding(row: SettlementRow | None, trials: tuple[Trial, ...]) -> Iterator[Compared]:
    if row is None:
        return
    said = row.deciding
    result = trials[-1].result if trials else UNJUDGED
    if isinstance(result, Lack):
        if said is not None:
            yield lacking("moment", say_time(said.at), result)
            yield lacking("source", said.source, result)
            yield lacking("second venue", said.confirm, result)
        return
    found = result.deciding
    if said is None and found is None:
        return
    told = (None,) * 3 if said is None else (say_time(said.at), said.source, said.confirm)
    given = (None,) * 3 if found is None else (say_time(found.at), found.source, found.confirm)
    names = ("moment", "source", "second venue")
    for name, published, recomputed in zip(names, told, given, strict=True):
        yield compared(name, published, recomputed)


def _proof(season: FloorSeason, held: Held) -> HourProof | None:
    context, entry = season.context, held.entry
    if entry is None:
        return None
    hour = season.hour_of(entry)
    tree = scheme(TREE)
    hashes = season.leaves_of(hour)
    index = list(context.hours[hour]).index(entry.line - 1)
    path = inclusion_proof(hashes, index, tree)
    recomputed = root(hashes, tree)
    published = season.roots.get(hour)
    if published is None:
        return HourProof(
            hour=hour,
            index=index,
            size=len(hashes),
            path=tuple(each.hex() for each in path),
            root=season.unrooted(hour, recomputed.hex()),
            included=Verdict.EXEMPT,
            note="there is no published root that it could lead to",
        )
    try:
        leaf = tree.leaf(bytes.fromhex(entry.body_sha256))
        check_inclusion(
            leaf, index, published.entries, path, bytes.fromhex(published.root), scheme=tree
        )
        included, note = Verdict.PASS, "the path leads to the published root"
    except ProofError as problem:
        included, note = Verdict.FAIL, str(problem)
    return HourProof(
        hour=hour,
        index=index,
        size=len(hashes),
        path=tuple(each.hex() for each in path),
        root=compared("root", published.root, recomputed.hex()),
        included=included,
        note=note,
    )
