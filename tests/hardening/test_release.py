"""What a release consists of can be made again: the wheel and its bill of materials."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from re import MULTILINE
from typing import TYPE_CHECKING, Any, Final

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from shared import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCES: Final = ("formulas", "site", "sitegen", "verifier")
FILES: Final = ("CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml")
NOT_SOURCE: Final = shutil.ignore_patterns("__pycache__", "*.pyc", "seasons")


def build(place: Path, *, umask: int, **environment: str) -> bytes:
    """Copy the sources to a folder of that name, build the wheel there, and return its bytes."""
    place.mkdir(parents=True)
    for name in SOURCES:
        shutil.copytree(ROOT / name, place / name, ignore=NOT_SOURCE)
    for name in FILES:
        shutil.copyfile(ROOT / name, place / name)
    for path in (place, *place.rglob("*")):
        path.chmod(0o777 & ~umask if path.is_dir() else 0o666 & ~umask)
        os.utime(path, (umask, umask))
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", "out"],
        check=True,
        capture_output=True,
        cwd=place,
        env={"PATH": "/usr/bin:/bin", **environment},
        umask=umask,
    )
    (wheel,) = (place / "out").glob("*.whl")
    return wheel.read_bytes()


def test_two_builds_give_one_wheel(tmp_path: Path) -> None:
    """The bytes depend on no folder, time zone, locale, umask or clock of the builder."""
    first = build(tmp_path / "a", umask=0o022, TZ="UTC")
    second = build(
        tmp_path / "elsewhere" / "b",
        umask=0o077,
        TZ="Asia/Kathmandu",
        LC_ALL="C",
        PYTHONHASHSEED="1",
    )
    assert first == second


def test_a_stated_time_is_the_only_difference(tmp_path: Path) -> None:
    """SOURCE_DATE_EPOCH, which distributions set, moves the times in it and nothing else."""
    stated = {"SOURCE_DATE_EPOCH": "1800000000"}
    first = build(tmp_path / "a", umask=0o022, **stated)
    assert first == build(tmp_path / "b", umask=0o027, **stated)
    (tmp_path / "stated.whl").write_bytes(first)
    (tmp_path / "unset.whl").write_bytes(build(tmp_path / "c", umask=0o022))
    with (
        zipfile.ZipFile(tmp_path / "stated.whl") as ours,
        zipfile.ZipFile(tmp_path / "unset.whl") as theirs,
    ):
        assert ours.namelist() == theirs.namelist()
        assert all(ours.read(name) == theirs.read(name) for name in ours.namelist())
        assert {each.date_time for each in ours.infolist()} == {(2027, 1, 15, 8, 0, 0)}
        assert {each.date_time for each in theirs.infolist()} == {(2020, 2, 2, 0, 0, 0)}


@pytest.fixture(scope="module")
def bill() -> tuple[bytes, dict[str, Any]]:
    """The bill of materials, as bytes and decoded."""
    done = subprocess.run(
        [sys.executable, "-I", ROOT / ".ci/sbom.py"], check=True, capture_output=True
    )
    return done.stdout, json.loads(done.stdout)


def test_the_bill_is_cyclonedx(bill: tuple[bytes, dict[str, Any]]) -> None:
    """The schema of CycloneDX 1.6 accepts it, strictly; and would refuse another."""
    validator = JsonStrictValidator(SchemaVersion.V1_6)
    assert validator.validate_str(bill[0].decode()) is None
    assert validator.validate_str(bill[0].decode().replace('"library"', '"thing"')) is not None


def test_the_bill_names_all_that_is_installed(bill: tuple[bytes, dict[str, Any]]) -> None:
    """Every release of the lock with its hashes, and how each comes to be needed."""
    _, made = bill
    lock = (ROOT / "requirements/run.txt").read_text("utf-8")
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", lock, MULTILINE)
    assert [(each["name"], each["version"]) for each in made["components"]] == pinned
    hashes = [digest["content"] for each in made["components"] for digest in each["hashes"]]
    assert hashes == re.findall("sha256:([0-9a-f]{64})", lock)
    needs = {each["ref"]: each["dependsOn"] for each in made["dependencies"]}
    reached, new = set(), {made["metadata"]["component"]["bom-ref"]}
    while new:
        reached |= new
        new = {to for each in new for to in needs[each]} - reached
    assert reached == set(needs)
    assert len(reached) == len(pinned) + 1


def test_the_lock_of_a_release_is_part_of_the_lock_of_development() -> None:
    """What is tested is what is installed: the same releases, and every direct need among them."""
    lines = {
        name: set(
            re.findall(r"^\S+==\S+", (ROOT / f"requirements/{name}.txt").read_text(), MULTILINE)
        )
        for name in ("dev", "run")
    }
    assert lines["run"] <= lines["dev"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = ("site", "parquet", "pagefind", "live", "chain")
    needs = [
        *project["dependencies"],
        *(n for e in extras for n in project["optional-dependencies"][e]),
    ]
    names = {re.split(r"[\[<>=~! ]", need)[0].replace("_", "-") for need in needs}
    assert names <= {line.partition("==")[0] for line in lines["run"]}
