"""The prose of a site and its errata."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from small_bundle import write_tree

from sitegen.content import Content, find_content, read_errata, read_text
from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path

FRONT = 'season = "s1"\ntitle = "Wrong <b>"\ndate = "2026-10-01"\n'


def erratum(folder: Path, text: str, name: str = "e.md") -> None:
    """Write an erratum."""
    write_tree(folder / "errata", {name: text.encode()})


def test_a_file_of_the_maintainer_replaces_the_packages(tmp_path: Path) -> None:
    """A file of the same name takes its place; all others stay."""
    files = {"glossary.md": b"# Ours\n", "more.md": b"# More\n", ".a/b/c.md": b"hidden"}
    write_tree(tmp_path / "content", files)
    content = Content(find_content(tmp_path / "content"))
    assert not any("c.md" in path for path in content.paths())
    assert content.prose("glossary.md").title == "Ours"
    assert content.prose("more.md").title == "More"
    assert content.prose("checks/README.md").title == "Checks"


def test_all_prose_of_the_package_can_be_shown(tmp_path: Path) -> None:
    """Every page that Tallyproof brings renders, and each link between them holds."""
    content = Content(find_content(tmp_path / "none"))
    assert {"changelog.md", "glossary.md", "home.md", "verify.md"} <= set(content.paths())
    for path in content.paths():
        assert content.prose(path).title


def test_an_erratum_is_read(tmp_path: Path) -> None:
    """Front matter, text, and links as seen from the page of errata."""
    text = f'+++\n{FRONT}replaced_by = "s2"\n+++\nSee [the words](glossary.md) <i>.\n'
    erratum(tmp_path, text, "e 1.md")
    content = Content(find_content(tmp_path / "content"))
    (found,) = read_errata(tmp_path / "errata", content)
    assert (found.season, found.replaced_by, found.date) == ("s1", "s2", "2026-10-01")
    assert found.title == "Wrong <b>"
    assert 'href="../glossary/index.html"' in found.html
    assert "<i>" not in found.html
    assert " " not in found.id


def test_errata_come_newest_first(tmp_path: Path) -> None:
    """They are sorted by date and then by name."""
    days = {"a": "2026-10-01", "b": "2026-11-01", "c": "2026-10-01"}
    files = {
        f"{name}.md": f"+++\n{FRONT.replace('2026-10-01', day)}\n+++\n".encode()
        for name, day in days.items()
    }
    write_tree(tmp_path / "errata", files)
    errata = read_errata(tmp_path / "errata", Content({}))
    assert [each.id for each in errata] == ["b", "c", "a"]


def test_without_errata_there_are_none(tmp_path: Path) -> None:
    """The folder need not be there."""
    assert read_errata(tmp_path / "errata", Content({})) == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no front matter", r"\+\+\+"),
        (f"+++\n{FRONT}", r"\+\+\+"),
        ("+++\n=\n+++\n", "not TOML"),
        (f"+++\n{FRONT}colour = 1\n+++\n", "unknown key colour"),
        ('+++\nseason = "s1"\n+++\n', "title is missing"),
        (f"+++\n{FRONT.replace('2026-10-01', 'today')}\n+++\n", "date"),
        (f"+++\n{FRONT.replace('2026-10-01', '2026-02-30')}\n+++\n", "date"),
        (f'+++\n{FRONT}replaced_by = "s1"\n+++\n', "by itself"),
        (f"+++\n{FRONT}\n+++\n[x](missing.md)\n", "no file of the content"),
    ],
)
def test_what_is_no_erratum_is_named(tmp_path: Path, text: str, reason: str) -> None:
    """The error names the file and what is wrong with it."""
    erratum(tmp_path, text)
    with pytest.raises(SiteError, match=rf"e\.md.*{reason}"):
        read_errata(tmp_path / "errata", Content({}))


def test_what_never_ends_is_not_read(tmp_path: Path) -> None:
    """A pipe, a device and a huge file are errors at once."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "device").symlink_to("/dev/zero")
    with (tmp_path / "huge").open("wb") as huge:
        huge.truncate((16 << 20) + 1)
    for name, reason in (
        ("pipe", "not a file"),
        ("device", "not a file"),
        ("huge", "limit content_bytes"),
    ):
        with pytest.raises(SiteError, match=rf"{name}: .*{reason}"):
            read_text(tmp_path / name)
