"""
A site that Tallyproof built: its seasons, and the evidence that it publishes.

1. ``v1/seasons.json`` lists the seasons, each with ``season.json`` as its record.
   ``stamp.json`` lists their hashes too, and both must say the same.
2. ``season.json``, ``table.json``, ``report.json`` and ``policy.toml`` of each season
   are fetched. Their hashes are those of the record.
3. ``evidence/<first 16 hex digits of the bundle's sha256>/`` is a bundle, and is
   copied. Seasons of one bundle share it. The sha256 of its ``SHA256SUMS`` is the
   bundle's.

The audit of that bundle under that policy gives ``report.json``, byte for byte,
with the release of Tallyproof that the record names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final, TypeVar

from verifier.collect.errors import CollectError
from verifier.collect.mirror import base_url, mirror, url_of
from verifier.collect.outcome import Outcome, altered, missing
from verifier.collect.port import Request
from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from verifier.collect.port import Exchange
    from verifier.collect.store import Recorder, Store
    from verifier.core.jsonread import JsonValue

__all__ = ["SEASONS", "SiteSeason", "fetch_site", "read_seasons"]

Read = TypeVar("Read")

SEASONS: Final = "v1/seasons.json"
_STAMP: Final = "stamp.json"
_HASHED: Final = ("bundle", "policy", "report", "table")
_FILES: Final = {"policy": "policy.toml", "report": "report.json", "table": "table.json"}
_HEX: Final = re.compile(r"[0-9a-f]{64}")
_FOLDER: Final = re.compile(r"seasons/[A-Za-z0-9][A-Za-z0-9._-]{0,99}/")
_BYTES: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class SiteSeason:
    """
    A season as a site lists it.

    Args:
        id: Its id.
        family: ``arcana``, ``floor`` or ``sharpe``.
        folder: Where its files lie, ending in a slash.
        evidence: Where its bundle lies, ending in a slash.
        record: Its ``season.json``.
        hashes: Of its bundle, policy, report and table.
    """

    id: str
    family: str
    folder: str
    evidence: str
    record: JsonValue
    hashes: dict[str, str]


def read_seasons(data: bytes) -> tuple[SiteSeason, ...]:
    """
    Read ``v1/seasons.json``.

    Raises:
        EvidenceError: Not of its form, or it names folders that are none of a site.
    """
    try:
        members = Obj(read_json(data), ("format", "seasons"), open_ended=True)
        if members.text("format") != "tallyproof-seasons/1":
            raise FormatError("is no list of seasons", pointer="/format")
        return tuple(_season(item, pointer) for pointer, item in members.items("seasons"))
    except EvidenceError as error:
        raise error.in_file(SEASONS) from None


def _season(item: JsonValue, pointer: str) -> SiteSeason:
    listed = Obj(item, ("evidence", "record", "table"), pointer=pointer, open_ended=True)
    record = Obj(
        listed.value["record"],
        ("season", "family", *_HASHED),
        pointer=f"{pointer}/record",
        open_ended=True,
    )
    hashes = {}
    for name in _HASHED:
        own = Obj(
            record.value[name], ("sha256",), pointer=f"{record.pointer}/{name}", open_ended=True
        )
        hashes[name] = own.text("sha256")
        if not _HEX.fullmatch(hashes[name]):
            raise FormatError("must be a sha256 in lower-case hex", pointer=own.pointer)
    folder = listed.text("table").removesuffix("table.json")
    if not _FOLDER.fullmatch(folder):
        raise FormatError("is no table of a season", pointer=f"{pointer}/table")
    if listed.text("evidence") != f"evidence/{hashes['bundle'][:16]}/":
        raise FormatError("is not the folder of that bundle", pointer=f"{pointer}/evidence")
    return SiteSeason(
        record.text("season"),
        record.text("family"),
        folder,
        listed.text("evidence"),
        listed.value["record"],
        hashes,
    )


def fetch_site(
    url: str,
    *,
    http: Recorder,
    store: Store,
    seasons: Sequence[str] = (),
    progress: Callable[[str, int, int], None] | None = None,
) -> Outcome:
    """
    Copy the evidence of a site, with what it publishes of the audits.

    Args:
        url: The site's address.
        http: Asks, and keeps what it is told.
        store: Where everything goes, at the paths that it has on the site.
        seasons: Ids of the seasons to take; all without any.
        progress: Called with what is done, how much, and of how much.

    Raises:
        CollectError: There is no such site, or something could not be asked for.
        UsageError: It has no season of that id.
        EvidenceError: Something that it lists cannot be followed.
    """
    base = base_url(url)
    listing, listed = _body(http, base, SEASONS, read_seasons)
    stamp, stamped = _body(http, base, _STAMP, _stamped)
    store.place(SEASONS, listing)
    store.place(_STAMP, stamp)
    unknown = sorted(set(seasons) - {season.id for season in listed})
    if unknown:
        known = ", ".join(season.id for season in listed)
        raise UsageError(f"the site has no season {unknown[0]!r}, it has {known or 'none'}")
    chosen = [season for season in listed if not seasons or season.id in seasons]
    wrong = _against_stamp(listed, stamped)
    absent: list[str] = []
    for season in chosen:
        _season_files(season, base, http, store, wrong, absent)
    facts: list[tuple[str, str]] = []
    commands = []
    for folder in dict.fromkeys(season.evidence for season in chosen):
        own = [season for season in chosen if season.evidence == folder]
        mirrored = mirror(
            url_of(base, folder), folder.rstrip("/"), http=http, store=store, progress=progress
        )
        if mirrored.sha256 != own[0].hashes["bundle"]:
            wrong.append(
                f"{folder}SHA256SUMS: {SEASONS} says bundle {own[0].hashes['bundle']}, "
                f"what was served has {mirrored.sha256}"
            )
        wrong += [folder + text for text in altered(mirrored)]
        absent += [folder + text for text in missing(mirrored)]
        facts += [
            *(("season", f"{season.id} ({season.family})") for season in own),
            ("files", str(mirrored.files)),
            ("bundle", mirrored.sha256),
        ]
        commands += [
            _command(store, folder, policy)
            for policy in dict.fromkeys(f"{season.folder}policy.toml" for season in own)
        ]
    return Outcome(
        facts=tuple(facts),
        contradictions=tuple(wrong),
        missing=tuple(absent),
        commands=tuple(dict.fromkeys(commands)),
    )


def _command(store: Store, folder: str, policy: str) -> tuple[str, ...]:
    bundle = str(store.folder / folder.rstrip("/"))
    return "tallyproof", "audit", bundle, "--policy", str(store.folder / policy)


def _body(
    http: Recorder, base: str, path: str, reader: Callable[[bytes], Read]
) -> tuple[bytes, Read]:
    def read(exchange: Exchange) -> tuple[bytes, Read]:
        if exchange.status != 200:
            url = exchange.request.url
            raise CollectError(f"{url}: status {exchange.status}: no site of Tallyproof")
        return exchange.body, reader(exchange.body)

    return http.read(Request("GET", url_of(base, path), limit=_BYTES), read)


def _stamped(data: bytes) -> dict[str, JsonValue]:
    """Read the seasons of ``stamp.json``, by id."""
    try:
        members = Obj(read_json(data), ("format", "seasons"), open_ended=True)
        return {
            Obj(item, ("id",), pointer=pointer, open_ended=True).text("id"): item
            for pointer, item in members.items("seasons")
        }
    except EvidenceError as error:
        raise error.in_file(_STAMP) from None


def _against_stamp(listed: Sequence[SiteSeason], stamped: Mapping[str, JsonValue]) -> list[str]:
    """Compare the hashes of the seasons with those of the stamp."""
    said = {
        season.id: {"family": season.family, "id": season.id, **season.hashes} for season in listed
    }
    return [
        f"{_STAMP}: says otherwise of season {name} than {SEASONS}"
        for name in sorted({*said, *stamped})
        if said.get(name) != stamped.get(name)
    ]


def _season_files(  # noqa: PLR0913, PLR0917  from where, to where, and two lists to add to
    season: SiteSeason,
    base: str,
    http: Recorder,
    store: Store,
    wrong: list[str],
    absent: list[str],
) -> None:
    record = sha256(canonical_bytes(season.record)).hexdigest()
    for name, digest in (
        ("season.json", record),
        *((file, season.hashes[part]) for part, file in _FILES.items()),
    ):
        path = season.folder + name
        request = Request("GET", url_of(base, path), limit=_BYTES)
        exchange = http.send(request)
        if exchange.sha256 != digest:
            exchange = http.anew(request)
        if exchange.status in {404, 410}:
            absent.append(f"{path}: is part of the season and was not served")
            continue
        if exchange.status != 200:
            raise CollectError(f"{exchange.request.url}: status {exchange.status}")
        store.place(path, exchange.body)
        if exchange.sha256 != digest:
            wrong.append(f"{path}: {SEASONS} says {digest}, what was served has {exchange.sha256}")
