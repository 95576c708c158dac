"""
Building a site, step by step.

1. The sources were read and hashed (:mod:`sitegen.source`).
2. Every unit of every chapter is made and written (:mod:`sitegen.make`).
3. What needs all of them follows: assets, search index, list of the API, feed, sitemap.
4. No two files may be one on any file system, and every link must lead somewhere.
5. ``stamp.json`` and ``SHA256SUMS`` are written, of everything before.

All of it happens in a folder beside the site, which then takes the site's place
(:mod:`sitegen.swap`). The bytes are a function of the sources and of the releases that
the stamp names: no clock, no locale, no order of a set or a directory, no number of
jobs is in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sitegen.assets import asset_files
from sitegen.make import make_units
from sitegen.pages.whole import whole_site_files
from sitegen.search import search_index
from sitegen.stamp import STAMP, SUMS, site_root, stamp_json, sums_lines
from sitegen.swap import replacing
from sitegen.write import Writer, check_paths

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sitegen.source import Sources

__all__ = ["PAGEFIND", "Built", "build_site", "write_site"]

PAGEFIND: Final = "pagefind/"
"""Where Pagefind writes, from the root of the site."""


@dataclass(frozen=True, slots=True)
class Built:
    """
    A site that was written.

    Args:
        pages: Number of its pages.
        files: Number of all its files, the stamp and the sums too.
        size: Their bytes.
        root: The root in its stamp, in hex.
    """

    pages: int
    files: int
    size: int
    root: str


def build_site(
    sources: Sources,
    out: Path,
    *,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Built:
    """
    Build a site in the place of the one that is there.

    Args:
        sources: What it is built from.
        out: The site.
        jobs: Processes to use; the bytes do not depend on it.
        progress: Called with a label, the number of units that are done, and of all.

    Raises:
        SiteError: Something cannot be shown, linked or written; *out* is as it was.
        EvidenceError: A file of the evidence changed meanwhile; *out* is as it was.
    """
    with replacing(out) as folder:
        return write_site(sources, folder, jobs=jobs, progress=progress)


def write_site(
    sources: Sources,
    folder: Path,
    *,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> Built:
    """
    Write a site into an empty folder.

    Raises:
        SiteError: Something cannot be shown, linked or written.
        EvidenceError: A file of the evidence changed meanwhile.
    """
    made = make_units(sources, folder, jobs=jobs, progress=progress)
    writer = Writer(folder)
    for file in asset_files():
        writer.write(file.path, file.content)
    writer.write("assets/search-index.js", search_index(made.found))
    for file in whole_site_files(sources, made):
        writer.write(file.path, file.content)
    if sources.config.pagefind:
        from sitegen.pagefind import index_pages  # noqa: PLC0415 - an extra

        writer.files.update(index_pages(folder))
    files = {**made.files, **writer.files}
    check_paths([*made.files, *writer.files, STAMP, SUMS])
    made.links.check({*files, STAMP, SUMS}, folder)
    stamp = stamp_json(files, sources.seasons)
    last = Writer(folder)
    last.write(STAMP, stamp)
    listed = {**files, **last.files}
    last.write(SUMS, b"".join(sums_lines(listed)))
    return Built(
        pages=len(made.pages),
        files=len(listed) + 1,
        size=sum(written.size for written in {**listed, **last.files}.values()),
        root=site_root(sums_lines(files)),
    )
