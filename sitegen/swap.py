"""
A folder that is replaced as a whole or not at all.

A new site is written into ``.<name>.building`` beside the old one, under a lock.
When it is complete, the old one is renamed to ``.<name>.replaced``, the new one to
its name, and the old one is deleted. Whatever a build that was killed left behind
is put right by the next one: a half-written site is deleted, and an old site that
had been renamed when nothing stood in its place yet is put back.

Only a folder that a stamp says is a site of ours is ever replaced.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from sitegen.stamp import is_site
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["check_apart", "replacing"]


@contextmanager
def replacing(out: Path) -> Iterator[Path]:
    """
    Give a new folder to write to, which takes the place of *out* when all went well.

    Args:
        out: The site; it need not be there.

    Raises:
        SiteError: *out* is something else than a site, another build holds it, or the
            file system refuses.
    """
    try:
        out = _resolved(out)
        new = out.with_name(f".{out.name}.building")
        old = out.with_name(f".{out.name}.replaced")
        out.parent.mkdir(parents=True, exist_ok=True)
        with _locked(new, out):
            try:
                _recover(out, old)
                _check_replaceable(out)
                yield new
                _swap(out, new, old)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
    except OSError as error:
        where = error.filename or out
        raise SiteError(f"{where}: the site cannot be written: {error.strerror}") from None


def check_apart(out: Path, *folders: Path) -> None:
    """
    Keep a site out of what it is built from, where the next build would read it.

    Raises:
        SiteError: *out* is one of the *folders* or lies in one.
    """
    for folder in folders:
        if _resolved(out).is_relative_to(os.path.realpath(folder)):
            raise SiteError(f"{out}: lies in {folder}, which the site is built from")


def _resolved(out: Path) -> Path:
    try:
        out = out.resolve()
    except RuntimeError:  # what Python before 3.13 says of links that lead in a circle
        raise SiteError(f"{out}: a link that leads to itself") from None
    if not out.name:
        raise SiteError(f"{out}: the root of the file system is no place for a site")
    return out


@contextmanager
def _locked(new: Path, out: Path) -> Iterator[None]:
    import fcntl  # noqa: PLC0415 - only to build

    with suppress(FileExistsError):
        new.mkdir()
    lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        # The kernel lets go of it when this process ends, however it ends.
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SiteError(f"{out}: another build is writing it") from None
        for entry in new.iterdir():
            _delete(entry)
        yield
    finally:
        os.close(lock)


def _recover(out: Path, old: Path) -> None:
    if not old.exists():
        return
    if out.exists():
        shutil.rmtree(old)
    else:
        old.rename(out)


def _check_replaceable(out: Path) -> None:
    if not out.exists():
        return
    if not out.is_dir():
        raise SiteError(f"{out}: not a folder")
    if any(out.iterdir()) and not is_site(out):
        raise SiteError(f"{out}: holds files and no stamp.json of a site; it is not overwritten")


def _swap(out: Path, new: Path, old: Path) -> None:
    if out.exists():
        out.rename(old)
        try:
            new.rename(out)
        except BaseException:
            old.rename(out)
            raise
        shutil.rmtree(old)
    else:
        new.rename(out)


def _delete(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
