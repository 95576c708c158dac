"""Steps 0, 1, 6 to 8 and 11: rules, ledger, roots, seasons and raw responses as published."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from formulas.floor.primitives import SECOND_MS, format_time, parse_time
from verifier.bundle.index import INDEX
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.floor.checks.catalogue import (
    CLOSURE,
    FINALITY,
    FLAGS,
    LAYOUT,
    LEDGER,
    RAW,
    ROOTS,
    RULES,
    SEASON,
    STANDING,
    VENUE_AGREEMENT,
)
from verifier.floor.layout import RULES_FILE
from verifier.floor.raw import body_path
from verifier.selftest.floor.forgery import Evidence, Files, Forgery, Row, other_digit
from verifier.selftest.mutations import Mutation, Rule

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.report.model import CheckInfo
    from verifier.selftest.mutations import Changes


def _lines(
    evidence: Evidence, *, path: str, change: Callable[[list[bytes]], list[bytes]], least: int = 1
) -> Changes | None:
    """Rewrite the lines of a file that has at least so many."""
    bundle = evidence.context.bundle
    lines = bundle.read(path).split(b"\n")[:-1] if bundle.has(path) else []
    if len(lines) < least:
        return None
    return {path: b"".join(line + b"\n" for line in change(lines))}


def _row(
    evidence: Evidence, *, path: str, change: Callable[[Row], object], member: str | None = None
) -> Changes | None:
    """Change the first row of a file after all else; *member* must not be null."""

    def late(files: Files) -> None:
        lines = files.lines[path]
        for index, line in enumerate(lines):
            row: Any = read_json(line)
            if member is None or row[member] is not None:
                change(row)
                lines[index] = canonical_bytes(row)
                return

    if not evidence.rows["ledger"]:
        return None
    return Forgery(evidence).changes(late)


def _body(evidence: Evidence, *, change: Callable[[Row], object]) -> Changes | None:
    """Change the first entry that settles something, and rebuild the chain over it."""
    forgery = Forgery(evidence)
    if not forgery.settled:
        return None
    change(forgery.settled[0][0])
    return forgery.changes()


def _table(evidence: Evidence, *, change: Callable[[Row], bool]) -> Changes | None:
    """Change the first season table that the change concerns, and state its new hash."""
    done: list[bool] = []

    def late(files: Files) -> None:
        done.extend([True for table in files.documents.values() if not done and change(table)][:1])

    changes = Forgery(evidence).changes(late)
    return changes if done else None


def _rules(evidence: Evidence, *, change: Callable[[Row], object]) -> Changes:
    rules: Any = read_json(evidence.context.bundle.read(RULES_FILE))
    change(rules)
    return {RULES_FILE: canonical_bytes(rules)}


def _flag_on(rules: Row) -> None:
    rules["id"] += "-flagged"
    rules["flags"]["one_operator"]["on"] = True


def _entry_removed(evidence: Evidence) -> Changes | None:
    forgery = Forgery(evidence)
    if not forgery.settled:
        return None
    forgery.drop(forgery.settled[0][0]["call"])
    return forgery.changes()


def _call_removed(evidence: Evidence) -> Changes | None:
    forgery = Forgery(evidence)
    if not forgery.settled:
        return None
    gone = forgery.settled[0][0]["call"]
    forgery.calls = [pair for pair in forgery.calls if pair[0]["seal"] != gone]
    return forgery.changes()


def _chain(evidence: Evidence, *, change: Callable[[list[bytes]], None]) -> Changes | None:
    """Change the lines of the ledger after it was tied up."""
    if len(evidence.rows["ledger"]) < 2:
        return None
    return Forgery(evidence).changes(lambda files: change(files.lines["floor/ledger.jsonl"]))


def _points_in_place(lines: list[bytes]) -> None:
    row: Any = read_json(lines[-1])
    row["body"]["kind"] = "settled"
    lines[-1] = canonical_bytes(row)


def _exchange(lines: list[bytes]) -> None:
    lines[0], lines[1] = lines[1], lines[0]


def _moved(member: str, seconds: int) -> Callable[[Row], None]:
    def change(row: Row) -> None:
        row[member] = format_time(parse_time(row[member]) + seconds * SECOND_MS)

    return change


def _standing(table: Row) -> bool:
    for row in (*table["rows"], *table["unlisted"]):
        row["standing"] = round(row["standing"] + 0.0001, 4)
        return True
    return False


def _brier(table: Row) -> bool:
    for row in table["rows"]:
        row["brier"] = round(row["brier"] + 0.000001, 6)
        return True
    return False


def _drop_row(table: Row) -> bool:
    name = "rows" if table["rows"] else "unlisted"
    if not table[name]:
        return False
    table[name] = table[name][1:]
    return True


def _more_hits(table: Row) -> bool:
    for row in table["rows"]:
        row["hits"] += 1
        row["misses"] -= 1
        return True
    return False


def _head(table: Row) -> bool:
    table["ledger"]["head"] = other_digit(table["ledger"]["head"])
    return True


def _frozen(table: Row) -> bool:
    table["frozen_at"] = format_time(parse_time(table["season"]["end"]) - SECOND_MS)
    return True


def _season_hash(evidence: Evidence) -> Changes | None:
    index: Any = read_json(evidence.context.bundle.read(INDEX))
    for season in index["seasons"]:
        if season["family"] == "floor":
            season["sha256"] = other_digit(season["sha256"])
            return {INDEX: canonical_bytes(index)}
    return None


def _body_gone(evidence: Evidence) -> Changes | None:
    for row in evidence.rows["raw"]:
        return {body_path(row["sha256"]): None}
    return None


def _body_more(evidence: Evidence) -> Changes | None:
    name = "0" * 64
    return None if not evidence.rows["raw"] else {body_path(name): b"[]"}


def _revised(evidence: Evidence) -> Changes | None:
    """Change an hour that another response holds too; none of them settles a call."""
    forgery = Forgery(evidence)
    seen: dict[str, set[int]] = {}
    for row in forgery.raw:
        body = row["request"]["body"]
        if body is None or body["type"] != "candleSnapshot" or body["req"]["interval"] != "1h":
            continue
        path = body_path(row["sha256"])
        candles: Any = read_json(evidence.context.bundle.read(path))
        known = seen.setdefault(body["req"]["coin"], set())
        for candle in candles:
            if candle["t"] in known:
                candle["h"] = str(Decimal(candle["h"]) * 2)
                forgery.body(row["sha256"], canonical_bytes(candles))
                return forgery.changes()
        known.update(candle["t"] for candle in candles)
    return None


REVISIONS_FAIL: Final = Rule(
    text='venue_revisions = "fail"',
    tighten=lambda policy: replace(policy, floor=replace(policy.floor, venue_revisions="fail")),
)


def _mutation(
    check: CheckInfo, name: str, what: str, apply: Callable[[Evidence], Changes | None]
) -> Mutation:
    return Mutation(name=name, aims_at=check.id, what=what, apply=apply)


def _turn(lines: list[bytes]) -> list[bytes]:
    return [lines[1], lines[0], *lines[2:]]


CALLS: Final = "floor/calls.jsonl"
ROOT_LINES: Final = "floor/roots.jsonl"
RAW_LINES: Final = "raw/index.jsonl"

BEFORE: Final = (
    _mutation(
        LAYOUT,
        "calls-exchanged",
        "The first two calls change places.",
        partial(_lines, path=CALLS, change=_turn, least=2),
    ),
    _mutation(
        LAYOUT,
        "call-with-space",
        "A call has a space that canonical JSON has not.",
        partial(_lines, path=CALLS, change=lambda x: [x[0].replace(b":", b": ", 1), *x[1:]]),
    ),
    _mutation(
        LAYOUT,
        "index-line-twice",
        "A line of the index of raw responses stands twice.",
        partial(_lines, path=RAW_LINES, change=lambda x: [x[0], *x]),
    ),
    _mutation(
        RULES,
        "rules-edited",
        "A known rule set admits more calls a day.",
        partial(_rules, change=lambda rules: rules["admission"].update(max_calls=7)),
    ),
    _mutation(
        FLAGS,
        "flag-switched-on",
        "A rule set that nobody knows has a season flag switched on.",
        partial(_rules, change=_flag_on),
    ),
)

AFTER: Final = (
    _mutation(
        STANDING,
        "standing-last-digit",
        "A standing is 0.0001 too high, the table hashed anew.",
        partial(_table, change=_standing),
    ),
    _mutation(
        STANDING,
        "brier-last-digit",
        "A Brier score is a millionth too high, the table hashed anew.",
        partial(_table, change=_brier),
    ),
    _mutation(
        LEDGER,
        "entry-edited",
        "The last entry is edited, its hash kept.",
        partial(_chain, change=_points_in_place),
    ),
    _mutation(
        LEDGER, "entries-exchanged", "Two entries change places.", partial(_chain, change=_exchange)
    ),
    _mutation(
        LEDGER,
        "reason-invented",
        "An entry gives a reason that its settlement does not, the chain rebuilt.",
        partial(_body, change=lambda body: body.update(reason="gate_not_met")),
    ),
    _mutation(
        LEDGER,
        "unit-changed",
        "An entry counts in another unit, the chain rebuilt.",
        partial(_body, change=lambda body: body.update(unit="credits")),
    ),
    _mutation(
        ROOTS,
        "root-changed",
        "One digit of an hourly root is changed.",
        partial(
            _row, path=ROOT_LINES, change=lambda row: row.update(root=other_digit(row["root"]))
        ),
    ),
    _mutation(
        ROOTS,
        "hour-left-out",
        "An hour has no root.",
        partial(_lines, path=ROOT_LINES, change=lambda lines: [lines[0], *lines[2:]], least=3),
    ),
    _mutation(
        ROOTS,
        "last-entry-beyond",
        "A root covers an entry more than it counts.",
        partial(
            _row,
            path=ROOT_LINES,
            change=lambda row: row.update(last=row["last"] + 1),
            member="last",
        ),
    ),
    _mutation(
        FINALITY,
        "final-early",
        "An entry is final a second early, the chain rebuilt.",
        partial(_body, change=_moved("final_at", -1)),
    ),
    _mutation(
        CLOSURE,
        "entry-removed",
        "A call has lost its entry, chain, roots and tables redone.",
        _entry_removed,
    ),
    _mutation(CLOSURE, "call-removed", "A settled call is taken away.", _call_removed),
    _mutation(
        SEASON, "row-dropped", "A row is missing from a table.", partial(_table, change=_drop_row)
    ),
    _mutation(
        SEASON, "hit-more", "A row counts a miss as a hit.", partial(_table, change=_more_hits)
    ),
    _mutation(SEASON, "other-head", "A table names another head.", partial(_table, change=_head)),
    _mutation(
        SEASON, "frozen-early", "A table is frozen before its end.", partial(_table, change=_frozen)
    ),
    _mutation(SEASON, "other-hash", "The index states another hash of a table.", _season_hash),
    _mutation(RAW, "body-gone", "One raw response is taken away.", _body_gone),
    _mutation(RAW, "body-unlisted", "A raw response is in no line of the index.", _body_more),
    _mutation(
        RAW,
        "bytes-more",
        "The index states a byte too many.",
        partial(_row, path=RAW_LINES, change=lambda row: row.update(bytes=row["bytes"] + 1)),
    ),
)

LAST: Final = (
    Mutation(
        name="candle-revised",
        aims_at=VENUE_AGREEMENT.id,
        what="One response holds another value than those beside it.",
        apply=_revised,
        rule=REVISIONS_FAIL,
    ),
)
