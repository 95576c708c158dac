"""
The site of the demo seasons, built once for a test run whatever the number of workers.

It has what the demo of the README has: a season of ARCANA, two of the Floor that share
their evidence, a release of SharpeArena; and an erratum, so that there is a banner to see.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final

from frozen import ARCANA, DEMOS, POLICY, freeze_demo
from shared import FIXTURES, ROOT

from verifier.freeze import freeze

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

__all__ = [
    "PAGES",
    "DemoSite",
    "demo_site",
    "pages_with_data",
    "payload_of",
    "rewritten",
    "tallyproof",
]

ERRATUM: Final = """+++
season = "season-1"
title = "The table of this test had an erratum"
date = "2026-11-08"
replaced_by = "season-2"
+++
What was found stands here, with its numbers.
"""
_OPEN: Final = '<script type="application/json" id="verify-data">'


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A site that was built, and what it was built from; none of it may be changed."""

    out: Path
    source: Path
    seasons: Path

    @property
    def options(self) -> tuple[str, ...]:
        """What a command of ``tallyproof site`` is told about the sources."""
        return ("--source", str(self.source), "--seasons", str(self.seasons))


def tallyproof(
    *arguments: str | Path, umask: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own; it never ends in a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "verifier", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, **environment},
        umask=-1 if umask is None else umask,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def demo_site(factory: pytest.TempPathFactory) -> DemoSite:
    """Build the site, or take the one that another worker of this run has built."""
    base = factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "demo-site"
    made = DemoSite(folder / "dist", folder / "source", folder / "seasons")
    with (shared / "demo-site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.out.exists():
            shutil.rmtree(folder, ignore_errors=True)
            _build(made)
    return made


def _build(site: DemoSite) -> None:
    (site.source / "errata").mkdir(parents=True)
    shutil.copy(ROOT / "site" / "site.toml", site.source)
    (site.source / "errata" / "season-1.md").write_text(ERRATUM, encoding="utf-8")
    for season in DEMOS:
        freeze_demo(season, site.seasons)
    freeze(DEMOS["season-1"], season="season-2", out=site.seasons, policy=POLICY)
    done = tallyproof(
        *("site", "build", *site.options, "--out", str(site.out), "--jobs", "2", "--quiet")
    )
    assert done.returncode == 0, done.stderr


def _first(pattern: str) -> Callable[[Path], str]:
    """Take the first file of a pattern."""
    return lambda root: min(root.glob(pattern)).relative_to(root).as_posix()


def _at(path: str) -> Callable[[Path], str]:
    return lambda _: path


def _call(place: int) -> str:
    lines = (FIXTURES / "floor-demo" / "floor" / "ledger.jsonl").read_text().splitlines()
    return f"seasons/season-1/calls/{json.loads(lines[place])['body']['call']}/index.html"


_ARCANA: Final = f"seasons/{ARCANA}"
PAGES: Final[dict[str, Callable[[Path], str]]] = {
    "home": _at("index.html"),
    "season": _at("seasons/season-1/index.html"),
    "agent": _at("seasons/season-1/agents/a-0004/index.html"),
    "unlisted agent": _at("seasons/season-1/agents/a-0012/index.html"),
    "call": lambda _: _call(1),
    "ledger": _at("seasons/season-1/ledger/index.html"),
    "ledger day": _first("seasons/season-1/ledger/2*.html"),
    "season rules": _at("seasons/season-1/rules/index.html"),
    "ARCANA season": _at(f"{_ARCANA}/index.html"),
    "ARCANA agent": _first(f"{_ARCANA}/agents/2725560c*/index.html"),
    "score": _first(f"{_ARCANA}/scores/*/index.html"),
    "anchors": _at(f"{_ARCANA}/anchors/index.html"),
    "anchor": _first(f"{_ARCANA}/anchors/1*.html"),
    "creator": _first(f"{_ARCANA}/creators/*/index.html"),
    "boards": _at("seasons/release-1/index.html"),
    "board": _at("seasons/release-1/boards/calm-new/index.html"),
    "entry": _first("seasons/release-1/boards/calm-new/*/index.html"),
    "seasons": _at("seasons/index.html"),
    "formulas": _at("formulas/index.html"),
    "formula of ARCANA": _at("formulas/arcana-score-formula-v1/index.html"),
    "formula of the Floor": _at("formulas/floor-standing/index.html"),
    "formula of a kernel": _at("formulas/sharpe-kernel-0.28.0/index.html"),
    "checks": _at("checks/index.html"),
    "check": _at("checks/floor/points/index.html"),
    "rules": _at("rules/index.html"),
    "verify": _at("verify/index.html"),
    "errata": _at("errata/index.html"),
    "changelog": _at("changelog/index.html"),
    "glossary": _at("glossary/index.html"),
    "search": _at("search/index.html"),
    "prose": _at("site/index.html"),
    "missing": _at("404.html"),
}
"""A page of each kind: its name, and where it lies in a site."""


class _Payload(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.inside = False
        self.text: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = tag == "script" and ("id", "verify-data") in attrs

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.text = (self.text or "") + data

    def handle_endtag(self, tag: str) -> None:
        del tag
        self.inside = False


def payload_of(html: str) -> dict[str, Any] | None:
    """Read the data that a page carries for verify.js."""
    parser = _Payload()
    parser.feed(html)
    return None if parser.text is None else json.loads(parser.text)


def rewritten(html: str, payload: dict[str, Any]) -> str:
    """Write a page with other data for verify.js."""
    before, found, rest = html.partition(_OPEN)
    assert found
    _, end, after = rest.partition("</script>")
    text = json.dumps(payload, separators=(",", ":")).replace("<", "\\u003c")
    return before + _OPEN + text + end + after


def pages_with_data(site: DemoSite) -> dict[str, str]:
    """Name the pages that verify.js checks, with where they lie."""
    places = {name: place(site.out) for name, place in PAGES.items()}
    return {
        name: place
        for name, place in places.items()
        if _OPEN in (site.out / place).read_text(encoding="utf-8")
    }
