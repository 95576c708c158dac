"""
What a publisher shows of what it must not change, over the network.

Three kinds of publishers are known, and told apart by what they answer first:

site
    ``v1/seasons.json``; the table of each season that it lists; of each bundle in
    ``evidence/`` what a bundle is read for; ``v1/ledger/0.json`` and on, and
    ``v1/anchors.json``, which must agree with the evidence.
bundle
    ``bundle.json``, ``SHA256SUMS``, and of the files that are listed there those with
    facts (:data:`verifier.watch.documents.BUNDLE_FILES`, and the Floor's frozen seasons).
arena
    ARCANA's endpoints: all pages of ``v1/anchors``, and of ``v1/leaderboard`` if it
    has one.

A document that was served at the last observation, and that nothing leads to any
more, is asked for all the same. So is seen what became of it. It comes before the
others, as the older.

404 and 410 are answers. Every other status but 200 means that nothing can be said.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from verifier.bundle.index import INDEX, read_index
from verifier.bundle.inventory import SUMS
from verifier.collect.errors import CollectError, ExcessError
from verifier.collect.mirror import base_url, url_of
from verifier.collect.port import Request
from verifier.collect.site import SEASONS, read_seasons
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError
from verifier.watch.documents import BUNDLE_FILES, records
from verifier.watch.reading import GONE, Document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from verifier.collect.port import Http
    from verifier.collect.site import SiteSeason

__all__ = ["PAGES", "read_watched"]

PAGES: Final = 10_000
"""Most pages of one list."""

_PAGE_SIZE: Final = 100
_ANCHORS: Final = f"v1/anchors?page={{}}&page_size={_PAGE_SIZE}"
_ANCHOR_LIST: Final = "v1/anchors.json"
_LEDGER: Final = "v1/ledger/{}.json"
_BOARD: Final = f"v1/leaderboard?include_unranked=true&page={{}}&page_size={_PAGE_SIZE}"


class _Asking:
    """Asks, and keeps each document once."""

    def __init__(self, base: str, http: Http, progress: Callable[[str], None] | None) -> None:
        self.base = base
        self.documents: list[Document] = []
        self._http = http
        self._progress = progress

    def get(self, path: str, role: str, scope: str = "") -> Document:
        """Ask for a document under the base, encoded already, and keep it."""
        document = self.answer(self.base + path, role, scope)
        self.documents.append(document)
        return document

    def answer(self, url: str, role: str, scope: str) -> Document:
        """Ask for a document."""
        if self._progress is not None:
            self._progress(url)
        exchange = self._http.send(Request("GET", url))
        if exchange.status != 200 and exchange.status not in GONE:
            raise CollectError(f"{url}: status {exchange.status}")
        return Document(
            role=role,
            scope=scope,
            method="GET",
            url=url,
            answered=exchange.url,
            status=exchange.status,
            headers=exchange.headers,
            at=exchange.at,
            body=exchange.body,
        )


def read_watched(
    url: str,
    *,
    http: Http,
    source: str | None = None,
    known: Sequence[Document] = (),
    progress: Callable[[str], None] | None = None,
) -> tuple[str, tuple[Document, ...]]:
    """
    Read what a publisher shows.

    Args:
        url: Its address.
        http: Asks.
        source: What kind of publisher it is, if it was seen before.
        known: What was served at the last observation.
        progress: Called with each URL that is asked for.

    Returns:
        Its kind, and the documents.

    Raises:
        CollectError: It cannot be asked, or is of no known kind.
        EvidenceError: A document that leads to others is malformed.
    """
    base = base_url(url)
    asking = _Asking(base, http, progress)
    for kind, reader in _READERS.items():
        if source not in {None, kind}:
            continue
        if reader(asking) or source is not None:
            return kind, (*_asked_again(asking, known), *asking.documents)
        asking.documents.clear()
    raise CollectError(f"{base}: has neither {SEASONS}, nor {INDEX}, nor v1/anchors")


def _asked_again(asking: _Asking, known: Sequence[Document]) -> list[Document]:
    """Ask for what nothing leads to any more."""
    asked = {document.url for document in asking.documents}
    return [
        asking.answer(document.url, document.role, document.scope)
        for document in known
        if document.url not in asked
    ]


def _read_site(asking: _Asking) -> bool:
    listing = asking.get(SEASONS, "seasons")
    if listing.status in GONE:
        return False
    with _of(listing):
        # Older evidence first: what a later bundle says of an anchor is what became of it.
        seasons = sorted(read_seasons(listing.body), key=_as_of, reverse=True)
        seasons.reverse()
    for season in seasons:
        path = url_of("", f"{season.folder}table.json")
        asking.get(path, "table", f"{season.family}/{season.id}")
    arenas: dict[str, str] = {}
    for folder in dict.fromkeys(season.evidence for season in seasons):
        arenas |= _read_bundle(asking, folder) or {}
    # What the site says beside its evidence is made from it, so it is never the later state.
    evidence = asking.documents[:]
    asking.documents.clear()
    if "floor" in arenas:
        _read_ledger(asking, arenas["floor"])
    if "arcana" in arenas:
        asking.get(_ANCHOR_LIST, "api-anchors", arenas["arcana"])
    asking.documents += evidence
    return True


def _read_ledger(asking: _Asking, arena: str) -> None:
    for part in range(PAGES):
        document = asking.get(_LEDGER.format(part), "api-ledger", arena)
        if document.status in GONE:
            return
        with _of(document):
            page = Obj(read_json(document.body), ("parts",), open_ended=True)
            if page.integer("parts") <= part + 1:
                return
    raise ExcessError(f"{asking.base}: more than {PAGES} parts of the ledger", limit="pages")


def _read_bundle(asking: _Asking, folder: str = "") -> dict[str, str] | None:
    """Read a bundle; its families, each with its arena, or None if there is none."""
    index_document = asking.get(url_of(folder, INDEX), "bundle", folder)
    if index_document.status in GONE:
        return None
    with _of(index_document):
        index, _ = read_index(index_document.body)
    sums = asking.get(url_of(folder, SUMS), "sums", folder)
    with _of(sums):
        listed = _listed(sums)
    for path, role in BUNDLE_FILES.items():
        if path in listed:
            asking.get(url_of(folder, path), role, index.arena)
    for season in index.seasons:
        path = f"{season.family}/seasons/{season.id}.json"
        if path in listed:
            asking.get(url_of(folder, path), "table", f"{season.family}/{season.id}")
    return dict.fromkeys(index.families, index.arena)


def _read_arena(asking: _Asking) -> bool:
    if not _read_pages(asking, _ANCHORS, "api-anchors"):
        return False
    _read_pages(asking, _BOARD, "api-leaderboard")
    return True


def _read_pages(asking: _Asking, path: str, role: str) -> bool:
    for number in range(1, PAGES + 1):
        document = asking.get(path.format(number), role)
        if document.status in GONE:
            return number > 1
        with _of(document):
            page = Obj(read_json(document.body), ("has_more", "page"), open_ended=True)
            if page.integer("page") != number:
                raise FormatError(f"is not page {number}", pointer="/page")
            if not page.boolean("has_more"):
                return True
    raise ExcessError(f"{asking.base}: more than {PAGES} pages of {role}", limit="pages")


def _as_of(season: SiteSeason) -> str:
    return Obj(season.record, ("as_of",), pointer="/record", open_ended=True).text("as_of")


def _listed(sums: Document) -> frozenset[str]:
    if sums.status in GONE:
        return frozenset()
    # With a scope, all files are facts; it stands before each path.
    prefix = sums.scope or "./"
    return frozenset(
        key.removeprefix(prefix) for _, key, _ in records(sums.role, prefix, sums.body)
    )


@contextmanager
def _of(document: Document) -> Iterator[None]:
    """Name the document in errors by its URL, and by nothing else."""
    try:
        yield
    except EvidenceError as error:
        error.file = document.url
        raise


_READERS: Final[Mapping[str, Callable[[_Asking], bool]]] = {
    "site": _read_site,
    "bundle": lambda asking: _read_bundle(asking) is not None,
    "arena": _read_arena,
}
