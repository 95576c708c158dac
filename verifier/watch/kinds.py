"""
Kinds of facts, and what may happen to each.

=========  ==========================================================================
rule       what the next reading must show
=========  ==========================================================================
fixed      the same key with the same value
passing    the same value, or the key no longer: a newer row took its place
forward    an anchor: see below
=========  ==========================================================================

An anchor's scheme, root, number of leaves, chain and sender never change. Its
status goes forward, ``signed``, ``broadcast``, then one of ``mined``,
``reverted`` and ``dropped``; from then on its status, transaction, block and time
are fixed too. Before, a transaction may be replaced by another with a higher fee.
The root of a mined anchor is a fact of its own, with its transaction and block: no second
anchor may claim it.

The value of a fact is the RFC 9162 leaf hash of its record's canonical JSON. A
record that is a text, a hash of something already, is its own value, and so is an
anchor, since what may become of it depends on what it says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.schemes import RFC9162

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.core.jsonread import JsonValue

__all__ = ["KINDS", "STATUSES", "Kind", "Rule", "differing", "value_of"]


class Rule(StrEnum):
    """What may happen to a fact."""

    FIXED = "fixed"
    PASSING = "passing"
    FORWARD = "forward"


@dataclass(frozen=True, slots=True)
class Kind:
    """
    One kind of fact.

    Args:
        name: As it stands in the files.
        title: What one of them is, for sentences.
        rule: What may happen to it.
    """

    name: str
    title: str
    rule: Rule = Rule.FIXED


KINDS: Final[Mapping[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("season", "record of the season"),
        Kind("document", "document"),
        Kind("frozen", "frozen season of the bundle"),
        Kind("table", "table of the season"),
        Kind("row", "row of the season"),
        Kind("floor/ledger", "entry of the ledger"),
        Kind("floor/root", "root of the hour"),
        Kind("floor/call", "call"),
        Kind("floor/settlement", "settlement of the call"),
        Kind("arcana/anchor", "anchor", Rule.FORWARD),
        Kind("arcana/mined", "mined root"),
        Kind("arcana/leaves", "leaves of the anchor"),
        Kind("arcana/score", "score"),
        Kind("arcana/decision", "decision"),
        Kind("arcana/snapshot", "portfolio snapshot"),
        Kind("arcana/formula", "constants of the formula"),
        Kind("arcana/board", "row of the leaderboard", Rule.PASSING),
        Kind("file", "file"),
    )
}
"""Every kind by its name, in the order in which changes are told."""

STATUSES: Final[Mapping[str, int]] = {
    "signed": 0,
    "broadcast": 1,
    "mined": 2,
    "reverted": 2,
    "dropped": 2,
}
"""How far each status of an anchor is; those of 2 are final."""

_FINAL: Final = 2
_IDENTITY: Final = ("chain_id", "leaf_count", "root", "scheme", "sender")
_OUTCOME: Final = ("block_number", "mined_at", "status", "tx_hash")


def value_of(kind: str, record: JsonValue) -> JsonValue:
    """
    Give the value of a fact.

    Raises:
        JsonError: The record has no canonical form.
    """
    if isinstance(record, str) or KINDS[kind].rule is Rule.FORWARD:
        return record
    return RFC9162.leaf(canonical_bytes(record)).hex()


def differing(kind: str, before: JsonValue, after: JsonValue) -> tuple[str, ...] | None:
    """
    Say whether one value cannot follow another.

    Args:
        kind: Name of the kind.
        before: Value that was seen first.
        after: Value that was seen later.

    Returns:
        None if it can; else the members of an anchor that contradict, or nothing in particular.

    >>> differing("floor/root", "00", "00") is None
    True
    >>> differing("floor/root", "00", "01")
    ()
    """
    if KINDS[kind].rule is not Rule.FORWARD:
        return None if before == after else ()
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    changed = [name for name in _IDENTITY if before[name] != after[name]]
    reached = STATUSES[str(before["status"])]
    if reached == _FINAL:
        changed += [name for name in _OUTCOME if before[name] != after[name]]
    elif STATUSES[str(after["status"])] < reached:
        changed.append("status")
    return tuple(changed) or None
