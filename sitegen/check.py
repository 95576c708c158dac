"""
Rebuilding a site and comparing every byte.

Two questions, and both are answered to the end: is every file what the site's own
``SHA256SUMS`` says, and is it what these sources give again? A file may differ, be
missing or be there although nothing makes it; what is no plain file differs from any.
What Pagefind wrote is left out of the second question: its files lie under ``pagefind/``
and are not reproducible.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal

from sitegen.build import PAGEFIND, write_site
from sitegen.stamp import STAMP, SUMS, is_site
from sitegen.write import Written, hash_file
from verifier.errors import SiteError
from verifier.folder import content_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sitegen.source import Sources

__all__ = ["Difference", "check_site"]

_NO_FILE: Final = Written(b"", 0)
_LINE: Final = re.compile(rb"([0-9a-f]{64})  (.+)")


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    """
    One file that is not what it should be.

    Args:
        path: From the root of the site.
        kind: ``differs``, ``missing`` or ``extra``.
        against: ``rebuild``, or ``SHA256SUMS`` for the site's own list.
    """

    path: str
    kind: Literal["differs", "missing", "extra"]
    against: Literal["rebuild", "SHA256SUMS"]


def check_site(
    sources: Sources,
    folder: Path,
    *,
    jobs: int = 1,
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Difference, ...]:
    """
    Compare a site with its own list of hashes, and with a rebuild.

    Args:
        sources: What it was built from.
        folder: The site.
        jobs: Processes to rebuild with.
        progress: Called as the rebuild goes on.

    Returns:
        Every difference, sorted by path; none when the site is what it should be.

    Raises:
        SiteError: *folder* is no site, or cannot be read, or the sources do not build.
    """
    if not is_site(folder):
        raise SiteError(f"{folder}: no site: it has no {STAMP} of one")
    there = _hashed(folder)
    differences = list(_against_sums(there, folder))
    with TemporaryDirectory(prefix="tallyproof-check-") as temporary:
        write_site(sources, Path(temporary), jobs=jobs, progress=progress)
        again = _hashed(Path(temporary))
        left_out = {STAMP, SUMS} if sources.config.pagefind else set()
        for path in sorted(there.keys() | again.keys()):
            if sources.config.pagefind and path.startswith(PAGEFIND):
                continue
            if path in left_out:
                continue
            if kind := _kind(path, there, again):
                differences.append(Difference(path, kind, "rebuild"))
    return tuple(sorted(differences))


def _kind(
    path: str, there: dict[str, Written], again: dict[str, Written]
) -> Literal["differs", "missing", "extra"] | None:
    if path not in there:
        return "missing"
    if path not in again:
        return "extra"
    return None if there[path] == again[path] else "differs"


def _against_sums(there: dict[str, Written], folder: Path) -> list[Difference]:
    listed: dict[str, str] = {}
    if there.get(SUMS, _NO_FILE) != _NO_FILE:
        for line in content_of(folder / SUMS).splitlines():
            if match := _LINE.fullmatch(line):
                listed[os.fsdecode(match[2])] = match[1].decode()
    found = []
    for path in sorted((there.keys() | listed.keys()) - {SUMS}):
        if path not in there:
            found.append(Difference(path, "missing", SUMS))
        elif path not in listed:
            found.append(Difference(path, "extra", SUMS))
        elif there[path].sha256.hex() != listed[path]:
            found.append(Difference(path, "differs", SUMS))
    return found


def _hashed(folder: Path) -> dict[str, Written]:
    try:
        return {
            path.relative_to(folder).as_posix(): _hash(path)
            for path in folder.rglob("*")
            if path.is_symlink() or not path.is_dir()
        }
    except OSError as error:
        raise SiteError(f"{error.filename}: cannot be read: {error.strerror}") from None


def _hash(path: Path) -> Written:
    # A pipe or a device might never end, and a link shows what lies elsewhere.
    plain = stat.S_ISREG(path.lstat().st_mode)
    return hash_file(path) if plain else _NO_FILE
