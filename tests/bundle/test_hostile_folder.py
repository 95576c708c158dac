"""Directories made to harm their reader are refused before a byte of theirs is used."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

import pytest
from small_bundle import sound, write_tree

from verifier.bundle import BundleLimits, open_bundle
from verifier.errors import BundleError, ChangedError, LimitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A sound bundle, to be damaged."""
    return write_tree(tmp_path / "b", sound())


def _link(root: Path) -> None:
    (root / "arcana" / "bad").symlink_to("agents.jsonl")


def _dangling_link(root: Path) -> None:
    (root / "arcana" / "bad").symlink_to("/nowhere")


def _folder_link(root: Path) -> None:
    (root / "arcana" / "bad").symlink_to(root.parent, target_is_directory=True)


def _pipe(root: Path) -> None:
    os.mkfifo(root / "arcana" / "bad")


def _socket(root: Path) -> None:
    here = os.open(root / "arcana", os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        # By way of the open folder: a socket's address must be short.
        listener.bind(f"/proc/self/fd/{here}/bad")
    os.close(here)


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (_link, "a symbolic link"),
        (_dangling_link, "a symbolic link"),
        (_folder_link, "a symbolic link"),
        (_pipe, "a pipe"),
        (_socket, "a socket"),
    ],
)
def test_special_files_are_refused(root: Path, damage: Callable[[Path], None], what: str) -> None:
    """A link, pipe or socket anywhere refuses the bundle and is named."""
    damage(root)
    with pytest.raises(BundleError, match=f"is {what}") as caught:
        open_bundle(root)
    assert caught.value.file == "arcana/bad"


def test_the_bundle_itself_may_be_a_link(root: Path) -> None:
    """The caller named it, so it is the caller's link."""
    (root.parent / "latest").symlink_to(root)
    with open_bundle(root.parent / "latest") as bundle:
        assert bundle.problems == ()


@pytest.mark.parametrize(
    ("name", "reason", "shown"),
    [
        (b"caf\xe9", "not UTF-8", r"caf\udce9"),
        (b"two\nlines", "a control character", r"two\nlines"),
        (b"tab\there", "a control character", r"tab\there"),
        ("next\x85line".encode(), "a control character", r"next\x85line"),
        ("line\u2028end".encode(), "a control character", r"line\u2028end"),
    ],
)
def test_names_that_cannot_be_listed(root: Path, name: bytes, reason: str, shown: str) -> None:
    """A name that a list of lines cannot hold is refused, and shown escaped."""
    with open(os.path.join(os.fsencode(root), name), "wb"):  # noqa: PTH118, PTH123  # no text
        pass
    with pytest.raises(BundleError, match=reason) as caught:
        open_bundle(root)
    assert caught.value.file == shown


@pytest.mark.parametrize(
    ("one", "other", "refused"),
    [
        ("arcana/X.json", "arcana/x.json", "arcana/x.json"),
        ("Raw/a", "raw/b", "raw"),
        ("stra\u00dfe", "STRASSE", "stra\u00dfe"),
        ("caf\u00e9", "cafe\u0301", "caf\u00e9"),
        ("CAFE\u0301", "caf\u00e9", "caf\u00e9"),
    ],
)
def test_names_that_collide(root: Path, one: str, other: str, refused: str) -> None:
    """Two names that are one file on some file system are refused, folders included."""
    for name in (one, other):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    with pytest.raises(BundleError, match="differs only by case or normalisation") as caught:
        open_bundle(root)
    assert caught.value.file == refused


def test_huge_file_is_refused_unread(root: Path) -> None:
    """Ten gigabytes are refused by their size alone, at once."""
    with (root / "arcana" / "huge").open("wb") as file:
        file.truncate(10 << 30)
    begin = time.perf_counter()
    with pytest.raises(LimitError, match="limit file_bytes") as caught:
        open_bundle(root)
    assert time.perf_counter() - begin < 2
    assert caught.value.file == "arcana/huge"


def test_huge_archive_is_refused_unread(tmp_path: Path) -> None:
    """The same as a file that should be an archive."""
    path = tmp_path / "b.zip"
    with path.open("wb") as file:
        file.truncate(10 << 30)
    with pytest.raises(BundleError, match="no directory, zip"):
        open_bundle(path)


def test_deep_folders_are_refused(tmp_path: Path) -> None:
    """A chain of folders ends at the limit, whatever its length."""
    root = write_tree(tmp_path / "b", sound())
    os.makedirs(root / "/".join("d" * 400))  # noqa: PTH103  # Path.mkdir recurses per folder
    with pytest.raises(LimitError, match="limit path_parts"):
        open_bundle(root)


def test_many_empty_folders_are_counted(root: Path) -> None:
    """Folders without files count too."""
    for at in range(50):
        (root / f"d{at}").mkdir()
    with pytest.raises(LimitError, match="limit files"):
        open_bundle(root, limits=BundleLimits(files=50))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
@pytest.mark.parametrize("name", ["arcana/agents.jsonl", "arcana/manifests", "bundle.json"])
def test_unreadable(root: Path, name: str) -> None:
    """A file or folder without permission is an error that names it."""
    (root / name).chmod(0)
    try:
        with pytest.raises(BundleError, match="Permission denied") as caught:
            open_bundle(root)
    finally:
        (root / name).chmod(0o700)
    assert caught.value.file == name


def test_a_refusing_system(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the operating system does not hand out is an error with its own words."""
    really_open = os.open

    def refuse(name: str, flags: int, **given: int | None) -> int:
        if name == "agents.jsonl":
            raise PermissionError(13, "Permission denied")
        return really_open(name, flags, **given)  # type: ignore[arg-type]  # dir_fd alone

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(BundleError, match="cannot be read: Permission denied") as caught:
        open_bundle(root)
    assert caught.value.file == "arcana/agents.jsonl"


def _rewrite(root: Path) -> None:
    (root / "arcana" / "agents.jsonl").write_bytes(b'{"agent_id":"1"}\n{"agent_id":"3"}\n')


def _grow(root: Path) -> None:
    with (root / "arcana" / "agents.jsonl").open("ab") as file:
        file.write(b"more\n")


def _cut(root: Path) -> None:
    os.truncate(root / "arcana" / "agents.jsonl", 17)


def _remove(root: Path) -> None:
    (root / "arcana" / "agents.jsonl").unlink()


def _become_pipe(root: Path) -> None:
    _remove(root)
    os.mkfifo(root / "arcana" / "agents.jsonl")


def _become_folder(root: Path) -> None:
    _remove(root)
    (root / "arcana" / "agents.jsonl").mkdir()


def _become_link(root: Path) -> None:
    (root / "arcana" / "agents.jsonl").rename(root.parent / "moved")
    (root / "arcana" / "agents.jsonl").symlink_to(root.parent / "moved")


def _folder_becomes_link(root: Path) -> None:
    (root / "arcana").rename(root.parent / "moved")
    (root / "arcana").symlink_to(root.parent / "moved")


CHANGES = [
    _rewrite,
    _grow,
    _cut,
    _remove,
    _become_pipe,
    _become_folder,
    _become_link,
    _folder_becomes_link,
]


@pytest.mark.parametrize("change", CHANGES)
def test_changed_after_opening(root: Path, change: Callable[[Path], None]) -> None:
    """A file that is not what was hashed is never handed out as if it were."""
    with open_bundle(root) as bundle:
        change(root)
        with pytest.raises(ChangedError, match="changed after it was hashed") as caught:
            bundle.read("arcana/agents.jsonl")
        assert caught.value.file == "arcana/agents.jsonl"
        with pytest.raises(ChangedError):
            list(bundle.lines("arcana/agents.jsonl"))


def test_changed_while_opening(root: Path) -> None:
    """A file that grows between being listed and being hashed refuses the bundle."""
    with pytest.raises(ChangedError, match="while it was being hashed") as caught:
        open_bundle(root, progress=lambda _done, _total: _grow(root))
    assert caught.value.file == "arcana/agents.jsonl"
