"""``tallyproof site`` on the demo: it checks out, a byte is named, surroundings are not in it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Final

import pytest
from demo_site import DemoSite, tallyproof
from frozen import DEMOS, POLICY

from verifier.freeze import freeze

if TYPE_CHECKING:
    from pathlib import Path

ELSEWHERE: Final = {
    "TZ": "Asia/Kathmandu",
    "LC_ALL": "C",
    "LANG": "C",
    "PYTHONHASHSEED": "4711",
    "PYTHONUTF8": "0",
}
PAGE: Final = "seasons/season-2/index.html"


def build(site: DemoSite, *more: str, umask: int | None = None, **environment: str) -> None:
    """Build, or fail."""
    done = tallyproof(
        *("site", "build", *site.options, "--out", str(site.out), *more),
        umask=umask,
        **environment,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> DemoSite:
    """Build a site of one short season."""
    folder = tmp_path_factory.mktemp("small")
    site = DemoSite(folder / "dist", folder / "source", folder / "seasons")
    site.source.mkdir()
    (site.source / "site.toml").write_text('title = "T"\ndescription = "D."\n', encoding="utf-8")
    freeze(DEMOS["season-1"], season="season-2", out=site.seasons, policy=POLICY)
    build(site, "--jobs", "2", TZ="America/New_York", LC_ALL="C.UTF-8", PYTHONHASHSEED="1")
    return site


def test_the_demo_is_what_its_sources_give_again(demo: DemoSite) -> None:
    """Another time zone, locale, hash seed, umask and number of jobs: every byte is the same."""
    done = tallyproof("site", "check", demo.out, *demo.options, umask=0o077, **ELSEWHERE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the same, byte for byte" in done.stdout


def test_surroundings_are_not_in_a_site(small: DemoSite, tmp_path: Path) -> None:
    """Two builds in other surroundings have the same list of hashes."""
    again = DemoSite(tmp_path / "again", small.source, small.seasons)
    build(again, "--jobs", "1", umask=0o077, **ELSEWHERE)
    assert (again.out / "SHA256SUMS").read_bytes() == (small.out / "SHA256SUMS").read_bytes()


def test_what_changed_is_named(small: DemoSite, tmp_path: Path) -> None:
    """One bit of one byte, a file too few and one too many: each makes the check fail."""
    out = tmp_path / "dist"
    shutil.copytree(small.out, out)
    data = bytearray((out / PAGE).read_bytes())
    data[len(data) // 2] ^= 1
    (out / PAGE).write_bytes(data)
    done = tallyproof("site", "check", out, *small.options)
    assert done.returncode == 1
    named = [line.split()[:2] for line in done.stdout.splitlines()[:-1]]
    assert named == [["differs", PAGE], ["differs", PAGE]]
    shutil.copy(small.out / PAGE, out / PAGE)
    (out / "glossary" / "index.html").unlink()
    (out / "extra.html").write_bytes(b"")
    done = tallyproof("site", "check", out, *small.options)
    assert done.returncode == 1
    named = [line.split()[:2] for line in done.stdout.splitlines()[:-1]]
    extra, missing = ["extra", "extra.html"], ["missing", "glossary/index.html"]
    assert named == [extra, extra, missing, missing]


@pytest.mark.parametrize("path", ["SHA256SUMS", "stamp.json", "assets/verify.js", "v1/index.json"])
def test_no_byte_is_outside_of_the_check(small: DemoSite, tmp_path: Path, path: str) -> None:
    """The stamp, the list, a script and an answer of the API are compared like pages."""
    out = tmp_path / "dist"
    shutil.copytree(small.out, out)
    data = bytearray((out / path).read_bytes())
    data[1] ^= 1
    (out / path).write_bytes(data)
    done = tallyproof("site", "check", out, *small.options)
    assert done.returncode in {1, 2}
    assert path in done.stdout + done.stderr
