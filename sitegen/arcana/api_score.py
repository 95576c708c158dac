"""
The evidence API's answer about a score, as the platform's ``/score/verification``.

The keys and the order of the checks are the platform's. What differs:

* A stored column agrees when it is the output's text rounded; the platform
  allows a distance of 0.005.
* ``status`` is about these checks alone, as the platform's is: whether the score
  is anchored stands in ``anchor``.
* A decision's id in ``manifest.parsed`` is a text from 2^53 on. The exact bytes
  are in ``manifest.body``, and they decide.
* A number that JSON cannot hold is null in ``recomputed`` and ``working``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.arcana.api_values import check, column_number, finite, safe_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from sitegen.arcana.api_values import Body
    from sitegen.arcana.shelf import Shelf
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_inputs import Inputs
    from verifier.dossier.arcana_rows import ScoreManifest, ScoreRow
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["not_sealed_body", "verification_body"]

Value = float | bool | None

HOW_TO_RECOMPUTE: Final = (
    "Take manifest.body as UTF-8 bytes, the last newline included: their SHA-256 is the seal.",
    "Read its lines: a key, a colon, a blank, and one JSON value.",
    "Compare agent_id, season_id and ts with the score, and constants with the formula's.",
    "Compute the outputs from nav_series, decisions and creator_peers, in doubles.",
    "They must be the outputs of the manifest to the last bit.",
    "Round them to two decimals, halves away from zero: these are the stored columns.",
)
_OTHERS: Final = 10
_NOTES: Final = {
    "portfolio snapshots": "snapshots from before 2026-09-14 were never sealed",
    "decisions": "decisions from before 2026-09-13 were never committed to",
    "creator peer scores": "scores from before 2026-09-14 were never sealed",
}


def verification_body(
    shelf: Shelf, score: ScoreDossier, anchor: JsonValue, others: Sequence[ScoreRow]
) -> Body:
    """
    Answer for one sealed score.

    Args:
        shelf: The season.
        score: The score.
        anchor: The answer for its leaf.
        others: The agent's other sealed scores, the newest first.
    """
    agent: Body = {"id": score.row.agent_id, "name": score.agent_name}
    listed = _others(others)
    manifest = score.manifest
    parsed = None if manifest is None else manifest.parsed
    if manifest is None or parsed is None or manifest.text is None or score.inputs is None:
        broken: Body = {
            "agent": agent,
            "status": "broken",
            "seal": score.row.seal,
            "checks": list(_opening_checks(score)),
            "other_sealed_scores": listed,
        }
        if manifest is not None and manifest.text is not None:
            broken["manifest"] = {"body": manifest.text}
        return broken
    checks = list(_checks(shelf, score, parsed, score.inputs))
    passing = sum(each["ok"] is True for each in checks)
    return {
        "agent": agent,
        "status": "verified" if passing == len(checks) else "mismatch",
        "summary": f"{passing} of {len(checks)} checks pass",
        "score": {
            "season_id": score.row.season_id,
            "ts": score.row.ts,
            "seal": score.row.seal,
            "seal_scheme": "arcana-score/v1",
            "stored": {name: column_number(text) for name, text in score.row.columns.items()},
        },
        "formula": {
            "version": parsed.formula,
            "url": f"v1/score-formulas/{parsed.formula}.json",
        },
        "outputs": parsed.outputs if isinstance(parsed.outputs, str) else dict(parsed.outputs),
        "recomputed": _recomputed(score),
        "working": _working(score),
        "coverage": list(_coverage(score.inputs)),
        "checks": list(checks),
        "anchor": anchor,
        "manifest": {
            "sha256": manifest.sha256,
            "bytes": manifest.size,
            "body": manifest.text,
            "parsed": _parsed(parsed),
        },
        "how_to_recompute": list(HOW_TO_RECOMPUTE),
        "other_sealed_scores": listed,
    }


def not_sealed_body(agent_id: str, name: str | None) -> Body:
    """Answer for an agent without a sealed score."""
    return {
        "agent": {"id": agent_id, "name": name},
        "status": "not_sealed",
        "note": "no score of this agent is sealed in this season, so there is nothing to recompute",
        "other_sealed_scores": [],
    }


def _opening_checks(score: ScoreDossier) -> Iterator[Body]:
    manifest = score.manifest
    yield check("the manifest is stored", manifest is not None)
    same = manifest is not None and manifest.sha256 == score.row.seal
    yield check("its sha256 is the seal", same)
    if manifest is None or manifest.parsed is not None:
        return
    found = next((each for each in score.findings if each.check == "arcana/seal"), None)
    yield check("it has the exact form", ok=False, detail=found.message if found else None)


def _checks(
    shelf: Shelf, score: ScoreDossier, parsed: ScoreManifest, inputs: Inputs
) -> Iterator[Body]:
    """The platform's 27 checks, in its order."""
    row = score.row
    yield from _opening_checks(score)
    named = (parsed.agent_id, parsed.season_id, parsed.ts)
    yield check(
        "it names this agent, season and time", named == (row.agent_id, row.season_id, row.ts)
    )
    known = parsed.formula in shelf.season.policy.arcana.formulas
    yield check("its formula is published", known)
    yield check(
        "its constants are the published ones", score.said("arcana/formula").value == "pass"
    )
    outputs = {output.name: output for output in score.outputs}
    pair = ("strategy_multiplier", "ranked")
    for name, output in outputs.items():
        if name not in pair:
            yield check(f"{name} recomputes", output.equal, output.distance)
    if not outputs:
        yield check("the outputs recompute", ok=None if score.working is None else False)
    else:
        yield check(
            "strategy_multiplier and ranked recompute", all(outputs[name].equal for name in pair)
        )
    for column in score.columns:
        detail = f"stored {column.stored}, output rounded {column.rounded}"
        yield check(
            f"stored {column.column} agrees", column.equal, None if column.equal else detail
        )
    snapshots = all(item.evidence.recorded for item in inputs.snapshots)
    yield check("each snapshot is the recorded one, in order", snapshots)
    left = len(inputs.snapshots_left_out)
    yield check(
        "no recorded snapshot up to the score's time is missing",
        not left,
        f"{left} missing" if left else None,
    )
    decisions = all(item.evidence.recorded for item in inputs.decisions)
    yield check("each decision exists with that time, action and commitment", decisions)
    left = len(inputs.decisions_left_out)
    yield check(
        "no counted decision up to the score's time is missing",
        not left,
        f"{left} missing" if left else None,
    )
    peers = all(item.evidence.recorded for item in inputs.peers)
    yield check("each peer score exists with that performance and seal", peers)


def _recomputed(score: ScoreDossier) -> JsonValue:
    if score.working is None:
        return None
    return {name: finite(value) for name, value in score.working.outputs.items()}


def _working(score: ScoreDossier) -> JsonValue:
    """The intermediate values, under the platform's names."""
    working = score.working
    if working is None:
        return None
    values: Mapping[str, Value] = {
        "tick_count": working.ticks,
        "decision_count": working.decisions,
        "buys": working.buys,
        "sells": working.sells,
        "exposure": working.exposure,
        "exposure_used": working.exposure_used,
        "creator_peer_mean": working.peer_mean,
        "total_return": working.total_return,
        "per_tick_returns": working.returns,
        "return_stdev_per_exposure": working.stdev_per_exposure,
        "max_drawdown_per_exposure": working.drawdown_per_exposure,
        "turnover": working.turnover,
        "sell_share": working.sell_share,
        "strategy_checkable": working.checkable,
        "weighted_sum": working.weighted_sum,
    }
    return {name: finite(value) for name, value in values.items()}


def _coverage(inputs: Inputs) -> Iterator[Body]:
    for what, found in inputs.coverage_by_kind().items():
        yield {
            "input": what,
            "total": found.total,
            "sealed": found.sealed_at_all,
            "anchored": found.anchored,
            "unsealed_note": None if found.sealed_at_all == found.total else _NOTES[what],
        }


def _parsed(manifest: ScoreManifest) -> Body:
    outputs = manifest.outputs
    return {
        "scheme": "arcana-score/v1",
        "formula": manifest.formula,
        "agent_id": manifest.agent_id,
        "season_id": manifest.season_id,
        "ts": manifest.ts,
        "constants": _plain(manifest.constants),
        "strategy_type": manifest.strategy_type,
        "nav_series": [dict(point._asdict()) for point in manifest.nav_series],
        "decisions": [
            {**decision._asdict(), "id": safe_id(decision.id)} for decision in manifest.decisions
        ],
        "creator_peers": [dict(peer._asdict()) for peer in manifest.peers],
        "outputs": outputs if isinstance(outputs, str) else dict(outputs),
        "previous_seal": manifest.previous_seal,
    }


def _plain(value: object) -> JsonValue:
    """Write constants as JSON; whole numbers that a double cannot hold become text."""
    if hasattr(value, "items"):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return safe_id(value)
    assert value is None or isinstance(value, str | float | bool)
    return value


def _others(rows: Sequence[ScoreRow]) -> list[JsonValue]:
    return [
        {
            "season_id": row.season_id,
            "ts": row.ts,
            "arcana_score": row.columns["arcana_score"],
        }
        for row in rows[:_OTHERS]
    ]
