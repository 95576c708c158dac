"""``tallyproof freeze`` as a maintainer runs it: what it writes, and each refusal."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pytest
from frozen import ARCANA, ARCANA_NEXT, DEMOS, FILES, POLICY_FILE, copy_of, frozen_demo, tree
from real_command import run
from shared import FIXTURES
from small_bundle import sums_of

from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping
    from pathlib import Path

ARCANA_DEMO: Final = FIXTURES / "arcana-demo"


def freeze(
    bundle: Path, season: str, out: Path, *options: str, policy: Path | None = POLICY_FILE
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with the demos' policy."""
    chosen = () if policy is None else ("--policy", str(policy))
    return run("freeze", bundle, "--season", season, "--out", out, *chosen, *options)


def refused(done: subprocess.CompletedProcess[bytes], code: int, *words: str) -> None:
    """The command left with *code*, wrote no data, and said why."""
    said = done.stderr.decode()
    assert done.returncode == code, said
    assert done.stdout == b""
    assert "Traceback" not in said
    for word in words:
        assert word in said


@pytest.mark.parametrize("season", DEMOS)
def test_a_clean_season_is_frozen(season: str, tmp_path: Path) -> None:
    """Each demo gives four files and an archive, and the hashes that are printed are theirs."""
    done = freeze(DEMOS[season], season, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert b"frozen now" in done.stdout
    with open_bundle(DEMOS[season]) as bundle:
        seal = bundle.sha256
    files = tree(tmp_path / "out")
    assert set(files) == {f"evidence/{seal}.zip", *(f"{season}/{name}" for name in FILES)}
    record = json.loads(files[f"{season}/season.json"])
    assert record["bundle"]["sha256"] == seal
    for name, file in (
        ("table", "table.json"),
        ("report", "report.json"),
        ("policy", "policy.toml"),
    ):
        assert record[name]["sha256"] == sha256(files[f"{season}/{file}"]).hexdigest()
        assert record[name]["sha256"].encode() in done.stdout


def test_the_report_is_that_of_the_audit(tmp_path: Path) -> None:
    """``report.json`` and ``policy.toml`` are what the other commands write."""
    folder = copy_of(ARCANA, tmp_path / "out")
    report = run("audit", ARCANA_DEMO, "--policy", POLICY_FILE, "--format", "json")
    assert (folder / "report.json").read_bytes() == report.stdout
    policy = run("policy", "show", "--policy", POLICY_FILE)
    assert (folder / "policy.toml").read_bytes() == policy.stdout


def test_freezing_again_changes_nothing(tmp_path: Path) -> None:
    """The same bytes are a success that says so, and no file is written again."""
    folder = copy_of(ARCANA, tmp_path / "out")
    before = {path: path.stat().st_mtime_ns for path in folder.parent.rglob("*") if path.is_file()}
    done = freeze(ARCANA_DEMO, ARCANA, tmp_path / "out")
    assert done.returncode == 0
    assert b"frozen already, with the same bytes" in done.stdout
    after = {path: path.stat().st_mtime_ns for path in folder.parent.rglob("*") if path.is_file()}
    assert after == before


def test_a_lost_archive_is_put_back(tmp_path: Path) -> None:
    """Freezing again restores evidence that is missing, byte for byte."""
    folder = copy_of(ARCANA, tmp_path / "out")
    (archive,) = (folder.parent / "evidence").iterdir()
    content = archive.read_bytes()
    archive.unlink()
    assert freeze(ARCANA_DEMO, ARCANA, tmp_path / "out").returncode == 0
    assert archive.read_bytes() == content


@pytest.mark.parametrize("name", FILES)
def test_a_frozen_season_is_never_overwritten(name: str, tmp_path: Path) -> None:
    """A file with other bytes is named, and stays; nothing else is written either."""
    folder = copy_of(ARCANA, tmp_path / "out")
    with (folder / name).open("ab") as file:
        file.write(b" ")
    before = tree(tmp_path)
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path / "out"), 2, f"{folder / name}:", "other bytes")
    assert tree(tmp_path) == before


def test_other_evidence_is_another_season(tmp_path: Path) -> None:
    """The same id from another bundle is refused before its archive is written."""
    folder = copy_of(ARCANA, tmp_path / "out")
    other = edited(tmp_path / "other", {"bundle.json": retitled})
    before = tree(tmp_path)
    refused(freeze(other, ARCANA, tmp_path / "out"), 2, f"{folder}/report.json")
    assert tree(tmp_path) == before


def test_other_policy_is_another_season(tmp_path: Path) -> None:
    """What was trusted is part of what was frozen."""
    folder = copy_of(ARCANA, tmp_path / "out")
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY_FILE.read_text() + "[floor]\nvenue_revisions = 'fail'\n")
    refused(
        freeze(ARCANA_DEMO, ARCANA, tmp_path / "out", policy=policy), 2, f"{folder}/policy.toml"
    )


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda folder: (folder / "notes.txt").write_bytes(b""), "notes.txt: is no file"),
        (lambda folder: (folder / "table.json").unlink(), "table.json: is missing"),
        (lambda folder: (folder.rename(f"{folder}x"), folder.write_bytes(b"")), "is no folder"),
        (
            lambda folder: (folder.rename(f"{folder}x"), folder.symlink_to(f"{folder}x")),
            "no folder",
        ),
        (lambda folder: folder.rename(folder.with_name(folder.name.upper())), "only by case"),
    ],
    ids=["more", "less", "a file", "a link", "other case"],
)
def test_what_lies_in_the_place_is_not_touched(
    spoil: Callable[[Path], object], words: str, tmp_path: Path
) -> None:
    """Anything but the season itself in its place is refused and left as it is."""
    spoil(copy_of(ARCANA, tmp_path / "out"))
    before = tree(tmp_path)
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path / "out"), 2, words)
    assert tree(tmp_path) == before


def test_an_archive_with_other_bytes_stays(tmp_path: Path) -> None:
    """Evidence under the right name that is packed otherwise is refused, and left there."""
    folder = copy_of(ARCANA, tmp_path / "out")
    shutil.rmtree(folder)
    (archive,) = (folder.parent / "evidence").iterdir()
    archive.write_bytes(archive.read_bytes() + b"x")
    before = tree(tmp_path)
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path / "out"), 2, archive.name, "never overwritten")
    assert tree(tmp_path) == before


def test_a_wrong_claim_is_never_frozen(tmp_path: Path) -> None:
    """Exit 1 names the checks and the audit, writes nothing, and no option helps."""
    out = tmp_path / "out"
    for options in ((), ("--allow-unproven", "as it is")):
        done = freeze(ARCANA_DEMO, ARCANA, out, *options, policy=None)
        refused(done, 1, "arcana/participation", "3 fail", f"tallyproof audit {ARCANA_DEMO}")
    assert not out.exists()


def test_an_unproven_claim_needs_a_reason(tmp_path: Path) -> None:
    """Exit 3 without one; with one the season is frozen, and the record holds it."""
    policy = tmp_path / "policy.toml"
    policy.write_text('[arcana]\nparticipation = "engine"\n')
    out = tmp_path / "out"
    done = freeze(ARCANA_DEMO, ARCANA, out, policy=policy)
    refused(done, 3, "arcana/anchor", "1 unproven", "tallyproof audit", f"--policy {policy}")
    assert not out.exists()
    reason = "no sender is named <b>yet</b>"
    done = freeze(ARCANA_DEMO, ARCANA, out, "--allow-unproven", reason, policy=policy)
    assert done.returncode == 0
    assert reason.encode() in done.stdout
    record = json.loads((out / ARCANA / "season.json").read_bytes())
    assert record["unproven"] == {"count": 1, "reason": reason}
    assert record["report"]["verdict"] == "unproven"


def test_a_reason_without_need_is_not_kept(tmp_path: Path) -> None:
    """A season in which all is proved is the same with the option and without."""
    done = freeze(ARCANA_DEMO, ARCANA, tmp_path / "out", "--allow-unproven", "to be safe")
    assert done.returncode == 0
    assert tree(tmp_path / "out" / ARCANA) == tree(frozen_demo(ARCANA))


@pytest.mark.parametrize("reason", ["", "  ", "two\nlines", "a\u202eb", "x" * 501])
def test_a_reason_must_be_one(reason: str, tmp_path: Path) -> None:
    """Blank, of several lines, with invisible characters or endless: refused."""
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path, "--allow-unproven", reason), 2, "reason")


@pytest.mark.parametrize("season", ["", "../x", "a\nb", "evidence"])
def test_a_hostile_id_names_nothing(season: str, tmp_path: Path) -> None:
    """An id that is no safe file name is refused before anything is read or written."""
    out = tmp_path / "out"
    done = run("freeze", ARCANA_DEMO, f"--season={season}", "--out", out)
    refused(done, 2, "cannot name a frozen season")
    assert not out.exists()


def test_a_season_must_be_in_the_evidence(tmp_path: Path) -> None:
    """Unknown ids are refused; the error lists what bundle.json does list."""
    refused(freeze(ARCANA_DEMO, "season-1", tmp_path), 2, "no evidence", "'season-1'")
    refused(freeze(FIXTURES / "floor-demo", "season-3", tmp_path), 2, "season-1, season-2")


def test_a_season_that_runs_is_not_frozen(tmp_path: Path) -> None:
    """A season of ARCANA that ends after as_of has no last leaderboard."""
    refused(freeze(ARCANA_DEMO, ARCANA_NEXT, tmp_path), 2, "ends at 2026-10-01", "2026-09-20")


def test_the_family_must_have_the_season(tmp_path: Path) -> None:
    """``--family`` chooses among the evidence, and invents none."""
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path, "--family", "floor"), 2, "floor evidence")
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path, "--family", "chess"), 2, "'chess' is no family")


def test_the_target_lies_outside_the_bundle(tmp_path: Path) -> None:
    """A bundle is not written into while it is frozen."""
    bundle = tmp_path / "bundle"
    shutil.copytree(ARCANA_DEMO, bundle)
    refused(freeze(bundle, ARCANA, bundle / "seasons"), 2, "lies inside the bundle")
    assert not (bundle / "seasons").exists()


def test_a_target_that_cannot_be_written(tmp_path: Path) -> None:
    """A file in the place of the folder is one error, and stays."""
    (tmp_path / "out").write_bytes(b"mine")
    refused(freeze(ARCANA_DEMO, ARCANA, tmp_path / "out"), 2, "cannot be written")
    assert (tmp_path / "out").read_bytes() == b"mine"


def test_links_that_lead_to_each_other(tmp_path: Path) -> None:
    """As a bundle or as a target they are one error."""
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    refused(freeze(loop, ARCANA, tmp_path / "out"), 2, str(loop))
    refused(freeze(ARCANA_DEMO, ARCANA, loop / "out"), 2, str(loop))


def test_several_families_in_one_bundle(tmp_path: Path) -> None:
    """A bundle with two families gives each its table, from the same archive."""
    bundle = tmp_path / "bundle"
    shutil.copytree(FIXTURES / "sharpe-demo", bundle)
    shutil.copytree(ARCANA_DEMO / "arcana", bundle / "arcana")
    index = json.loads((bundle / "bundle.json").read_bytes())
    index["families"] = ["arcana", "sharpe"]
    reseal(bundle, {"bundle.json": canonical_bytes(index)})
    done = freeze(bundle, ARCANA, tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert f"{ARCANA} (arcana)".encode() in done.stdout
    # ARCANA names the season, so only the caller can mean the boards by it.
    done = freeze(bundle, ARCANA, tmp_path / "other", "--family", "sharpe")
    assert done.returncode == 0, done.stderr
    table = json.loads((tmp_path / "other" / ARCANA / "table.json").read_bytes())
    assert len(table["boards"]) == 7
    archives = [tree(tmp_path / out / "evidence") for out in ("out", "other")]
    assert archives[0] == archives[1]
    assert len(archives[0]) == 1


def retitled(index: bytes) -> bytes:
    """The index of the demo under another title."""
    return index.replace(b"sixty ticks", b"60 ticks")


def edited(place: Path, changes: Mapping[str, Callable[[bytes], bytes]]) -> Path:
    """A copy of the ARCANA demo with files changed and its list redone."""
    shutil.copytree(ARCANA_DEMO, place)
    reseal(place, {path: change((place / path).read_bytes()) for path, change in changes.items()})
    return place


def reseal(bundle: Path, files: dict[str, bytes]) -> None:
    """Write files into a bundle, and its list anew."""
    for path, content in files.items():
        (bundle / path).write_bytes(content)
    (bundle / "SHA256SUMS").write_bytes(sums_of(tree(bundle)))
