"""Pagefind on top: an extra that is asked for, and that a check leaves out."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from frozen import tree
from toy_site import toy_sources, use_toy_family

from sitegen import pagefind
from sitegen.build import build_site
from sitegen.check import check_site
from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    use_toy_family(monkeypatch)


def test_a_site_with_pagefind_is_checked_without_its_files(tmp_path: Path) -> None:
    """Its files are listed in the sums, and are no difference when a rebuild has others."""
    pytest.importorskip("pagefind")
    sources, out = toy_sources(tmp_path, pagefind=True), tmp_path / "dist"
    build_site(sources, out)
    files = tree(out)
    written = [path for path in files if path.startswith("pagefind/")]
    assert "pagefind/pagefind.js" in written
    assert all(f"  {path}\n".encode() in files["SHA256SUMS"] for path in written)
    assert b"wasm-unsafe-eval" in files["search/index.html"]
    assert b"wasm-unsafe-eval" not in files["index.html"]
    assert check_site(sources, out) == ()
    entry = out / "pagefind" / "pagefind-entry.json"
    entry.write_bytes(entry.read_bytes() + b" ")
    assert {each.against for each in check_site(sources, out)} == {"SHA256SUMS"}


def test_a_site_without_it_has_none_of_it(tmp_path: Path) -> None:
    """Nothing of Pagefind is there unless it was asked for."""
    build_site(toy_sources(tmp_path), tmp_path / "dist")
    files = tree(tmp_path / "dist")
    assert not [path for path in files if path.startswith("pagefind/")]
    assert b"pagefind" not in files["search/index.html"]


def test_where_it_is_not_installed_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line says what to install, and nothing is written."""
    monkeypatch.setattr(pagefind, "find_spec", lambda _: None)
    with pytest.raises(SiteError, match=r"tallyproof\[pagefind\]"):
        build_site(toy_sources(tmp_path, pagefind=True), tmp_path / "dist")
    assert not (tmp_path / "dist").exists()


def test_a_failure_of_its_own_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line that it wrote is the reason."""
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SiteError, match="pagefind failed"):
        pagefind.index_pages(tmp_path)
