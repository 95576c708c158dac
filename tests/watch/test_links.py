"""A folder of observations from a repository that strangers write to: no link leads out of it."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from publisher import FLOOR, demo, earlier_floor, edited


def _temporary(name: str) -> str:
    return f".tallyproof-{sha256(name.encode()).hexdigest()[:16]}"


def _next_observation(state: Path) -> str:
    last = max((state / "observations").iterdir())
    return f"00000002-{sha256(last.read_bytes()).hexdigest()[:16]}.json"


def _in_place_of(name: str) -> Callable[[Path, Path], None]:
    def link(state: Path, outside: Path) -> None:
        place = state / name
        if place.exists():
            place.rename(outside / "moved")
            place.symlink_to(outside / "moved")
        else:
            place.symlink_to(outside)

    return link


LINKS = {name: _in_place_of(name) for name in ("bodies", "checkpoints", "observations")}
LINKS["the next heads"] = _in_place_of("checkpoints/00000002")


@pytest.mark.parametrize("name", LINKS)
def test_a_folder_that_is_a_link_is_refused(observer: Any, tmp_path: Path, name: str) -> None:
    """What it leads to is neither written to nor emptied."""
    assert observer.sees(earlier_floor(50)).code == 0
    outside = tmp_path / "outside"
    outside.mkdir()
    LINKS[name](observer.state, outside)
    (outside / "precious").write_text("mine")
    before = sorted(outside.rglob("*"))
    done = observer.sees(demo(FLOOR))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is a link, and nothing is written through links" in done.err
    assert sorted(outside.rglob("*")) == before


def test_a_link_under_the_name_of_a_temporary_file(observer: Any, tmp_path: Path) -> None:
    """It is replaced, and what it leads to stays as it was."""
    assert observer.sees(earlier_floor(50)).code == 0
    precious = tmp_path / "precious"
    precious.write_text("mine")
    name = _next_observation(observer.state)
    (observer.state / "observations" / _temporary(name)).symlink_to(precious)
    assert observer.sees(demo(FLOOR)).code == 0
    assert precious.read_text() == "mine"
    assert not (observer.state / "observations" / name).is_symlink()


def _rewritten() -> Any:
    return edited(earlier_floor(50), "floor/ledger.jsonl", lambda rows: rows[-1].update(x=1))


def test_what_a_link_among_the_heads_leads_to_is_in_no_proof(observer: Any, tmp_path: Path) -> None:
    """A proof is handed round, and nothing of the observer's own files goes with it."""
    assert observer.sees(earlier_floor(50)).code == 0
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    (observer.state / "checkpoints" / "00000001" / "x").symlink_to(secret)
    assert observer.sees(_rewritten()).code == 1
    proof = observer.state / "rewrites" / "1"
    assert observer.checks().code == 0
    for path in proof.rglob("*"):
        assert path.is_dir() or b"SECRET" not in path.read_bytes()


def test_a_rewrite_is_told_where_no_proof_can_be_written(observer: Any) -> None:
    """It is no quiet edit any more, whatever the disk says."""
    assert observer.sees(earlier_floor(50)).code == 0
    (observer.state / "rewrites").write_text("in the way")
    done = observer.sees(_rewritten())
    assert done.code == 2
    assert "entry of the ledger floor/49 is not what it was" in done.err
    assert "cannot be written" in done.err
