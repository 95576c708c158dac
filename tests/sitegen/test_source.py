"""Sources are hashed before anything is written, and one difference is one error."""

from __future__ import annotations

import pickle
import shutil
from typing import TYPE_CHECKING

import pytest
from frozen import copy_of, frozen_demo
from small_bundle import write_tree
from toy_site import use_toy_family

from sitegen.source import read_sources
from verifier.cli.app import run_app
from verifier.errors import EvidenceError, SiteError

if TYPE_CHECKING:
    from pathlib import Path

TOML = b'title = "T"\ndescription = "D."\n'
SEASON = "release-1"


def source(folder: Path, toml: bytes = TOML, **errata: str) -> Path:
    """Write a source folder without seasons."""
    files = {f"errata/{name}.md": text.encode() for name, text in errata.items()}
    return write_tree(folder / "site", {"site.toml": toml, **files})


def erratum(season: str, more: str = "") -> str:
    """Write an erratum of a season."""
    return f'+++\nseason = "{season}"\ntitle = "t"\ndate = "2026-01-01"\n{more}\n+++\n'


def test_a_season_is_read_with_all_that_pages_say_of_it(tmp_path: Path) -> None:
    """Hashes, addresses, errata, and that it is the newest of its kind."""
    text = erratum(SEASON)
    seasons = frozen_demo(SEASON).parent
    with read_sources(source(tmp_path, e1=text), seasons=seasons) as sources:
        (season,) = sources.seasons
        assert season.root == f"seasons/{SEASON}/"
        assert season.evidence == f"evidence/{season.bundle.sha256[:16]}/"
        assert [each.id for each in season.errata] == ["e1"]
        assert sources.current == {SEASON}
        assert sources.site.seasons[0].current
        assert sources.archives.keys() == {season.bundle.sha256[:16]}


def test_sources_can_be_sent_to_another_process(tmp_path: Path) -> None:
    """Where a system cannot fork, each process gets the sources and opens the evidence itself."""
    with read_sources(source(tmp_path), seasons=frozen_demo(SEASON).parent) as sources:
        again = pickle.loads(pickle.dumps(sources))
        with again:
            (season,) = again.seasons
            assert season.bundle.read("bundle.json").startswith(b"{")
            assert again.site == sources.site


@pytest.mark.parametrize("file", ["season.json", "table.json", "report.json", "policy.toml"])
def test_a_changed_byte_of_a_season_stops_everything(tmp_path: Path, file: str) -> None:
    """A frozen file that is not what it was is named."""
    folder = copy_of(SEASON, tmp_path / "seasons")
    path = folder / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(EvidenceError, match=SEASON):
        read_sources(source(tmp_path), seasons=tmp_path / "seasons")


def test_a_changed_bundle_stops_everything(tmp_path: Path) -> None:
    """Evidence that is not what was frozen is named."""
    copy_of(SEASON, tmp_path / "seasons")
    (archive,) = (tmp_path / "seasons" / "evidence").iterdir()
    data = bytearray(archive.read_bytes())
    data[len(data) // 2] ^= 1
    archive.write_bytes(data)
    with pytest.raises(EvidenceError):
        read_sources(source(tmp_path), seasons=tmp_path / "seasons")


@pytest.mark.parametrize(
    ("toml", "reason"),
    [
        (b'seasons = ["other"]', "other"),
        (b"seasons = []", SEASON),
        (b'current = ["other"]', "other"),
    ],
)
def test_the_settings_name_the_seasons_that_are_there(
    tmp_path: Path, toml: bytes, reason: str
) -> None:
    """A season that is named and missing, or there and not named, is an error."""
    with pytest.raises(SiteError, match=reason):
        read_sources(source(tmp_path, TOML + toml), seasons=frozen_demo(SEASON).parent)


@pytest.mark.parametrize("text", [erratum("other"), erratum(SEASON, 'replaced_by = "other"')])
def test_an_erratum_is_about_a_season_that_is_there(tmp_path: Path, text: str) -> None:
    """An erratum of no season is an error."""
    with pytest.raises(SiteError, match="other"):
        read_sources(source(tmp_path, e=text), seasons=frozen_demo(SEASON).parent)


def test_a_site_needs_a_season(tmp_path: Path) -> None:
    """Without a frozen season, the way to one is said."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(SiteError, match="freeze"):
        read_sources(source(tmp_path), seasons=tmp_path / "empty")


def test_the_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Build says where the site is; check says that it is the same, or what differs."""
    use_toy_family(monkeypatch, instead_of="sharpe")
    site = source(tmp_path)
    shutil.copytree(frozen_demo(SEASON).parent, site / "seasons")
    out = tmp_path / "dist"
    given = ["--source", str(site)]
    assert run_app(["site", "build", *given, "--out", str(out)]) == 0
    assert str(out / "index.html") in capsys.readouterr().out
    assert run_app(["site", "check", str(out), *given, "--jobs", "2"]) == 0
    assert "byte for byte" in capsys.readouterr().out
    with (out / "404.html").open("ab") as page:
        page.write(b" ")
    assert run_app(["site", "check", str(out), *given]) == 1
    told = capsys.readouterr().out
    assert "404.html" in told
    assert told.count("differs") == 2
    with pytest.raises(SiteError):
        run_app(["site", "build", *given, "--out", str(site)])
    assert run_app(["site", "check", str(out), *given, "--quiet"]) == 1
    assert capsys.readouterr().out == ""
