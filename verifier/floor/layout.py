"""
Reading the Floor's files, and what their layout must be (step 0).

A file that is no JSON, or a row that is no row of its file, cannot be judged
and raises. A file that is missing or not canonical, a wrong order, a repeated
line or identity, and hash lists that do not ascend are failures of
``floor/layout``.

=====================  ==================================================
file                   order
=====================  ==================================================
rules.json             one object
agents.json            by agent
calls.jsonl            by posted_at, then seal
envelopes.jsonl        one line a call, in the order of the calls
settlements.jsonl      in the order of the ledger
ledger.jsonl           see ``floor/ledger``
roots.jsonl            by hour
seasons/*.json         one object each
raw/index.jsonl        by sha256, then fetched_at, then the bytes of the line
=====================  ==================================================

Source:
    floor.md sections 1 to 8; floor-clarifications.md 1, 3-5, 7.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, FormatError
from verifier.findings import Finding, Verdict, Where
from verifier.floor import rows
from verifier.floor.checks.catalogue import LAYOUT
from verifier.floor.ledger import Entry, read_entries
from verifier.floor.seasons import SEASONS, SeasonFile, read_season

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

__all__ = ["FILES", "RULES_FILE", "Tables", "read_tables"]

RULES_FILE: Final = "floor/rules.json"
AGENTS_FILE: Final = "floor/agents.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All rows of a bundle, in file order, and the findings about their layout."""

    rules: Mapping[str, JsonValue] | None
    agents: tuple[rows.Agent, ...]
    calls: tuple[rows.Call, ...]
    envelopes: tuple[rows.Envelope, ...]
    settlements: tuple[rows.SettlementRow, ...]
    entries: tuple[Entry, ...]
    roots: tuple[rows.Root, ...]
    raw: tuple[rows.RawLine, ...]
    seasons: tuple[SeasonFile, ...]
    findings: tuple[Finding, ...]


@dataclass(slots=True)
class _Problems:
    """Collects what is wrong with one file; with nothing wrong it passes."""

    file: str
    found: list[Finding] = field(default_factory=list)

    def add(self, message: str, line: int | None = None, **values: str | None) -> None:
        self.say(Verdict.FAIL, message, line, **values)

    def say(
        self, verdict: Verdict, message: str, line: int | None = None, **values: str | None
    ) -> None:
        self.found.append(
            Finding(
                check=LAYOUT.id,
                step=LAYOUT.step,
                subject=self.file if line is None else f"{self.file}:{line}",
                verdict=verdict,
                message=message,
                where=Where(self.file, line),
                **values,
            )
        )

    def close(self) -> list[Finding]:
        if not self.found:
            self.say(Verdict.PASS, "canonical, in order, told apart")
        return self.found


class _Read(NamedTuple):
    line: int
    row: Any
    canonical: bool


_Reader: TypeAlias = "Callable[[Iterable[tuple[int, bytes]]], Iterator[_Read]]"


def _strict(read: Callable[[int, JsonValue, bytes], Any]) -> _Reader:
    def reader(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Read]:
        for line, text in lines:
            try:
                value = read_json(text)
                row = read(line, value, text)
            except EvidenceError as error:
                error.line = line
                raise
            yield _Read(line, row, canonical_bytes(value) == text)

    return reader


def _entries(lines: Iterable[tuple[int, bytes]]) -> Iterator[_Read]:
    for entry in read_entries(lines):
        yield _Read(entry.line, entry, entry.canonical)


@dataclass(frozen=True, slots=True)
class _File:
    """How one file of lines is read; None for what is checked elsewhere."""

    path: str
    read: _Reader
    order: Callable[[Any], Any] | None = None
    identity: Callable[[Any], Any] | None = None


_CALLS: Final = _File(
    "floor/calls.jsonl",
    _strict(rows.read_call),
    lambda call: (call.posted_at, call.seal),
    lambda call: call.seal,
)
_ENVELOPES: Final = _File(
    "floor/envelopes.jsonl", _strict(rows.read_envelope), identity=lambda row: row.sha256
)
_SETTLEMENTS: Final = _File(
    "floor/settlements.jsonl", _strict(rows.read_settlement), identity=lambda row: row.call
)
_LEDGER: Final = _File("floor/ledger.jsonl", _entries)
_ROOTS: Final = _File(
    "floor/roots.jsonl", _strict(rows.read_root), lambda row: row.hour, lambda row: row.hour
)

FILES: Final = frozenset(
    (
        RULES_FILE,
        AGENTS_FILE,
        *(file.path for file in (_CALLS, _ENVELOPES, _SETTLEMENTS, _LEDGER, _ROOTS)),
    )
)
"""All files of the folder but the season tables."""


def read_tables(bundle: Bundle) -> Tables:
    """
    Read all files of the Floor.

    Raises:
        EvidenceError: A file or a line that is no strict JSON, or not what its
            file holds; it names file, line and member.
    """
    findings: list[Finding] = []
    rules = _object(bundle, RULES_FILE, findings)
    agents = _agents(bundle, findings)
    calls = _lines(bundle, _CALLS, findings, _call_problem)
    envelopes = _lines(bundle, _ENVELOPES, findings)
    settlements = _lines(bundle, _SETTLEMENTS, findings, _attempt_problem)
    entries = _lines(bundle, _LEDGER, findings)
    roots = _lines(bundle, _ROOTS, findings)
    raw = _raw_index(bundle, findings)
    seasons = _seasons(bundle, findings)
    findings += _parallel(calls, envelopes, entries, settlements)
    return Tables(
        rules=rules,
        agents=agents,
        calls=calls,
        envelopes=envelopes,
        settlements=settlements,
        entries=entries,
        roots=roots,
        raw=raw,
        seasons=seasons,
        findings=tuple(findings),
    )


def _lines(
    bundle: Bundle,
    file: _File,
    findings: list[Finding],
    also: Callable[[Any], str | None] | None = None,
) -> tuple[Any, ...]:
    problems = _Problems(file.path)
    found: list[Any] = []
    if not bundle.has(file.path):
        problems.add("the file is missing")
    else:
        try:
            found = list(_rows(bundle, file, problems, also))
        except EvidenceError as error:
            raise error.in_file(file.path) from None
    findings += problems.close()
    return tuple(found)


def _rows(
    bundle: Bundle, file: _File, problems: _Problems, also: Callable[[Any], str | None] | None
) -> Iterator[Any]:
    """Yield the rows of a file, and say what is wrong with their form, order and identity."""
    seen: dict[Any, int] = {}
    last: Any = None
    for number, row, canonical in file.read(bundle.lines(file.path)):
        if not canonical:
            problems.add("the line is not canonical JSON", number)
        if file.identity is not None:
            known = seen.setdefault(file.identity(row), number)
            if known != number:
                problems.add(f"the row has the identity of line {known}", number)
        if file.order is not None:
            place = file.order(row)
            if last is not None and place < last:
                problems.add("the line is out of order", number)
            last = place
        problem = None if also is None else also(row)
        if problem is not None:
            problems.add(problem, number)
        yield row


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


def _value(bundle: Bundle, path: str, problems: _Problems) -> JsonValue:
    """Read a file that is one canonical JSON text; None if it is missing."""
    if not bundle.has(path):
        problems.add("the file is missing")
        return None
    data = bundle.read(path)
    try:
        value = read_json(data)
        canonical = canonical_bytes(value)
    except EvidenceError as error:
        raise error.in_file(path) from None
    if canonical != data:
        problems.add("not canonical JSON without a newline")
    return value


def _object(bundle: Bundle, path: str, findings: list[Finding]) -> Mapping[str, JsonValue] | None:
    problems = _Problems(path)
    value = _value(bundle, path, problems)
    findings += problems.close()
    if value is not None and not isinstance(value, dict):
        raise FormatError("must be an object", file=path)
    return value


def _agents(bundle: Bundle, findings: list[Finding]) -> tuple[rows.Agent, ...]:
    path = AGENTS_FILE
    problems = _Problems(path)
    value = _value(bundle, path, problems)
    agents: list[rows.Agent] = []
    if value is not None and not isinstance(value, list):
        raise FormatError("must be a list", file=path)
    for index, item in enumerate(value or ()):
        try:
            agent = rows.read_agent(index + 1, item, f"/{index}")
        except EvidenceError as error:
            raise error.in_file(path) from None
        if agents and agent.agent <= agents[-1].agent:
            problems.add("agents are not in order, or one stands twice", published=agent.agent)
        agents.append(agent)
    findings += problems.close()
    return tuple(agents)


def _raw_index(bundle: Bundle, findings: list[Finding]) -> tuple[rows.RawLine, ...]:
    path = "raw/index.jsonl"
    problems = _Problems(path)
    found: list[rows.RawLine] = []
    last: tuple[str, int, bytes] | None = None
    if not bundle.has(path):
        problems.add("the file is missing")
    else:
        for number, text in bundle.lines(path):
            try:
                value = read_json(text)
                row = rows.read_raw_line(number, value, text)
            except EvidenceError as error:
                error.line = number
                raise error.in_file(path) from None
            if canonical_bytes(value) != text:
                problems.add("the line is not canonical JSON", number)
            place = row.sha256, row.fetched_at, text
            if last is not None and place <= last:
                twice = place == last
                problems.add("the line stands twice" if twice else "out of order", number)
            last = place
            found.append(row)
    findings += problems.close()
    return tuple(found)


def _seasons(bundle: Bundle, findings: list[Finding]) -> tuple[SeasonFile, ...]:
    found = []
    for path in bundle.paths:
        if not path.startswith(SEASONS):
            continue
        problems = _Problems(path)
        if "/" in path.removeprefix(SEASONS) or not path.endswith(".json"):
            problems.add("not a season table: seasons/<id>.json")
        else:
            try:
                found.append(read_season(path, _value(bundle, path, problems)))
            except EvidenceError as error:
                raise error.in_file(path) from None
        findings += problems.close()
    return tuple(found)


def _parallel(
    calls: tuple[rows.Call, ...],
    envelopes: tuple[rows.Envelope, ...],
    entries: tuple[Entry, ...],
    settlements: tuple[rows.SettlementRow, ...],
) -> list[Finding]:
    """Envelopes follow the calls that name them, settlements the entries of their calls."""
    problems = _Problems(_ENVELOPES.path)
    places = {call.envelope: at for at, call in reversed(tuple(enumerate(calls)))}
    _follow(problems, [(row.line, places.get(row.sha256)) for row in envelopes], "a call")
    found = problems.found
    problems = _Problems(_SETTLEMENTS.path)
    places = {entry.call: at for at, entry in reversed(tuple(enumerate(entries)))}
    _follow(problems, [(row.line, places.get(row.call)) for row in settlements], "an entry")
    return found + problems.found


def _follow(problems: _Problems, lines: list[tuple[int, int | None]], owner: str) -> None:
    last = -1
    for line, place in lines:
        if place is None:
            problems.add(f"the line is not that of {owner}", line)
            continue
        if place < last:
            problems.add("the line is out of order: before it stands the line of a later one", line)
        last = max(last, place)
