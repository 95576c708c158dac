"""
What each document of a publisher states that never changes.

A document has a *role*, which says how it is read, and a *scope*, which parts what
belongs to different arenas or seasons:

================  =====================================================  ===============
role              document                                               scope
================  =====================================================  ===============
seasons           ``v1/seasons.json`` of a site                          none
table             ``table.json`` of a season, ``floor/seasons/<id>.json``  family/season
bundle            ``bundle.json``                                        its folder
sums              ``SHA256SUMS`` of a bundle                             its folder
ledger            ``floor/ledger.jsonl``                                 arena
roots             ``floor/roots.jsonl``                                  arena
calls             ``floor/calls.jsonl``                                  arena
settlements       ``floor/settlements.jsonl``                            arena
anchors           ``arcana/anchors.jsonl``                               arena
scores            ``arcana/scores.jsonl``                                arena
decisions         ``arcana/decisions.jsonl``                             arena
snapshots         ``arcana/snapshots.jsonl``                             arena
formulas          ``arcana/formulas.jsonl``                              arena
api-ledger        a part of a site's ``v1/ledger/``                      arena
api-anchors       a page of ``/v1/anchors``                              arena or none
api-leaderboard   a page of ``/v1/leaderboard``                          none
================  =====================================================  ===============

Of ``SHA256SUMS`` under a base URL only the files that no later state of a bundle
may change are facts; a site's bundles are named by their hash, and there all are.
``counted`` of a decision is not one, since the platform may mark an artefact later.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.bundle.paths import path_fault, printable
from verifier.bundle.sums import parse_line
from verifier.core.jsonread import iter_jsonl, read_json
from verifier.core.shape import Obj, pointer_to
from verifier.errors import EvidenceError, FormatError
from verifier.watch.kinds import STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verifier.core.jsonread import JsonValue

__all__ = ["BUNDLE_FILES", "ROLES", "Record", "records"]

Record = tuple[str, str, "JsonValue"]
"""Kind, key and record of one fact."""

BUNDLE_FILES: Final[Mapping[str, str]] = {
    "floor/ledger.jsonl": "ledger",
    "floor/roots.jsonl": "roots",
    "floor/calls.jsonl": "calls",
    "floor/settlements.jsonl": "settlements",
    "arcana/anchors.jsonl": "anchors",
    "arcana/scores.jsonl": "scores",
    "arcana/decisions.jsonl": "decisions",
    "arcana/snapshots.jsonl": "snapshots",
    "arcana/formulas.jsonl": "formulas",
}
"""Files of a bundle that are read, each with its role."""

_NEVER_CHANGED: Final = ("arcana/manifests/", "floor/seasons/", "raw/", "sharpe/")
_GROWING: Final = frozenset({"raw/index.jsonl"})


def records(role: str, scope: str, body: bytes) -> Iterator[Record]:
    """
    Read the facts of a document.

    Args:
        role: How it is read; one of :data:`ROLES`.
        scope: What it belongs to; empty for none.
        body: Its bytes.

    Yields:
        Kind, key and record, in the order of the document.

    Raises:
        EvidenceError: It is not of that form.
    """
    yield from ROLES[role](scope, body)


def _seasons(_scope: str, body: bytes) -> Iterator[Record]:
    listing = Obj(read_json(body), ("seasons",), open_ended=True)
    for pointer, item in listing.items("seasons"):
        listed = Obj(item, ("record",), pointer=pointer, open_ended=True)
        record = Obj(
            listed.value["record"], ("season",), pointer=f"{pointer}/record", open_ended=True
        )
        yield "season", record.text("season"), record.value


def _table(scope: str, body: bytes) -> Iterator[Record]:
    yield "table", scope, sha256(body).hexdigest()
    table = Obj(read_json(body), (), open_ended=True)
    for part, names in (
        ("rows", ("agent", "agent_id")),
        ("unlisted", ("agent",)),
        ("boards", ("file",)),
    ):
        if part not in table.value:
            continue
        for pointer, item in table.items(part):
            row = Obj(item, (), pointer=pointer, open_ended=True)
            name = next((name for name in names if name in row.value), names[0])
            yield "row", f"{scope}/{row.text(name)}", row.value


def _bundle(scope: str, body: bytes) -> Iterator[Record]:
    index = Obj(read_json(body), ("seasons",), open_ended=True)
    for pointer, item in index.items("seasons"):
        season = Obj(item, ("family", "id", "sha256"), pointer=pointer)
        key = f"{scope}{season.text('family')}/{season.text('id')}"
        yield "frozen", key, season.text("sha256")


def _sums(scope: str, body: bytes) -> Iterator[Record]:
    try:
        lines = body.decode().split("\n")
    except UnicodeDecodeError as error:
        raise FormatError("not UTF-8", offset=error.start) from None
    if lines.pop():
        raise FormatError("does not end in a newline")
    for number, line in enumerate(lines, 1):
        pair = parse_line(line)
        if pair is None:
            raise FormatError("malformed line", line=number)
        digest, path = pair
        fault = path_fault(path)
        if fault is not None:
            raise FormatError(f"{fault}: {printable(path)}", line=number)
        if scope or (path.startswith(_NEVER_CHANGED) and path not in _GROWING):
            yield "file", scope + path, digest


def _ledger(entry: Obj) -> Iterator[Record]:
    place = pointer_to(entry.pointer, "body")
    body = Obj(entry.value.get("body"), ("entry",), pointer=place, open_ended=True)
    yield "floor/ledger", str(body.integer("entry")), entry.value


def _roots(root: Obj) -> Iterator[Record]:
    yield "floor/root", root.text("hour"), root.value


def _calls(call: Obj) -> Iterator[Record]:
    yield "floor/call", call.text("seal"), call.value


def _settlements(settlement: Obj) -> Iterator[Record]:
    yield "floor/settlement", settlement.text("call"), settlement.value


def _anchors(anchor: Obj) -> Iterator[Record]:
    key = anchor.text("id")
    yield from _anchor(anchor, key)
    yield "arcana/leaves", key, [item for _, item in anchor.items("leaves")]


def _anchor(anchor: Obj, key: str) -> Iterator[Record]:
    status = anchor.text("status")
    if status not in STATUSES:
        raise FormatError("is no status of an anchor", pointer=f"{anchor.pointer}/status")
    said: dict[str, JsonValue] = {
        "block_number": anchor.integer_or_null("block_number"),
        "chain_id": anchor.integer("chain_id"),
        "leaf_count": anchor.integer("leaf_count"),
        "mined_at": anchor.text_or_null("mined_at"),
        "root": anchor.text("root"),
        "scheme": anchor.text("scheme"),
        "sender": anchor.text("sender").lower(),
        "status": status,
        "tx_hash": anchor.text_or_null("tx_hash"),
    }
    yield "arcana/anchor", key, said
    if status == "mined":
        mined: dict[str, JsonValue] = {
            "anchor": key,
            "block_number": said["block_number"],
            "tx_hash": said["tx_hash"],
        }
        yield "arcana/mined", anchor.text("root"), mined


def _scores(row: Obj) -> Iterator[Record]:
    key = "/".join(row.text(name) for name in ("season_id", "agent_id", "ts"))
    yield "arcana/score", key, row.value


def _decisions(row: Obj) -> Iterator[Record]:
    said = {name: value for name, value in row.value.items() if name != "counted"}
    yield "arcana/decision", row.text("id"), said


def _snapshots(row: Obj) -> Iterator[Record]:
    yield "arcana/snapshot", f"{row.text('portfolio_id')}/{row.text('ts')}", row.value


def _formulas(formula: Obj) -> Iterator[Record]:
    yield "arcana/formula", formula.text("version"), formula.mapping("constants")


def _api_ledger(scope: str, body: bytes) -> Iterator[Record]:
    part = Obj(read_json(body), ("entries",), open_ended=True)
    for pointer, item in part.items("entries"):
        entry = Obj(item, ("body", "hash"), pointer=pointer, open_ended=True)
        for kind, key, record in _ledger(entry):
            yield kind, _scoped(scope, key), record


def _api_anchors(scope: str, body: bytes) -> Iterator[Record]:
    page = Obj(read_json(body), ("items",), open_ended=True)
    for pointer, item in page.items("items"):
        anchor = Obj(item, ("id",), pointer=pointer, open_ended=True)
        for kind, key, record in _anchor(anchor, str(anchor.integer("id"))):
            yield kind, _scoped(scope, key), record


def _api_leaderboard(_scope: str, body: bytes) -> Iterator[Record]:
    page = Obj(read_json(body), ("items", "season"), open_ended=True)
    season = Obj(page.value["season"], ("id",), pointer="/season", open_ended=True).text("id")
    for pointer, item in page.items("items"):
        row = Obj(item, ("agent_id",), pointer=pointer, open_ended=True)
        as_of = row.text_or_null("as_of")
        if as_of is not None:
            said = {name: row.value.get(name) for name in ("ranked", "score", "scores")}
            yield "arcana/board", f"{season}/{row.text('agent_id')}/{as_of}", said


def _lines(
    read: Callable[[Obj], Iterator[Record]],
) -> Callable[[str, bytes], Iterator[Record]]:
    """Read a file of JSON lines by reading each."""

    def whole(scope: str, body: bytes) -> Iterator[Record]:
        for number, _, value in iter_jsonl(body):
            try:
                for kind, key, record in read(Obj(value, (), open_ended=True)):
                    yield kind, _scoped(scope, key), record
            except EvidenceError as error:
                error.line = number
                raise

    return whole


def _scoped(scope: str, key: str) -> str:
    return f"{scope}/{key}" if scope else key


ROLES: Final[Mapping[str, Callable[[str, bytes], Iterator[Record]]]] = {
    "seasons": _seasons,
    "table": _table,
    "bundle": _bundle,
    "sums": _sums,
    "ledger": _lines(_ledger),
    "roots": _lines(_roots),
    "calls": _lines(_calls),
    "settlements": _lines(_settlements),
    "anchors": _lines(_anchors),
    "scores": _lines(_scores),
    "decisions": _lines(_decisions),
    "snapshots": _lines(_snapshots),
    "formulas": _lines(_formulas),
    "api-ledger": _api_ledger,
    "api-anchors": _api_anchors,
    "api-leaderboard": _api_leaderboard,
}
"""How each role is read."""
