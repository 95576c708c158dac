"""
How fast a site is built: ``python tests/bench/bench_site.py [PAGES [JOBS]]``.

A season is made up with as many agents as there are to be pages. Each agent has a
page with a table of 30 rows and 6 columns, and the site around it is whole: layout,
links checked, hashes, stamp, evidence; what a family recomputes for a page is not in it.
Each build runs in a process of its own. Its peak of memory is printed as if its own
and that of each worker fell on one moment. A quarter and a half of the pages are built
as well, with the seconds of processor time that each page took, which another load of
the machine changes little: they are the same if time grows with pages alone.

Pelican, where it is installed, then builds pages with the same tables from Markdown,
in its simple theme, with its caches off. Goals: three times Pelican's rate, and less
than 1 GiB. The machine may be shared: the rates of one run can be compared.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from goals import at_least, at_most
from toy_site import FAMILY, toy_season, toy_sources

from sitegen.build import build_site
from sitegen.components import Cell, Column, Row, Table
from sitegen.model import Crumb, Page, Season

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROWS: Final = 30
UNIT: Final = 50
PELICAN_PAGES: Final = 1_000
GIB: Final = 1024**3
KIB: Final = 1024 if sys.platform != "darwin" else 1
COLUMNS: Final = (
    Column("call", "call", kind="link"),
    Column("posted", "posted", kind="time"),
    Column("p", "p", kind="percent"),
    Column("b", "b", kind="percent"),
    Column("outcome", "outcome"),
    Column("points", "points", kind="points"),
)


def cells(agent: int, row: int) -> tuple[str, ...]:
    """Make up what stands in one row."""
    points = f"{(agent * 7919 + row * 104729) % 200000 / 1000 - 100:.4f}"
    moment = f"2026-11-{row % 28 + 1:02}T{row % 24:02}:00:00Z"
    return (f"call {agent}-{row}", moment, f"{row + 30}.0%", f"{row + 20}.0%", "hit", points)


class Agents:
    """A chapter with a page for each agent."""

    def __init__(self, season: Season, pages: int) -> None:
        self._season = season
        self._pages = pages

    def units(self) -> Sequence[str]:
        """Share the agents out."""
        return ("", *map(str, range(0, self._pages, UNIT)))

    def artifacts(self, unit: str) -> Iterator[Page]:
        """Make the pages of one share, or that of the season."""
        if not unit:
            yield self._page("index.html", "A season", 0)
            return
        for agent in range(int(unit), min(int(unit) + UNIT, self._pages)):
            yield self._page(f"agents/agent-{agent}/index.html", f"agent-{agent}", agent)

    def _page(self, path: str, title: str, agent: int) -> Page:
        rows = [
            Row(
                id=f"row-{row}",
                cells=[
                    Cell(text, href="index.html" if at == 0 else None)
                    for at, text in enumerate(cells(agent, row))
                ],
            )
            for row in range(ROWS)
        ]
        return Page(
            path=self._season.root + path,
            template="pages/seasons.html",
            title=title,
            finding=f"{ROWS} of {ROWS} calls recompute.",
            trail=(Crumb("arena", "index.html"), Crumb(title)),
            season=self._season,
            values={
                "table": Table(id="calls", caption="Calls", columns=COLUMNS, rows=rows),
                "prose": "",
            },
            search=title,
        )


def build(pages: int, jobs: int, folder: Path) -> None:
    """Build one site, and print seconds and bytes of memory."""
    chapter = ModuleType(f"sitegen.{FAMILY}.chapter")
    chapter.chapter = lambda season, *, newest: Agents(season, pages)  # type: ignore[attr-defined]  # noqa: ARG005
    sys.modules[f"sitegen.{FAMILY}"] = ModuleType(f"sitegen.{FAMILY}")
    sys.modules[chapter.__name__] = chapter
    folder.mkdir(parents=True)
    sources = toy_sources(folder, toy_season(folder))
    start = time.perf_counter()
    build_site(sources, folder / "dist", jobs=jobs)
    seconds = time.perf_counter() - start
    own, workers = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    spent = sum(each.ru_utime + each.ru_stime for each in (own, workers))
    print(seconds, spent, (own.ru_maxrss + jobs * workers.ru_maxrss) * KIB)


def measured(pages: int, jobs: int, folder: Path) -> tuple[float, float, int]:
    """Build in a fresh process; seconds, those of processor time, and bytes."""
    command = [sys.executable, __file__, "--build", str(pages), str(jobs), str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, spent, peak = done.stdout.split()
    return float(seconds), float(spent), int(peak)


def pelican(pages: int, folder: Path) -> float:
    """Let Pelican build comparable pages; seconds, its start left in."""
    content = folder / "content" / "pages"
    content.mkdir(parents=True)
    head = "| " + " | ".join(column.label for column in COLUMNS) + " |\n"
    head += "|" + "---|" * len(COLUMNS) + "\n"
    for agent in range(pages):
        table = "".join(f"| {' | '.join(cells(agent, row))} |\n" for row in range(ROWS))
        text = f"Title: agent-{agent}\nDate: 2026-11-01\nSlug: agent-{agent}\n\n{head}{table}"
        (content / f"agent-{agent}.md").write_text(text, encoding="utf-8")
    settings = folder / "conf.py"
    settings.write_text(
        "SITENAME = 'bench'\nTHEME = 'simple'\nLOAD_CONTENT_CACHE = False\nTIMEZONE = 'UTC'\n"
        "MARKDOWN = {'extensions': ['tables'], 'output_format': 'html5'}\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pelican", str(folder / "content"), "--quiet"]
    command += ["-o", str(folder / "out"), "-s", str(settings)]
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "TZ": "UTC"})
    seconds = time.perf_counter() - start
    assert len(list((folder / "out" / "pages").glob("*.html"))) == pages
    return seconds


def main(pages: int = 10_000, jobs: int = 2) -> None:
    """Print what was measured."""
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        print(f"pages with {ROWS} rows, {jobs} jobs")
        for share in (4, 2, 1):
            built = pages // share
            seconds, spent, peak = measured(built, jobs, folder / str(share))
            print(f"  {built:6}: {built / seconds:.0f} pages/s,", end=" ")
            print(f"{spent / built * 1000:.2f} ms of processor time a page,", end=" ")
            print(f"{peak / GIB:.2f} GiB, {at_most(peak / GIB, 1)}")
        rate = pages / seconds
        if find_spec("pelican") is None:
            print("  pelican is not installed: nothing to compare with")
            return
        theirs = PELICAN_PAGES / pelican(PELICAN_PAGES, folder / "pelican")
        print(f"  pelican: {theirs:.0f} pages/s; {rate / theirs:.1f} times as fast,", end=" ")
        print(at_least(rate / theirs, 3))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--build"]:
        build(int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]))
    else:
        main(*map(int, sys.argv[1:]))
