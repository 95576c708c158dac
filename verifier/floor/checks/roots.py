"""
Step 7: a root for every finished hour, over that hour's entries, empty hours too.

Source:
    floor.md section 7; floor-clarifications.md 27, 49.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import HOUR_MS
from verifier.claim import Claim
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.findings import Where
from verifier.floor.checks.catalogue import ROOTS
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.findings import Finding
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Root

__all__ = ["ROOTS_FILE", "TREE", "check_root", "check_roots", "leaves"]

ROOTS_FILE: Final = "floor/roots.jsonl"
TREE: Final = "rfc9162-sha256"


def leaves(entries: Sequence[Entry]) -> list[bytes]:
    """Hash the entries of one hour as the leaves of its tree."""
    tree = scheme(TREE)
    return [tree.leaf(bytes.fromhex(entry.hash)) for entry in entries]


def check_roots(context: Context) -> list[Finding]:
    """Judge that no hour was left out, from the first entry's to the last that is over."""
    claim = Claim(ROOTS, "hours", Where(ROOTS_FILE))
    published = [each.hour for each in context.tables.roots]
    expected = range(0)
    if context.hours:
        first, after = min(context.hours), context.as_of // HOUR_MS * HOUR_MS
        expected = range(first, after, HOUR_MS)
    for hour, wanted in zip(published, expected, strict=False):
        if hour != wanted:
            claim.fail(
                "an hour is left out or out of place",
                published=say_time(hour),
                recomputed=say_time(wanted),
            )
            break
    else:
        claim.equal("the number of hours", len(published), len(expected))
    return claim.close(f"{len(published)} hours, none left out")


def check_root(context: Context, row: Root) -> list[Finding]:
    """Recompute the root of one hour from its entries."""
    claim = Claim(ROOTS, f"hour {say_time(row.hour)}", Where(ROOTS_FILE, row.line))
    if row.hour % HOUR_MS:
        claim.fail("not the beginning of an hour", pointer="/hour")
    if row.hour + HOUR_MS > context.as_of:
        claim.fail("the hour is not over", pointer="/hour")
    own = context.hours.get(row.hour, ())
    ends = (
        [context.tables.entries[place].entry for place in (own[0], own[-1])] if own else [None] * 2
    )
    claim.equal("the number of entries", row.entries, len(own), pointer="/entries")
    claim.equal("the first entry", row.first, ends[0], pointer="/first")
    claim.equal("the last entry", row.last, ends[1], pointer="/last")
    found = context.roots.get(row.hour)
    if found is None:
        tree, hashes = scheme(TREE), context.columns.entries.hashes
        found = root((tree.leaf(hashes[place]) for place in own), tree)
        context.roots[row.hour] = found
    claim.equal("the root", row.root, found.hex(), pointer="/root")
    entries = "1 entry" if len(own) == 1 else f"{len(own)} entries"
    return claim.close(f"root over {entries}")
