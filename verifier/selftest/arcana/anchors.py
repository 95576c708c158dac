"""Step 8: what the platform says about its anchors, against tree, rows and chain."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana.checks.catalogue import ANCHOR
from verifier.core.canon import canonical_bytes
from verifier.selftest.arcana.forgery import Evidence, Forgery
from verifier.selftest.arcana.inputs import drop_leaf
from verifier.selftest.mutations import Mutation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.arcana.rows import Anchor
    from verifier.selftest.mutations import Changes


def mined(evidence: Evidence) -> Iterator[Anchor]:
    """Yield the mined anchors that name a transaction, by id."""
    for anchor in evidence.context.tables.anchors:
        if anchor.status == "mined" and anchor.tx_hash is not None:
            yield anchor


def _row(
    evidence: Evidence, *, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Changes | None:
    """Change members of the first mined anchor that the change concerns."""
    for anchor in mined(evidence):
        forgery = Forgery(evidence)
        members = change(forgery.row("anchors", anchor.line))
        if members is not None:
            forgery.put("anchors", anchor.line, **members)
            return forgery.changes()
    return None


def other_digit(text: str) -> str:
    """Change the last hex digit of a text."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


def _other(member: str) -> Callable[[dict[str, Any]], dict[str, Any] | None]:
    def change(row: dict[str, Any]) -> dict[str, Any] | None:
        value = row.get(member)
        if value is None:
            return None
        return {member: other_digit(value) if isinstance(value, str) else value + 1}

    return change


def _from_one(row: dict[str, Any]) -> dict[str, Any]:
    return {"leaves": [{**leaf, "leaf_index": leaf["leaf_index"] + 1} for leaf in row["leaves"]]}


def _leaf_time(evidence: Evidence) -> Changes | None:
    """Change the time of a leaf whose agent is listed: others cannot be looked up."""
    for anchor in mined(evidence):
        for place, leaf in enumerate(anchor.leaves):
            if leaf.agent_id in evidence.context.agents:
                forgery = Forgery(evidence)
                leaves = forgery.row("anchors", anchor.line)["leaves"]
                member = "decision_ts" if leaf.kind == "decision" else "ts"
                last = "1" if leaf.ts[-2] == "0" else "0"
                leaves[place][member] = f"{leaf.ts[:-2]}{last}Z"
                forgery.put("anchors", anchor.line, leaves=leaves)
                return forgery.changes()
    return None


def _span(row: dict[str, Any]) -> dict[str, Any] | None:
    span = row["decisions"]
    return None if span is None else {"decisions": {**span, "last_id": f"{span['last_id']}0"}}


def _old_scheme(row: dict[str, Any]) -> dict[str, Any] | None:
    new = any(leaf["kind"] != "decision" for leaf in row["leaves"])
    return {"scheme": "arcana-anchor/v1"} if new else None


def _leaf_out(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        if len(anchor.leaves) > 1:
            forgery = Forgery(evidence)
            drop_leaf(forgery, anchor.line, 0)
            return forgery.changes()
    return None


def _leaf_exchanged(evidence: Evidence) -> Changes | None:
    for anchor in mined(evidence):
        if len(anchor.leaves) > 1:
            forgery = Forgery(evidence)
            one, two, *rest = forgery.row("anchors", anchor.line)["leaves"]
            turned = [{**two, "leaf_index": 0}, {**one, "leaf_index": 1}, *rest]
            forgery.put("anchors", anchor.line, leaves=turned)
            forgery.reroot(anchor.line)
            return forgery.changes()
    return None


def _ids_exchanged(evidence: Evidence) -> Changes | None:
    pair = list(mined(evidence))[:2]
    if len(pair) < 2:
        return None
    one, two = pair
    forgery = Forgery(evidence)
    forgery.put("anchors", one.line, id=str(two.anchor_id))
    forgery.put("anchors", two.line, id=str(one.anchor_id))
    lines = forgery.lines("anchors")
    lines[one.line - 1], lines[two.line - 1] = lines[two.line - 1], lines[one.line - 1]
    return forgery.changes()


def _record_twice(evidence: Evidence) -> Changes | None:
    """Repeat a mined anchor as one that still waits for its transaction."""
    for anchor in mined(evidence):
        forgery = Forgery(evidence)
        lines = forgery.lines("anchors")
        again = {
            **forgery.row("anchors", anchor.line),
            "id": str(evidence.context.tables.anchors[-1].anchor_id + 1),
            "status": "broadcast",
            "tx_hash": None,
            "block_number": None,
            "mined_at": None,
        }
        lines.append(canonical_bytes(again))
        return forgery.changes()
    return None


def _mutation(name: str, what: str, apply: Callable[[Evidence], Changes | None]) -> Mutation:
    return Mutation(name=name, aims_at=ANCHOR.id, what=what, apply=apply)


def _member(
    name: str, what: str, change: Callable[[dict[str, Any]], dict[str, Any] | None]
) -> Mutation:
    return _mutation(name, what, partial(_row, change=change))


MUTATIONS: Final = (
    _member("leaf-index-from-one", "Leaves are numbered from 1.", _from_one),
    _member("leaf-count", "An anchor counts a leaf more than it lists.", _other("leaf_count")),
    _mutation("leaf-other-time", "A leaf names a time at which nothing was recorded.", _leaf_time),
    _mutation("leaf-dropped", "A leaf is dropped, the root redone.", _leaf_out),
    _mutation("leaves-exchanged", "Two leaves change places, the root redone.", _leaf_exchanged),
    _mutation("record-twice", "A second anchor holds the records of the first.", _record_twice),
    _member("root-changed", "One digit of a root is changed.", _other("root")),
    _member("span-changed", "The span of decisions ends at another one.", _span),
    _member("scheme-old", "Snapshots or scores under the scheme for decisions.", _old_scheme),
    _member("status-unknown", "The status is no known one.", lambda _: {"status": "final"}),
    _member("sender-other", "An anchor names another sender.", _other("sender")),
    _member("chain-id-other", "An anchor names another chain.", _other("chain_id")),
    _member("block-number-other", "An anchor names the next block.", _other("block_number")),
    _member("nonce-other", "An anchor names the next nonce.", _other("nonce")),
    _member("raw-transaction-other", "One digit of the raw transaction.", _other("raw_tx")),
    _member("no-transaction", "A mined anchor names no transaction.", lambda _: {"tx_hash": None}),
    _mutation("anchor-ids-exchanged", "Two anchors have each other's ids.", _ids_exchanged),
)
