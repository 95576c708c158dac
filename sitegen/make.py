"""
Making the units of a site, in this process or in several.

A unit's pages are rendered, their links read, and the bytes written at once, so that
no more than a page is held. What comes back of a unit is small: the hashes of its
files, its links, and what the search should find. It comes back in the order of the
units, so that the number of jobs cannot be seen in anything that is written.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Final

from sitegen.evidence import EvidenceChapter
from sitegen.linkcheck import Links
from sitegen.model import Copy, File
from sitegen.pages.general import GeneralChapter
from sitegen.render import Renderer
from sitegen.write import Writer, Written
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from sitegen.model import Artifact, Chapter
    from sitegen.source import Sources

__all__ = ["Made", "make_units"]

_CHUNKS_PER_JOB: Final = 16
_CHUNK: Final = 64
_maker: _Maker | None = None


@dataclass(slots=True)
class Made:
    """
    What is kept of a unit.

    Args:
        files: Its files.
        pages: Which of them are pages.
        links: Where its pages link to.
        found: Title, path and words of its pages, for the search.
    """

    files: dict[str, Written] = field(default_factory=dict)
    pages: list[str] = field(default_factory=list)
    links: Links = field(default_factory=Links)
    found: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, other: Made) -> None:
        """
        Take over what comes after this.

        Raises:
            SiteError: Both have a file of one path.
        """
        for path, written in other.files.items():
            if path in self.files:
                raise SiteError(f"{path}: two parts of the site have this path")
            self.files[path] = written
        self.pages += other.pages
        self.links.merge(other.links)
        self.found += other.found


class _Maker:
    def __init__(self, sources: Sources, folder: Path) -> None:
        self._chapters = _chapters(sources)
        self._renderer = Renderer(sources.site)
        self._folder = folder

    def tasks(self) -> list[tuple[int, str]]:
        return [(at, unit) for at, each in enumerate(self._chapters) for unit in each.units()]

    def make(self, task: tuple[int, str]) -> Made:
        chapter, unit = task
        made = Made()
        writer = Writer(self._folder)
        for artifact in self._chapters[chapter].artifacts(unit):
            self._write(artifact, writer, made)
        made.files = writer.files
        return made

    def _write(self, artifact: Artifact, writer: Writer, made: Made) -> None:
        if isinstance(artifact, Copy):
            writer.copy(artifact.path, artifact.chunks(), digest=artifact.sha256)
        elif isinstance(artifact, File):
            writer.write(artifact.path, artifact.content)
        else:
            html = self._renderer.render(artifact)
            made.links.gather(artifact.path, html)
            try:
                writer.write(artifact.path, html.encode())
            except UnicodeEncodeError:
                raise SiteError(f"{artifact.path}: holds text that is not UTF-8") from None
            made.pages.append(artifact.path)
            if artifact.search is not None:
                made.found.append((artifact.title, artifact.path, artifact.search))


def make_units(
    sources: Sources,
    folder: Path,
    *,
    jobs: int,
    progress: Callable[[str, int, int], None] | None = None,
) -> Made:
    """
    Make all units of a site.

    Args:
        sources: What it is made from.
        folder: Where it is written; an empty folder.
        jobs: Processes to use; 1 stays in this one.
        progress: Called with a label, the number of units that are done, and of all.

    Raises:
        SiteError: Something cannot be shown, linked or written.
        EvidenceError: A file of the evidence changed meanwhile.
    """
    maker = _Maker(sources, folder)
    tasks = maker.tasks()
    made = Made()
    for done, unit in enumerate(_run(maker, tasks, sources, folder, jobs), 1):
        made.add(unit)
        if progress is not None:
            progress("pages", done, len(tasks))
    return made


def _run(
    maker: _Maker, tasks: Sequence[tuple[int, str]], sources: Sources, folder: Path, jobs: int
) -> Iterator[Made]:
    if jobs <= 1 or len(tasks) <= 1:
        yield from map(maker.make, tasks)
        return
    import multiprocessing  # noqa: PLC0415 - not for a single job
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    # As in verifier.engine: a fork inherits what is loaded, where forking is safe.
    fork = sys.platform != "darwin" and "fork" in multiprocessing.get_all_start_methods()
    system = multiprocessing.get_context("fork" if fork else None)
    chunk = min(_CHUNK, max(1, len(tasks) // (jobs * _CHUNKS_PER_JOB)))
    with ProcessPoolExecutor(jobs, system, _start, (sources, folder)) as pool:
        _inherit(maker)
        try:
            yield from pool.map(_make, tasks, chunksize=chunk)
        except BrokenProcessPool:
            raise SiteError(
                "a process was killed while it wrote pages; with fewer jobs less memory is used"
            ) from None
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
        finally:
            _inherit(None)


def _inherit(maker: _Maker | None) -> None:
    global _maker  # noqa: PLW0603 - how a forked process finds what its parent has loaded
    _maker = maker


def _start(sources: Sources, folder: Path) -> None:
    import signal  # noqa: PLC0415 - only in a process of its own

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _maker is None:
        _inherit(_Maker(sources, folder))


def _make(task: tuple[int, str]) -> Made:
    assert _maker is not None  # by _start
    return _maker.make(task)


def _chapters(sources: Sources) -> list[Chapter]:
    chapters: list[Chapter] = [GeneralChapter(sources)]
    seen: set[str] = set()
    for season in sources.seasons:
        family = import_module(f"sitegen.{season.family}.chapter")
        chapters.append(family.chapter(season, newest=season.id in sources.current))
        if season.evidence not in seen:
            seen.add(season.evidence)
            archive = sources.archives[season.evidence.split("/")[1]]
            chapters.append(EvidenceChapter(season.bundle, season.evidence, archive))
    return chapters
