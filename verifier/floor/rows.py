"""
The rows of the Floor's evidence, as frozen values.

Times are milliseconds since 1970, numbers exact decimals, hashes texts of 64
lower-case hex digits. A row of another shape cannot be judged and raises
:class:`~verifier.errors.FormatError`, which names the member. The members are
those of floor.md sections 2, 5, 7, 8 and 10; ledger entries, the longest file,
are read by :mod:`verifier.floor.ledger`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.shape import Obj
from verifier.errors import FormatError
from verifier.floor.fields import (
    address,
    choice,
    digest,
    digests,
    number,
    time,
)
from verifier.floor.terms import read_terms

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from formulas.floor.terms import Terms
    from verifier.core.jsonread import JsonValue

__all__ = [
    "OUTCOMES",
    "RESULTS",
    "SEALED",
    "Agent",
    "AttemptRow",
    "Call",
    "Decider",
    "Envelope",
    "RawLine",
    "Root",
    "SettlementRow",
    "read_agent",
    "read_call",
    "read_envelope",
    "read_raw_line",
    "read_root",
    "read_settlement",
]

RESULTS: Final = ("settled", "data_gap", "unconfirmed")
OUTCOMES: Final = ("hit", "miss", "void")
VENUES: Final = ("hyperliquid", "coinbase")
METHODS: Final = ("GET", "POST")


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent; *line* is its place in the list, from 1."""

    line: int
    agent: str
    name: str
    operator: str
    wallet: str


@dataclass(frozen=True, slots=True)
class Call:
    """
    One call.

    *sealed* and *signed* are hashes recomputed from the row: of the four sealed
    members, and of claim, note and terms. *deadline* is the terms' own member,
    which in a conditional must be that of its inner terms.
    """

    line: int
    agent: str
    b: Decimal
    version: str
    claim: str
    deadline: int
    envelope: str
    history: tuple[str, ...]
    labels: tuple[str, ...]
    note: str | None
    p: Decimal
    posted_at: int
    seal: str
    sealed: str
    signed: str
    spot: tuple[str, ...]
    terms: Terms


@dataclass(frozen=True, slots=True)
class Envelope:
    """One signed message; *sha256* is that of its line without the newline."""

    line: int
    address: str
    message: str
    sha256: str
    signature: str


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt at settling a call, with the hashes of its responses."""

    at: int
    confirm: tuple[str, ...]
    result: str
    source: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decider:
    """What decided: *at* in ms, values as they are written."""

    at: int
    confirm: str | None
    source: str


@dataclass(frozen=True, slots=True)
class SettlementRow:
    """How one call was settled; *sha256* is that of its line without the newline."""

    line: int
    attempts: tuple[AttemptRow, ...]
    call: str
    deciding: Decider | None
    outcome: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Root:
    """The tree over one hour's entries."""

    line: int
    entries: int
    first: int | None
    hour: int
    last: int | None
    root: str


@dataclass(frozen=True, slots=True)
class RawLine:
    """What is known about one raw response besides its body; *key* is the hash of the line."""

    line: int
    key: bytes
    size: int
    fetched_at: int
    body: Mapping[str, JsonValue] | None
    method: str
    url: str
    sha256: str
    status: int
    venue: str


def read_agent(place: int, value: JsonValue, pointer: str) -> Agent:
    """Read one agent of ``agents.json``."""
    obj = Obj(value, ("agent", "name", "operator", "wallet"), pointer=pointer)
    return Agent(
        place,
        intern(obj.text("agent")),
        obj.text("name"),
        intern(obj.text("operator")),
        address(obj, "wallet"),
    )


SEALED: Final = ("agent", "baseline", "posted_at", "terms")
"""Members of a call that its seal covers."""

_CALL: Final = ("agent", "baseline", "claim", "envelope", "evidence", "labels", "note")
_SEALED: Final = ("posted_at", "seal", "terms")


def read_call(line: int, value: JsonValue, _text: bytes) -> Call:
    """Read one line of ``calls.jsonl``."""
    obj = Obj(value, (*_CALL, *_SEALED))
    baseline = Obj(obj.value["baseline"], ("b", "version"), pointer="/baseline")
    evidence = Obj(obj.value["evidence"], ("history", "spot"), pointer="/evidence")
    labels = []
    for pointer, label in obj.items("labels"):
        if not isinstance(label, str):
            raise FormatError("must be a text", pointer=pointer)
        labels.append(intern(label))
    sealed = read_terms(obj.value["terms"], "/terms")
    row, seal = obj.value, intern(digest(obj, "seal"))
    whole = _hash({name: row[name] for name in SEALED})
    return Call(
        line=line,
        agent=intern(obj.text("agent")),
        b=number(baseline, "b"),
        version=intern(baseline.text("version")),
        claim=obj.text("claim"),
        deadline=sealed.deadline,
        envelope=intern(digest(obj, "envelope")),
        history=_shared(digests(evidence, "history")),
        labels=tuple(labels),
        note=obj.text_or_null("note"),
        p=sealed.p,
        posted_at=time(obj, "posted_at"),
        seal=seal,
        # One text, if both say the same.
        sealed=seal if whole == seal else whole,
        signed=_hash({name: row[name] for name in ("claim", "note", "terms")}),
        spot=_shared(digests(evidence, "spot")),
        terms=sealed.terms,
    )


def _hash(value: JsonValue) -> str:
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def _shared(hashes: tuple[str, ...]) -> tuple[str, ...]:
    # Calls name the same responses over and over.
    return tuple(map(intern, hashes))


def read_envelope(line: int, value: JsonValue, text: bytes) -> Envelope:
    """Read one line of ``envelopes.jsonl``."""
    obj = Obj(value, ("address", "message", "signature"))
    return Envelope(
        line,
        intern(address(obj, "address")),
        obj.text("message"),
        intern(hashlib.sha256(text).hexdigest()),
        obj.text("signature"),
    )


def read_settlement(line: int, value: JsonValue, text: bytes) -> SettlementRow:
    """Read one line of ``settlements.jsonl``."""
    obj = Obj(value, ("attempts", "call", "deciding", "outcome"))
    attempts = []
    for pointer, item in obj.items("attempts"):
        attempt = Obj(item, ("at", "confirm", "result", "source"), pointer=pointer)
        attempts.append(
            AttemptRow(
                time(attempt, "at"),
                _shared(digests(attempt, "confirm")),
                choice(attempt, "result", RESULTS),
                _shared(digests(attempt, "source")),
            )
        )
    if not attempts:
        raise FormatError("must hold an attempt", pointer="/attempts")
    decider = None
    if obj.value["deciding"] is not None:
        deciding = Obj(obj.value["deciding"], ("at", "confirm", "source"), pointer="/deciding")
        decider = Decider(
            time(deciding, "at"), deciding.text_or_null("confirm"), deciding.text("source")
        )
    return SettlementRow(
        line,
        tuple(attempts),
        intern(digest(obj, "call")),
        decider,
        choice(obj, "outcome", OUTCOMES),
        hashlib.sha256(text).hexdigest(),
    )


def read_root(line: int, value: JsonValue, _text: bytes) -> Root:
    """Read one line of ``roots.jsonl``."""
    obj = Obj(value, ("entries", "first", "hour", "last", "root"))
    return Root(
        line,
        obj.integer("entries"),
        obj.integer_or_null("first"),
        time(obj, "hour"),
        obj.integer_or_null("last"),
        digest(obj, "root"),
    )


def read_raw_line(line: int, value: JsonValue, text: bytes) -> RawLine:
    """Read one line of ``raw/index.jsonl``."""
    obj = Obj(value, ("bytes", "fetched_at", "request", "sha256", "status", "venue"))
    request = Obj(obj.value["request"], ("body", "method", "url"), pointer="/request")
    body = request.value["body"]
    return RawLine(
        line,
        hashlib.sha256(text).digest(),
        obj.integer("bytes"),
        time(obj, "fetched_at"),
        None if body is None else request.mapping("body"),
        choice(request, "method", METHODS),
        request.text("url"),
        intern(digest(obj, "sha256")),
        obj.integer("status"),
        choice(obj, "venue", VENUES),
    )
