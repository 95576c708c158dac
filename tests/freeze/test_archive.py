"""The archive of the evidence: one form, from any copy of the bundle, under any settings."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING, Final

import pytest
from frozen import ARCANA, DEMOS, POLICY, POLICY_FILE, frozen_demo, tree
from shared import FIXTURES, ROOT
from small_bundle import sound, tarred, write_tree, zipped

from verifier.bundle import open_bundle
from verifier.errors import BundleError
from verifier.freeze import freeze
from verifier.freeze.archive import write_archive

if TYPE_CHECKING:
    from pathlib import Path

ARCANA_DEMO: Final = FIXTURES / "arcana-demo"


def archive_of(season: str) -> Path:
    """The one archive beside a frozen season."""
    (archive,) = (frozen_demo(season).parent / "evidence").iterdir()
    return archive


def packed(bundle: Path, place: Path) -> bytes:
    """What :func:`write_archive` makes of a bundle."""
    with open_bundle(bundle) as opened, place.open("wb") as file:
        write_archive(opened, file)
    return place.read_bytes()


@pytest.mark.parametrize("season", DEMOS)
def test_the_archive_is_the_bundle(season: str) -> None:
    """It opens as the same bundle, and holds every file with its exact bytes."""
    archive = archive_of(season)
    with open_bundle(archive) as again, open_bundle(DEMOS[season]) as bundle:
        assert again.sha256 == bundle.sha256 == archive.stem
        assert again.problems == ()
    with zipfile.ZipFile(archive) as opened:
        assert {name: opened.read(name) for name in opened.namelist()} == tree(DEMOS[season])


def test_members_have_one_form() -> None:
    """Stored, sorted, dated 1980, plain files for everybody, without extra fields or comments."""
    with zipfile.ZipFile(archive_of(ARCANA)) as archive:
        members = archive.infolist()
        assert archive.comment == b""
    names = [member.filename for member in members]
    assert names == sorted(names, key=str.encode)
    for member in members:
        assert member.compress_type == zipfile.ZIP_STORED
        assert member.date_time == (1980, 1, 1, 0, 0, 0)
        assert member.create_system == 3
        assert member.external_attr == (stat.S_IFREG | 0o644) << 16
        assert (member.extra, member.comment, member.flag_bits) == (b"", b"", 0)


def test_members_have_no_extra_fields_of_their_own() -> None:
    """The header before each member is 30 bytes and its name, nothing else."""
    content = archive_of(ARCANA).read_bytes()
    with zipfile.ZipFile(archive_of(ARCANA)) as archive:
        stop = 0
        for member in archive.infolist():
            assert member.header_offset == stop
            stop += 30 + len(member.filename.encode()) + member.file_size
    assert content[stop : stop + 4] == b"PK\x01\x02"


@pytest.mark.skipif(shutil.which("unzip") is None, reason="there is no unzip on this machine")
def test_unzip_reads_it(tmp_path: Path) -> None:
    """The common program tests and unpacks it to the bundle's own files."""
    done = subprocess.run(
        ["unzip", "-q", archive_of(ARCANA), "-d", tmp_path], check=False, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert tree(tmp_path) == tree(ARCANA_DEMO)


def test_any_copy_gives_the_same_archive(tmp_path: Path) -> None:
    """A folder, zip or tar of the bundle, the archive itself too, are packed to the same bytes."""
    files = sound()
    copies = {
        "folder": write_tree(tmp_path / "folder", files),
        "zip": tmp_path / "b.zip",
        "top": tmp_path / "top.zip",
        "tar": tmp_path / "b.tar.gz",
    }
    copies["zip"].write_bytes(zipped(files))
    copies["top"].write_bytes(zipped(files, top="season/"))
    copies["tar"].write_bytes(tarred(files, packed=True))
    made = {name: packed(copy, tmp_path / f"{name}.made") for name, copy in copies.items()}
    again = packed(tmp_path / "zip.made", tmp_path / "again.made")
    assert {*made.values(), again} == {made["folder"]}
    with tarfile.open(copies["tar"]) as archive:
        assert len(archive.getnames()) == len(files)


def test_settings_do_not_show(tmp_path: Path) -> None:
    """Time zone, locale, hash seed, umask and number of jobs leave every byte as it is."""
    settings = (
        {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "1"},
        {"TZ": "America/St_Johns", "LC_ALL": "C", "PYTHONHASHSEED": "4294967295"},
    )
    trees = []
    for number, environment in enumerate(settings):
        out = tmp_path / f"{number}"
        arguments: list[str | Path] = [
            "freeze",
            ARCANA_DEMO,
            "--season",
            ARCANA,
            "--out",
            out,
            "--jobs",
            f"{number + 1}",
        ]
        subprocess.run(
            [sys.executable, "-m", "verifier", *arguments, "--policy", POLICY_FILE],
            check=True,
            capture_output=True,
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", **environment},
            umask=0o077 if number else 0o002,
        )
        trees.append(tree(out))
    assert trees[0] == trees[1] == tree(frozen_demo(ARCANA).parent)


def test_the_umask_decides_who_may_read(tmp_path: Path) -> None:
    """Nothing is narrower than the maintainer's own setting: a web server reads these files."""
    out = tmp_path / "out"
    freeze(ARCANA_DEMO, season=ARCANA, out=out, policy=POLICY)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "file").touch()
    for path in (out, *out.rglob("*")):
        usual = plain if path.is_dir() else plain / "file"
        assert path.stat().st_mode == usual.stat().st_mode


def test_a_bundle_that_changes_is_not_frozen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was audited is what is archived: other bytes in between are an error, and no season."""
    bundle = tmp_path / "bundle"
    shutil.copytree(ARCANA_DEMO, bundle)

    def changed(*arguments: object, **options: object) -> None:
        # The same size, so that only a hash can tell.
        file = bundle / "arcana" / "seasons.jsonl"
        file.write_bytes(file.read_bytes().replace(b"Season Three", b"Season Four!"))
        write_archive(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("verifier.freeze.write.write_archive", changed)
    with pytest.raises(BundleError, match="changed while it was copied"):
        freeze(bundle, season=ARCANA, out=tmp_path / "out", policy=POLICY)
    assert tree(tmp_path / "out") == {}
