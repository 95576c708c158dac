"""
Rows of the Floor as the JSON that they were read from.

A row keeps every member that its hash covers, in a form that leads back to the
same canonical bytes: decimals as they were written, times to the second, numbers
as the shortest digits of their binary64. So a page can show what was sealed
without holding the file, and a reader can hash what the page shows.

Source:
    floor.md sections 1, 2, 5, 7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.primitives import format_time
from formulas.floor.terms import Close, Conditional, Range, Relative, Touch
from verifier.floor.ledger import NO_ENTRY
from verifier.floor.terms import kind_of_terms

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.terms import Inner
    from verifier.core.jsonread import JsonValue
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["NO_ENTRY", "entry_body", "number", "sealed_members", "settlement_record"]


def sealed_members(call: Call) -> dict[str, JsonValue]:
    """Give the four members that a seal covers."""
    terms: dict[str, JsonValue] = {
        "deadline": format_time(call.deadline),
        "kind": kind_of_terms(call.terms),
        "p": number(call.p),
    }
    if isinstance(call.terms, Conditional):
        terms["gate"] = _part(call.terms.gate)
        terms["inner"] = _part(call.terms.inner)
    else:
        terms |= _members(call.terms)
    return {
        "agent": call.agent,
        "baseline": {"b": number(call.b), "version": call.version},
        "posted_at": format_time(call.posted_at),
        "terms": terms,
    }


def _part(terms: Inner) -> dict[str, JsonValue]:
    return {
        "deadline": format_time(terms.deadline),
        "kind": kind_of_terms(terms),
        **_members(terms),
    }


def _members(terms: Inner) -> dict[str, JsonValue]:
    source = str(terms.source)
    match terms:
        case Touch() | Close():
            return {"source": source, "direction": terms.direction, "level": f"{terms.level:f}"}
        case Range():
            return {"source": source, "low": f"{terms.low:f}", "high": f"{terms.high:f}"}
        case Relative():
            return {"source": source, "other": str(terms.other), "margin": f"{terms.margin:f}"}


def entry_body(entry: Entry) -> dict[str, JsonValue]:
    """Give the body of a ledger entry, which its hash covers."""
    return {
        "call": entry.call,
        "entry": entry.entry,
        "final_at": format_time(entry.final_at),
        "kind": entry.kind,
        "outcome": entry.outcome,
        "points": None if entry.points is None else number(entry.points),
        "prev": entry.prev,
        "reason": entry.reason,
        "record": entry.record,
        "settled_at": format_time(entry.settled_at),
        "unit": entry.unit,
    }


def settlement_record(row: SettlementRow) -> dict[str, JsonValue]:
    """Give a settlement, whose hash an entry names as its record."""
    decider = row.deciding
    return {
        "attempts": [
            {
                "at": format_time(each.at),
                "confirm": list(each.confirm),
                "result": each.result,
                "source": list(each.source),
            }
            for each in row.attempts
        ],
        "call": row.call,
        "deciding": None
        if decider is None
        else {
            "at": format_time(decider.at),
            "confirm": decider.confirm,
            "source": decider.source,
        },
        "outcome": row.outcome,
    }


def number(value: Decimal) -> int | float:
    """
    Give the JSON number that a decimal was read from.

    >>> from decimal import Decimal
    >>> number(Decimal("0.41")), number(Decimal(0))
    (0.41, 0)
    """
    whole = int(value)
    return whole if whole == value and abs(whole) < 2**53 else float(value)
