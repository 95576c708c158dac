"""
Reading ARCANA's row files, and what their layout must be (step 0).

A line that does not parse, or is no row of its file, cannot be judged and
raises. A file that is missing, a line that is not canonical JSON, a wrong
order, a repeated line or identity, a malformed time, number or seal, a seal
that two rows share and a season that is not listed are failures of
``arcana/layout`` (clarifications 2 to 5 and 42).
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from verifier.arcana import rowread, rows
from verifier.arcana.checks.catalogue import LAYOUT
from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import with_guess
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError
from verifier.findings import Finding, Verdict, Where

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

__all__ = ["ROW_FILES", "Tables", "is_time", "read_tables"]

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)
_SEAL: Final = re.compile(r"[0-9a-f]{64}\Z")
_COLUMN: Final = re.compile(r"-?(0|[1-9]\d{0,3})\.\d\d\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tables:
    """All rows of a bundle, in file order, and the findings about their layout."""

    agents: tuple[rows.Agent, ...]
    seasons: tuple[rows.Season, ...]
    snapshots: tuple[rows.SnapshotRow, ...]
    decisions: tuple[rows.DecisionRow, ...]
    scores: tuple[rows.ScoreRow, ...]
    anchors: tuple[rows.Anchor, ...]
    formulas: tuple[rows.FormulaDocument, ...]
    reputations: tuple[rows.Reputation, ...]
    boards: tuple[rows.Board, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """How one row file is read, ordered and told apart."""

    name: str
    read: Callable[[int, JsonValue], Any]
    order: Callable[[Any], Any]
    identity: Callable[[Any], Any]
    times: tuple[str, ...] = ()
    required: bool = True


_FILES: Final = (
    _File("agents", rowread.read_agent, lambda r: r.agent_id, lambda r: r.agent_id),
    _File(
        "seasons", rowread.read_season, lambda r: r.start, lambda r: r.season_id, ("start", "end")
    ),
    _File(
        "snapshots",
        rowread.read_snapshot,
        lambda r: (r.ts, r.portfolio_id),
        lambda r: (r.portfolio_id, r.ts),
        ("ts",),
    ),
    _File(
        "decisions",
        rowread.read_decision,
        lambda r: (r.ts, r.decision_id),
        lambda r: r.decision_id,
        ("ts",),
    ),
    _File(
        "scores",
        rowread.read_score,
        lambda r: (r.ts, r.agent_id, r.season_id),
        lambda r: (r.agent_id, r.season_id, r.ts),
        ("ts",),
    ),
    _File("anchors", rowread.read_anchor, lambda r: r.anchor_id, lambda r: r.anchor_id),
    _File("formulas", rowread.read_formula, lambda _: 0, lambda r: r.version),
    _File(
        "reputations",
        rowread.read_reputation,
        lambda r: r.creator_id,
        lambda r: r.creator_id,
        required=False,
    ),
    # Boards are put in order below, by the seasons; a board twice is step 10's.
    _File("leaderboards", rowread.read_board, lambda _: 0, lambda r: r.line, required=False),
)


ROW_FILES: Final = frozenset(f"arcana/{file.name}.jsonl" for file in _FILES)


class _Problems:
    """Collects what is wrong with one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Finding] = []

    def add(self, line: int | None, message: str, **values: str | None) -> None:
        self.found.append(
            Finding(
                check=LAYOUT.id,
                step=LAYOUT.step,
                subject=self.file if line is None else f"{self.file}:{line}",
                verdict=Verdict.FAIL,
                message=message,
                where=Where(self.file, line),
                **values,
            )
        )

    def findings(self) -> list[Finding]:
        return self.found or [
            Finding(
                check=LAYOUT.id,
                step=LAYOUT.step,
                subject=self.file,
                verdict=Verdict.PASS,
                message="rows are canonical, in order, and told apart",
                where=Where(self.file),
            )
        ]


def read_tables(bundle: Bundle) -> Tables:
    """
    Read all row files of a bundle.

    Raises:
        EvidenceError: A line that is no strict JSON, or no row of its file;
            it names file, line and member.
    """
    problems = {file.name: _Problems(f"arcana/{file.name}.jsonl") for file in _FILES}
    read = {file.name: _read_file(bundle, file, problems[file.name]) for file in _FILES}
    seasons = {season.season_id: index for index, season in enumerate(read["seasons"])}
    _check_seasons(read, seasons, problems)
    _check_texts(read, problems)
    _check_anchor_times(read["anchors"], problems["anchors"])
    _check_board_order(read["leaderboards"], seasons, problems["leaderboards"])
    findings = [
        finding
        for file in _FILES
        if file.required or bundle.has(problems[file.name].file)
        for finding in problems[file.name].findings()
    ]
    return Tables(
        agents=read["agents"],
        seasons=read["seasons"],
        snapshots=read["snapshots"],
        decisions=read["decisions"],
        scores=read["scores"],
        anchors=read["anchors"],
        formulas=read["formulas"],
        reputations=read["reputations"],
        boards=read["leaderboards"],
        findings=tuple(findings),
    )


def _read_file(bundle: Bundle, file: _File, problems: _Problems) -> tuple[Any, ...]:
    if not bundle.has(problems.file):
        if file.required:
            problems.add(None, "the file is missing")
        return ()
    found: list[Any] = []
    digests: set[bytes] = set()
    identities: dict[Any, int] = {}
    spelled = False
    for number, text in bundle.lines(problems.file):
        try:
            value = read_json(text)
            row = file.read(number, value)
        except EvidenceError as error:
            error.line = number
            raise error.in_file(problems.file) from None
        if canonical_bytes(value) != text:
            # Lines of one file were written by one writer: the first tells which.
            sentence = "the line is not canonical JSON"
            problems.add(number, sentence if spelled else with_guess(sentence, value, text))
            spelled = True
        digest = hashlib.sha256(text).digest()
        if digest in digests:
            problems.add(number, "the line stands twice")
        else:
            digests.add(digest)
            known = identities.setdefault(file.identity(row), number)
            if known != number:
                problems.add(number, f"the row has the identity of line {known}")
        if found and file.order(row) < file.order(found[-1]):
            problems.add(number, "the line is out of order")
        for name in file.times:
            _check_time(getattr(row, name), number, problems)
        found.append(row)
    return tuple(found)


def _check_time(text: str, line: int, problems: _Problems) -> None:
    if not is_time(text):
        problems.add(line, "a time is not YYYY-MM-DDTHH:MM:SS.ffffffZ", published=text)


def is_time(text: str) -> bool:
    """Tell whether a text is a time of a row: UTC with six digits, in the calendar."""
    if _TIME.match(text) is None:
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _check_seasons(
    read: Mapping[str, tuple[Any, ...]], seasons: Mapping[str, int], problems: dict[str, _Problems]
) -> None:
    for name in ("snapshots", "decisions", "scores", "leaderboards"):
        for row in read[name]:
            if row.season_id not in seasons:
                problems[name].add(
                    row.line, "the season is not listed in seasons.jsonl", published=row.season_id
                )
    for reputation in read["reputations"]:
        for agent in reputation.agents:
            if agent.season_id not in seasons:
                problems["reputations"].add(
                    reputation.line,
                    "the season is not listed in seasons.jsonl",
                    published=agent.season_id,
                )


def _check_texts(read: Mapping[str, tuple[Any, ...]], problems: dict[str, _Problems]) -> None:
    seals: dict[str, str] = {}
    for name, attribute in (("snapshots", "seal"), ("decisions", "commitment"), ("scores", "seal")):
        for row in read[name]:
            seal = getattr(row, attribute)
            if seal is None:
                continue
            if _SEAL.match(seal) is None:
                problems[name].add(
                    row.line, "a seal is not 64 lower-case hex digits", published=seal
                )
            here = f"{name}.jsonl:{row.line}"
            other = seals.setdefault(seal, here)
            if other != here:
                problems[name].add(row.line, f"the seal is also that of {other}", published=seal)
    for row in read["scores"]:
        _check_columns(row.columns, row.line, problems["scores"])


def _check_columns(columns: Mapping[str, str | None], line: int, problems: _Problems) -> None:
    for column, text in columns.items():
        if text is not None and _COLUMN.match(text) is None:
            problems.add(line, f"{column} is no number with two decimals", published=text)


def _check_anchor_times(anchors: Iterable[rows.Anchor], problems: _Problems) -> None:
    for anchor in anchors:
        for leaf in anchor.leaves:
            _check_time(leaf.ts, anchor.line, problems)
        for text in (anchor.created_at, anchor.mined_at):
            # Three digits here: the columns are the service's own, no manifest repeats them.
            if text is not None and not is_time(f"{text[:-1]}000Z"):
                problems.add(anchor.line, "a time is not YYYY-MM-DDTHH:MM:SS.fffZ", published=text)


def _check_board_order(
    boards: Iterable[rows.Board], seasons: Mapping[str, int], problems: _Problems
) -> None:
    categories = {category: index for index, category in enumerate(rows.CATEGORIES)}
    last = (-1, -1)
    for board in boards:
        if board.season_id not in seasons or board.category not in categories:
            continue
        place = (seasons[board.season_id], categories[board.category])
        if place < last:
            problems.add(board.line, "the board is out of order")
        last = place
