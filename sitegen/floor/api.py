"""
The evidence API of a Floor season: calls, agents and the ledger as static JSON.

Addresses under ``v1/seasons/<id>/`` stay for good. The newest season has them
under ``v1/`` too, and there the ledger is the whole of its bundle, so that its
chain can be walked from the first entry.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import format_time
from sitegen.api import agent_response, response
from sitegen.floor.cells import moment
from sitegen.shelf import ROWS
from verifier.dossier.floor_sealed import entry_body, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.floor.shelf import Shelf
    from sitegen.model import File
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.floor import Entry
    from verifier.dossier.floor_agent import FloorAgent
    from verifier.dossier.floor_call import FloorCall, HourProof
    from verifier.dossier.floor_values import Compared

__all__ = ["agent_files", "call_files", "ledger_files", "ledger_parts"]

ARENA: Final = "floor"


def call_files(shelf: Shelf, call: FloorCall, *, newest: bool) -> Iterator[File]:
    """Write a call with all that was published of it and all that was recomputed."""
    row, entry = call.held
    body: dict[str, JsonValue] = {
        "arena": ARENA,
        "season": shelf.season.id,
        "seal": row.seal,
        "agent": {"agent": row.agent, "name": shelf.name(row.agent)},
        "claim": row.claim,
        "note": row.note,
        "labels": list(row.labels),
        "words": call.words,
        "sealed": call.sealed,
        "entry": None if entry is None else {"body": call.entry, "hash": entry.hash},
        "settlement": call.record,
        "proof": None if call.proof is None else _proof(call.proof),
        "recomputed": {
            "seal": _value(call.seal),
            "b": None if call.baseline is None else _value(call.baseline.b),
            "outcome": _value(call.outcome),
            "reason": None if call.reason is None else _value(call.reason),
            "points": _value(call.points),
        },
        "verdict": call.verdict.value,
        "raw": [
            {
                "sha256": each.sha256,
                "path": shelf.evidence(each.path),
                "used": list(each.uses),
            }
            for each in call.bodies
        ],
    }
    for base in _bases(shelf, newest=newest):
        yield agent_response(f"{base}calls/{row.seal}.json", body)


def _bases(shelf: Shelf, *, newest: bool) -> tuple[str, ...]:
    own = f"v1/{shelf.season.root}"
    return (own, "v1/") if newest else (own,)


def _proof(proof: HourProof) -> dict[str, JsonValue]:
    return {
        "hour": format_time(proof.hour),
        "index": proof.index,
        "size": proof.size,
        "path": list(proof.path),
        "root": _value(proof.root),
        "scheme": "rfc9162-sha256",
    }


def _value(each: Compared) -> JsonValue:
    return {
        "published": _json(each.published),
        "recomputed": _json(each.recomputed),
        "verdict": each.verdict.value,
        "note": each.note,
    }


def _json(value: object) -> JsonValue:
    return value if value is None or isinstance(value, str | int) else number(value)  # type: ignore[arg-type]


def agent_files(shelf: Shelf, record: FloorAgent, *, newest: bool) -> Iterator[File]:
    """Write the record of an agent."""
    agent = record.agent
    body: dict[str, JsonValue] = {
        "arena": ARENA,
        "season": shelf.season.id,
        "agent": agent,
        "name": shelf.name(agent),
        "operator": None if record.listed is None else record.listed.operator,
        "wallet": None if record.listed is None else record.listed.wallet,
        "listed": record.reason is None,
        "reason": record.reason,
        "provisional": record.provisional,
        "values": {key: _value(each) for key, each in record.values.items()},
        "calls": _calls(record),
        "verdict": record.verdict.value,
    }
    own = f"v1/{shelf.season.root}agents/{shelf.agents[agent]}.json"
    yield agent_response(own, body)
    if newest:
        yield agent_response(f"v1/agents/{shelf.agents[agent]}/floor/record.json", body)


def _calls(record: FloorAgent) -> list[JsonValue]:
    return [
        {
            "seal": each.call.seal,
            "words": each.words,
            "p": number(each.call.p),
            "b": number(each.call.b),
            "posted_at": moment(each.call.posted_at),
            "outcome": None if each.entry is None else each.entry.outcome,
            "reason": None if each.entry is None else each.entry.reason,
            "points": _value(each.points),
            "settled_at": None if each.entry is None else moment(each.entry.settled_at),
            "labels": list(each.call.labels),
        }
        for each in record.calls
    ]


def ledger_parts(shelf: Shelf, *, newest: bool) -> int:
    """How many parts the ledger is written in."""
    return max(1, *(-(-len(each) // ROWS) for _, each in _ledgers(shelf, newest=newest)))


def ledger_files(shelf: Shelf, part: int, *, newest: bool) -> Iterator[File]:
    """Write one part of the ledger: up to a thousand entries, in order."""
    for base, entries in _ledgers(shelf, newest=newest):
        parts = max(1, -(-len(entries) // ROWS))
        if part >= parts:
            continue
        own = entries[part * ROWS : (part + 1) * ROWS]
        more = part + 1 < parts
        yield response(
            f"{base}ledger/{part}.json",
            {
                "arena": ARENA,
                "season": shelf.season.id,
                "entries": [{"body": entry_body(each), "hash": each.hash} for each in own],
                "of": len(entries),
                "part": part,
                "parts": parts,
                "next": f"{base}ledger/{part + 1}.json" if more else None,
                "roots": shelf.evidence("floor/roots.jsonl"),
            },
        )


def _ledgers(shelf: Shelf, *, newest: bool) -> Iterator[tuple[str, Sequence[Entry]]]:
    yield f"v1/{shelf.season.root}", shelf.entries
    if newest:
        yield "v1/", shelf.floor.context.tables.entries
