r"""
Ledger entries: ``{"body":{…},"hash":H}``, H the SHA-256 of the body's canonical bytes.

``body`` has ``call``, ``entry`` (0, 1, 2…), ``final_at``, ``kind``, ``outcome``,
``points``, ``prev`` (H of the entry before; 64 zeros for entry 0), ``reason``,
``record``, ``settled_at``, ``unit``.

A line in canonical form has one spelling but for the values of those members,
so one regular expression both reads it and proves it canonical, and the hash is
taken over the body as it stands in the line. The expression leaves out what is
then compared anyway: ``hash`` with the hash recomputed, ``prev`` with the hash
of the line before. A line that does not match, or links to nothing, may still
be an entry: it is read again as any other JSON, and the strict reader says what
is wrong with it.

Source:
    floor.md section 7.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import parse_time
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError
from verifier.floor.fields import choice, digest, number_or_null, time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formulas.floor.settlement import Outcome

__all__ = ["NO_ENTRY", "Entry", "link_problem", "read_entries", "read_entry"]

NO_ENTRY: Final = "0" * 64
OUTCOMES: Final = ("hit", "miss", "void")
_MEMBERS: Final = (
    *("call", "entry", "final_at", "kind", "outcome", "points", "prev", "reason"),
    *("record", "settled_at", "unit"),
)

_HASH: Final = r'"([0-9a-f]{64})"'
_COMPARED: Final = r'"(.{64})"'
_TIME: Final = r'"([^"]{20})"'
# Numbers that are their own canonical form: at most 15 digits, no exponent, no minus zero.
_COUNT: Final = r"(0|[1-9][0-9]{0,14})"
_POINTS: Final = r"(0|-?0\.[0-9]{0,5}[1-9]|-?[1-9][0-9]{0,8}(?:\.[0-9]{0,5}[1-9])?|null)"
_LINE: Final = re.compile(
    rf'\{{"body":\{{"call":{_HASH},"entry":{_COUNT},"final_at":{_TIME},"kind":"([a-z_]{{1,16}})",'
    rf'"outcome":"(hit|miss|void)","points":{_POINTS},"prev":{_COMPARED},'
    rf'"reason":(?:null|"([a-z_]{{1,16}})"),"record":{_HASH},"settled_at":{_TIME},'
    rf'"unit":"([a-z_]{{1,16}})"\}},"hash":{_COMPARED}\}}'
)
_BEFORE_BODY: Final = len('{"body":')
_AFTER_BODY: Final = len(',"hash":""}') + 64


class Entry(NamedTuple):
    """
    One entry; a tuple, since there are millions.

    *body_sha256* is recomputed, *canonical* says whether the line was; times in ms.
    """

    line: int
    body_sha256: str
    call: str
    canonical: bool
    entry: int
    final_at: int
    hash: str
    kind: str
    outcome: Outcome
    points: Decimal | None
    prev: str
    reason: str | None
    record: str
    settled_at: int
    unit: str


def read_entry(line: int, text: bytes) -> Entry:
    """Read one line of ``ledger.jsonl`` by itself; errors as in :func:`read_entries`."""
    return next(read_entries([(line, text)]))


def read_entries(lines: Iterable[tuple[int, bytes]], before: str = NO_ENTRY) -> Iterator[Entry]:
    """
    Read the lines of ``ledger.jsonl``.

    Args:
        lines: Numbers from 1, and lines without their newline.
        before: Hash of the entry before the first of these.

    Raises:
        EvidenceError: A line is not JSON, or no entry; it names line and member.
    """
    match, make = _LINE.fullmatch, tuple.__new__
    for number, text in lines:
        found = match(text.decode("ascii", "replace"))
        entry = None
        if found is not None:
            call, place, final, kind, outcome, points, prev, reason, record, settled, unit, own = (
                found.groups()
            )
            body = sha256(text[_BEFORE_BODY:-_AFTER_BODY]).hexdigest()
            times = _moments(final, settled)
            if own == body and prev == before and times is not None:
                gained = None if points == "null" else Decimal(points)
                # Past the constructor of the named tuple, which takes as long as the hash.
                entry = make(
                    Entry,
                    (
                        number,
                        body,
                        call,
                        True,
                        int(place),
                        times[0],
                        own,
                        kind,
                        outcome,
                        gained,
                        before,  # the same text, held once
                        reason,
                        record,
                        times[1],
                        unit,
                    ),
                )
        if entry is None:
            try:
                entry = _read_slowly(number, text)
            except EvidenceError as error:
                error.line = number
                raise
        before = entry.hash
        yield entry


@lru_cache(maxsize=65_536)  # entries of one attempt have their times in common
def _moments(final: str, settled: str) -> tuple[int, int] | None:
    try:
        return parse_time(final), parse_time(settled)
    except FormulaDomainError:
        return None


def _read_slowly(line: int, text: bytes) -> Entry:
    value = read_json(text)
    obj = Obj(value, ("body", "hash"))
    body = Obj(obj.value["body"], _MEMBERS, pointer="/body")
    return Entry(
        line=line,
        body_sha256=sha256(canonical_bytes(body.value)).hexdigest(),
        call=digest(body, "call"),
        canonical=canonical_bytes(value) == text,
        entry=body.integer("entry"),
        final_at=time(body, "final_at"),
        hash=digest(obj, "hash"),
        kind=body.text("kind"),
        outcome=cast("Outcome", choice(body, "outcome", OUTCOMES)),
        points=number_or_null(body, "points"),
        prev=digest(body, "prev"),
        reason=body.text_or_null("reason"),
        record=digest(body, "record"),
        settled_at=time(body, "settled_at"),
        unit=body.text("unit"),
    )


def link_problem(entry: Entry, before: Entry | None, position: int) -> str | None:
    """
    Tell what is wrong with an entry's place in the chain.

    Args:
        entry: The entry.
        before: The entry before it; None for the first.
        position: Its place, from 0.

    Returns:
        The first thing that is wrong; None if it is linked.
    """
    if entry.body_sha256 != entry.hash:
        return "the hash is not that of the body"
    if entry.prev != (NO_ENTRY if before is None else before.hash):
        return "prev is not the hash of the entry before"
    if entry.entry != position:
        return "the number is not the entry's place"
    if before is not None and (entry.settled_at, entry.call) <= (before.settled_at, before.call):
        return "the entry is out of order: by settled_at, then by call"
    return None
