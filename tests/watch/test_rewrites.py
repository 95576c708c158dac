"""
Every quiet edit is found, proven and provable; no honest extension is called one.

The publishers are the demo bundles, a site of them and ARCANA's endpoints, as they are, as
they were earlier, and as somebody might have made them since.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest
from arena import faults
from fetching import tree
from publisher import (
    ARCANA,
    FLOOR,
    SHARPE,
    Files,
    demo,
    earlier_floor,
    edited,
    lines,
    listed,
    rechained,
    rows,
    season_with,
)

from verifier.core.canon import canonical_bytes
from verifier.core.merkle import check_consistency

LEDGER = "floor/ledger.jsonl"
ANCHORS = "arcana/anchors.jsonl"


def anchor_is(status: str, **members: Any) -> Callable[[list[dict[str, Any]]], None]:
    """Give the last anchor another status."""
    return lambda anchors: anchors[-1].update(status=status, **members)


def with_points(at: int, points: float) -> Callable[[list[dict[str, Any]]], None]:
    """Change the points of an entry, and chain the ledger anew."""

    def change(ledger: list[dict[str, Any]]) -> None:
        ledger[at]["body"]["points"] = points
        rechained(ledger, at)

    return change


def without(at: int) -> Callable[[list[dict[str, Any]]], None]:
    """Drop an entry, and number and chain the ledger anew."""

    def change(ledger: list[dict[str, Any]]) -> None:
        del ledger[at]
        rechained(ledger)

    return change


def last_mined_again(anchors: list[dict[str, Any]]) -> None:
    """Anchor the last root once more, under another id and in another transaction."""
    anchors.append(
        {**anchors[-1], "id": "900", "tx_hash": "0x" + "ab" * 32, "block_number": 9_999_999}
    )


def board_with(points: float) -> Files:
    """Publish a board again with another mean return."""
    files = demo(SHARPE)
    path = "sharpe/boards/calm.json"
    board = json.loads(files[path])
    board["rows"][0]["mean_return"] = points
    return listed({**files, path: canonical_bytes(board)})


REWRITES: dict[str, tuple[Callable[[], Files], Callable[[], Files], str]] = {
    "an edited entry, its hash left as it was": (
        lambda: demo(FLOOR),
        lambda: edited(
            demo(FLOOR), LEDGER, lambda ledger: ledger[17]["body"].update(outcome="hit", points=1)
        ),
        "entry of the ledger floor/17 is not what it was",
    ),
    "an edited entry, the chain built anew": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), LEDGER, with_points(17, 12.5)),
        "entry of the ledger floor/17 is not what it was",
    ),
    "the last entry dropped": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), LEDGER, lambda ledger: ledger.pop()),
        "entry of the ledger floor/343 is no longer there",
    ),
    "an entry dropped from the middle": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), LEDGER, lambda ledger: ledger.pop(100)),
        "entry of the ledger floor/100 is no longer there",
    ),
    "an entry dropped, the chain built anew": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), LEDGER, without(100)),
        "entry of the ledger floor/100 is not what it was",
    ),
    "entries in another order": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), LEDGER, lambda ledger: ledger.insert(3, ledger.pop(4))),
        "entry of the ledger floor/3 is no longer in its place",
    ),
    "an edit hidden in an extension": (
        lambda: earlier_floor(200),
        lambda: edited(demo(FLOOR), LEDGER, with_points(150, 0.5)),
        "entry of the ledger floor/150 is not what it was",
    ),
    "an hourly root": (
        lambda: demo(FLOOR),
        lambda: edited(
            demo(FLOOR), "floor/roots.jsonl", lambda all_: all_[0].update(root="0" * 64)
        ),
        "root of the hour floor/2026-11-02T08:00:00Z is not what it was",
    ),
    "a call taken back": (
        lambda: demo(FLOOR),
        lambda: edited(demo(FLOOR), "floor/calls.jsonl", lambda calls: calls.pop()),
        "call floor/",
    ),
    "a season frozen again": (
        lambda: demo(FLOOR),
        lambda: season_with(2000.5),
        "frozen season of the bundle floor/season-1 is not what it was",
    ),
    "a board published again": (
        lambda: demo(SHARPE),
        lambda: board_with(0.5),
        "file sharpe/boards/calm.json is not what it was",
    ),
    "an anchor mined in another block": (
        lambda: demo(ARCANA),
        lambda: edited(demo(ARCANA), ANCHORS, anchor_is("mined", block_number=4_000_000)),
        "anchor arcana/163 is not what it was: block_number",
    ),
    "an anchor mined in another transaction": (
        lambda: demo(ARCANA),
        lambda: edited(demo(ARCANA), ANCHORS, anchor_is("mined", tx_hash="0x" + "ab" * 32)),
        "anchor arcana/163 is not what it was: tx_hash",
    ),
    "a mined root anchored again under another id": (
        lambda: demo(ARCANA),
        lambda: edited(demo(ARCANA), ANCHORS, last_mined_again),
        "mined root arcana/",
    ),
    "a mined anchor that waits again": (
        lambda: demo(ARCANA),
        lambda: edited(demo(ARCANA), ANCHORS, anchor_is("broadcast", block_number=None)),
        "anchor arcana/163 is not what it was: block_number, status",
    ),
    "an anchor of another root": (
        lambda: edited(demo(ARCANA), ANCHORS, anchor_is("broadcast", block_number=None)),
        lambda: edited(demo(ARCANA), ANCHORS, anchor_is("mined", root="0" * 64)),
        "anchor arcana/163 is not what it was: root",
    ),
    "a score": (
        lambda: demo(ARCANA),
        lambda: edited(
            demo(ARCANA), "arcana/scores.jsonl", lambda all_: all_[-1].update(arcana_score="99.00")
        ),
        "score arcana/",
    ),
    "a decision dropped": (
        lambda: demo(ARCANA),
        lambda: edited(demo(ARCANA), "arcana/decisions.jsonl", lambda all_: all_.pop(5)),
        "decision arcana/",
    ),
}


@pytest.mark.parametrize("name", REWRITES)
def test_a_rewrite_is_found_and_proven(observer: Any, name: str) -> None:
    """Exit code 1, a sentence that names what was rewritten, and a proof that holds alone."""
    before, after, sentence = REWRITES[name]
    assert observer.sees(before()).code == 0
    kept = tree(observer.state)
    done = observer.sees(after())
    assert done.code == 1
    assert f"tallyproof: {sentence}" in done.err
    assert {path: body for path, body in tree(observer.state).items() if path in kept} == kept
    assert {path.split("/")[0] for path in tree(observer.state).keys() - kept.keys()} == {
        "rewrites"
    }
    # Everything else may go: the proof needs neither the publisher nor the observer.
    observer.folder.rename(observer.folder.with_name("gone"))
    checked = observer.checks()
    assert (checked.code, checked.err) == (0, "")
    assert sentence in checked.out
    assert sentence in (observer.state / "rewrites/1/README.md").read_text(encoding="utf-8")


EXTENSIONS: dict[str, list[Callable[[], Files]]] = {
    "a ledger that grows": [
        lambda: earlier_floor(1),
        lambda: earlier_floor(200),
        lambda: earlier_floor(201),
        lambda: demo(FLOOR),
        lambda: demo(FLOOR),
    ],
    "an anchor from signed to mined, its transaction replaced on the way": [
        lambda: edited(
            demo(ARCANA),
            ANCHORS,
            anchor_is("signed", tx_hash=None, block_number=None, mined_at=None),
        ),
        lambda: edited(
            demo(ARCANA),
            ANCHORS,
            anchor_is("broadcast", tx_hash="0x" + "ab" * 32, block_number=None, mined_at=None),
        ),
        lambda: demo(ARCANA),
    ],
    "an anchor dropped from the pool, its root anchored again": [
        lambda: edited(
            demo(ARCANA), ANCHORS, anchor_is("broadcast", block_number=None, mined_at=None)
        ),
        lambda: edited(
            demo(ARCANA), ANCHORS, anchor_is("dropped", block_number=None, mined_at=None)
        ),
        lambda: edited(
            edited(demo(ARCANA), ANCHORS, anchor_is("dropped", block_number=None, mined_at=None)),
            ANCHORS,
            lambda anchors: anchors.append({**anchors[-1], "id": "164", "status": "mined"}),
        ),
    ],
    "scores, and a decision that no longer counts": [
        lambda: edited(demo(ARCANA), "arcana/scores.jsonl", lambda all_: all_.pop()),
        lambda: edited(
            demo(ARCANA), "arcana/decisions.jsonl", lambda all_: all_[0].update(counted=False)
        ),
    ],
}


@pytest.mark.parametrize("name", EXTENSIONS)
def test_an_honest_extension_is_none(observer: Any, name: str) -> None:
    """Exit code 0 each time, and one more observation."""
    for number, files in enumerate(EXTENSIONS[name], 1):
        done = observer.sees(files())
        assert (done.code, done.err) == (0, "")
        assert len(observer.observations()) == number
    assert not (observer.state / "rewrites").exists()


def test_the_consistency_of_a_ledger_is_proven(observer: Any) -> None:
    """An observation holds the proof that the old tree begins the new one."""
    observer.sees(earlier_floor(200))
    observer.sees(demo(FLOOR))
    old, new = (json.loads(path.read_bytes())["logs"]["floor"] for path in observer.observations())
    proof = [bytes.fromhex(step) for step in new["consistency"]]
    assert (old["size"], new["old"], new["size"]) == (200, 200, 344)
    check_consistency(200, 344, proof, *(bytes.fromhex(each["root"]) for each in (old, new)))


def test_the_endpoints_of_an_arena(observer: Any) -> None:
    """Anchors and rows of the leaderboard are watched over the platform's own pages."""
    observer.arena.endpoints, observer.arena.bundle = True, False
    waiting = anchor_is("broadcast", block_number=None, mined_at=None)
    files = edited(demo(ARCANA), ANCHORS, waiting)
    assert observer.sees(files).code == 0
    assert observer.sees(demo(ARCANA)).code == 0
    done = observer.sees(edited(demo(ARCANA), ANCHORS, anchor_is("mined", block_number=4_000_000)))
    assert done.code == 1
    assert "anchor 163 is not what it was: block_number" in done.err
    assert observer.checks().code == 0
    done = observer.sees(edited(demo(ARCANA), ANCHORS, lambda anchors: anchors.pop(3)))
    assert done.code == 1
    assert "anchor 99 is no longer there" in done.err
    assert observer.checks(2).code == 0


def test_what_answers_404_is_left_out(observer: Any) -> None:
    """A document that is no longer served takes all its facts with it."""
    observer.sees(demo(FLOOR))
    files = demo(FLOOR)
    del files["floor/roots.jsonl"]
    done = observer.sees(listed(files))
    assert done.code == 1
    assert "root of the hour floor/2026-11-02T08:00:00Z is no longer there" in done.err
    assert observer.checks().code == 0
    observer.sees({})
    assert observer.looks().code == 1
    assert observer.checks(2).code == 0


def test_a_document_without_facts_is_one(observer: Any) -> None:
    """An index that is gone is an omission, though all that it led to is still served."""
    observer.sees(earlier_floor(50))
    files = earlier_floor(60)
    del files["bundle.json"]
    done = observer.sees(files)
    assert done.code == 1
    assert done.err == "tallyproof: document http://arena.example/bundle.json is no longer there\n"
    assert observer.checks().code == 0


def test_one_rewrite_is_written_once(observer: Any) -> None:
    """A second run finds the same, says so, and writes nothing; another rewrite is a second."""
    observer.sees(demo(FLOOR))
    observer.sees(edited(demo(FLOOR), LEDGER, with_points(17, 1.5)))
    kept = tree(observer.state)
    done = observer.looks()
    assert (done.code, ", known" in done.out) == (1, True)
    assert tree(observer.state) == kept
    observer.sees(edited(demo(FLOOR), LEDGER, with_points(17, 2.5)))
    assert observer.checks(2).code == 0
    assert observer.sees(demo(FLOOR)).code == 0


def test_a_publisher_in_the_middle_of_replacing(observer: Any) -> None:
    """What a second look does not show is no rewrite."""
    observer.sees(earlier_floor(200))
    observer.arena.faults.put("/floor/roots.jsonl", faults.replaced(b"", 404), 1)
    done = observer.sees(demo(FLOOR))
    assert (done.code, done.err) == (0, "")


def test_a_contradiction_that_a_second_look_does_not_show(observer: Any) -> None:
    """The same at first sight: files of two states, read at once, are no contradiction."""
    files = edited(demo(FLOOR), LEDGER, lambda ledger: ledger.pop(7))
    observer.arena.faults.put(f"/{LEDGER}", faults.replaced(files[LEDGER]), 1)
    done = observer.sees(demo(FLOOR))
    assert (done.code, done.err) == (0, "")


TWOFOLD: dict[str, Callable[[], Files]] = {
    "an anchor in two versions": lambda: edited(
        demo(ARCANA),
        ANCHORS,
        lambda anchors: anchors.append({**anchors[-1], "block_number": 1}),
    ),
    "a ledger whose chain is broken": lambda: edited(
        demo(FLOOR), LEDGER, lambda ledger: ledger[17]["body"].update(points=1)
    ),
    "a ledger with a gap": lambda: edited(demo(FLOOR), LEDGER, lambda ledger: ledger.pop(7)),
}


@pytest.mark.parametrize("name", TWOFOLD)
def test_what_cannot_be_watched(observer: Any, name: str) -> None:
    """Exit code 3 and a reason; nothing is kept, so that no wrong head is remembered."""
    done = observer.sees(TWOFOLD[name]())
    assert done.code == 3
    assert done.err.startswith("tallyproof: ")
    assert tree(observer.state) == {}


def test_lines_are_written_as_they_are_read() -> None:
    """The test's own writer changes nothing that it does not mean to."""
    files = demo(FLOOR)
    assert listed(files) == files
    assert lines(rows(files, LEDGER)) == files[LEDGER]
