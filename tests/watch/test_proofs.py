"""A proof of a rewrite is taken for nothing but what its bytes show."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from publisher import earlier_floor, edited

from verifier.core.canon import canonical_bytes
from verifier.errors import TallyproofError
from verifier.watch.rewrite import check_rewrite

FORGERIES: dict[str, tuple[Callable[[Path], object], str]] = {
    "an edited body": (lambda folder: _append(next((folder / "bodies").rglob("?" * 64))), "hash"),
    "a body left out": (lambda folder: next((folder / "bodies").rglob("?" * 64)).unlink(), "read"),
    "before and after exchanged": (
        lambda folder: (
            (folder / "before.jsonl").rename(folder / "x"),
            (folder / "after.jsonl").rename(folder / "before.jsonl"),
            (folder / "x").rename(folder / "after.jsonl"),
        ),
        "other exchanges",
    ),
    "no rewrite at all": (
        lambda folder: (folder / "after.jsonl").write_bytes((folder / "before.jsonl").read_bytes()),
        "extends",
    ),
    "another number of changes": (lambda folder: _set(folder, total=2), "not what it says"),
    "other changes": (lambda folder: _set(folder, changes=[]), "not what it says"),
    "another address": (lambda folder: _set(folder, url="http://else.example/"), "not under"),
    "a document that was not asked for": (
        lambda folder: (folder / "after.jsonl").write_bytes(
            b"".join((folder / "after.jsonl").read_bytes().splitlines(keepends=True)[:-1])
        ),
        "what became of",
    ),
    "a pipe instead of a file": (
        lambda folder: _pipe(folder / "proof.json"),
        "is no file",
    ),
    "another record of the observer": (
        lambda folder: (folder / "observation.json").write_bytes(b'{"exchanges":[]}\n'),
        "other exchanges",
    ),
    "no proof": (lambda folder: (folder / "proof.json").write_bytes(b"{}\n"), "missing"),
    "no JSON": (lambda folder: (folder / "before.jsonl").write_bytes(b"{\n"), "before.jsonl"),
}


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _append(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")


def _set(folder: Path, **members: Any) -> None:
    path = folder / "proof.json"
    path.write_bytes(canonical_bytes({**json.loads(path.read_bytes()), **members}) + b"\n")


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_proof_does_not_hold(observer: Any, name: str) -> None:
    """Exit code 1 where it shows something else, 2 where it can't be read, and a reason."""
    observer.sees(earlier_floor(30))
    observer.sees(edited(earlier_floor(30), "floor/ledger.jsonl", lambda ledger: ledger.pop()))
    change, reason = FORGERIES[name]
    change(observer.state / "rewrites" / "1")
    done = observer.checks()
    assert done.code in {1, 2}
    assert reason in done.err
    assert done.err.count("\n") == 1


def test_the_whole_api_raises_our_errors(tmp_path: Path) -> None:
    """A folder that is none is refused by the function too."""
    with pytest.raises(TallyproofError, match="cannot be read"):
        check_rewrite(tmp_path)
