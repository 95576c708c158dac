"""A frozen season is read with suspicion: whatever was altered is named."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from frozen import ARCANA, DEMOS, FILES, POLICY, copy_of, frozen_demo, tree
from small_bundle import tarred

from verifier.core.canon import canonical_bytes
from verifier.errors import EvidenceError
from verifier.freeze import list_seasons, read_season

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def refused(folder: Path, *words: str) -> None:
    """Reading fails with an error of ours that says these words."""
    with pytest.raises(EvidenceError) as caught:
        read_season(folder)
    for word in words:
        assert word in str(caught.value)


def rewrite(folder: Path, change: Callable[[Any], object], name: str = "season.json") -> None:
    """Change a document, and write it in the form that it had."""
    file = folder / name
    value = json.loads(file.read_bytes())
    change(value)
    file.write_bytes(canonical_bytes(value) + (b"\n" if name == "report.json" else b""))


def rehash(folder: Path) -> None:
    """Put the hashes of the files into the record, as a careful forger does."""

    def change(record: Any) -> None:
        for part, name in (("table", "table.json"), ("report", "report.json")):
            record[part]["sha256"] = sha256((folder / name).read_bytes()).hexdigest()

    rewrite(folder, change)


def to_a_pipe(file: Path) -> None:
    """A pipe that nobody writes to, in the place of a file."""
    file.unlink()
    os.mkfifo(file)


@pytest.mark.parametrize("season", DEMOS)
def test_a_frozen_season_is_read_back(season: str) -> None:
    """Everything comes back as it was frozen, with the evidence open."""
    folder = frozen_demo(season)
    files = tree(folder)
    with read_season(folder) as read:
        assert (read.id, read.folder) == (season, folder)
        assert (read.table, read.report) == (files["table.json"], files["report.json"])
        assert (read.policy, read.policy_text) == (POLICY, files["policy.toml"])
        assert canonical_bytes(dict(read.record)) == files["season.json"]
        assert read.archive.stem == read.bundle.sha256
        assert (read.title, read.arena) == (read.bundle.index.title, read.bundle.index.arena)
        assert read.as_of == read.bundle.index.as_of
        assert read.unproven is None
        assert read.bundle.read("bundle.json") == (DEMOS[season] / "bundle.json").read_bytes()


def test_evidence_may_lie_elsewhere(tmp_path: Path) -> None:
    """The folder of the archives can be named."""
    folder = copy_of(ARCANA, tmp_path / "out")
    (folder.parent / "evidence").rename(tmp_path / "kept")
    refused(folder, "evidence", "No such file")
    with read_season(folder, evidence=tmp_path / "kept") as read:
        assert read.id == ARCANA


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "spoil",
    [
        lambda file: file.unlink(),
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(file.read_bytes() + b"\n"),
        lambda file: file.write_bytes(b"\xff\xfe"),
        lambda file: file.write_bytes(b"[" * 100_000),
        lambda file: (file.rename(file.with_suffix(".x")), file.symlink_to(file.with_suffix(".x"))),
        to_a_pipe,
        lambda file: (file.unlink(), file.mkdir()),
    ],
    ids=["missing", "empty", "longer", "no text", "deep", "a link", "a pipe", "a folder"],
)
def test_a_spoiled_file_is_named(
    name: str, spoil: Callable[[Path], object], tmp_path: Path
) -> None:
    """Whatever takes the place of a file, the error names that file."""
    folder = copy_of(ARCANA, tmp_path / "out")
    spoil(folder / name)
    refused(folder, str(folder / name))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r.update(arena="other"), "/arena"),
        (lambda r: r.update(title="<b>"), "/title"),
        (lambda r: r.update(as_of="2026-09-21T00:00:00Z"), "/as_of"),
        (lambda r: r["tool"].update(version="9"), "/tool"),
        (lambda r: r["report"]["counts"].update({"pass": 9}), "/report"),
        (lambda r: r["report"].update(verdict="PASS"), "/report"),
        (lambda r: r["table"].update(sha256="0" * 64), "/table"),
        (lambda r: r["policy"].update(sha256="0" * 64), "/policy"),
        (lambda r: r["bundle"].update(sha256="0" * 64), "No such file"),
        (lambda r: r["bundle"].update(sha256="../x"), "is no sha256"),
        (lambda r: r["bundle"].update(sha256="A" * 64), "is no sha256"),
        (lambda r: r["bundle"].update(more=1), "unknown member"),
        (lambda r: r.update(family="floor"), "season"),
        (lambda r: r.update(family="chess"), "unknown family 'chess'"),
        (lambda r: r.update(format="tallyproof-frozen/2"), "unknown format"),
        (lambda r: r.update(season="other"), "not named by"),
        (lambda r: r.update(season="../x"), "cannot name"),
        (lambda r: r.update(season=1), "/season"),
        (lambda r: r.update(unproven={"count": 1, "reason": "so"}), "a reason is given"),
        (lambda r: r.update(unproven={"count": 1, "reason": " "}), "reason"),
        (lambda r: r.update(more=1), "unknown member"),
        (lambda r: r.pop("title"), "'title' is missing"),
    ],
)
def test_a_record_that_does_not_follow(
    change: Callable[[Any], object], words: str, tmp_path: Path
) -> None:
    """Each member of season.json follows from the files beside it, or is refused."""
    folder = copy_of(ARCANA, tmp_path / "out")
    rewrite(folder, change)
    refused(folder, words)


def test_a_table_follows_from_the_evidence(tmp_path: Path) -> None:
    """A rank that was changed is seen although every hash was redone."""
    folder = copy_of(ARCANA, tmp_path / "out")
    rewrite(folder, lambda table: table["rows"][0].update(rank=2), "table.json")
    rehash(folder)
    refused(folder, f"{folder / 'table.json'}: is not the table that the evidence gives")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: r["bundle"].update(sha256="0" * 64), "the report of another bundle"),
        (lambda r: r["policy"].update(sha256="0" * 64), "the report of another policy"),
        (lambda r: r.update(verdict="fail"), "'fail' is no verdict to freeze"),
        (lambda r: r["counts"].update(fail=1), "no verdict to freeze"),
        (lambda r: (r.update(verdict="unproven"), r["counts"].update(unproven=2)), "2 claims"),
        (lambda r: r.update(format="tallyproof-report/2"), "unknown format"),
        (lambda r: r.pop("counts"), "'counts' is missing"),
        (lambda r: r.update(counts=[]), "must be an object"),
    ],
)
def test_a_report_that_freezes_nothing(
    change: Callable[[Any], object], words: str, tmp_path: Path
) -> None:
    """A report of something else, or of a claim that is not right, is refused with its place."""
    folder = copy_of(ARCANA, tmp_path / "out")
    rewrite(folder, change, "report.json")
    rehash(folder)
    refused(folder, str(folder / "report.json"), words)


def test_evidence_is_hashed(tmp_path: Path) -> None:
    """One byte of one file in the archive is enough, also where its checksum was redone."""
    folder = copy_of(ARCANA, tmp_path / "out")
    (archive,) = (folder.parent / "evidence").iterdir()
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    files["arcana/agents.jsonl"] = files["arcana/agents.jsonl"].replace(b"Mattress", b"Matress1")
    with zipfile.ZipFile(archive, "w") as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    refused(folder, str(archive), "holds another bundle")
    archive.write_bytes(archive.read_bytes()[:-1])
    refused(folder, str(archive))


@pytest.mark.parametrize("kind", ["folder", "tar", "link", "pipe"])
def test_evidence_is_a_zip(kind: str, tmp_path: Path) -> None:
    """The same bundle in another container is not what is published under that name."""
    folder = copy_of(ARCANA, tmp_path / "out")
    (archive,) = (folder.parent / "evidence").iterdir()
    if kind == "link":
        archive.rename(tmp_path / "elsewhere.zip")
        archive.symlink_to(tmp_path / "elsewhere.zip")
    elif kind == "pipe":
        to_a_pipe(archive)
    elif kind == "tar":
        archive.write_bytes(tarred(tree(DEMOS[ARCANA])))
    else:
        archive.unlink()
        shutil.copytree(DEMOS[ARCANA], archive)
    refused(folder, str(archive))


def test_another_policy_is_not_the_one_of_the_audit(tmp_path: Path) -> None:
    """A policy that trusts more is not the one that the report names."""
    folder = copy_of(ARCANA, tmp_path / "out")
    policy = folder / "policy.toml"
    policy.write_bytes(policy.read_bytes().replace(b"4663", b"4664"))
    refused(folder, "report.json", "another policy")


def test_seasons_are_listed_by_name(tmp_path: Path) -> None:
    """Names with a dot first are left alone; anything else that is no season is an error."""
    out = copy_of(ARCANA, tmp_path / "out").parent
    (out / ".tallyproof-staging").mkdir()
    shutil.copytree(out / ARCANA, out / "a-first")
    assert [folder.name for folder in list_seasons(out)] == ["a-first", ARCANA]
    (out / "notes.txt").touch()
    with pytest.raises(EvidenceError, match=r"notes\.txt: is no frozen season"):
        list_seasons(out)
    with pytest.raises(EvidenceError, match="cannot be read"):
        list_seasons(tmp_path / "nowhere")
