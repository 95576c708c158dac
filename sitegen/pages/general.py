"""
The chapter of the pages that belong to no single season.

Its units are the Markdown files of the content, the pages that are made without one,
and the formulas of each family.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sitegen.model import File
from sitegen.pages.home import home_page
from sitegen.pages.prose import prose_page
from sitegen.pages.tables import audit_command, check_rows, season_rows
from sitegen.pages.tallies import by_check, sentence, total
from verifier.core.canon import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sitegen.model import Artifact, Page, Season
    from sitegen.source import Sources

__all__ = ["FAMILIES", "GeneralChapter"]

FAMILIES: Final = ("arcana", "floor", "sharpe")
_CHECK_PARTS: Final = 3


class GeneralChapter:
    """
    Pages about the site as a whole.

    Args:
        sources: What the site is made from.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._content = sources.content
        self._home = sources.config.title
        self._made: dict[str, Callable[[], Page]] = {
            "home.md": partial(home_page, sources),
            "seasons.md": self._seasons,
            "checks/README.md": self._checks,
            "formulas.md": self._formulas,
            "errata.md": self._errata,
            "search.md": self._search,
            "verify.md": self._verify,
            "rules.md": self._rules,
        }

    def units(self) -> Sequence[str]:
        """Name the Markdown files, the families' formulas, and the frozen files of each season."""
        return (
            *self._content.paths(),
            *(f"formulas:{family}" for family in FAMILIES),
            *(f"frozen:{at}" for at in range(len(self._sources.seasons))),
        )

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """Make one page, or the formulas of a family, or copy what was frozen."""
        kind, _, name = unit.partition(":")
        if kind == "formulas":
            yield from _formula_pages(name)
        elif kind == "frozen":
            yield from _frozen(self._sources.seasons[int(name)])
        else:
            yield from self._content.images(self._content.prose(unit))
            yield self._made[unit]() if unit in self._made else self._prose(unit)

    def _prose(self, path: str) -> Page:
        check = path.removesuffix(".md").split("/")
        if check[0] == "checks" and len(check) == _CHECK_PARTS:
            return self._check(path, "/".join(check[1:]))
        return self._page(path)

    def _page(self, path: str, template: str | None = None, **values: object) -> Page:
        page = prose_page(path, self._content, home=self._home)
        if template is None:
            return page
        return replace(page, template=template, values={**page.values, **values})

    @cached_property
    def _counts(self) -> list[tuple[Season, dict[str, dict[str, int]]]]:
        return [(season, by_check(season)) for season in self._sources.seasons]

    def _check(self, path: str, check: str) -> Page:
        counts = [(season, found[check]) for season, found in self._counts if check in found]
        return self._page(path, "pages/check.html", table=check_rows(check, counts))

    def _checks(self) -> Page:
        return self._page("checks/README.md")

    def _seasons(self) -> Page:
        table = season_rows("seasons", "All seasons", self._sources.seasons, self._sources.seasons)
        page = self._page("seasons.md", "pages/seasons.html", table=table)
        return replace(page, finding=sentence(total(self._sources.seasons)))

    def _formulas(self) -> Page:
        pages = [(family, list(_formula_pages(family))) for family in FAMILIES]
        return self._page("formulas.md", "pages/formulas.html", families=pages)

    def _errata(self) -> Page:
        errata = self._sources.errata
        roots = {season.id: season.root for season in self._sources.seasons}
        finding = f"{len(errata)} errata." if len(errata) != 1 else "1 erratum."
        page = self._page("errata.md", "pages/errata.html", errata=errata, roots=roots)
        return replace(page, finding=finding)

    def _search(self) -> Page:
        return self._page(
            "search.md",
            "pages/search.html",
            search_index=True,
            pagefind=self._sources.config.pagefind,
        )

    def _verify(self) -> Page:
        seasons = [(season, audit_command(season)) for season in self._sources.seasons]
        return self._page("verify.md", "pages/verify.html", seasons=seasons)

    def _rules(self) -> Page:
        with_rules = [each for each in self._sources.seasons if each.family == "floor"]
        return self._page("rules.md", "pages/rules.html", seasons=with_rules)


def _formula_pages(family: str) -> Iterator[Page]:
    yield from import_module(f"sitegen.{family}.formulas").formula_pages()


def _frozen(season: Season) -> Iterator[File]:
    yield File(f"{season.root}season.json", canonical_bytes(dict(season.record)))
    yield File(f"{season.root}table.json", season.table)
    yield File(f"{season.root}report.json", season.report)
    yield File(f"{season.root}policy.toml", season.policy_text)
