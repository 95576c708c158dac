"""
Steps 1 to 9 of one score row.

The manifest is the authority: the outputs are recomputed from what it lists,
with the constants that it states, under the version that it names. Outputs
are compared as the 64 bits of their doubles, stored columns as texts.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from decimal import Context as Arithmetic
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.anchor import check_score_anchored
from verifier.arcana.checks.arithmetic import check_formula, check_outputs
from verifier.arcana.checks.catalogue import (
    FORMULA,
    IDENTITY,
    INPUTS_ANCHORED,
    INPUTS_RECORDED,
    PARTICIPATION,
    RECOMPUTE,
    SEAL,
    STORED,
)
from verifier.arcana.checks.inputs import check_inputs_anchored, check_inputs_recorded
from verifier.arcana.checks.records import check_sealed
from verifier.arcana.checks.seals import check_manifest
from verifier.arcana.manifest import ScoreManifest
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.claim import Claim
from verifier.family import Outcome
from verifier.findings import Where

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.arcana.context import Context
    from verifier.arcana.recompute import Output
    from verifier.arcana.rows import ScoreRow
    from verifier.findings import Finding

CENT: Final = Decimal("0.01")
# The largest double has 309 digits before the point.
WIDE: Final = Arithmetic(prec=320, rounding=ROUND_HALF_UP)
PROTECTIVE: Final = "protective"
MIN_CHOSEN: Final = 5


def check_score(context: Context, row: ScoreRow) -> Outcome:
    """Check one row of scores.jsonl and the manifest that seals it, and count its inputs."""
    subject = f"score {row.agent_id} {row.ts}"
    place = Where("arcana/scores.jsonl", row.line)
    dated = Claim(INPUTS_RECORDED, subject, place)
    if row.ts > f"{context.as_of[:-1]}.000000Z":
        dated.fail(
            "recorded after the time of the bundle", published=row.ts, recomputed=context.as_of
        )
    if not check_sealed(dated, row.seal, row.ts, context.policy.arcana.sealing_start):
        stored = Claim(STORED, subject, place)
        stored.exempt("an unsealed row has no manifest to compare with")
        return Outcome(dated.found + stored.found)
    assert row.seal is not None
    manifest, found = check_manifest(context, row.seal, subject, ScoreManifest, missing=SEAL)
    found += dated.found
    found += check_score_anchored(context, row)
    if manifest is None:
        return Outcome(found)
    found += check_identity(Claim(IDENTITY, subject, place), context, row, manifest)
    found += check_inputs_recorded(Claim(INPUTS_RECORDED, subject, place), context, row, manifest)
    found += check_inputs_anchored(Claim(INPUTS_ANCHORED, subject, place), context, row, manifest)
    found += check_formula(Claim(FORMULA, subject, place), manifest, context.policy.arcana.formulas)
    found += check_outputs(Claim(RECOMPUTE, subject, place), manifest)
    if not isinstance(manifest.outputs, str):
        found += check_stored(Claim(STORED, subject, place), row, manifest.outputs)
        found += check_participation(Claim(PARTICIPATION, subject, place), context, manifest)
    return Outcome(found, _coverage(context, manifest))


def _coverage(context: Context, manifest: ScoreManifest) -> dict[str, int]:
    """Count a sealed score's inputs as listed (clarification 40)."""
    seals = [
        *(point.seal for point in manifest.nav_series),
        *(decision.commitment for decision in manifest.decisions),
        *(peer.seal for peer in manifest.peers),
    ]
    return {
        "inputs": len(seals),
        "sealed": sum(seal is not None for seal in seals),
        "anchored": sum(seal in context.mined for seal in seals if seal is not None),
    }


def check_identity(
    claim: Claim, context: Context, row: ScoreRow, manifest: ScoreManifest
) -> list[Finding]:
    """Step 2: agent, season, time, and the agent's sealed score before in that season."""
    assert row.seal is not None
    claim.equal("agent_id", manifest.agent_id, row.agent_id)
    claim.equal("season_id", manifest.season_id, row.season_id)
    claim.equal("ts", manifest.ts, row.ts)
    claim.equal("previous_seal", manifest.previous_seal, context.previous[row.seal])
    return claim.close("the manifest names this agent, season, time and the seal before")


def check_stored(claim: Claim, row: ScoreRow, outputs: Mapping[str, Output]) -> list[Finding]:
    """Step 7: each stored column is its output's text rounded to two decimals."""
    for column, output in SCORE_COLUMNS.items():
        value = outputs[output]
        recomputed = None if value is None else stored_text(value)
        claim.equal(column, row.columns[column], recomputed, pointer=f"/{column}")
    return claim.close("the stored columns are the outputs rounded to two decimals")


def stored_text(value: float) -> str:
    """
    Write a double as a ``numeric(6,2)`` column stores it.

    The platform's driver sends the shortest decimal text and the column rounds
    halves away from zero; a numeric has no negative zero.

    >>> stored_text(1.005), stored_text(-0.001)
    ('1.01', '0.00')
    """
    rounded = Decimal(repr(float(value))).quantize(CENT, context=WIDE)
    return str(abs(rounded) if rounded == 0 else rounded)


def check_participation(claim: Claim, context: Context, manifest: ScoreManifest) -> list[Finding]:
    """Step 9: a ranked score has five decisions that were chosen, not protective exits."""
    assert not isinstance(manifest.outputs, str)
    if manifest.outputs["ranked"] is not True:
        return []
    listed = len(manifest.decisions)
    chosen = sum(
        context.decider(decision.commitment, context.decision_rows.get(decision.id)) != PROTECTIVE
        for decision in manifest.decisions
    )
    needed = MIN_CHOSEN
    if chosen < needed:
        message = (
            f"{listed} decisions are listed and {chosen} of them chosen, the others are "
            f"protective exits: the platform's page asks for {needed} chosen ones and would "
            "leave this score unranked"
        )
        if context.policy.arcana.participation == "engine":
            claim.exempt(
                f"{message}, its engine counts them all", published="ranked", recomputed="unranked"
            )
        else:
            claim.fail(message, published="ranked", recomputed="unranked")
    return claim.close(f"ranked with {chosen} chosen decisions of {listed}")
