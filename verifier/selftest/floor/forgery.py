"""
Forging a Floor bundle, with all that depends on a lie tied up again.

The forger is the operator: he has every file, and no agent's key. After a lie
he names raw bodies by their new hashes, seals calls again, sorts the files,
rebuilds the chain, the roots and the season tables, and states the new hash in
``bundle.json``. What he cannot redo is a signature: a changed text or term
leaves the old one.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from formulas.floor.primitives import HOUR_MS, as_written, format_time, parse_time
from formulas.floor.season import Entry, season_table
from verifier.bundle.index import INDEX
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.floor.context import load_context
from verifier.floor.ledger import NO_ENTRY
from verifier.floor.raw import body_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from formulas.floor.rules import Rules
    from verifier.bundle import Bundle
    from verifier.floor.context import Context
    from verifier.policy import Policy
    from verifier.selftest.mutations import Changes

__all__ = ["Evidence", "Files", "Forgery", "Row", "load_evidence", "other_digit"]

Row = dict[str, Any]
TREE: Final = scheme("rfc9162-sha256")
_SEALED: Final = ("agent", "baseline", "posted_at", "terms")
_LINES: Final = ("calls", "envelopes", "settlements", "ledger", "roots")


@dataclass(frozen=True, slots=True)
class Evidence:
    """The honest bundle, as a forger knows it; *rows* by file name, never changed."""

    context: Context
    rows: Mapping[str, tuple[Row, ...]]

    @property
    def rules(self) -> Rules:
        """The rules of the bundle."""
        return self.context.rules


def load_evidence(bundle: Bundle, policy: Policy) -> Evidence:
    """
    Read the rows of a bundle.

    Raises:
        EvidenceError: A file cannot be read.
    """
    paths = {name: f"floor/{name}.jsonl" for name in _LINES} | {"raw": "raw/index.jsonl"}
    rows = {
        name: tuple(_object(text) for _, text in bundle.lines(path)) if bundle.has(path) else ()
        for name, path in paths.items()
    }
    return Evidence(load_context(bundle, policy), rows)


def _object(data: bytes) -> Row:
    value = read_json(data)
    assert isinstance(value, dict)
    return value


def _copy(row: Row) -> Row:
    return _object(canonical_bytes(row))


def other_digit(text: str) -> str:
    """Change the last hex digit of a text."""
    return text[:-1] + ("0" if text[-1] != "0" else "1")


@dataclass(frozen=True, slots=True)
class Files:
    """What is about to be written: lines and documents that the last lie may still change."""

    lines: dict[str, list[bytes]]
    documents: dict[str, Any]


class Forgery:
    """
    Changes to one bundle, collected and at the end tied up by :meth:`changes`.

    Attributes:
        calls: Rows with their envelopes, in pairs.
        settled: Ledger bodies with their settlements, in pairs.
        raw: Rows of the index.
        unsealed: Seals that are not to be redone.

    Args:
        evidence: The honest bundle.
    """

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        rows = evidence.rows
        self.calls = [
            (_copy(call), _copy(envelope))
            for call, envelope in zip(rows["calls"], rows["envelopes"], strict=False)
        ]
        self.settled = [
            (_copy(line["body"]), _copy(record))
            for line, record in zip(rows["ledger"], rows["settlements"], strict=False)
        ]
        self.raw = [_copy(row) for row in rows["raw"]]
        self.unsealed: set[str] = set()
        self._bodies: Changes = {}
        self._renamed: dict[str, str] = {}

    def entry(self, seal: str) -> tuple[Row, Row]:
        """Give the body and the settlement of a call."""
        return next(pair for pair in self.settled if pair[0]["call"] == seal)

    def body(self, old: str, content: bytes) -> None:
        """Put another body in the place of a raw response."""
        new = sha256(content).hexdigest()
        self._renamed[old] = new
        self._bodies |= {body_path(old): None, body_path(new): content}
        for row in self.raw:
            if row["sha256"] == old:
                row |= {"sha256": new, "bytes": len(content)}

    def drop(self, seal: str) -> None:
        """Leave a call without its entry and its settlement."""
        self.settled = [pair for pair in self.settled if pair[0]["call"] != seal]

    def changes(self, late: Callable[[Files], object] | None = None) -> Changes:
        """
        Tie up everything, then tell one more lie.

        Args:
            late: Changes lines or documents after all else was redone; what a season
                table then hashes to is stated.
        """
        self._rename()
        self._reseal()
        context = self.evidence.context
        calls = sorted(self.calls, key=lambda pair: (pair[0]["posted_at"], pair[0]["seal"]))
        for call, envelope in calls:
            call["envelope"] = sha256(canonical_bytes(envelope)).hexdigest()
        files = Files(
            {
                "floor/calls.jsonl": [canonical_bytes(call) for call, _ in calls],
                "floor/envelopes.jsonl": [canonical_bytes(envelope) for _, envelope in calls],
            },
            {season.path: _object(context.bundle.read(season.path)) for season in _tables(context)},
        )
        self._rebuild(files)
        index = sorted(self.raw, key=lambda row: (row["sha256"], row["fetched_at"]))
        files.lines["raw/index.jsonl"] = [canonical_bytes(row) for row in index]
        if late is not None:
            late(files)
        return self._written(files)

    def _rename(self) -> None:
        if not self._renamed:
            return

        def renamed(hashes: Iterable[str]) -> list[str]:
            return sorted(self._renamed.get(name, name) for name in hashes)

        for call, _ in self.calls:
            call["evidence"] = {name: renamed(own) for name, own in call["evidence"].items()}
        for _, record in self.settled:
            for attempt in record["attempts"]:
                attempt |= {side: renamed(attempt[side]) for side in ("source", "confirm")}

    def _reseal(self) -> None:
        redone = {}
        for call, _ in self.calls:
            if call["seal"] not in self.unsealed:
                new = sha256(canonical_bytes({name: call[name] for name in _SEALED})).hexdigest()
                redone[call["seal"]] = new
                call["seal"] = new
        for body, record in self.settled:
            # An entry of a call that there is not keeps what it says.
            body["call"] = record["call"] = redone.get(body["call"], body["call"])

    def _rebuild(self, files: Files) -> None:
        """Rebuild chain, roots and tables from the settlements."""
        self.settled.sort(key=lambda pair: (pair[0]["settled_at"], pair[0]["call"]))
        prev, records, lines = NO_ENTRY, [], []
        for number, (body, record) in enumerate(self.settled):
            written = canonical_bytes(record)
            body |= {"entry": number, "prev": prev, "record": sha256(written).hexdigest()}
            prev = sha256(canonical_bytes(body)).hexdigest()
            records.append(written)
            lines.append(canonical_bytes({"body": body, "hash": prev}))
        files.lines["floor/settlements.jsonl"] = records
        files.lines["floor/ledger.jsonl"] = lines
        files.lines["floor/roots.jsonl"] = roots_over(lines, self.evidence.context.as_of)
        heads = [
            (body["settled_at"], _object(line)["hash"])
            for (body, _), line in zip(self.settled, lines, strict=True)
        ]
        counted = list(self._counted())
        for table in files.documents.values():
            season = table["season"]
            before = [head for settled_at, head in heads if settled_at < season["end"]]
            table["ledger"] = {"entries": len(before), "head": before[-1] if before else NO_ENTRY}
            found = season_table(
                counted,
                start=parse_time(season["start"]),
                end=parse_time(season["end"]),
                rules=self.evidence.rules,
            )
            table["rows"] = [_plain(row._asdict()) for row in found.rows]
            table["unlisted"] = [_plain(row._asdict()) for row in found.unlisted]

    def _counted(self) -> Iterable[Entry]:
        calls = {call["seal"]: call for call, _ in self.calls}
        for body, _ in self.settled:
            call = calls.get(body["call"])
            # What cannot be counted is left for the checks to find.
            if call is not None and (body["points"] is None) == (body["outcome"] == "void"):
                yield Entry(
                    call["agent"],
                    body["outcome"],
                    as_written(call["terms"]["p"]),
                    None if body["points"] is None else as_written(body["points"]),
                    parse_time(body["settled_at"]),
                )

    def _written(self, files: Files) -> Changes:
        bundle = self.evidence.context.bundle
        changes: Changes = dict(self._bodies)
        for path, lines in files.lines.items():
            changes[path] = b"".join(line + b"\n" for line in lines)
        index = _object(bundle.read(INDEX))
        for path, table in files.documents.items():
            changes[path] = canonical_bytes(table)
            for season in index["seasons"]:
                if path == f"floor/seasons/{season['id']}.json":
                    season["sha256"] = sha256(canonical_bytes(table)).hexdigest()
        changes[INDEX] = canonical_bytes(index)
        return {
            path: content
            for path, content in changes.items()
            if content is None or not bundle.has(path) or bundle.read(path) != content
        }


def _tables(context: Context) -> Iterable[Any]:
    return context.tables.seasons


def _plain(members: Row) -> Row:
    return {
        name: float(value) if isinstance(value, Decimal) else value
        for name, value in members.items()
    }


def roots_over(lines: Iterable[bytes], as_of: int) -> list[bytes]:
    """Write the roots over ledger lines, for every hour that is over."""
    hours: dict[int, list[Row]] = {}
    for line in lines:
        row = _object(line)
        hour = parse_time(row["body"]["settled_at"]) // HOUR_MS * HOUR_MS
        hours.setdefault(hour, []).append(row)
    if not hours:
        return []
    written = []
    for hour in range(min(hours), as_of // HOUR_MS * HOUR_MS, HOUR_MS):
        own = hours.get(hour, [])
        found = root((TREE.leaf(bytes.fromhex(row["hash"])) for row in own), TREE)
        written.append(
            canonical_bytes(
                {
                    "entries": len(own),
                    "first": own[0]["body"]["entry"] if own else None,
                    "hour": format_time(hour),
                    "last": own[-1]["body"]["entry"] if own else None,
                    "root": found.hex(),
                }
            )
        )
    return written
