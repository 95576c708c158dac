"""A site that Tallyproof built, served, and copied: its evidence audits to its own reports."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arena import faults
from arena.server import Arena
from fetching import Done, tree
from frozen import ARCANA, DEMOS, frozen_demo

from verifier.cli import main

Fetch = Callable[..., Done]

SEASON = ARCANA
FOLDER = f"seasons/{SEASON}/"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole site over one frozen season."""
    source = tmp_path_factory.mktemp("source")
    (source / "site.toml").write_text('title = "t"\ndescription = "d"\nparquet = false\n')
    out = source.parent / "dist"
    command = ["site", "build", "--source", source, "--out", out]
    command += ["--seasons", frozen_demo(SEASON).parent]
    with pytest.raises(SystemExit) as leaving:
        main([str(part) for part in command])
    assert leaving.value.code == 0
    return out


@pytest.fixture
def site(built: Path, tmp_path: Path) -> Arena:
    """What of it is fetched, to be changed at will."""
    copy = tmp_path / "site"
    for path in ("v1/seasons.json", "stamp.json"):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built / path, copy / path)
    for name in ("evidence", FOLDER):
        shutil.copytree(built / name, copy / name)
    return Arena(copy, endpoints=False)


def test_a_site_is_copied_and_audits_to_its_report(
    site: Arena, tmp_path: Path, fetch: Fetch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The audit of its evidence under its policy is its report, byte for byte."""
    out = tmp_path / "got"
    with site.serving() as url:
        done = fetch("site", url, "-o", out, "--rate", 1000)
    assert (done.code, done.err) == (0, "")
    bundle = next((out / "evidence").iterdir())
    assert tree(bundle) == tree(DEMOS[SEASON])
    got = tree(out)
    for name in ("season.json", "table.json", "report.json", "policy.toml"):
        assert got[FOLDER + name] == (frozen_demo(SEASON) / name).read_bytes()
    command = ["audit", str(bundle), "--policy", str(out / FOLDER / "policy.toml")]
    assert f"next      tallyproof {' '.join(command)}\n" in done.out
    with pytest.raises(SystemExit) as leaving:
        main([*command, "--format", "json"])
    assert leaving.value.code == 0
    assert capsys.readouterr().out.encode() == got[f"{FOLDER}report.json"]


def edit(site: Arena, path: str, change: Callable[[Any], None]) -> None:
    """Change a JSON file of the site by value."""
    place = site.folder / path
    value = json.loads(place.read_bytes())
    change(value)
    place.write_text(json.dumps(value))


def record(name: str, digest: str) -> Callable[[Any], None]:
    """Change a hash in the record of the season."""

    def change(value: Any) -> None:
        value["seasons"][0]["record"][name]["sha256"] = digest
        if name == "bundle":
            value["seasons"][0]["evidence"] = f"evidence/{digest[:16]}/"

    return change


@pytest.mark.parametrize("name", ["table.json", "report.json", "policy.toml", "season.json"])
def test_a_file_with_other_bytes(site: Arena, tmp_path: Path, fetch: Fetch, name: str) -> None:
    """A file of a season that has not the hash of the record is named."""
    site.faults.put(f"/{FOLDER}{name}", faults.changed_byte())
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got", "--season", SEASON, "--rate", 1000)
    assert done.code == 1
    assert f"tallyproof: {FOLDER}{name}: v1/seasons.json says" in done.err


def test_a_stamp_that_says_otherwise(site: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """Both lists of hashes are compared."""
    edit(site, "stamp.json", lambda value: value["seasons"][0].update(report="ab" * 32))
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 1
    assert f"stamp.json: says otherwise of season {SEASON} than v1/seasons.json" in done.err


def test_evidence_of_another_hash(site: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """A bundle is what its list hashes to, whatever the folder is called."""
    bundle = next(path for path in (site.folder / "evidence").iterdir() if path.is_dir())
    digest = bundle.name + "0" * 48
    edit(site, "v1/seasons.json", record("bundle", digest))
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 1
    assert f"SHA256SUMS: v1/seasons.json says bundle {digest}, what was served has" in done.err


def test_what_a_site_does_not_serve(site: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """Files of the season and of the bundle that are gone are named."""
    site.faults.put(f"/{FOLDER}table.json", faults.replaced(b"", 404))
    site.faults.put("/evidence/", faults.replaced(b"", 404))
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got", "--rate", 1000)
    assert done.code == 2
    assert "bundle.json: status 404" in done.err
    site.faults.set_.pop("/evidence/", None)
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "again", "--rate", 1000)
    assert done.code == 3
    assert f"{FOLDER}table.json: is part of the season and was not served" in done.err


LYING: dict[str, Callable[[Any], Any]] = {
    "evidence elsewhere": lambda season: season.update(evidence="../../etc/"),
    "evidence of another": lambda season: season.update(evidence="evidence/0123456789abcdef/"),
    "a table elsewhere": lambda season: season.update(table="/etc/passwd/table.json"),
    "a table above": lambda season: season.update(table="seasons/../table.json"),
    "no hash": lambda season: season["record"]["table"].update(sha256="ab"),
    "no record": lambda season: season.pop("record"),
}


@pytest.mark.parametrize("name", LYING)
def test_a_list_that_leads_elsewhere(site: Arena, tmp_path: Path, fetch: Fetch, name: str) -> None:
    """A list of seasons that names other folders than a site has is refused."""
    edit(site, "v1/seasons.json", lambda value: LYING[name](value["seasons"][0]))
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got")
    assert done.code == 2
    assert done.err.startswith("tallyproof: v1/seasons.json")
    assert done.err.count("\n") == 1
    assert {*site.asked} == {"/v1/seasons.json"}


def test_no_site(tmp_path: Path, fetch: Fetch) -> None:
    """A bundle is no site, and a season that a site lacks is the caller's mistake."""
    with Arena(DEMOS[SEASON], endpoints=False).serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got")
    assert done.code == 2
    assert "v1/seasons.json: status 404: no site of Tallyproof" in done.err


def test_a_season_that_is_not_there(site: Arena, tmp_path: Path, fetch: Fetch) -> None:
    """The seasons that are there are named."""
    with site.serving() as url:
        done = fetch("site", url, "-o", tmp_path / "got", "--season", "s9")
    assert done.code == 2
    assert f"the site has no season 's9', it has {SEASON}" in done.err
