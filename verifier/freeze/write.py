"""
Freezing a season: from a clean audit only, whole or not at all, and never twice.

Everything is written into a staging folder inside the target and renamed when
it is complete and checked: first the archive, then the season. A process that
is killed leaves what was there before, and at most an archive that no season
names yet. What it left in staging is removed by the next one; a lock on the
target keeps two from working in it at a time.

A season that is frozen already, with the same bytes, is left as it is. One
with other bytes is never touched, and neither is the archive.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from verifier.audit import audit_bundle
from verifier.bundle import open_bundle
from verifier.bundle.location import local_path
from verifier.core.canon import canonical_bytes
from verifier.errors import BundleError, UsageError
from verifier.findings import Verdict
from verifier.freeze.archive import write_archive
from verifier.freeze.names import EVIDENCE, check_season_id
from verifier.freeze.read import FILES, archive_of, read_plain
from verifier.freeze.record import check_reason, season_record
from verifier.freeze.tables import family_of, season_table
from verifier.policy import Policy
from verifier.report.json_ import render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.report.model import Report

    Progress = Callable[[str, int, int], None]

__all__ = ["Frozen", "freeze"]

_STAGING: Final = ".tallyproof-staging"
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """
    What came of freezing a season.

    Args:
        report: The report of the audit.
        folder: The folder of the season; None if the audit was not clean, so
            that nothing was written.
        archive: The zip with its evidence; None as well then.
        record: ``season.json``; empty then.
        new: Whether the folder was written now, and not there already.
    """

    report: Report
    folder: Path | None = None
    archive: Path | None = None
    record: Mapping[str, JsonValue]
    new: bool = False


def freeze(  # noqa: PLR0913  the caller's choices, each of its own
    path: str | Path,
    *,
    season: str,
    out: Path,
    policy: Policy | None = None,
    family: str | None = None,
    allow_unproven: str | None = None,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Frozen:
    """
    Freeze a season of a bundle whose audit is clean.

    Args:
        path: The bundle: directory, ``.zip``, ``.tar`` or ``.tar.gz``, or as a text the
            URL of one.
        season: Id of the season, which names its folder.
        out: The folder of frozen seasons; made if it is not there.
        policy: What the caller trusts; the built-in policy when None.
        family: Family of the season, where evidence of two names it.
        allow_unproven: Why unproven claims may be published; None: they may not.
        jobs: Processes for the audit.
        progress: Called with what is being done, how much is done, and of how much.

    Returns:
        The frozen season; without a folder if the audit found a wrong claim, or
        an unproven one without *allow_unproven*.

    Raises:
        UsageError: The id is no safe file name, no evidence names the season or
            it has not ended, it is frozen already with other bytes, or the
            target cannot be written.
        EvidenceError: The bundle cannot be read.
    """
    check_season_id(season)
    if allow_unproven is not None:
        check_reason(allow_unproven)
    policy = policy or Policy()
    with open_bundle(path, limits=policy.limits, progress=_part(progress, "hashing")) as bundle:
        _check_apart(path, out)
        family = family_of(bundle, season, family)
        report = audit_bundle(bundle, policy=policy, jobs=jobs, progress=progress)
        unproven = report.count(Verdict.UNPROVEN)
        # A report that passes nothing is unproven without an unproven claim.
        if report.verdict is Verdict.FAIL or not report.count(Verdict.PASS):
            return Frozen(report=report, record={})
        if unproven and allow_unproven is None:
            return Frozen(report=report, record={})
        files = {
            "policy.toml": policy.to_toml().encode(),
            "report.json": render(report),
            "table.json": season_table(bundle, family, season),
        }
        record = season_record(
            index=bundle.index,
            bundle_sha256=bundle.sha256,
            family=family,
            season=season,
            table=files["table.json"],
            report=files["report.json"],
            policy=files["policy.toml"],
            reason=allow_unproven if unproven else None,
        )
        files["season.json"] = canonical_bytes(record)
        folder, archive = out / season, archive_of(out / EVIDENCE, bundle.sha256)
        try:
            with _staging(out) as staging:
                new = not _is_frozen(folder, files)
                _put_archive(bundle, policy, archive, staging, _part(progress, "writing"))
                if new:
                    _put_season(folder, files, staging)
        except OSError as error:
            raise UsageError(
                f"{error.filename or out}: cannot be written: {error.strerror or error}"
            ) from None
    return Frozen(report=report, folder=folder, archive=archive, record=record, new=new)


def _check_apart(place: str | Path, out: Path) -> None:
    """Refuse a target inside the bundle: writing there would make another bundle of it."""
    path = local_path(place)
    if path is None:
        return
    try:
        inside = out.resolve().is_relative_to(path.resolve())
    except (OSError, RuntimeError):  # links that lead to each other
        raise UsageError(f"{out}: cannot be followed to a folder") from None
    if inside:
        raise UsageError(f"{out}: lies inside the bundle")


def _part(progress: Progress | None, what: str) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda done, total: progress(what, done, total)


@contextmanager
def _staging(out: Path) -> Iterator[Path]:
    """Give an empty folder inside the target, with the target locked meanwhile."""
    out.mkdir(parents=True, exist_ok=True)
    lock = os.open(out, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        staging = out / _STAGING
        _remove(staging)
        staging.mkdir()
        try:
            yield staging
        finally:
            _remove(staging)
    finally:
        os.close(lock)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    elif path.exists():
        shutil.rmtree(path)


def _is_frozen(folder: Path, files: Mapping[str, bytes]) -> bool:
    """
    Tell whether the season is there already, with these very bytes.

    Raises:
        UsageError: It is there with others, or under a name that some file
            systems take for the same.
    """
    for other in folder.parent.iterdir():
        if other.name != folder.name and other.name.casefold() == folder.name.casefold():
            raise UsageError(f"{other}: is frozen already, and its name differs only by case")
    if not folder.is_symlink() and not folder.exists():
        return False
    if folder.is_symlink() or not folder.is_dir():
        raise UsageError(f"{folder}: is no folder of a frozen season")
    there = {entry.name for entry in folder.iterdir()}
    for name in sorted(there | set(FILES)):
        place = folder / name
        if name not in FILES:
            raise UsageError(f"{place}: is no file of a frozen season, which is never changed")
        if name not in there:
            raise UsageError(f"{place}: is missing in a season that was frozen, never changed")
        if read_plain(place) != files[name]:
            raise UsageError(
                f"{place}: was frozen with other bytes, and a frozen season is never overwritten; "
                "publish a mistake as an erratum, and its correction under another id"
            )
    return True


def _put_archive(
    bundle: Bundle,
    policy: Policy,
    archive: Path,
    staging: Path,
    progress: Callable[[int, int], None] | None,
) -> None:
    staged = staging / "evidence.zip"
    with staged.open("xb") as file:
        write_archive(bundle, file, progress=progress)
        _keep(file.fileno(), file.flush)
    with open_bundle(staged, limits=policy.limits) as again:
        if again.sha256 != bundle.sha256:
            raise BundleError(f"changed while it was copied: the copy is {again.sha256}")
    archive.parent.mkdir(exist_ok=True)
    if not archive.exists() and not archive.is_symlink():
        staged.rename(archive)
        _keep_folder(archive.parent)
    elif archive.is_symlink() or _digest(archive) != _digest(staged):
        raise UsageError(f"{archive}: lies there with other bytes, and is never overwritten")


def _put_season(folder: Path, files: Mapping[str, bytes], staging: Path) -> None:
    staged = staging / "season"
    staged.mkdir()
    for name, content in files.items():
        with (staged / name).open("xb") as file:
            file.write(content)
            _keep(file.fileno(), file.flush)
    _keep_folder(staged)
    staged.rename(folder)
    _keep_folder(folder.parent)


def _keep(fd: int, flush: Callable[[], None]) -> None:
    # On the disk before the rename is, or a power cut could leave a name without content.
    flush()
    os.fsync(fd)


def _keep_folder(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _digest(path: Path) -> str:
    whole = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
    return whole.hexdigest()
