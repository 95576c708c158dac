"""
Steps 3 and 4 of one score: its inputs are the record, and were anchored before it.

A score's time is cut to the second. Rows up to that time are due; rows later
in that same second may follow, a prefix of them in order, and anything later
fails (clarification 41). Peers are due by time and, within a run, by agent id
(clarification 15).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from verifier.arcana.chainrecord import comes_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.arcana.context import Anchorage, Context
    from verifier.arcana.manifest import ScoreManifest
    from verifier.arcana.rows import DecisionRow, ScoreRow, SnapshotRow
    from verifier.claim import Claim
    from verifier.findings import Finding

_Row = TypeVar("_Row", "SnapshotRow", "DecisionRow")
Listed = tuple[object, ...]


def check_inputs_recorded(
    claim: Claim, context: Context, row: ScoreRow, manifest: ScoreManifest
) -> list[Finding]:
    """Step 3: strategy, snapshots, decisions and peers are the recorded ones, none left out."""
    agent = context.agents.get(row.agent_id)
    if agent is None:
        claim.fail("the agent is not in agents.jsonl", published=row.agent_id)
        return claim.found
    claim.equal("strategy_type", manifest.strategy_type, agent.strategy_type or "")
    key = (row.agent_id, row.season_id)
    snapshots = _recorded(context.snapshots.get(key, ()), row.ts, len(manifest.nav_series))
    _compare(
        claim,
        "snapshot",
        [(point.ts, point.nav, point.cash, point.seal) for point in manifest.nav_series],
        [(item.ts, item.nav, item.cash, item.seal) for item in snapshots],
    )
    decisions = _recorded(context.decisions.get(key, ()), row.ts, len(manifest.decisions))
    # Decisions are listed by id, and ids need not rise with time within the last second.
    decisions.sort(key=lambda item: item.decision_id)
    _compare(
        claim,
        "decision",
        [(item.id, item.ts, item.action, item.commitment) for item in manifest.decisions],
        [(item.decision_id, item.ts, item.action, item.commitment) for item in decisions],
    )
    _check_peers(claim, context, row, manifest)
    return claim.close("strategy, snapshots, decisions and peers are the recorded ones")


def _recorded(rows: Sequence[_Row], ts: str, listed: int) -> list[_Row]:
    """Choose the rows due at a time, and of those later in its second as many as are listed."""
    due = [row for row in rows if row.ts <= ts]
    later = [row for row in rows if row.ts > ts and row.ts[:19] == ts[:19]]
    return due + later[: max(0, listed - len(due))]


def _compare(claim: Claim, what: str, listed: list[Listed], recorded: list[Listed]) -> None:
    """Compare a manifest's list with the rows that it should have."""
    if listed == recorded:
        return
    if len(listed) != len(recorded):
        claim.fail(
            f"the number of {what}s listed is not the number recorded",
            published=len(listed),
            recomputed=len(recorded),
        )
    known, named = set(recorded), set(listed)
    missing = [item for item in recorded if item not in named]
    extra = [item for item in listed if item not in known]
    if missing or extra:
        claim.fail(
            f"a {what} listed is not the recorded one"
            if missing and extra
            else f"a recorded {what} is left out"
            if missing
            else f"a {what} is listed that was not recorded or not due",
            published=_show(extra[0]) if extra else "not listed",
            recomputed=_show(missing[0]) if missing else "not recorded",
        )
    elif len(listed) == len(recorded):
        claim.fail(f"the {what}s are listed in another order or more than once")


def _check_peers(claim: Claim, context: Context, row: ScoreRow, manifest: ScoreManifest) -> None:
    listed: list[Listed] = [
        (peer.agent_id, peer.season_id, peer.ts, peer.performance_score, peer.seal)
        for peer in manifest.peers
    ]
    due: list[Listed] = []
    named = {peer.agent_id for peer in manifest.peers}
    creator = context.agents[row.agent_id].creator_id
    for peer in context.peers.get(creator, ()) if creator is not None else ():
        if peer.agent_id == row.agent_id:
            continue
        if (peer.ts, peer.agent_id) >= (row.ts, row.agent_id):
            continue
        # An agent that is not active now may have been: all of its rows, or none.
        if context.agents[peer.agent_id].status != "active" and peer.agent_id not in named:
            continue
        performance = peer.columns["performance_score"]
        assert performance is not None
        due.append((peer.agent_id, peer.season_id, peer.ts, _column_value(performance), peer.seal))
    _compare(claim, "peer", listed, due)


def _column_value(text: str) -> float | str:
    # A malformed column is a failure of the layout; as text it equals no number.
    try:
        return float(text)
    except ValueError:
        return text


def _show(item: Listed) -> str:
    return " ".join("null" if value is None else str(value) for value in item)


def check_inputs_anchored(
    claim: Claim, context: Context, row: ScoreRow, manifest: ScoreManifest
) -> list[Finding]:
    """Step 4: each input seal is a leaf of a mined anchor that came before the score's."""
    assert row.seal is not None
    seals = input_seals(manifest)
    place = context.mined.get(row.seal)
    missing = [seal for seal in seals if seal not in context.mined]
    if place is None:
        if missing:
            claim.unproven(
                f"{len(missing)} of {len(seals)} input seals are in no mined anchor yet",
                published=missing[0],
            )
        return claim.close("all input seals are in mined anchors")
    for seal in missing:
        claim.fail(
            f"the score is in mined anchor {place.anchor.anchor_id}, an input is in none",
            published=seal,
        )
    for seal in seals:
        found = context.mined.get(seal)
        if found is not None and not _before(found, place):
            claim.fail(
                "an input's anchor does not come before the score's",
                published=f"{seal} in anchor {_position(found)}",
                recomputed=f"score in anchor {_position(place)}",
            )
    return claim.close("every input seal is in an earlier mined anchor")


def input_seals(manifest: ScoreManifest) -> list[str]:
    """List the different seals of a score's inputs, in the order of the manifest."""
    listed = (
        *(point.seal for point in manifest.nav_series),
        *(decision.commitment for decision in manifest.decisions),
        *(peer.seal for peer in manifest.peers),
    )
    return list(dict.fromkeys(seal for seal in listed if seal is not None))


def _before(earlier: Anchorage, later: Anchorage) -> bool:
    if earlier.anchor.anchor_id >= later.anchor.anchor_id:
        return False
    if earlier.block is None or later.block is None:
        return True  # the missing or malformed chain record is step 8's finding
    return comes_before((earlier.block, earlier.index), (later.block, later.index))


def _position(place: Anchorage) -> str:
    return f"{place.anchor.anchor_id} (block {place.block}, transaction {place.index})"
