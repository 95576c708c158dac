"""
Steps 3 and 4: the inputs that a score lists.

The score's outputs always follow from what it lists, so step 6 has nothing to
say: the lie is in the list.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.catalogue import INPUTS_ANCHORED, INPUTS_RECORDED
from verifier.arcana.checks.inputs import input_seals
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.arcana.context import Anchorage
    from verifier.arcana.manifest import ScoreManifest
    from verifier.selftest.mutations import Changes


def _relist(
    evidence: Evidence, *, change: Callable[[ScoreManifest], ScoreManifest | None]
) -> Changes | None:
    """Rescore the first score whose list can be changed so."""
    for row, manifest in evidence.scores():
        changed = change(manifest)
        if changed is not None:
            forgery = Forgery(evidence)
            forgery.rescore(row, changed)
            return forgery.changes()
    return None


def raised(column: str) -> str:
    """Write a column of money as one hundred more."""
    return str(Decimal(column) + 100)


def _nav(manifest: ScoreManifest) -> ScoreManifest | None:
    if not manifest.nav_series:
        return None
    *rest, last = manifest.nav_series
    return replace(manifest, nav_series=(*rest, last._replace(nav=raised(last.nav))))


def _snapshot_out(manifest: ScoreManifest) -> ScoreManifest | None:
    navs = manifest.nav_series
    return replace(manifest, nav_series=(navs[0], *navs[2:])) if len(navs) > 2 else None


def _decision_out(manifest: ScoreManifest) -> ScoreManifest | None:
    if not manifest.decisions:
        return None
    return replace(manifest, decisions=manifest.decisions[:-1])


def _decision_invented(manifest: ScoreManifest) -> ScoreManifest | None:
    if not manifest.decisions:
        return None
    last = manifest.decisions[-1]
    invented = last._replace(id=last.id + 1, action="buy", commitment=None)
    return replace(manifest, decisions=(*manifest.decisions, invented))


def _decision_action(manifest: ScoreManifest) -> ScoreManifest | None:
    for index, decision in enumerate(manifest.decisions):
        if decision.action == "hold":
            items = list(manifest.decisions)
            items[index] = decision._replace(action="buy")
            return replace(manifest, decisions=tuple(items))
    return None


def _peer_out(manifest: ScoreManifest) -> ScoreManifest | None:
    return replace(manifest, peers=manifest.peers[1:]) if manifest.peers else None


def _peer_better(manifest: ScoreManifest) -> ScoreManifest | None:
    if not manifest.peers:
        return None
    first, *rest = manifest.peers
    better = first._replace(performance_score=first.performance_score + 1)
    return replace(manifest, peers=(better, *rest))


def _strategy(manifest: ScoreManifest) -> ScoreManifest:
    other = "momentum" if manifest.strategy_type != "momentum" else "buy_and_hold"
    return replace(manifest, strategy_type=other)


def _input_places(evidence: Evidence) -> Iterator[tuple[Anchorage, Anchorage]]:
    """Yield (input, score) for the inputs that stand in a mined anchor, as their scores do."""
    mined = evidence.context.mined
    for row, manifest in evidence.scores():
        score = mined.get(row.seal or "")
        for seal in input_seals(manifest):
            place = mined.get(seal)
            if score is not None and place is not None:
                yield place, score


def _anchor_waiting(evidence: Evidence) -> Changes | None:
    for place, _ in _input_places(evidence):
        forgery = Forgery(evidence)
        forgery.put("anchors", place.anchor.line, status="broadcast")
        return forgery.changes()
    return None


def _anchor_late(evidence: Evidence) -> Changes | None:
    for place, _ in _input_places(evidence):
        forgery = Forgery(evidence)
        newest = evidence.context.tables.anchors[-1].anchor_id + 1
        forgery.put("anchors", place.anchor.line, id=str(newest))
        lines = forgery.lines("anchors")
        lines.append(lines.pop(place.anchor.line - 1))
        return forgery.changes()
    return None


def _leaf_out(evidence: Evidence) -> Changes | None:
    for place, _ in _input_places(evidence):
        if len(place.anchor.leaves) < 2:
            continue
        forgery = Forgery(evidence)
        drop_leaf(forgery, place.anchor.line, place.leaf.index)
        return forgery.changes()
    return None


def drop_leaf(forgery: Forgery, line: int, index: int) -> None:
    """Take a leaf out of an anchor, and redo numbers, span and root."""
    leaves = forgery.row("anchors", line)["leaves"]
    del leaves[index]
    for place, leaf in enumerate(leaves):
        leaf["leaf_index"] = place
    spanned = sorted((int(x["decision_id"]), x) for x in leaves if x["kind"] == "decision")
    span = None
    if spanned:
        first, last = spanned[0][1], spanned[-1][1]
        span = {
            "first_id": first["decision_id"],
            "first_ts": first["decision_ts"],
            "last_id": last["decision_id"],
            "last_ts": last["decision_ts"],
        }
    forgery.put("anchors", line, leaves=leaves, leaf_count=len(leaves), decisions=span)
    forgery.reroot(line)


def _block_late(evidence: Evidence) -> Changes | None:
    for place, score in _input_places(evidence):
        if place.anchor.tx_hash is None or score.block is None:
            continue
        forgery = Forgery(evidence)
        later = score.block + 1
        parts = [
            forgery.chain(place.anchor.tx_hash, part, blockNumber=hex(later))
            for part in ("transaction", "receipt")
        ]
        if all(parts):
            forgery.put("anchors", place.anchor.line, block_number=later)
            return forgery.changes()
    return None


def _listed(
    name: str, what: str, change: Callable[[ScoreManifest], ScoreManifest | None]
) -> Mutation:
    return Mutation(
        name=name, aims_at=INPUTS_RECORDED.id, what=what, apply=partial(_relist, change=change)
    )


def _anchored(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=INPUTS_ANCHORED.id, what=what, apply=apply)


MUTATIONS: Final = (
    _listed("nav-raised", "A score lists a NAV as 100 more, and follows from it.", _nav),
    _listed("snapshot-left-out", "A score leaves out a snapshot.", _snapshot_out),
    _listed("decision-left-out", "A score leaves out its last decision.", _decision_out),
    _listed("decision-invented", "A score lists a decision more.", _decision_invented),
    _listed("decision-action", "A score lists a hold as a buy.", _decision_action),
    _listed("peer-left-out", "A score leaves out a peer.", _peer_out),
    _listed("peer-better", "A score lists a peer with a point more.", _peer_better),
    _listed("strategy-other", "A score names a strategy that is not its agent's.", _strategy),
    _anchored("input-not-mined", "The anchor of an input is only broadcast.", _anchor_waiting),
    _anchored("input-anchor-late", "The anchor of an input has the newest id.", _anchor_late),
    _anchored("input-block-late", "An input's transaction is in a later block.", _block_late),
    _anchored("input-leaf-out", "An input's leaf is dropped, the root redone.", _leaf_out),
)
