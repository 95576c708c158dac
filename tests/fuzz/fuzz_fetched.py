"""
What is fetched: answers of ARCANA's endpoints, the list of a site, and the folder of a fetch.

An input whose first line is ``index``, ``state`` or ``body`` takes the place of that file
of a fetch that was interrupted: it goes on with what was written, or is refused. Any other
is read as every answer there is, held against itself and against a bundle.
"""

import atexit
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from small_bundle import write_tree
from tiny_arena import MANIFEST, SEAL, arena

from verifier.arcana.layout import read_tables
from verifier.bundle import open_bundle
from verifier.collect import arcana_answers as answers
from verifier.collect.arcana_check import (
    Beside,
    check_anchor_alone,
    check_leaf,
    check_score_alone,
)
from verifier.collect.port import Exchange, Request
from verifier.collect.site import read_seasons
from verifier.collect.store import Store
from verifier.core.jsonread import JsonValue, read_json
from verifier.errors import EvidenceError, UsageError

ROOT: Final = Path(mkdtemp(prefix="tallyproof-"))
atexit.register(shutil.rmtree, ROOT)
BUNDLE: Final = open_bundle(write_tree(ROOT / "bundle", arena()))
TABLES: Final = read_tables(BUNDLE)
FOLDER: Final = ROOT / "fetch"
SOURCE: Final[dict[str, JsonValue]] = {"kind": "bundle", "url": "http://arena.example/"}
ASKED: Final = Request("GET", "http://arena.example/bundle.json")
BODY: Final = b"{}"


def interrupted() -> dict[bytes, Path]:
    """A fetch that has one answer, and the files that it left."""
    with Store(FOLDER, SOURCE) as store:
        store.record(Exchange(ASKED, ASKED.url, 200, (("etag", "1"),), 10**12, BODY))
    return {
        b"index": FOLDER / "exchanges" / "index.jsonl",
        b"state": FOLDER / "fetch.json",
        b"body": next((FOLDER / "exchanges").rglob("?" * 64)),
    }


PLACES: Final = interrupted()


def one_input(data: bytes) -> None:
    """Go on with a folder that holds *data*, or take it for an answer."""
    name, _, content = data.partition(b"\n")
    if name in PLACES:
        go_on(PLACES[name], content)
        return
    with suppress(EvidenceError):
        for season in read_seasons(data):
            assert season.folder.startswith("seasons/")
            assert ".." not in season.folder + season.evidence
    with suppress(EvidenceError):
        told(read_json(data, big_integers="keep"))


def go_on(place: Path, content: bytes) -> None:
    """Open the folder; an answer that it still has is the one that was given."""
    kept = place.read_bytes()
    place.write_bytes(content)
    try:
        with suppress(EvidenceError, UsageError), Store(FOLDER, SOURCE) as store:
            found = store.find(ASKED)
            assert found is None or found.body == BODY
            assert not store.done or place == PLACES[b"state"]
    finally:
        place.write_bytes(kept)


def told(value: JsonValue) -> None:
    """Read an answer as each kind, and hold it against what is known."""
    beside = Beside(BUNDLE, TABLES)
    with suppress(EvidenceError):
        score = answers.read_score(value)
        manifest, wrong = check_score_alone("score", score, "a1")
        if manifest is not None:
            wrong += beside.score("score", score, manifest)
        assert wrong or score.manifest in (None, MANIFEST)
    with suppress(EvidenceError):
        anchor = answers.read_anchor(value)
        assert all(map(str, [*check_anchor_alone(anchor), *beside.anchor(anchor)]))
    with suppress(EvidenceError):
        leaf = answers.read_leaf(value)
        assert all(check_leaf(seal, leaf, each) for seal in ("", "x") for each in TABLES.anchors)
        check_leaf(SEAL, leaf, TABLES.anchors[0])
    with suppress(EvidenceError):
        beside.formula(answers.read_formula(value))
    with suppress(EvidenceError):
        beside.reputation(answers.read_reputation(value))
    with suppress(EvidenceError):
        answers.read_anchor_ids(value)
    with suppress(EvidenceError):
        page = answers.read_board_page(value)
        board = answers.read_board(page.season_id, "overall", page.rows)
        latest = max(page.times, default=None)
        beside.board(answers.BoardAnswer(board=board, creators=page.creators, latest=latest))
