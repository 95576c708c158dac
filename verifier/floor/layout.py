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
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError, FormatError
from verifier.findings import Finding, Verdict, Where
from verifier.floor import rows
from verifier.floor.checks.catalogue import LAYOUT
from verifier.floor.digests import DigestIndex
from verifier.floor.files import (
    CALLS,
    ENVELOPES,
    LEDGER,
    SETTLEMENTS,
    Held,
    LongFile,
    Row,
    Table,
    read_file,
    strict,
)
from verifier.floor.seasons import SEASONS, SeasonFile, read_season

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.family import Engine
    from verifier.floor.columns import (
        CallColumns,
        Columns,
        EntryColumns,
        EnvelopeColumns,
        SettlementColumns,
    )
    from verifier.floor.digests import Digests
    from verifier.floor.ledger import Entry

__all__ = ["FILES", "RULES_FILE", "AllColumns", "Indexes", "Tables", "read_tables"]

RULES_FILE: Final = "floor/rules.json"
AGENTS_FILE: Final = "floor/agents.json"


class AllColumns(NamedTuple):
    """The columns of the long files."""

    calls: CallColumns
    envelopes: EnvelopeColumns
    settlements: SettlementColumns
    entries: EntryColumns


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexes:
    """
    Where rows are, by hash.

    Args:
        calls: By seal.
        envelopes: By line.
        settlements: By call.
        records: Settlements by line.
        entries: By call.
    """

    calls: DigestIndex
    envelopes: DigestIndex
    settlements: DigestIndex
    records: DigestIndex
    entries: DigestIndex


@dataclass(frozen=True, slots=True, kw_only=True)
class Tables:
    """All rows of a bundle, in file order, and the findings about their layout."""

    rules: Mapping[str, JsonValue] | None
    agents: tuple[rows.Agent, ...]
    calls: Sequence[rows.Call]
    envelopes: Sequence[rows.Envelope]
    settlements: Sequence[rows.SettlementRow]
    entries: Sequence[Entry]
    roots: tuple[rows.Root, ...]
    raw: tuple[rows.RawLine, ...]
    seasons: tuple[SeasonFile, ...]
    findings: tuple[Finding, ...]
    columns: AllColumns
    indexes: Indexes


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


_LONG: Final = (CALLS, ENVELOPES, SETTLEMENTS, LEDGER)
_ROOTS: Final = "floor/roots.jsonl"

FILES: Final = frozenset(
    (
        RULES_FILE,
        AGENTS_FILE,
        *(file.path for file in _LONG),
        _ROOTS,
    )
)
"""All files of the folder but the season tables."""


def read_tables(bundle: Bundle, engine: Engine | None) -> Tables:
    """
    Read all files of the Floor.

    Args:
        bundle: Holds them.
        engine: Reads the segments of long files; None for this process.

    Raises:
        EvidenceError: A file or a line that is no strict JSON, or not what its
            file holds; it names file, line and member.
    """
    findings: list[Finding] = []
    rules = _object(bundle, RULES_FILE, findings)
    agents = _agents(bundle, findings)
    calls = _long(bundle, CALLS, engine)
    envelopes = _long(bundle, ENVELOPES, engine)
    settlements = _long(bundle, SETTLEMENTS, engine)
    entries = _long(bundle, LEDGER, engine)
    roots = _roots(bundle, findings)
    raw = _raw_index(bundle, findings)
    seasons = _seasons(bundle, findings)
    indexes = Indexes(
        calls=DigestIndex(calls.columns.seals),
        envelopes=DigestIndex(envelopes.columns.lines),
        settlements=DigestIndex(settlements.columns.calls),
        records=DigestIndex(settlements.columns.lines),
        entries=DigestIndex(entries.columns.calls),
    )
    findings += _close(bundle, CALLS.path, calls.columns, indexes.calls, _disorder(calls.columns))
    findings += _close(bundle, ENVELOPES.path, envelopes.columns, indexes.envelopes)
    findings += _close(bundle, SETTLEMENTS.path, settlements.columns, indexes.settlements)
    findings += _close(bundle, LEDGER.path, entries.columns, None)
    findings += _parallel(calls.columns, envelopes.columns, settlements.columns, indexes.entries)
    return Tables(
        rules=rules,
        agents=agents,
        calls=calls.rows,
        envelopes=envelopes.rows,
        settlements=settlements.rows,
        entries=entries.rows,
        roots=roots,
        raw=raw,
        seasons=seasons,
        findings=tuple(findings),
        columns=AllColumns(calls.columns, envelopes.columns, settlements.columns, entries.columns),
        indexes=indexes,
    )


def _long(bundle: Bundle, file: LongFile[Row, Held], engine: Engine | None) -> Table[Row, Held]:
    return read_file(bundle, file, engine) if bundle.has(file.path) else Table((), file.columns())


def _close(
    bundle: Bundle,
    path: str,
    columns: Columns,
    identity: DigestIndex | None,
    disorder: Iterable[int] = (),
) -> list[Finding]:
    """Say what is wrong with the form, the identity and the order of the lines of a file."""
    problems = _Problems(path)
    if not bundle.has(path):
        problems.add("the file is missing")
    for place, message in columns.problems:
        problems.add(message, place + 1)
    for place, first in () if identity is None else identity.repeated():
        problems.add(f"the row has the identity of line {first + 1}", place + 1)
    for place in disorder:
        problems.add("the line is out of order", place + 1)
    return problems.close()


def _disorder(calls: CallColumns) -> Iterator[int]:
    for place in range(1, len(calls)):
        at, before = calls.posted[place], calls.posted[place - 1]
        if at < before or (at == before and calls.seals[place] < calls.seals[place - 1]):
            yield place


def _roots(bundle: Bundle, findings: list[Finding]) -> tuple[rows.Root, ...]:
    problems = _Problems(_ROOTS)
    found: list[rows.Root] = []
    seen: dict[int, int] = {}
    if not bundle.has(_ROOTS):
        problems.add("the file is missing")
    else:
        try:
            for number, _, row, canonical in strict(rows.read_root)(bundle.lines(_ROOTS)):
                if not canonical:
                    problems.add("the line is not canonical JSON", number)
                known = seen.setdefault(row.hour, number)
                if known != number:
                    problems.add(f"the row has the identity of line {known}", number)
                if found and row.hour < found[-1].hour:
                    problems.add("the line is out of order", number)
                found.append(row)
        except EvidenceError as error:
            raise error.in_file(_ROOTS) from None
    findings += problems.close()
    return tuple(found)


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
    calls: CallColumns,
    envelopes: EnvelopeColumns,
    settlements: SettlementColumns,
    entries: DigestIndex,
) -> list[Finding]:
    """Envelopes follow the calls that name them, settlements the entries of their calls."""
    problems = _Problems(ENVELOPES.path)
    _follow(problems, envelopes.lines, DigestIndex(calls.envelopes), "a call")
    found = problems.found
    problems = _Problems(SETTLEMENTS.path)
    _follow(problems, settlements.calls, entries, "an entry")
    return found + problems.found


def _follow(problems: _Problems, lines: Digests, owners: DigestIndex, owner: str) -> None:
    last = -1
    for line in range(len(lines)):
        place = owners.first(lines[line])
        if place is None:
            problems.add(f"the line is not that of {owner}", line + 1)
            continue
        if place < last:
            problems.add(
                "the line is out of order: before it stands the line of a later one", line + 1
            )
        last = max(last, place)
