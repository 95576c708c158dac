"""A small site with a season of no family, for tests of everything but the families."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from types import ModuleType
from typing import TYPE_CHECKING, Final

from small_bundle import sound, write_tree, zipped

from sitegen.config import Config
from sitegen.content import Content
from sitegen.model import Artifact, Crumb, Erratum, File, Page, Season
from sitegen.render import Renderer, Site
from sitegen.source import Sources
from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pytest

FAMILY: Final = "toy"
TITLE: Final = "A <small> season"
CONTENT: Final = {
    "404.md": "# Nothing here\n",
    "changelog.md": "# Changelog\n",
    "checks/README.md": "# Checks\n\n[one](toy/one.md)\n",
    "checks/toy/one.md": "# toy/one\n\nStep 1. It is one.\n\n**Fails** never.\n",
    "errata.md": "# Errata\n",
    "formulas.md": "# Formulas\n",
    "glossary.md": "# Glossary\n\n## Words\n",
    "home.md": "# How to read\n\nWith [words](glossary.md#words).\n",
    "rules.md": "# Rules\n",
    "search.md": "# Search\n",
    "seasons.md": "# Seasons\n",
    "verify.md": "# Verify\n\n## Limits\n",
}
"""The least that the pages of every site link to."""

AGENTS: Final = ("Alpha", "alpha", "caf\u00e9", "../up", "safe\u202egnp.exe")


@dataclass(frozen=True)
class ToyChapter:
    """Makes a page for the season and one for each agent, each agent a unit."""

    season: Season
    agents: Sequence[str]
    extra: Sequence[Artifact] = ()

    def units(self) -> Sequence[str]:
        """The season, then the agents by number."""
        return ("season", *(str(at) for at in range(len(self.agents))))

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """One page of the unit."""
        if unit == "season":
            yield self._page("index.html", self.season.title, "rows")
            yield File(f"v1/{self.season.id}.json", b"{}\n")
            yield from self.extra
        else:
            yield self._page(f"agents/{unit}/index.html", self.agents[int(unit)], "one row")

    def _page(self, path: str, title: str, prose: str) -> Page:
        return Page(
            path=self.season.root + path,
            template="pages/prose.html",
            title=title,
            finding="3 of 3 rows recompute.",
            trail=(Crumb("arena", "index.html"), Crumb(title)),
            season=self.season,
            values={"prose": prose},
            search=title,
        )


def toy_season(folder: Path, name: str = "s1", **changes: object) -> Season:
    """Make a season whose bundle is the small one, zipped in *folder*."""
    archive = folder / "evidence.zip"
    if not archive.exists():
        archive.write_bytes(zipped(sound()))
    bundle = open_bundle(archive)
    hashes = {part: {"sha256": sha256(part.encode()).hexdigest()} for part in ("policy", "table")}
    members: dict[str, object] = {
        "id": name,
        "family": FAMILY,
        "arena": "test",
        "title": TITLE,
        "as_of": "2026-09-20T03:30:00Z",
        "record": {
            **hashes,
            "bundle": {"sha256": bundle.sha256},
            "report": {
                "counts": {"pass": 3, "fail": 0, "unproven": 1, "exempt": 0},
                "coverage": {"inputs": 9, "sealed": 7, "anchored": 5},
                "sha256": "0" * 64,
                "verdict": "pass",
            },
        },
        "table": b'{"rows":[]}',
        "report": canonical_bytes({"checks": []}),
        "policy": Policy(),
        "policy_text": b"",
        "bundle": bundle,
        "root": f"seasons/{name}/",
        "evidence": f"evidence/{bundle.sha256[:16]}/",
    }
    return Season(**{**members, **changes})  # type: ignore[arg-type]


def toy_sources(
    folder: Path,
    *seasons: Season,
    errata: tuple[Erratum, ...] = (),
    content: dict[str, str] | None = None,
    **config: object,
) -> Sources:
    """Make the sources of a site of these seasons, or of one."""
    mine = folder / "content"
    if not mine.exists():
        texts = {**CONTENT, **(content or {})}
        write_tree(mine, {path: text.encode() for path, text in texts.items()})
    shown = seasons or (toy_season(folder),)
    members: dict[str, object] = {"title": "Toy & Co", "description": "A toy arena.", **config}
    return Sources(
        config=Config(**members),  # type: ignore[arg-type]
        content=Content({path: mine / path for path in sorted({**CONTENT, **(content or {})})}),
        errata=errata,
        seasons=shown,
        current=frozenset({shown[0].id}),
        archives={season.evidence.split("/")[1]: folder / "evidence.zip" for season in shown},
    )


def use_toy_family(
    monkeypatch: pytest.MonkeyPatch,
    agents: Sequence[str] = AGENTS,
    extra: Sequence[Artifact] = (),
    instead_of: str = FAMILY,
) -> None:
    """
    Put the family where the build looks for it, and take the formulas of the others away.

    Args:
        monkeypatch: Takes all of it back.
        agents: Names of the agents.
        extra: What the season's unit writes beside its page.
        instead_of: The family whose place it takes.
    """
    chapter = ModuleType(f"sitegen.{instead_of}.chapter")

    def make(season: Season, *, newest: bool) -> ToyChapter:
        del newest
        return ToyChapter(season, agents, extra)

    chapter.chapter = make  # type: ignore[attr-defined]
    if instead_of == FAMILY:
        monkeypatch.setitem(sys.modules, f"sitegen.{FAMILY}", ModuleType(f"sitegen.{FAMILY}"))
    monkeypatch.setitem(sys.modules, chapter.__name__, chapter)
    for family in ("arcana", "floor", "sharpe"):
        formulas = ModuleType(f"sitegen.{family}.formulas")
        formulas.formula_pages = lambda: iter(())  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, formulas.__name__, formulas)


@cache
def _renderer() -> Renderer:
    return Renderer(Site(title="Toy & Co", description="A toy arena."))


def rendered(page: Page) -> str:
    """Render one page of a site without seasons."""
    return _renderer().render(page)
