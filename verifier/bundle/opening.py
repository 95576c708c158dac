"""
Opening an evidence bundle, step by step.

1. What it is, is told by its content: a directory, or an archive that begins as
   a zip, a gzip or a tar does. Names and endings decide nothing, but for the
   slash at the end of a URL, which says that it leads to a folder.
2. Its files are listed. A member that is not a plain file, or whose path is not
   safe, refuses the bundle; so does any count or size over the limits, before
   a single file is read.
3. Every file is hashed once, with bounded memory, in the order of the paths.
4. ``bundle.json`` is read, and ``SHA256SUMS`` compared with what is there.
   What is false there is not an error: it is kept as the bundle's problems.
"""

from __future__ import annotations

import stat
from hashlib import sha256
from typing import TYPE_CHECKING

from verifier.bundle.archivefile import ArchiveFile, LocalFile
from verifier.bundle.bundle import Bundle, assemble
from verifier.bundle.inventory import Inventory, Listing
from verifier.bundle.location import local_path, shown
from verifier.bundle.paths import check_collisions
from verifier.bundle.sources import (
    Container,
    DirectorySource,
    cannot_read,
    check_size,
    check_total,
)
from verifier.bundle.tarsource import TarSource, unpack_gzip
from verifier.bundle.zipsource import ZipSource
from verifier.errors import BundleError, ChangedError, EvidenceError, LimitError
from verifier.limits import RATIO_FREE_BYTES, BundleLimits

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["open_bundle"]

_DEFAULTS = BundleLimits()
_TAR_MAGIC = slice(257, 262)


def open_bundle(
    path: str | Path,
    *,
    limits: BundleLimits = _DEFAULTS,
    progress: Callable[[int, int], None] | None = None,
) -> Bundle:
    """
    Open a bundle and hash all of it.

    Args:
        path: A directory, ``.zip``, ``.tar`` or ``.tar.gz``, or as a text the URL of one,
            which asks the store that it names.
        limits: What the bundle may contain at most.
        progress: Called with (bytes hashed, bytes in all) now and then.

    Returns:
        The bundle, to be used as a context manager. It may have problems.

    Raises:
        BundleError: Not a bundle, unreadable, damaged, or with unsafe members.
        LimitError: Over a limit, which it names.
        JsonError: ``bundle.json`` is not strict JSON.
        FormatError: ``bundle.json`` is not an index of a known format.
        ChangedError: A file changed while the bundle was being opened.
        UsageError: A URL of a store that is not known, or not installed.
    """
    source: Container | None = None
    try:
        source = _source(path, limits)
        listing = source.listing(limits)
        check_collisions(listing.paths)
        _check_sizes(listing, source.packed_bytes, limits)
        inventory = _sweep(source, listing, progress)
        return assemble(source, inventory, limits)
    except BaseException as error:
        if source is not None:
            source.close()
        if isinstance(error, EvidenceError):
            error.in_file(shown(path))
        raise


def _source(place: str | Path, limits: BundleLimits) -> Container:
    path = local_path(place)
    if path is None:
        from verifier.bundle.remotesource import RemoteFolder, open_remote  # noqa: PLC0415 - rare

        there = open_remote(str(place))
        return there if isinstance(there, RemoteFolder) else _archive(there, limits)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return DirectorySource(str(path))
        if not stat.S_ISREG(mode):
            raise BundleError("neither a directory nor an archive")
        return _archive(LocalFile(str(path)), limits)
    except OSError as error:
        raise cannot_read(error, shown(place)) from None
    except ValueError:
        raise BundleError("not a path", file=ascii(shown(place))) from None


def _archive(file: ArchiveFile, limits: BundleLimits) -> Container:
    try:
        head = file.at(0, 512)
        if head.startswith((b"PK\3\4", b"PK\5\6")):
            return ZipSource(file)
        if head.startswith(b"\x1f\x8b"):
            return unpack_gzip(file, limits)
        if head[_TAR_MAGIC] == b"ustar":
            return TarSource(file)
    except BaseException:
        file.close()
        raise
    file.close()
    raise BundleError("not an evidence bundle: no directory, zip, tar or tar.gz")


def _check_sizes(listing: Listing, packed: int | None, limits: BundleLimits) -> None:
    total = sum(listing.sizes)
    for at, size in enumerate(listing.sizes):
        check_size(size, listing.paths[at], limits)
    check_total(total, limits)
    if packed is not None and total > max(RATIO_FREE_BYTES, limits.archive_ratio * packed):
        raise LimitError(
            f"{packed} bytes unpack to {total}, allowed is {limits.archive_ratio} for one",
            limit="archive_ratio",
        )


def _sweep(
    source: Container, listing: Listing, progress: Callable[[int, int], None] | None
) -> Inventory:
    digests = bytearray()
    total = sum(listing.sizes)
    done = 0
    for path, size in zip(listing.paths, listing.sizes, strict=True):
        whole = sha256()
        read = 0
        for chunk in source.chunks(path, size):
            whole.update(chunk)
            read += len(chunk)
            if progress is not None:
                progress(done + read, total)
        if read != size:
            raise ChangedError("changed while it was being hashed", file=path)
        done += read
        digests += whole.digest()
    return Inventory(listing.paths, listing.sizes, bytes(digests))
