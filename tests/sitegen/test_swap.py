"""A site is replaced as a whole, by one build at a time, and only if it is a site."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from frozen import tree
from shared import ROOT

from sitegen.swap import check_apart, replacing
from verifier.errors import SiteError

STAMP = b'{"format":"tallyproof-site/1"}'


def put(out: Path, text: str) -> None:
    """Build a site of two files."""
    with replacing(out) as folder:
        (folder / "stamp.json").write_bytes(STAMP)
        (folder / "text").write_text(text)


def test_the_new_takes_the_place_of_the_old(tmp_path: Path) -> None:
    """A site is made, then replaced, and nothing else remains."""
    out = tmp_path / "deep" / "dist"
    put(out, "one")
    put(out, "two")
    assert (out / "text").read_text() == "two"
    assert list(out.parent.iterdir()) == [out]


def test_a_failure_leaves_the_old(tmp_path: Path) -> None:
    """An exception in the middle changes nothing."""
    out = tmp_path / "dist"
    put(out, "one")
    with pytest.raises(OverflowError), replacing(out) as folder:
        (folder / "text").write_bytes(bytes(1 << 80))
    assert tree(tmp_path) == {"dist/stamp.json": STAMP, "dist/text": b"one"}


def test_an_empty_folder_may_be_built_into(tmp_path: Path) -> None:
    """Nothing is lost in a folder that holds nothing."""
    (tmp_path / "dist").mkdir()
    put(tmp_path / "dist", "one")
    assert (tmp_path / "dist" / "text").read_text() == "one"


@pytest.mark.parametrize("stamp", [None, b"", b"[]", b'{"format":"another/1"}'])
def test_what_is_no_site_is_not_replaced(tmp_path: Path, stamp: bytes | None) -> None:
    """A folder with files and without our stamp is left alone."""
    out = tmp_path / "dist"
    out.mkdir()
    (out / "precious").write_text("x")
    if stamp is not None:
        (out / "stamp.json").write_bytes(stamp)
    before = tree(tmp_path)
    with pytest.raises(SiteError, match="not overwritten"):
        put(out, "one")
    assert tree(tmp_path) == before


def test_a_file_is_not_replaced(tmp_path: Path) -> None:
    """A file of that name is left alone."""
    (tmp_path / "dist").write_text("x")
    with pytest.raises(SiteError, match="not a folder"):
        put(tmp_path / "dist", "one")


def test_a_refusal_leaves_nothing_behind(tmp_path: Path) -> None:
    """Neither a folder of its own beside what it refused, nor a change of it."""
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    before = sorted(tmp_path.rglob("*"))
    for name in ("file", "folder", "loop"):
        with pytest.raises(SiteError):
            put(tmp_path / name, "one")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_root_of_all_is_no_place() -> None:
    """It has no name, and nothing beside it."""
    with pytest.raises(SiteError, match="no place for a site"), replacing(Path("/")):
        pass


def test_a_site_does_not_lie_in_what_it_is_built_from(tmp_path: Path) -> None:
    """The next build would take it for a season; a link to such a place is seen through."""
    seasons = tmp_path / "seasons"
    seasons.mkdir()
    (tmp_path / "link").symlink_to(seasons)
    for out in (seasons, seasons / "dist", tmp_path / "link" / "dist", seasons / ".." / "seasons"):
        with pytest.raises(SiteError, match="built from"):
            check_apart(out, tmp_path / "content", seasons)
    check_apart(tmp_path / "seasons-dist", tmp_path / "content", seasons)


def test_one_build_at_a_time(tmp_path: Path) -> None:
    """A second build of the same site is refused while the first goes on."""
    out = tmp_path / "dist"
    with replacing(out) as folder:
        with pytest.raises(SiteError, match="another build"):
            put(out, "two")
        (folder / "stamp.json").write_bytes(STAMP)
    assert (out / "stamp.json").read_bytes() == STAMP


def test_a_killed_build_leaves_the_old_and_the_next_cleans_up(tmp_path: Path) -> None:
    """A build that is killed leaves the site whole; what it left is gone after the next."""
    out = tmp_path / "dist"
    put(out, "one")
    program = (
        "import os, pathlib, signal, sys\n"
        "from sitegen.swap import check_apart, replacing\n"
        "with replacing(pathlib.Path(sys.argv[1])) as folder:\n"
        "    (folder / 'half').write_text('x')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(out)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert (out / "text").read_text() == "one"
    assert len(list(tmp_path.iterdir())) == 2
    put(out, "two")
    assert tree(tmp_path) == {"dist/stamp.json": STAMP, "dist/text": b"two"}


def test_a_build_killed_between_two_renames_is_put_right(tmp_path: Path) -> None:
    """An old site that had been renamed already comes back when the next build fails."""
    out = tmp_path / "dist"
    put(out, "one")
    out.rename(tmp_path / ".dist.replaced")
    with pytest.raises(ZeroDivisionError), replacing(out):
        raise ZeroDivisionError
    assert tree(tmp_path) == {"dist/stamp.json": STAMP, "dist/text": b"one"}


def test_a_link_to_a_site_stays_a_link(tmp_path: Path) -> None:
    """Where the site's name is a link, the folder that it leads to is replaced."""
    put(tmp_path / "real", "one")
    (tmp_path / "dist").symlink_to("real")
    put(tmp_path / "dist", "two")
    assert (tmp_path / "dist").is_symlink()
    assert (tmp_path / "real" / "text").read_text() == "two"
