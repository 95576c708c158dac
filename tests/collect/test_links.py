"""A folder to go on in that somebody else prepared: nothing is written outside of it."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest
from arena.server import Arena
from fetching import Done, tree
from shared import FIXTURES

DEMO: Final = FIXTURES / "sharpe-demo"


def _temporary(name: str) -> str:
    return f".tallyproof-{sha256(name.encode()).hexdigest()[:16]}"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A fetch that has only begun."""
    return tmp_path / "got"


def _begun(folder: Path, url: str) -> None:
    folder.mkdir()
    state = {
        "format": "tallyproof-fetch/1",
        "result": None,
        "source": {"command": "bundle", "url": url},
        "state": "running",
    }
    (folder / "fetch.json").write_text(json.dumps(state))


LINKS: dict[str, tuple[str, bool]] = {
    "the exchanges": ("exchanges", True),
    "the bodies of one beginning": (
        f"exchanges/{sha256((DEMO / 'bundle.json').read_bytes()).hexdigest()[:2]}",
        True,
    ),
    "the index": ("exchanges/index.jsonl", False),
    "the bundle": ("bundle", True),
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_on_the_way_is_refused(
    fetch: Callable[..., Done], prepared: Path, tmp_path: Path, name: str
) -> None:
    """One line, and what it leads to is as it was."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_bytes(b"")
    path, is_folder = LINKS[name]
    with Arena(DEMO).serving() as url:
        _begun(prepared, url)
        place = prepared / path
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(outside if is_folder else outside / "precious")
        done = fetch("bundle", url, "-o", prepared)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is a link, and nothing is written through links" in done.err
    assert tree(outside) == {"precious": b""}


def test_a_link_under_the_name_of_a_temporary_file(
    fetch: Callable[..., Done], prepared: Path, tmp_path: Path
) -> None:
    """It is replaced, and what it leads to stays as it was."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    with Arena(DEMO).serving() as url:
        _begun(prepared, url)
        (prepared / _temporary("fetch.json")).symlink_to(precious)
        assert fetch("bundle", url, "-o", prepared).code == 0
    assert precious.read_text() == "mine"


@pytest.mark.parametrize(("member", "value"), [("at", "then"), ("body", "../../../etc/passwd")])
def test_an_index_that_was_edited(
    fetch: Callable[..., Done], prepared: Path, member: str, value: str
) -> None:
    """It costs an exchange more, and no more than that."""
    with Arena(DEMO).serving() as url:
        assert fetch("bundle", url, "-o", prepared).code == 0
        index = prepared / "exchanges" / "index.jsonl"
        lines = [json.loads(line) | {member: value} for line in index.read_text().splitlines()]
        index.write_text("".join(json.dumps(line) + "\n" for line in lines))
        done = fetch("bundle", url, "-o", prepared)
    assert (done.code, done.err) == (0, "")
