"""The Floor as a family: what there is to check in a bundle, and who checks it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.family import Family, Item, Outcome
from verifier.floor.checks.admission import check_admission, check_quotes
from verifier.floor.checks.agreement import check_agreement
from verifier.floor.checks.baseline import check_baseline
from verifier.floor.checks.calls import check_seal, check_terms
from verifier.floor.checks.catalogue import CHECKS
from verifier.floor.checks.closure import check_call_closed, check_entry_open
from verifier.floor.checks.envelope import check_envelope
from verifier.floor.checks.flags import check_flags
from verifier.floor.checks.ledger import check_entry, check_finality
from verifier.floor.checks.points import check_points
from verifier.floor.checks.raw import check_raw, check_unlisted
from verifier.floor.checks.roots import check_root, check_roots
from verifier.floor.checks.rules import check_rules, unjudged
from verifier.floor.checks.season import check_index, check_season
from verifier.floor.checks.settlement import check_settlement
from verifier.floor.context import Context, load_context
from verifier.floor.layout import FILES
from verifier.floor.notes import notes
from verifier.floor.seasons import SEASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from verifier.findings import Finding
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["FLOOR", "check_call", "check_ledger_entry"]

# Subjects of one kind that are checked together: enough to outweigh handing them over.
_RUN: Final = {"seasons": 1, "calls": 32, "settlements": 32, "entries": 256, "roots": 256}
_RUN_OF_RAW: Final = 1_024


def _items(context: Context) -> list[Item]:
    # The longest first, so that no process waits for it at the end.
    items: list[Item] = [("agreement", 0, 1), ("whole", 0, 1)]
    if context.state.rules is None:
        kinds = {"sealed": len(context.tables.calls)}
    else:
        kinds = {kind: len(getattr(context.tables, kind)) for kind in _RUN}
    kinds["raw"] = len(context.tables.raw)
    for kind, count in kinds.items():
        run = _RUN.get(kind, _RUN_OF_RAW)
        items += [(kind, start, min(start + run, count)) for start in range(0, count, run)]
    return items


def _check(context: Context, item: Item) -> Outcome:
    kind, start, stop = item
    if kind == "agreement":
        return Outcome(check_agreement(context))
    if kind == "whole":
        return Outcome(_check_whole(context))
    if kind == "sealed":
        return Outcome(
            [
                each
                for call in context.tables.calls[start:stop]
                for each in check_seal(context, call)
            ]
        )
    check = _CHECKERS[kind]
    subjects = getattr(context.tables, kind)[start:stop]
    return Outcome([finding for subject in subjects for finding in check(context, subject)])


def check_call(context: Context, call: Call) -> list[Finding]:
    """Everything about one call but its settlement."""
    return [
        *check_seal(context, call),
        *check_terms(context, call),
        *check_baseline(context, call),
        *check_admission(context, call),
        *check_envelope(context, call),
        *check_call_closed(context, call),
    ]


def check_ledger_entry(context: Context, entry: Entry) -> list[Finding]:
    """Everything about one entry of the ledger."""
    return [
        *check_entry(context, entry),
        *check_points(context, entry),
        *check_finality(context, entry),
        *check_entry_open(context, entry),
    ]


_CHECKERS: Final[Mapping[str, Callable[[Context, Any], list[Finding]]]] = {
    "seasons": check_season,
    "calls": check_call,
    "settlements": check_settlement,
    "entries": check_ledger_entry,
    "roots": check_root,
    "raw": check_raw,
}


def _check_whole(context: Context) -> list[Finding]:
    """Everything that is not about one row."""
    found = [*context.tables.findings, *check_rules(context), *check_unlisted(context)]
    if context.state.rules is None:
        return found + unjudged(context)
    return [
        *found,
        *check_roots(context),
        *check_index(context),
        *check_quotes(context),
        *check_flags(context),
    ]


def _knows(path: str) -> bool:
    return path in FILES or path.startswith((SEASONS, "raw/"))


FLOOR: Final = Family(
    name="floor",
    checks=CHECKS,
    load=load_context,
    items=_items,
    check=_check,
    notes=notes,
    knows=_knows,
)
