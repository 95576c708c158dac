"""What a comparison makes of every kind of change to an ARCANA bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from small_bundle import write_tree
from tiny_arena import (
    FORGED,
    FORGED_SEAL,
    MANIFEST,
    SEAL,
    TX,
    Rows,
    arena,
    manifest_path,
    rows,
)

from verifier.bundle import BundleLimits, open_bundle
from verifier.diff import Difference, Effect, diff_bundles
from verifier.errors import EvidenceError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

LATER: Final = "2026-09-21T00:00:00.000000Z"
REWRITE, UPDATE, EXTENSION = Effect.REWRITE, Effect.UPDATE, Effect.EXTENSION


def diff(
    folder: Path,
    a: Mapping[str, bytes],
    b: Mapping[str, bytes],
    limits: BundleLimits | None = None,
) -> Difference:
    """Compare two sets of files as bundles."""
    limits = limits or BundleLimits()
    with (
        open_bundle(write_tree(folder / "a", a), limits=limits) as one,
        open_bundle(write_tree(folder / "b", b), limits=limits) as other,
    ):
        return diff_bundles(one, other)


def said(difference: Difference) -> list[tuple[str, str, str | None, str | None, str | None]]:
    """Class, subject, member and values of every entry."""
    return [(e.effect.value, e.subject, e.member, e.before, e.after) for e in difference.entries]


def put(table: str, at: int, **members: Any) -> Callable[[Rows], None]:
    """Change members of one row."""
    return lambda tables: tables[table][at].update(members)


def drop(table: str) -> Callable[[Rows], None]:
    """Remove the last row."""
    return lambda tables: tables[table].__delitem__(-1)


def add(table: str, **members: Any) -> Callable[[Rows], None]:
    """Add a row like the last with other members."""
    return lambda tables: tables[table].append(tables[table][-1] | members)


def anchored(status: str, **members: Any) -> Callable[[Rows], None]:
    """Put the anchor into another status."""
    return put("anchors", 0, status=status, **members)


SCORE: Final = "score a1 2026-09-19T23:30:00.000000Z (Ember)"


@pytest.mark.parametrize(
    ("edit", "effects", "subject"),
    [
        (put("agents", 0, name="Ash", status="paused"), [UPDATE] * 2, "agent a1 (Ash)"),
        (put("agents", 0, strategy_type="buy_and_hold"), [REWRITE], "agent a1 (Ember)"),
        (drop("agents"), [REWRITE], "agent a2 (\u202eGale)"),
        (add("agents", agent_id="a3", name="New"), [EXTENSION], "agent a3 (New)"),
        (put("seasons", 0, name="One"), [UPDATE], "season One"),
        (put("seasons", 0, end=LATER), [REWRITE], "season Season One"),
        (put("snapshots", 0, nav="1.00"), [REWRITE], "snapshot p1 2026-09-19T00:00:45.000000Z"),
        (add("snapshots", ts=LATER), [EXTENSION], f"snapshot p1 {LATER}"),
        (put("decisions", 0, counted=False), [REWRITE], "decision 41"),
        (drop("decisions"), [REWRITE], "decision 42"),
        (add("decisions", id="43", ts=LATER), [EXTENSION], "decision 43"),
        (add("decisions", id="43", ts="2026-09-20T03:30:00.000000Z"), [EXTENSION], "decision 43"),
        (add("decisions", id="43", ts="2026-09-20T03:29:59.999999Z"), [REWRITE], "decision 43"),
        (add("decisions", counted=False), [REWRITE], "decision 42"),
        (put("scores", 0, risk_score="80.50"), [REWRITE], SCORE),
        (put("scores", 0, seal=None), [REWRITE], SCORE),
        (put("formulas", 0, notes="m"), [UPDATE], "formula f/v1"),
        (put("formulas", 0, constants={"w": 0.25}), [REWRITE], "formula f/v1"),
        (add("formulas", version="f/v2"), [EXTENSION], "formula f/v2"),
        (put("reputations", 0, value=0, status="measured"), [UPDATE] * 2, "reputation c1"),
        (drop("reputations"), [UPDATE], "reputation c1"),
        (add("leaderboards", category="risk"), [UPDATE], "risk board of Season One"),
        (anchored("broadcast"), [UPDATE], "anchor 7"),
        (anchored("mined", block_number=5, mined_at="x", nonce=1), [UPDATE] * 4, "anchor 7"),
        (anchored("dropped", tx_hash=None), [UPDATE] * 2, "anchor 7"),
        (put("anchors", 0, root="8" * 64), [REWRITE], "anchor 7"),
        (put("anchors", 0, leaves=[], leaf_count=0), [REWRITE] * 2, "anchor 7"),
        (add("anchors", id="8", created_at=LATER), [EXTENSION], "anchor 8"),
    ],
)
def test_class_of_a_change(
    tmp_path: Path, edit: Callable[[Rows], None], effects: list[Effect], subject: str
) -> None:
    """What may move is an update, what was only added an extension, all else a rewrite."""
    tables = rows()
    edit(tables)
    found = diff(tmp_path, arena(), arena(tables)).entries
    assert [entry.effect for entry in found] == effects
    assert {entry.subject for entry in found} == {subject}


@pytest.mark.parametrize("status", ["signed", "broadcast", "dropped"])
def test_a_mined_anchor_stays_mined(tmp_path: Path, status: str) -> None:
    """The status never goes back, and neither block nor transaction moves afterwards."""
    mined, edited = rows(), rows()
    anchored("mined", block_number=5)(mined)
    anchored(status, block_number=6, tx_hash="0x" + "c" * 64)(edited)
    found = diff(tmp_path, arena(mined), arena(edited))
    assert [(e.member, e.effect) for e in found.entries] == [
        ("/block_number", REWRITE),
        ("/status", REWRITE),
        ("/tx_hash", REWRITE),
    ]


def test_a_moved_board_is_told_by_agent(tmp_path: Path) -> None:
    """Rank and score of each agent, whatever the order of the rows."""
    tables = rows()
    first, second = tables["leaderboards"][0]["rows"]
    tables["leaderboards"][0]["rows"] = [second | {"rank": 1, "score": 70}, first | {"rank": 2}]
    assert said(diff(tmp_path, arena(), arena(tables))) == [
        ("update", "overall board of Season One", "/rows/a2/rank", "2", "1"),
        ("update", "overall board of Season One", "/rows/a2/score", "50", "70"),
        ("update", "overall board of Season One", "/rows/a1/rank", "1", "2"),
    ]


def test_a_replaced_seal_is_explained_by_its_manifests(tmp_path: Path) -> None:
    """After the row come the outputs and inputs that the two manifests state differently."""
    tables = rows()
    put("scores", 0, seal=FORGED_SEAL)(tables)
    files = {manifest_path(SEAL): None, manifest_path(FORGED_SEAL): FORGED}
    found = diff(tmp_path, arena(), arena(tables, changes=files))
    nav = "/nav_series/2026-09-10T05:00:00.123456Z/nav"
    assert said(found) == [
        ("rewrite", SCORE, "/seal", f'"{SEAL}"', f'"{FORGED_SEAL}"'),
        ("rewrite", f"manifest of {SCORE}", nav, '"100450.10"', '"100451.10"'),
        ("rewrite", f"manifest of {SCORE}", "/outputs/risk", "80.4", "80.5"),
    ]
    places = [(e.where.file, e.where.line, e.where.pointer) for e in found.entries[1:]]
    assert places == [
        (manifest_path(FORGED_SEAL), 8, "/1/nav"),
        (manifest_path(FORGED_SEAL), 11, "/risk"),
    ]


def test_a_manifest_that_cannot_be_read_is_told_by_its_bytes(tmp_path: Path) -> None:
    """A damaged manifest is a rewrite, with size and digest, and no error."""
    files = {manifest_path(SEAL): MANIFEST.replace(b"\n", b"\r\n")}
    found = diff(tmp_path, arena(), arena(changes=files)).entries
    assert [(e.effect, e.message) for e in found] == [
        (REWRITE, None),
        (REWRITE, "B has bytes that are no manifest"),
    ]
    assert found[1].before == f"{len(MANIFEST)} bytes, sha256 {SEAL}"


def test_a_manifest_that_goes_alone_is_named(tmp_path: Path) -> None:
    """A row that keeps its seal while the sealed record vanishes is no honest bundle."""
    found = diff(tmp_path, arena(), arena(changes={manifest_path(SEAL): None})).entries
    assert [(e.effect, e.subject, e.kind) for e in found] == [
        (REWRITE, f"manifest {SEAL}", "removed")
    ]


@pytest.mark.parametrize(
    ("record", "effects"),
    [
        (b'{"block":{"number":"0x1"},"receipt":{},"transaction":{"hash":"%s"}}', [UPDATE] * 2),
        (b'{"block":null,"receipt":null,"transaction":{"hash":"0x00"}}', [REWRITE]),
        (b'{ "block":null,"receipt":null,"transaction":{"hash":"%s"}}', []),
        (b"no json", [REWRITE]),
    ],
)
def test_chain_records(tmp_path: Path, record: bytes, effects: list[Effect]) -> None:
    """An answer that was missing may come later; an answer that was given stays."""
    path = f"arcana/chain/{TX}.json"
    record = record.replace(b"%s", TX.encode())
    found = diff(tmp_path, arena(), arena(changes={path: record}))
    assert [entry.effect for entry in found.entries] == effects
    assert found.respelled == (() if effects else (path,))


def test_order_and_spelling_are_no_difference(tmp_path: Path) -> None:
    """Rows in another order, or with other spaces, are named as respelled and nothing more."""
    tables = rows()
    tables["agents"].reverse()
    spaced = arena()["arcana/seasons.jsonl"].replace(b'":"', b'": "')
    found = diff(tmp_path, arena(), arena(tables, changes={"arcana/seasons.jsonl": spaced}))
    assert (found.relation, found.entries) == ("same", ())
    assert found.respelled == ("arcana/agents.jsonl", "arcana/seasons.jsonl")


def test_an_honest_later_bundle_is_an_extension(tmp_path: Path) -> None:
    """A day more: new rows and manifests, a mined anchor, moved boards, a later as_of."""
    tables = rows()
    add("decisions", id="43", ts=LATER)(tables)
    add("scores", ts=LATER, seal=FORGED_SEAL)(tables)
    anchored("mined", block_number=5)(tables)
    put("reputations", 0, value=59, status="measured")(tables)
    files = {manifest_path(FORGED_SEAL): FORGED}
    later = arena(tables, as_of="2026-09-21T03:30:00Z", changes=files)
    found = diff(tmp_path, arena(), later)
    assert (found.relation, found.keeps_history) == ("extension", True)
    assert [e.subject for e in found.entries if e.effect is EXTENSION] == [
        "decision 43",
        f"score a2 {LATER} (\u202eGale)",
    ]
    assert found.files.added == 1


def test_a_missing_row_file_that_comes_makes_no_past(tmp_path: Path) -> None:
    """A bundle without a file of rows had told nothing that they could contradict."""
    found = diff(tmp_path, arena(changes={"arcana/decisions.jsonl": None}), arena())
    assert {entry.effect for entry in found.entries} == {EXTENSION}


def test_the_index(tmp_path: Path) -> None:
    """Title and time may move, seasons may come; a frozen season never changes."""

    def season(digit: str, name: str) -> dict[str, str]:
        return {"family": "floor", "id": name, "sha256": digit * 64}

    one = arena(seasons=[season("a", "0")])
    two = arena(
        seasons=[season("b", "0"), season("c", "1")], title="x", as_of="2026-09-19T00:00:00Z"
    )
    found = diff(tmp_path, one, two).entries
    assert [(e.member, e.effect, e.message) for e in found] == [
        ("/as_of", UPDATE, "B is older than A"),
        ("/seasons/floor 0", REWRITE, None),
        ("/seasons/floor 1", EXTENSION, None),
        ("/title", UPDATE, None),
    ]


def test_files_that_no_family_explains(tmp_path: Path) -> None:
    """JSON by pointer, JSON lines by line, other files by size and digest."""
    before = {
        "x/a.json": b'{"k":[1]}',
        "x/b.jsonl": b'{"n":1}\n{"n":2}\n{"n":3}\n',
        "x/c.txt": b"one",
        "x/d.json": b"{",
        "x/e.txt": b"",
    }
    after = {
        "x/a.json": b'{"k":[2]}',
        "x/b.jsonl": b'{"n":1}\n{"n":9}\n{"n":3}\n\xff\n',
        "x/c.txt": b"two",
        "x/d.json": b"{}",
        "x/f.txt": b"",
    }
    found = diff(tmp_path, arena(changes=before), arena(changes=after))
    assert [(e.effect, e.subject, e.member) for e in found.entries] == [
        (REWRITE, "x/a.json", "/k/0"),
        (REWRITE, "x/b.jsonl line 2", "/n"),
        (EXTENSION, "x/b.jsonl line 4", None),
        (REWRITE, "x/c.txt", None),
        (REWRITE, "x/d.json", None),
        (REWRITE, "x/e.txt", None),
        (EXTENSION, "x/f.txt", None),
    ]
    assert found.entries[2].after == '"\\\\xff"'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"agent_id":"a1"}\n', r"^B: arcana/scores.jsonl:1.*member 'season_id' is missing"),
        (b"{}\n{\n", r"^B: arcana/scores.jsonl:1"),
        (b"[]\n", r"^B: arcana/scores.jsonl:1.*must be an object"),
        (b'{"agent_id":1,"season_id":"","ts":""}\n', r"^B: arcana/scores.jsonl:1.*/agent_id"),
        (b'{"agent_id":"","season_id":"","ts":"","seal":1}\n', r"^B: arcana/scores.jsonl:1.*seal"),
        (b"\n", r"^B: arcana/scores.jsonl:1"),
        (b"[" * 1000 + b"\n", r"^B: arcana/scores.jsonl:1"),
        (b"{}", r"^B: arcana/scores.jsonl"),
    ],
)
def test_bad_rows_are_one_error(tmp_path: Path, content: bytes, message: str) -> None:
    """A line that is no row is an error that names bundle, file and line."""
    with pytest.raises(EvidenceError, match=message):
        diff(tmp_path, arena(), arena(changes={"arcana/scores.jsonl": content}))


def test_too_many_differing_lines_are_refused(tmp_path: Path) -> None:
    """What has to be held is bounded by a limit of the policy."""
    with pytest.raises(LimitError, match=r"^A: x.jsonl: over 5000 bytes .*read_bytes"):
        diff(
            tmp_path,
            arena(changes={"x.jsonl": b"".join(b"%d\n" % n for n in range(3000))}),
            arena(changes={"x.jsonl": b""}),
            BundleLimits(read_bytes=5000),
        )
