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
from verifier.floor.context import NOWHERE, Context, load_context
from verifier.floor.layout import FILES
from verifier.floor.lines import runs
from verifier.floor.notes import notes
from verifier.floor.seasons import SEASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from verifier.findings import Finding
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call

__all__ = ["FLOOR", "check_call", "check_ledger_entry"]

# Bytes of lines that are checked together: enough to outweigh handing them over.
_RUN: Final = 24 << 10
_RUN_OF_RAW: Final = 1_024
_RUN_OF_ROWS: Final = 64


def _items(context: Context) -> list[Item]:
    # The longest first, so that no process waits for it at the end.
    items: list[Item] = [("agreement", 0, 1), ("whole", 0, len(_wholes(context)))]
    columns, tables = context.columns, context.tables
    judged = context.state.rules is not None
    if judged:
        items += [("seasons", place, place + 1) for place in range(len(tables.seasons))]
        items += [("roots", place, place + 1) for place in range(len(tables.roots))]
    calls = "calls" if judged else "sealed"
    items += [(calls, *run) for run in runs(columns.calls.ends, _RUN)]
    if judged:
        items += [("strays", *run) for run in _even(len(context.strays), _RUN_OF_ROWS)]
        items += [("entries", *run) for run in runs(columns.entries.ends, _RUN)]
    items += [("raw", *run) for run in _even(len(tables.raw), _RUN_OF_RAW)]
    return items


def _even(count: int, run: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + run, count)) for start in range(0, count, run))


def _check(context: Context, item: Item) -> Outcome:
    kind, start, stop = item
    return Outcome(_CHECKERS[kind](context, start, stop))


def _check_sealed(context: Context, start: int, stop: int) -> Iterator[Finding]:
    for call in context.tables.calls[start:stop]:
        yield from check_seal(context, call)


def _check_calls(context: Context, start: int, stop: int) -> Iterator[Finding]:
    """Everything about calls, and the settlements that are judged with them."""
    for place, call in enumerate(context.tables.calls[start:stop], start):
        yield from check_call(context, call)
        settlement = context.settling[place]
        if settlement != NOWHERE:
            yield from check_settlement(context, context.tables.settlements[settlement], call)


def _check_strays(context: Context, start: int, stop: int) -> Iterator[Finding]:
    for place in context.strays[start:stop]:
        row = context.tables.settlements[place]
        yield from check_settlement(context, row, context.calls.get(row.call))


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


def _each(
    table: str, check: Callable[[Context, Any], Iterable[Finding]]
) -> Callable[[Context, int, int], Iterator[Finding]]:
    """Check the rows of a table one by one."""

    def checker(context: Context, start: int, stop: int) -> Iterator[Finding]:
        for row in getattr(context.tables, table)[start:stop]:
            yield from check(context, row)

    return checker


# Everything that is not about one row. With rules, and without any.
_LAYOUT: Final = (lambda context: context.tables.findings, check_rules, check_unlisted)
JUDGED: Final = (*_LAYOUT, check_roots, check_index, check_quotes, check_flags)
_UNJUDGED: Final = (*_LAYOUT, unjudged)


def _wholes(context: Context) -> Sequence[Callable[[Context], Iterable[Finding]]]:
    return _UNJUDGED if context.state.rules is None else JUDGED


def _check_whole(context: Context, start: int, stop: int) -> Iterator[Finding]:
    for check in _wholes(context)[start:stop]:
        yield from check(context)


_CHECKERS: Final[Mapping[str, Callable[[Context, int, int], Iterable[Finding]]]] = {
    "agreement": lambda context, _start, _stop: check_agreement(context),
    "whole": _check_whole,
    "sealed": _check_sealed,
    "calls": _check_calls,
    "strays": _check_strays,
    "seasons": _each("seasons", check_season),
    "entries": _each("entries", check_ledger_entry),
    "roots": _each("roots", check_root),
    "raw": _each("raw", check_raw),
}


def _knows(path: str) -> bool:
    return path in FILES or path.startswith((SEASONS, "raw/"))


FLOOR: Final = Family(
    name="floor",
    checks=CHECKS,
    load=load_context,
    load_with=load_context,
    items=_items,
    check=_check,
    notes=notes,
    knows=_knows,
)
