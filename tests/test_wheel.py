"""
What is installed is whole: a wheel freezes a season and builds a site without the checkout.

The wheel is built here and unpacked. Python is then started in isolation from
the checkout, so that everything of ours which it imports or reads lies in the
wheel; the libraries are those of this environment.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Final

import pytest
from frozen import ARCANA, DEMOS, POLICY_FILE, frozen_demo, tree
from shared import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PACKAGES: Final = ("formulas", "sitegen", "verifier")
CONTENT: Final = ROOT / "site" / "content"

# The first entries of the path are the wheel; an editable install comes after it.
START: Final = """
import sys
sys.path.insert(0, sys.argv.pop(1))
from verifier.cli import main
main(sys.argv[1:])
"""
# The same where the libraries named are not installed.
WITHOUT: Final = """
import sys
absent = sys.argv.pop(1).split(",")
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout, unpacked."""
    place = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", place],
        check=True,
        capture_output=True,
        cwd=ROOT,
    )
    (built,) = place.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(place / "unpacked")
    return place / "unpacked"


def run(
    wheel: Path, place: Path, arguments: Sequence[str | Path], *, without: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """Run the command from the wheel, in a folder that has nothing to do with the checkout."""
    program = [WITHOUT + START, without] if without else [START]
    return subprocess.run(
        [sys.executable, "-I", "-c", *program, wheel, *arguments],
        check=False,
        capture_output=True,
        cwd=place,
        env={"PATH": "/usr/bin:/bin"},
    )


def build(wheel: Path, place: Path, *, without: str) -> subprocess.CompletedProcess[bytes]:
    """Build a site of one season from the sources in a folder."""
    seasons = frozen_demo(ARCANA).parent
    arguments: list[str | Path] = [
        "site",
        "build",
        "--source",
        ".",
        "--seasons",
        seasons,
        "--out",
        "dist",
    ]
    return run(wheel, place, arguments, without=without)


def package_files() -> set[str]:
    """All files of the packages, as they lie in the checkout."""
    return {
        path.relative_to(ROOT).as_posix()
        for package in PACKAGES
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_every_file(wheel: Path) -> None:
    """All of the packages, their types, templates and scripts, and the prose; nothing else."""
    prose = {f"sitegen/content/{path}" for path in tree(CONTENT)}
    found = {path for path in tree(wheel) if ".dist-info/" not in path}
    assert found == package_files() | prose | {"sitegen/content/changelog.md"}
    assert {f"{package}/py.typed" for package in PACKAGES} <= found
    assert {"sitegen/templates/base.html", "sitegen/static/verify.js"} <= found
    assert (wheel / "sitegen/content/changelog.md").read_bytes() == (
        ROOT / "CHANGELOG.md"
    ).read_bytes()


def test_a_wheel_freezes_a_season(wheel: Path, tmp_path: Path) -> None:
    """The same bytes as from the checkout, without any library of an extra."""
    done = run(
        wheel,
        tmp_path,
        ["freeze", DEMOS[ARCANA], "--season", ARCANA, "--out", "out", "--policy", POLICY_FILE],
        without="jinja2,markdown_it,markupsafe,mdit_py_plugins,latex2mathml,pyarrow,resvg_py",
    )
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path / "out") == tree(frozen_demo(ARCANA).parent)


def test_a_wheel_builds_a_site(wheel: Path, tmp_path: Path) -> None:
    """A site that is made of the wheel's own prose and templates, and says of what release."""
    (tmp_path / "site.toml").write_text('title = "T"\ndescription = "D."\nparquet = false\n')
    done = build(wheel, tmp_path, without="pyarrow,pagefind")
    assert done.returncode == 0, done.stderr
    dist = tmp_path / "dist"
    stamp = json.loads((dist / "stamp.json").read_bytes())
    assert stamp["format"].startswith("tallyproof-")
    for page in ("index.html", "changelog/index.html", "checks/arcana/seal/index.html"):
        assert (dist / page).is_file(), page
    assert b"Unreleased" in (dist / "changelog/index.html").read_bytes()


@pytest.mark.parametrize(
    ("missing", "extra"),
    [
        ("jinja2", "site"),
        ("markdown_it", "site"),
        ("markupsafe", "site"),
        ("mdit_py_plugins", "site"),
        ("latex2mathml", "site"),
        ("resvg_py", "site"),
        ("font_source_serif_pro", "site"),
        ("pyarrow", "parquet"),
    ],
)
def test_a_missing_extra_is_named(missing: str, extra: str, wheel: Path, tmp_path: Path) -> None:
    """Without what the site needs, the error says what to install, and it is no bug."""
    (tmp_path / "site.toml").write_text('title = "T"\ndescription = "D."\n')
    done = build(wheel, tmp_path, without=missing)
    said = done.stderr.decode()
    assert done.returncode == 2, said
    assert f"tallyproof[{extra}]" in said
    assert "bug" not in said
    assert not (tmp_path / "dist").exists()
