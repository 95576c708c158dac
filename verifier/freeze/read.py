"""
Reading frozen seasons back: everything is hashed again, nothing is taken on trust.

The archive must hold the bundle that it is named by. The table is made again
from it, the record again from table, report and policy, and both must be the
bytes that lie there. What this does not do is the audit: that the report
follows from bundle and policy, ``tallyproof audit`` shows.
"""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import BundleError, EvidenceError, FormatError, LimitError, UsageError
from verifier.freeze.names import EVIDENCE, check_season_id
from verifier.freeze.record import FORMAT, check_reason, season_record
from verifier.freeze.tables import FAMILIES, season_table
from verifier.policy import parse_policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from types import TracebackType

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.policy import Policy

__all__ = ["FILES", "FrozenSeason", "archive_of", "list_seasons", "read_plain", "read_season"]

FILES: Final = ("policy.toml", "report.json", "season.json", "table.json")
"""What the folder of a season holds, and nothing else."""

_MEMBERS: Final = (
    *("arena", "as_of", "bundle", "family", "format", "policy", "report"),
    *("season", "table", "title", "tool", "unproven"),
)
_LARGEST: Final = 256 << 20
_DIGEST_LENGTH: Final = 64
_ZIP: Final = b"PK\3\4"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenSeason:
    """
    A frozen season with its evidence opened; a context manager that closes it.

    Args:
        folder: The folder of the season.
        archive: The zip with its evidence.
        id: Its name, which is a safe file name.
        family: ``arcana``, ``floor`` or ``sharpe``.
        arena: As the bundle names it.
        title: The bundle's title; hostile text.
        as_of: The clock of the audit, RFC 3339.
        record: ``season.json``, decoded.
        table: ``table.json``, exact bytes.
        report: ``report.json``, exact bytes.
        policy: The policy of the audit.
        policy_text: ``policy.toml``, exact bytes.
        bundle: The evidence, opened and hashed.
        unproven: Why unproven claims are published; None if everything was proved.
    """

    folder: Path
    archive: Path
    id: str
    family: str
    arena: str
    title: str
    as_of: str
    record: Mapping[str, JsonValue]
    table: bytes
    report: bytes
    policy: Policy
    policy_text: bytes
    bundle: Bundle
    unproven: str | None

    def close(self) -> None:
        """Close the evidence."""
        self.bundle.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def list_seasons(folder: Path) -> tuple[Path, ...]:
    """
    List the frozen seasons of a folder, by name.

    Names that begin with a dot are left alone.

    Raises:
        EvidenceError: The folder cannot be read, or holds something that is
            neither a frozen season nor the evidence of one.
    """
    try:
        entries = sorted(entry for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise EvidenceError(f"cannot be read: {error.strerror}", file=str(folder)) from None
    found = []
    for entry in entries:
        if entry.name == EVIDENCE:
            continue
        if not (entry / "season.json").is_file():
            raise FormatError("is no frozen season", file=str(entry))
        found.append(entry)
    return tuple(found)


def read_season(
    folder: Path,
    *,
    evidence: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> FrozenSeason:
    """
    Read a frozen season, and hash all of it again.

    Args:
        folder: The folder of the season.
        evidence: The folder with the archives; the one beside *folder* if None.
        progress: Called with the bytes of evidence that were hashed, and of how many.

    Raises:
        EvidenceError: A file is missing, malformed, or not what the record says;
            the error names it.
    """
    files = {name: read_plain(folder / name) for name in FILES}
    with _named(folder / "season.json"):
        stated = Obj(read_json(files["season.json"]), _MEMBERS)
        if stated.value["format"] != FORMAT:
            raise FormatError(f"unknown format, known is {FORMAT!r}", pointer="/format")
        family, season, seal, reason = _given(stated)
        if season != folder.resolve().name:
            raise FormatError(
                f"is the season {season!r}, which its folder is not named by", pointer="/season"
            )
    with _named(folder / "policy.toml"):
        policy = parse_policy(files["policy.toml"], file=str(folder / "policy.toml"))
        if policy.to_toml().encode() != files["policy.toml"]:
            raise FormatError("is no policy as `tallyproof policy show` writes it")
    archive = archive_of(folder.parent / EVIDENCE if evidence is None else evidence, seal)
    _check_zip(archive)
    with ExitStack() as opened:
        bundle = opened.enter_context(open_bundle(archive, limits=policy.limits, progress=progress))
        if bundle.sha256 != seal:
            raise BundleError(f"holds another bundle: {bundle.sha256}", file=str(archive))
        with _named(archive):
            table = season_table(bundle, family, season)
        if table != files["table.json"]:
            raise FormatError(
                "is not the table that the evidence gives", file=str(folder / "table.json")
            )
        with _named(folder):
            record = season_record(
                index=bundle.index,
                bundle_sha256=seal,
                family=family,
                season=season,
                table=table,
                report=files["report.json"],
                policy=files["policy.toml"],
                reason=reason,
            )
        _compare(folder / "season.json", files["season.json"], stated.value, record)
        opened.pop_all()
    return FrozenSeason(
        folder=folder,
        archive=archive,
        id=season,
        family=family,
        arena=bundle.index.arena,
        title=bundle.index.title,
        as_of=str(record["as_of"]),
        record=record,
        table=table,
        report=files["report.json"],
        policy=policy,
        policy_text=files["policy.toml"],
        bundle=bundle,
        unproven=reason,
    )


def archive_of(evidence: Path, seal: str) -> Path:
    """Name the archive of a bundle by its seal."""
    return evidence / f"{seal}.zip"


def read_plain(path: Path) -> bytes:
    """
    Read a plain file whole; a link or a device in its place is refused.

    Raises:
        EvidenceError: It cannot be read, or is no plain file.
        LimitError: Over 256 MiB.
    """
    data = _read_head(path, _LARGEST + 1)
    if len(data) > _LARGEST:
        raise LimitError(f"over {_LARGEST} bytes", limit="season_bytes", file=str(path))
    return data


def _check_zip(archive: Path) -> None:
    # A bundle may be a folder or a tar as well, and would be the same evidence; but this
    # file is published as the zip that it is named.
    if not _read_head(archive, len(_ZIP)).startswith(_ZIP):
        raise BundleError("is no zip archive", file=str(archive))


def _read_head(path: Path, most: int) -> bytes:
    try:
        # Without O_NONBLOCK a pipe put in its place would wait for ever.
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise EvidenceError("is no plain file", file=str(path))
            return file.read(most)
    except OSError as error:
        raise EvidenceError(f"cannot be read: {error.strerror}", file=str(path)) from None


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in the errors about its content, in front of a place within it."""
    try:
        yield
    except UsageError as error:
        raise FormatError(str(error), file=str(path)) from None
    except EvidenceError as error:
        if error.file != str(path):
            error.file = str(path) if error.file is None else f"{path}/{error.file}"
        raise


def _given(stated: Obj) -> tuple[str, str, str, str | None]:
    """Read what the record alone says: family, season, seal of the evidence, reason."""
    family = stated.text("family")
    if family not in FAMILIES:
        raise FormatError(f"unknown family {family[:80]!r}", pointer="/family")
    season = stated.text("season")
    check_season_id(season)
    seal = Obj(stated.value["bundle"], ("sha256",), pointer="/bundle").text("sha256")
    if len(seal) != _DIGEST_LENGTH or not set(seal) <= set("0123456789abcdef"):
        raise FormatError("is no sha256 in lower-case hex", pointer="/bundle/sha256")
    reason = None
    if stated.value["unproven"] is not None:
        unproven = Obj(stated.value["unproven"], ("count", "reason"), pointer="/unproven")
        reason = unproven.text("reason")
        check_reason(reason)
    return family, season, seal, reason


def _compare(
    path: Path,
    data: bytes,
    stated: Mapping[str, JsonValue],
    record: Mapping[str, JsonValue],
) -> None:
    for name, value in record.items():
        if stated[name] != value:
            raise FormatError(
                f"says {canonical_bytes(stated[name]).decode()[:200]}, "
                f"the files beside it give {canonical_bytes(value).decode()[:200]}",
                file=str(path),
                pointer=f"/{name}",
            )
    if canonical_bytes(dict(record)) != data:
        raise FormatError("is not canonical JSON", file=str(path))
