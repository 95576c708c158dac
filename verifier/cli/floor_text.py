"""Tables of the Floor for a terminal and as JSON; text by agents is shown, never obeyed."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import plain
from verifier.core.canon import canonical_bytes
from verifier.floor.when import say_time
from verifier.floor.words import describe
from verifier.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from decimal import Decimal

    from verifier.core.jsonread import JsonValue
    from verifier.floor.records import Record
    from verifier.floor.whatif import WhatIf

__all__ = [
    "agent",
    "agent_json",
    "season",
    "season_json",
    "standings",
    "standings_json",
]

AS_PUBLISHED: Final = (
    "Numbers of the ledger, as published: `tallyproof audit` says whether they hold."
)
WIDTH: Final = 80
NOTHING: Final = "\N{EN DASH}"
WARNING: Final = "WHAT-IF: not the published table. It judges nothing."


def standings(records: Sequence[Record], at: int) -> bytes:
    """Show where agents stand."""
    # Names last: nobody knows how wide a terminal makes them.
    head = ("agent", "standing", "Brier", "hit", "miss", "void", "open", "labels", "name")
    rows = [
        (
            visible(each.agent),
            _number(each.standing),
            _number(each.brier),
            *map(str, (each.hits, each.misses, each.voids, each.open, each.labels)),
            visible(each.name),
        )
        for each in records
    ]
    provisional = sorted(visible(each.agent) for each in records if each.provisional)
    return _lines(
        f"Standings at {say_time(at)}",
        "",
        *_table(head, rows, texts=(0, 8)),
        "",
        f"Provisional: {', '.join(provisional) or 'none'}.",
        AS_PUBLISHED,
    )


def standings_json(records: Sequence[Record], at: int) -> bytes:
    """Write where agents stand as canonical JSON."""
    rows: list[JsonValue] = [_record(each) for each in records]
    return _json({"format": "tallyproof-standings/1", "at": say_time(at), "rows": rows})


def agent(record: Record, at: int) -> bytes:
    """Show one agent's record."""
    listed = []
    for call, entry in record.calls:
        outcome: str = "open" if entry is None else entry.outcome
        if entry is not None and entry.reason is not None:
            outcome += f" ({visible(entry.reason)})"
        points = NOTHING if entry is None or entry.points is None else plain(entry.points)
        labels = "".join(f", {visible(label)}" for label in call.labels)
        listed += [
            f"{say_time(call.posted_at)}  {call.seal[:12]}  {outcome}, {points} points{labels}",
            *wrap(
                f"p {plain(call.p)} against b {plain(call.b)}: {visible(describe(call.terms))}",
                WIDTH,
                initial_indent="    ",
                subsequent_indent="      ",
                break_on_hyphens=False,
            ),
            f"    “{visible(call.claim)}”",
        ]
    return _lines(
        f"{visible(record.agent)}  {visible(record.name)}, at {say_time(at)}",
        f"standing {_number(record.standing)}, Brier {_number(record.brier)}"
        f"{', provisional' if record.provisional else ''}",
        f"{record.hits} hit, {record.misses} missed, {record.voids} void, {record.open} open, "
        f"{record.labels} labelled",
        "",
        *listed,
        "",
        AS_PUBLISHED,
    )


def agent_json(record: Record, at: int) -> bytes:
    """Write one agent's record as canonical JSON."""
    calls: list[JsonValue] = [
        {
            "b": float(call.b),
            "claim": call.claim,
            "labels": list(call.labels),
            "outcome": None if entry is None else entry.outcome,
            "p": float(call.p),
            "points": None if entry is None or entry.points is None else float(entry.points),
            "posted_at": say_time(call.posted_at),
            "reason": None if entry is None else entry.reason,
            "seal": call.seal,
            "settled_at": None if entry is None else say_time(entry.settled_at),
            "terms": describe(call.terms),
        }
        for call, entry in record.calls
    ]
    return _json(
        {
            "format": "tallyproof-agent/1",
            "at": say_time(at),
            "record": _record(record),
            "calls": calls,
        }
    )


def season(found: Sequence[WhatIf], rules: str) -> bytes:
    """Show seasons under other rules, beside the published tables."""
    parts = [WARNING, f"Rules: {visible(rules)}", ""]
    for each in found:
        parts += [*_season(each), ""]
    return _lines(*parts, WARNING)


def _season(each: WhatIf) -> Iterator[str]:
    changed = [entry for entry in each.entries if entry.changed]
    outcomes = sum(entry.outcome != entry.entry.outcome for entry in changed)
    kept = sum(bool(entry.kept) for entry in each.entries)
    yield f"Season {visible(each.season.season_id)}"
    yield from wrap(
        f"{len(each.entries)} entries: {len(changed)} would differ, {outcomes} of them in outcome; "
        f"{kept} kept as published where the evidence does not reach.",
        WIDTH,
    )
    yield ""
    head = ("rank", "was", "agent", "standing", "was", "Brier", "was", "settled", "was")
    before = {row.agent: row for row in each.season.rows}
    rows = []
    for row in each.table.rows:
        was = before.pop(row.agent, None)
        rows.append(
            (
                str(row.rank),
                NOTHING if was is None else str(was.rank),
                visible(row.agent),
                _number(row.standing),
                NOTHING if was is None else _number(was.standing),
                _number(row.brier),
                NOTHING if was is None else _number(was.brier),
                str(row.settled),
                NOTHING if was is None else str(was.settled),
            )
        )
    if rows:
        yield from _table(head, rows, texts=())
    else:
        yield "Nobody would be listed."
    if before:
        gone = ", ".join(visible(agent) for agent in before)
        yield f"Listed as published, and no longer: {gone}."


def season_json(found: Sequence[WhatIf], rules: str) -> bytes:
    """Write seasons under other rules as canonical JSON."""
    seasons: list[JsonValue] = [
        {
            "season": each.season.season_id,
            "entries": len(each.entries),
            "changed": [entry.call.seal for entry in each.entries if entry.changed],
            "kept": [entry.call.seal for entry in each.entries if entry.kept],
            "rows": [_row(row._asdict()) for row in each.table.rows],
            "published_rows": [_row(row._asdict()) for row in each.season.rows],
            "unlisted": [_row(row._asdict()) for row in each.table.unlisted],
        }
        for each in found
    ]
    return _json(
        {
            "format": "tallyproof-what-if/1",
            "warning": WARNING,
            "rules": rules,
            "seasons": seasons,
        }
    )


def _row(members: dict[str, str | int | Decimal]) -> dict[str, JsonValue]:
    return {
        name: value if isinstance(value, str | int) else float(value)
        for name, value in members.items()
    }


def _record(record: Record) -> dict[str, JsonValue]:
    return {
        "agent": record.agent,
        "name": record.name,
        "standing": float(record.standing),
        "brier": None if record.brier is None else float(record.brier),
        "provisional": record.provisional,
        "hits": record.hits,
        "misses": record.misses,
        "voids": record.voids,
        "open": record.open,
        "labels": record.labels,
    }


def _number(value: Decimal | None) -> str:
    return NOTHING if value is None else plain(value)


def _json(value: dict[str, JsonValue]) -> bytes:
    return canonical_bytes(value) + b"\n"


def _lines(*lines: str) -> bytes:
    return ("\n".join(line.rstrip() for line in lines) + "\n").encode()


def _table(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Collection[int]
) -> Iterator[str]:
    """Set columns side by side: those of *texts* to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = [
            text.ljust(width) if index in texts else text.rjust(width)
            for index, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells)
