"""
A bundle under a base URL, copied file by file.

1. ``bundle.json`` says what it is, ``SHA256SUMS`` what belongs to it. A list that
   names a path no bundle may hold, one path twice, or two that are one on some
   file systems, is refused before anything else is asked for.
2. Each listed file is asked for and hashed. One that was served with other bytes
   is asked for once more, in case a cache was in the way.
3. A bundle may be replaced by its publisher meanwhile. When a file is not what
   was listed, the list is asked for again; if it has changed, the copy begins
   anew, and keeps what is still listed.
4. ``SHA256SUMS`` is put in its place last: a folder without it is no bundle.

What is then still different is kept as it was served, and told: the publisher's
list and files contradict each other, and an audit says so too. What was not
served is told as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote

from verifier.bundle.index import INDEX, read_index
from verifier.bundle.inventory import SUMS
from verifier.bundle.paths import check_collisions, check_member, path_fault, printable
from verifier.bundle.sums import parse_line
from verifier.collect.errors import CollectError
from verifier.collect.port import Request
from verifier.errors import BundleError, EvidenceError
from verifier.limits import BundleLimits

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.bundle.index import BundleIndex
    from verifier.collect.port import Exchange
    from verifier.collect.store import Recorder, Store

__all__ = ["Mirrored", "base_url", "mirror", "url_of"]

Read = TypeVar("Read")

_ROUNDS: Final = 3
_GONE: Final = frozenset({404, 410})
_LIMITS: Final = BundleLimits()
_SUMS_BYTES: Final = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Mirrored:
    """
    What came of copying a bundle.

    Args:
        folder: Where it lies, relative to DIR.
        index: Its ``bundle.json``.
        sha256: Hash of its ``SHA256SUMS``.
        files: How many it lists.
        altered: Paths that were served with other bytes than listed, each with a sentence.
        missing: Paths that are listed and were not served.
    """

    folder: str
    index: BundleIndex
    sha256: str
    files: int
    altered: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


def base_url(url: str) -> str:
    """
    Take a base URL as given, with or without its last slash.

    >>> base_url("https://example.org/arena")
    'https://example.org/arena/'

    Raises:
        CollectError: It has a query or a fragment.
    """
    if "?" in url or "#" in url:
        raise CollectError(f"{printable(url[:200])}: a base URL has no query and no fragment")
    return url if url.endswith("/") else f"{url}/"


def url_of(base: str, path: str) -> str:
    """
    Give the URL of a file of a bundle.

    >>> url_of("https://example.org/arena/", "raw/a b?.json")
    'https://example.org/arena/raw/a%20b%3F.json'
    """
    return base + quote(path, safe="/")


def mirror(
    base: str,
    folder: str,
    *,
    http: Recorder,
    store: Store,
    progress: Callable[[str, int, int], None] | None = None,
) -> Mirrored:
    """
    Copy a bundle.

    Args:
        base: Where it lies, ending in a slash.
        folder: Where it goes, relative to DIR.
        http: Asks, and keeps what it is told.
        store: Where the files go.
        progress: Called with what is done, how many files, and of how many.

    Raises:
        CollectError: There is no bundle, or a file could not be asked for.
        EvidenceError: It is none, or its list cannot be followed.
    """
    again = False
    for last in range(1, _ROUNDS + 1):
        index = _read(http, base, INDEX, _LIMITS.index_bytes, _index, again=again)
        sums, listed = _read(http, base, SUMS, _SUMS_BYTES, _sums, again=again)
        # Without its list, which comes last, what is left of another round is no bundle.
        store.keep_only(folder, {*listed})
        altered = []
        missing = []
        for done, (path, digest) in enumerate(listed.items()):
            if progress is not None:
                progress("fetching files", done, len(listed))
            fault = _copy(url_of(base, path), f"{folder}/{path}", digest, http, store)
            if fault == "":
                missing.append(path)
            elif fault is not None:
                altered.append((path, fault))
        if not (altered or missing) or last == _ROUNDS:
            break
        now = http.anew(Request("GET", url_of(base, SUMS), limit=_SUMS_BYTES))
        if now.status == 200 and now.body == sums:
            break
        again = True
    store.keep_only(folder, {*listed} - {*missing})
    store.place(f"{folder}/{SUMS}", sums)
    return Mirrored(
        folder=folder,
        index=index,
        sha256=sha256(sums).hexdigest(),
        files=len(listed),
        altered=tuple(altered),
        missing=tuple(missing),
    )


def _copy(url: str, place: str, digest: str, http: Recorder, store: Store) -> str | None:
    """Fetch one file; None if all is well, empty if it was not served, else what differs."""
    if store.holds(place, digest):
        return None
    request = Request("GET", url)
    exchange = http.send(request)
    if exchange.status in _GONE or exchange.sha256 != digest:
        exchange = http.anew(request)
    if exchange.status in _GONE:
        return ""
    body = _found(exchange)
    store.place(place, body)
    if exchange.sha256 == digest:
        return None
    return f"{SUMS} lists {digest}, what was served has {exchange.sha256}"


def _read(  # noqa: PLR0913  what, how much of it, and how
    http: Recorder,
    base: str,
    path: str,
    limit: int,
    reader: Callable[[Exchange], Read],
    *,
    again: bool,
) -> Read:
    request = Request("GET", url_of(base, path), limit=limit)
    return reader(http.anew(request)) if again else http.read(request, reader)


def _index(exchange: Exchange) -> BundleIndex:
    return read_index(_found(exchange))[0]


def _found(exchange: Exchange) -> bytes:
    if exchange.status != 200:
        raise CollectError(f"{exchange.request.url}: status {exchange.status}")
    return exchange.body


def _sums(exchange: Exchange) -> tuple[bytes, dict[str, str]]:
    """Read ``SHA256SUMS`` as a list of what to ask for."""
    sums = _found(exchange)
    try:
        return sums, dict(_pairs(sums))
    except EvidenceError as error:
        raise error.in_file(SUMS) from None


def _pairs(sums: bytes) -> list[tuple[str, str]]:
    try:
        text = sums.decode()
    except UnicodeDecodeError as error:
        raise BundleError("not UTF-8", offset=error.start) from None
    lines = text.split("\n")
    if lines.pop() or not lines:
        raise BundleError("is empty, or does not end in a newline")
    if len(lines) > _LIMITS.files:
        raise BundleError(f"lists more than {_LIMITS.files} files")
    pairs = []
    for number, line in enumerate(lines, 1):
        pair = parse_line(line)
        if pair is None:
            raise BundleError("malformed line", line=number)
        digest, path = pair
        check_member(path, _LIMITS)
        fault = "the list names itself" if path == SUMS else path_fault(path)
        if fault is not None:
            raise BundleError(f"{fault}: {printable(path)}", line=number)
        pairs.append((path, digest))
    check_collisions([path for path, _ in pairs])
    if INDEX not in dict(pairs):
        raise BundleError(f"does not list {INDEX}")
    return pairs
