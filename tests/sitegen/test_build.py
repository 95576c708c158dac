"""Building a site: the same bytes, all or nothing, nothing outside, no broken link."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest
from frozen import tree
from shared import ROOT
from small_bundle import sound
from toy_site import AGENTS, TITLE, toy_season, toy_sources, use_toy_family

from sitegen.build import build_site
from sitegen.check import check_site
from sitegen.model import Erratum, File, Page
from sitegen.pages import whole
from sitegen.render import Renderer, Site
from sitegen.stamp import site_root
from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path

ERRATUM = Erratum(id="e1", season="s1", title="<b>wrong</b>", date="2026-10-01", html="<p>Why.</p>")


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    use_toy_family(monkeypatch)


def test_a_site_has_what_its_stamp_says(tmp_path: Path) -> None:
    """The sums list every file but themselves, and the root is that of the files they list."""
    out = tmp_path / "dist"
    built = build_site(toy_sources(tmp_path), out)
    files = tree(out)
    lines = files["SHA256SUMS"].splitlines(keepends=True)
    listed = {
        line.split(b"  ", 1)[1].rstrip(b"\n").decode(): line.split(b"  ")[0].decode()
        for line in lines
    }
    assert listed == {
        path: sha256(content).hexdigest() for path, content in files.items() if path != "SHA256SUMS"
    }
    assert list(listed) == sorted(listed, key=str.encode)
    stamp = json.loads(files["stamp.json"])
    assert stamp["root"] == site_root(line for line in lines if b"  stamp.json\n" not in line)
    assert stamp["files"] == len(files) - 2
    assert (built.root, built.files) == (stamp["root"], len(files))
    assert built.size == sum(map(len, files.values()))
    assert [season["id"] for season in stamp["seasons"]] == ["s1"]


def test_the_evidence_is_there_byte_for_byte(tmp_path: Path) -> None:
    """Every file of the bundle is published as it is, and so is the bundle."""
    sources = toy_sources(tmp_path)
    build_site(sources, tmp_path / "dist")
    folder = sources.seasons[0].evidence
    files = tree(tmp_path / "dist")
    for path, content in sound().items():
        assert files[folder + path] == content
    assert files[f"{folder[:-1]}.zip"] == (tmp_path / "evidence.zip").read_bytes()


def test_jobs_do_not_change_a_byte(tmp_path: Path) -> None:
    """One process or three write the same site."""
    sources = toy_sources(tmp_path)
    build_site(sources, tmp_path / "one", jobs=1)
    build_site(sources, tmp_path / "three", jobs=3)
    assert tree(tmp_path / "one") == tree(tmp_path / "three")


@pytest.mark.parametrize(
    "surroundings",
    [
        {"TZ": "America/New_York", "PYTHONHASHSEED": "1"},
        {"TZ": "Asia/Kathmandu", "PYTHONHASHSEED": "2", "LC_ALL": "C"},
    ],
)
def test_surroundings_do_not_change_a_byte(tmp_path: Path, surroundings: dict[str, str]) -> None:
    """Time zone, locale, hash seed and umask are not in the site."""
    build_site(toy_sources(tmp_path), tmp_path / "here")
    program = (
        "import os, pathlib, sys; os.umask(0o077); import pytest; import toy_site\n"
        "from sitegen.build import build_site\n"
        "folder = pathlib.Path(sys.argv[1])\n"
        "with pytest.MonkeyPatch.context() as patch:\n"
        "    toy_site.use_toy_family(patch)\n"
        "    build_site(toy_site.toy_sources(folder), folder / 'there', jobs=2)\n"
    )
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env={**os.environ, **surroundings, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"},
        check=True,
    )
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    """Titles of seasons and names of agents are escaped wherever they stand."""
    build_site(toy_sources(tmp_path), tmp_path / "dist")
    for path, content in tree(tmp_path / "dist").items():
        if path.endswith(".html"):
            assert TITLE.encode() not in content, path
            assert AGENTS[-1].encode() not in content, path


def test_errata_and_reasons_are_on_every_page_of_their_season(tmp_path: Path) -> None:
    """A banner names each erratum and the reason for unproven claims; other pages have none."""
    season = toy_season(tmp_path, errata=(ERRATUM,), allow_unproven="the venue lost a day")
    build_site(toy_sources(tmp_path, season, errata=(ERRATUM,)), tmp_path / "dist")
    pages = {p: c for p, c in tree(tmp_path / "dist").items() if p.endswith(".html")}
    for path, content in pages.items():
        of_season = path.startswith("seasons/s1/")
        assert (b"errata/index.html#e1" in content) == of_season, path
        assert (b"the venue lost a day" in content) == of_season, path
    assert b'id="e1"' in pages["errata/index.html"]
    assert b"The corrected table" not in pages["seasons/s1/index.html"]
    assert b"<b>wrong" not in b"".join(pages.values())


def test_a_banner_leads_to_the_corrected_table(tmp_path: Path) -> None:
    """A season that an erratum replaces says by which one; the title ends in one period."""
    told = replace(ERRATUM, title="Off by one.", replaced_by="s2")
    page = Page(
        path="seasons/s1/x.html",
        template="pages/prose.html",
        title="X",
        finding="F.",
        trail=(),
        values={"prose": ""},
        season=toy_season(tmp_path, errata=(told,)),
    )
    html = Renderer(Site(title="T", description="D.")).render(page)
    assert "</b> Off by one. <a " in html
    assert 'The corrected table is that of <a href="../s2/index.html">season s2</a>.' in html


def test_a_site_without_an_address_has_no_map(tmp_path: Path) -> None:
    """A sitemap needs absolute addresses; without a base_url there is none."""
    build_site(toy_sources(tmp_path), tmp_path / "without")
    base = "https://example.org/arena/"
    build_site(toy_sources(tmp_path, base_url=base), tmp_path / "with")
    assert "sitemap.xml" not in tree(tmp_path / "without")
    found = tree(tmp_path / "with")["sitemap.xml"].decode()
    assert f"<loc>{base}seasons/s1/index.html</loc>" in found
    assert "404.html" not in found


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("agents/missing.html", "no file of the site"),
        ("#nowhere", "no element"),
        ("glossary/index.html#nowhere", "no element"),
    ],
)
def test_a_broken_link_stops_the_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str, reason: str
) -> None:
    """A page that links to nothing is named, and nothing is published."""
    from markupsafe import Markup  # noqa: PLC0415

    from sitegen.links import relative  # noqa: PLC0415
    from sitegen.model import Page  # noqa: PLC0415

    href = relative("x/index.html", link)
    page = Page(
        path="x/index.html",
        template="pages/prose.html",
        title="x",
        finding="x",
        trail=(),
        values={"prose": Markup('<a href="{}">x</a>').format(href)},
    )
    use_toy_family(monkeypatch, extra=[page])
    with pytest.raises(SiteError, match=rf"x/index\.html: .*{reason}"):
        build_site(toy_sources(tmp_path), tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("seasons/s1/index.html", "two parts"),
        ("index.html", "two parts"),
        ("Index.html", "one on some system"),
        ("seasons/S1/x", "one on some system"),
        ("caf\u00e9", None),
        ("../x", "part"),
        ("/x", "absolute"),
        ("a//b", "part"),
        ("a\\b", "backslash"),
        ("a\nb", "control"),
        ("a\udcff", "UTF-8"),
        ("index.html/x", "(cannot be written|two parts)"),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_no_path_is_written_twice_or_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, reason: str | None, jobs: int
) -> None:
    """A path that another file has, on any file system, or that leads elsewhere is refused."""
    use_toy_family(monkeypatch, extra=[File(path, b"x")])
    sources, out = toy_sources(tmp_path), tmp_path / "dist"
    if reason is None:
        build_site(sources, out, jobs=jobs)
        assert tree(out)[path] == b"x"
        return
    before = set(tmp_path.iterdir())
    with pytest.raises(SiteError, match=reason):
        build_site(sources, out, jobs=jobs)
    assert set(tmp_path.iterdir()) == before


def test_a_failed_build_leaves_the_old_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens in the middle, the old site is whole and nothing lies about."""
    sources, out = toy_sources(tmp_path), tmp_path / "dist"
    build_site(sources, out)
    before = tree(tmp_path)

    def fail(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(whole, "og_png", fail)
    with pytest.raises(RuntimeError):
        build_site(sources, out)
    assert tree(tmp_path) == before


def test_check_passes_on_what_was_built(tmp_path: Path) -> None:
    """A site is what its sources give again."""
    sources = toy_sources(tmp_path)
    build_site(sources, tmp_path / "dist")
    assert check_site(sources, tmp_path / "dist", jobs=2) == ()


def test_check_names_every_file_that_is_not_what_it_was(tmp_path: Path) -> None:
    """One byte changed, one file missing and one too many are each named, against both."""
    sources, out = toy_sources(tmp_path), tmp_path / "dist"
    build_site(sources, out)
    page = out / "index.html"
    page.write_bytes(page.read_bytes().replace(b"Toy", b"toy", 1))
    (out / "404.html").unlink()
    (out / "extra.txt").write_bytes(b"")
    found = check_site(sources, out)
    assert {(each.path, each.kind, each.against) for each in found} == {
        (path, kind, against)
        for path, kind in (
            ("404.html", "missing"),
            ("extra.txt", "extra"),
            ("index.html", "differs"),
        )
        for against in ("SHA256SUMS", "rebuild")
    }


def test_check_reads_plain_files_alone(tmp_path: Path) -> None:
    """A pipe or a device would never end, and a link is not the file that it leads to."""
    sources, out = toy_sources(tmp_path), tmp_path / "dist"
    build_site(sources, out)
    os.mkfifo(out / "pipe")
    (out / "device").symlink_to("/dev/zero")
    (out / "loop").symlink_to(".")
    (out / "SHA256SUMS").unlink()
    os.mkfifo(out / "SHA256SUMS")
    page = out / "index.html"
    page.rename(tmp_path / "elsewhere.html")
    page.symlink_to(tmp_path / "elsewhere.html")
    found = {(each.path, each.kind) for each in check_site(sources, out)}
    extra = {(name, "extra") for name in ("device", "loop", "pipe")}
    assert {("index.html", "differs"), ("SHA256SUMS", "differs"), *extra} <= found
    (out / "stamp.json").unlink()
    os.mkfifo(out / "stamp.json")
    with pytest.raises(SiteError, match="no site"):
        check_site(sources, out)


def test_check_sees_other_sources(tmp_path: Path) -> None:
    """A site of other sources keeps its own sums and still differs from a rebuild."""
    sources, out = toy_sources(tmp_path), tmp_path / "dist"
    build_site(sources, out)
    other = replace(sources, config=replace(sources.config, description="Another."))
    against = {each.against for each in check_site(other, out)}
    assert against == {"rebuild"}


def test_check_needs_a_site(tmp_path: Path) -> None:
    """A folder without a stamp is no site."""
    (tmp_path / "dist").mkdir()
    with pytest.raises(SiteError, match="no site"):
        check_site(toy_sources(tmp_path), tmp_path / "dist")
