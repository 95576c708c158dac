"""A site is watched as a whole: seasons, their evidence, and what it says beside that."""

import json
from typing import Any

from publisher import (
    ARCANA,
    FLOOR,
    Files,
    demo,
    earlier_floor,
    listed,
    rows,
    season_with,
    site,
)

from verifier.core.canon import canonical_bytes

LEDGER = "floor/ledger.jsonl"
ANCHORS = "arcana/anchors.jsonl"
SEASON = "floor/seasons/season-1.json"


def floor_site(*names: str) -> Files:
    """Publish seasons of the Floor on a site."""
    files = demo(FLOOR)
    return site({name: (files[f"floor/seasons/{name}.json"], files) for name in names})


def test_a_site_that_gains_seasons(observer: Any) -> None:
    """A new season with later evidence is an honest extension, and so is a second arena."""
    early = earlier_floor(200)
    table = canonical_bytes({"rows": [{"agent": "a-0001", "standing": 1}]})
    full = demo(FLOOR)
    later = (full[SEASON], full)
    assert observer.sees(site({"season-0": (table, early)})).code == 0
    done = observer.sees(site({"season-0": (table, early), "season-1": later}))
    assert (done.code, done.err) == (0, "")
    assert "344 entries" in done.out
    arcana = (canonical_bytes({"rows": [{"agent_id": "a", "score": 1}]}), demo(ARCANA))
    three = site({"season-0": (table, early), "season-1": later, "x": arcana})
    assert observer.sees(three).code == 0


def test_a_site_from_its_first_day(observer: Any) -> None:
    """A site without seasons can be watched before anything is there to be rewritten."""
    assert observer.sees(site({})).code == 0
    assert observer.sees(floor_site("season-1")).code == 0
    assert observer.sees(site({})).code == 1


def test_a_season_of_a_site_frozen_again(observer: Any) -> None:
    """The record, the table and a row of it are named."""
    observer.sees(floor_site("season-1", "season-2"))
    files = season_with(2000.5)
    both = {name: (files[f"floor/seasons/{name}.json"], files) for name in ("season-1", "season-2")}
    done = observer.sees(site(both))
    assert done.code == 1
    for sentence in (
        "record of the season season-1 is not what it was",
        "table of the season floor/season-1 is not what it was",
        "row of the season floor/season-1/a-0001 is not what it was",
    ):
        assert sentence in done.err
    members = json.loads((observer.state / "rewrites/1/proof.json").read_bytes())["changes"]
    row = next(change for change in members if change["key"] == "floor/season-1/a-0001")
    assert row["members"] == [{"after": 2000.5, "before": 1166.7311, "pointer": "/standing"}]
    assert "/standing: was 1166.7311, is 2000.5" in (
        observer.state / "rewrites/1/README.md"
    ).read_text(encoding="utf-8")
    assert observer.checks().code == 0


def test_what_a_site_says_beside_its_evidence(observer: Any) -> None:
    """An edit of the ledger's pages alone is found too; at first sight it is a contradiction."""
    ledger = rows(demo(FLOOR), LEDGER)
    anchors = [{**anchor, "id": int(anchor["id"])} for anchor in rows(demo(ARCANA), ANCHORS)]
    arcana = {"x": (canonical_bytes({"rows": []}), demo(ARCANA))}
    floor = {"season-1": (demo(FLOOR)[SEASON], demo(FLOOR))}
    seasons = site({**floor, **arcana})

    def pages(points: float, block: int) -> Files:
        said = json.loads(json.dumps(ledger))
        said[17]["body"]["points"] = points
        items = [*anchors[:-1], {**anchors[-1], "block_number": block}]
        listing: list[Any] = items
        return {
            **seasons,
            "v1/ledger/0.json": canonical_bytes({"entries": said[:200], "parts": 2}),
            "v1/ledger/1.json": canonical_bytes({"entries": said[200:], "parts": 2}),
            "v1/anchors.json": canonical_bytes({"items": listing}),
        }

    points, block = ledger[17]["body"]["points"], anchors[-1]["block_number"]
    done = observer.sees(pages(points + 1, block))
    assert done.code == 3
    assert "entry of the ledger floor/17 is served in two versions" in done.err
    assert observer.sees(pages(points, block)).code == 0
    done = observer.sees(pages(points + 1, block + 1))
    assert done.code == 1
    assert "entry of the ledger floor/17 is not what it was" in done.err
    assert "anchor arcana/163 is not what it was: block_number" in done.err
    assert observer.checks().code == 0


def test_a_site_that_leaves_a_season_out(observer: Any) -> None:
    """What vanished was rewritten by leaving it out, though its evidence is still there."""
    observer.sees(floor_site("season-1", "season-2"))
    done = observer.sees(floor_site("season-2"))
    assert done.code == 1
    assert "record of the season season-1 is no longer there" in done.err
    assert observer.checks().code == 0


def test_a_ledger_cut_beside_its_old_evidence(observer: Any) -> None:
    """Newer evidence that is shorter is found, though the older is still served."""
    full, early = demo(FLOOR), earlier_floor(200)
    index = {**json.loads(early["bundle.json"]), "as_of": "2027-01-01T00:00:00Z"}
    short = listed({**early, "bundle.json": canonical_bytes(index)})
    observer.sees(site({"season-1": (full[SEASON], full)}))
    table = canonical_bytes({"rows": []})
    done = observer.sees(site({"season-1": (full[SEASON], full), "season-3": (table, short)}))
    assert done.code == 1
    assert "entry of the ledger floor/200 is no longer there" in done.err
    assert observer.checks().code == 0
