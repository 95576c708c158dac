"""
Reading the four long files: rows, and the columns that other rows ask for.

A short file is read at once and its rows are held. A long one is cut into
segments, which an engine reads in any process; what comes back are columns, and
rows are read again where they are judged. A file that can only be read from its
beginning, as a member of a zip, is held whatever its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from verifier.bundle.segments import cut_off, long_line
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.errors import ChangedError, EvidenceError, UsageError
from verifier.family import Unchecked
from verifier.floor import rows
from verifier.floor.columns import (
    CallColumns,
    EntryColumns,
    EnvelopeColumns,
    SettlementColumns,
)
from verifier.floor.ledger import NO_ENTRY, Entry, read_entries
from verifier.floor.lines import Lines
from verifier.floor.plain import plain_call, plain_settlement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from verifier.bundle import Bundle
    from verifier.bundle.segments import Segment
    from verifier.core.jsonread import JsonValue
    from verifier.family import Engine
    from verifier.floor.columns import Columns
    from verifier.floor.digests import Digests
    from verifier.floor.lines import Reader

__all__ = ["CALLS", "ENVELOPES", "LEDGER", "SETTLEMENTS", "Table", "read_file", "strict"]

HELD_BYTES: Final = 2 << 20
"""A file of at most so many bytes is held as rows."""

SEGMENT: Final = 256 << 10

Row = TypeVar("Row")
Held = TypeVar("Held", bound="Columns")


class Read(NamedTuple):
    """A row, its line, and whether that was canonical."""

    number: int
    text: bytes
    row: Any
    canonical: bool


@dataclass(frozen=True, slots=True)
class Table(Generic[Row, Held]):
    """The rows of one file, and their columns."""

    rows: Sequence[Row]
    columns: Held


@dataclass(frozen=True, slots=True)
class LongFile(Generic[Row, Held]):
    """
    How a long file is read.

    Args:
        path: The file.
        columns: Makes empty columns.
        read: Reads lines in order.
        again: Reads a row again.
        beside: What *again* looks at besides the line.
        problem: Tells what else is wrong with a row.
    """

    path: str
    columns: Callable[[], Held]
    read: Callable[[Iterable[tuple[int, bytes]]], Iterator[Read]]
    again: Reader[Row]
    beside: Callable[[Held], Any]
    problem: Callable[[Row], str | None]


def strict(
    read: Callable[[int, JsonValue, bytes], Any],
    plain: Callable[[int, bytes], Any] = lambda _line, _text: None,
) -> Callable[[Any], Iterator[Read]]:
    """
    Make a reader of lines out of one of values; errors name the line.

    Args:
        read: Reads the value of any line.
        plain: Reads a canonical line, or gives None.
    """

    def reader(lines: Iterable[tuple[int, bytes]]) -> Iterator[Read]:
        for number, text in lines:
            row = plain(number, text)
            if row is not None:
                yield Read(number, text, row, True)
                continue
            try:
                value = read_json(text)
                row = read(number, value, text)
            except EvidenceError as error:
                error.line = number
                raise
            yield Read(number, text, row, canonical_bytes(value) == text)

    return reader


def _entries(lines: Iterable[tuple[int, bytes]]) -> Iterator[Read]:
    texts: list[bytes] = []

    def noted() -> Iterator[tuple[int, bytes]]:
        for number, text in lines:
            texts[:] = [text]
            yield number, text

    for entry in read_entries(noted()):
        yield Read(entry.line, texts[0], entry, entry.canonical)


def _call_again(place: int, text: bytes, _beside: object) -> rows.Call:
    known = plain_call(place + 1, text)
    return known or rows.read_call(place + 1, read_json(text), text)


def _envelope_again(place: int, text: bytes, _beside: object) -> rows.Envelope:
    return rows.read_envelope(place + 1, read_json(text), text)


def _settlement_again(place: int, text: bytes, _beside: object) -> rows.SettlementRow:
    known = plain_settlement(place + 1, text)
    return known or rows.read_settlement(place + 1, read_json(text), text)


def _entry_again(place: int, text: bytes, hashes: Digests) -> Entry:
    before = hashes.hex(place - 1) if place else NO_ENTRY
    return next(read_entries([(place + 1, text)], before))


def _nothing(_: object) -> None:
    return None


def _call_problem(call: rows.Call) -> str | None:
    if not (_ascends(call.spot) and _ascends(call.history)):
        return "the hashes of the evidence do not ascend"
    return None


def _attempt_problem(row: rows.SettlementRow) -> str | None:
    if not all(_ascends(each.source) and _ascends(each.confirm) for each in row.attempts):
        return "the hashes of an attempt do not ascend"
    return None


def _ascends(hashes: tuple[str, ...]) -> bool:
    return all(one < other for one, other in pairwise(hashes))


CALLS: Final[LongFile[rows.Call, CallColumns]] = LongFile(
    "floor/calls.jsonl",
    CallColumns,
    strict(rows.read_call, plain_call),
    _call_again,
    _nothing,
    _call_problem,
)
ENVELOPES: Final[LongFile[rows.Envelope, EnvelopeColumns]] = LongFile(
    "floor/envelopes.jsonl",
    EnvelopeColumns,
    strict(rows.read_envelope),
    _envelope_again,
    _nothing,
    _nothing,
)
SETTLEMENTS: Final[LongFile[rows.SettlementRow, SettlementColumns]] = LongFile(
    "floor/settlements.jsonl",
    SettlementColumns,
    strict(rows.read_settlement, plain_settlement),
    _settlement_again,
    _nothing,
    _attempt_problem,
)
LEDGER: Final[LongFile[Entry, EntryColumns]] = LongFile(
    "floor/ledger.jsonl",
    EntryColumns,
    _entries,
    _entry_again,
    lambda columns: columns.hashes,
    _nothing,
)

_FILES: Final[dict[str, LongFile[Any, Any]]] = {
    file.path: file for file in (CALLS, ENVELOPES, SETTLEMENTS, LEDGER)
}


def read_file(bundle: Bundle, file: LongFile[Row, Held], engine: Engine | None) -> Table[Row, Held]:
    """
    Read a long file that is there.

    Raises:
        EvidenceError: A line that is no row of the file; it names file and line.
    """
    if bundle.size(file.path) > HELD_BYTES:
        segments = bundle.segments(file.path, SEGMENT)
        if segments is not None:
            return _read_segments(bundle, file, segments, engine)
    columns = file.columns()
    held: list[Row] = []
    try:
        held += _noting(file, columns, bundle.lines(file.path), 0)
    except EvidenceError as error:
        raise error.in_file(file.path) from None
    return Table(tuple(held), columns)


def _read_segments(
    bundle: Bundle, file: LongFile[Row, Held], segments: Sequence[Segment], engine: Engine | None
) -> Table[Row, Held]:
    columns = file.columns()
    parts = (
        (_read_segment(bundle, segment) for segment in segments)
        if engine is None
        else engine.map(_read_segment, bundle, segments)
    )
    for segment, part in zip(segments, parts, strict=True):
        if isinstance(part, Unchecked):
            raise UsageError(f"{file.path}:{segment.line}: cannot be read here: {part.reason}")
        columns.extend(part)
    read_again = file.again
    lines = Lines(bundle, file.path, columns.ends, columns.lines, read_again, file.beside(columns))
    return Table(lines, columns)


def _read_segment(bundle: Bundle, segment: Segment) -> Columns:
    """Read a segment, in whatever process."""
    file = _FILES[segment.path]
    data = bundle.part(segment.path, segment.offset, segment.size)
    if sha256(data).digest() != segment.digest:
        raise ChangedError("changed after it was hashed", file=segment.path)
    columns: Columns = file.columns()
    limit = bundle.limits.line_bytes

    def lines() -> Iterator[tuple[int, bytes]]:
        *whole, rest = data.split(b"\n")
        for number, text in enumerate(whole, segment.line):
            if len(text) > limit:
                raise long_line(segment.path, number, limit)
            yield number, text
        if rest:
            end = segment.offset + segment.size
            raise cut_off(segment.path, segment.line + len(whole), end)

    try:
        for _ in _noting(file, columns, lines(), segment.offset):
            pass
    except EvidenceError as error:
        raise error.in_file(segment.path) from None
    return columns


def _noting(
    file: LongFile[Row, Held], columns: Held, lines: Iterable[tuple[int, bytes]], end: int
) -> Iterator[Row]:
    """Read rows, and note what is kept of each."""
    for read in file.read(lines):
        end += len(read.text) + 1
        place = len(columns)
        if not read.canonical:
            columns.problems.append((place, "the line is not canonical JSON"))
        problem = file.problem(read.row)
        if problem is not None:
            columns.problems.append((place, problem))
        columns.add(end, read.text, read.row)
        yield read.row
