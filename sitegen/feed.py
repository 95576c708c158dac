"""
What machines read beside the pages: the feed, the map, the rules for robots, the data set.

* ``atom.xml`` (RFC 4287): an entry for each frozen season and each erratum, newest first.
  Its ids are UUIDs made from what an entry is about, so that they stay when the site
  moves. Times are those of the audit and of the erratum, never of the build.
* ``sitemap.xml`` (sitemaps.org), only when the site knows its address, since the format
  has no relative ones; above 50,000 pages it is an index of further files.
* ``robots.txt``: everything may be read; it names the map if there is one.
* JSON-LD of schema.org's ``Dataset`` for a season, with the hash of every download, and of
  a ``DataCatalog`` that holds those of all seasons, for the home page.

All text is escaped, and what XML 1.0 cannot hold is made visible first.
"""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup, escape

from sitegen.links import relative
from sitegen.model import File
from sitegen.numbers import iso
from sitegen.text import shown
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sitegen.components.parts import Download
    from verifier.core.jsonread import JsonValue

__all__ = [
    "Entry",
    "atom",
    "catalog",
    "dataset",
    "erratum_id",
    "robots",
    "season_id",
    "sitemap_files",
]

_EPOCH: Final = "1970-01-01T00:00:00Z"
_MOST: Final = 50_000
_NAMES: Final = uuid.UUID("6f1d1c0a-6a4b-5f0e-9a53-3f3f2a1f7c11")
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)
_TYPES: Final = {
    "csv": "text/csv",
    "json": "application/json",
    "jsonl": "application/jsonl",
    "parquet": "application/vnd.apache.parquet",
    "zip": "application/zip",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """
    An entry of the feed.

    Args:
        id: From :func:`season_id` or :func:`erratum_id`.
        title: One line.
        updated: RFC 3339 in UTC, or a day.
        path: Its page, from the root of the site, and an anchor if it has one.
        summary: A sentence or two, as plain text.
    """

    id: str
    title: str
    updated: str
    path: str
    summary: str


def season_id(season: str, table_sha256: str) -> str:
    """Name the entry of a season after its table: another table is another entry."""
    return _named("season", season, table_sha256)


def erratum_id(season: str, erratum: str) -> str:
    """Name the entry of an erratum."""
    return _named("erratum", season, erratum)


def _named(*parts: str) -> str:
    # Made visible, so that it has bytes even if half of a surrogate pair is in it.
    return uuid.uuid5(_NAMES, "\n".join(shown(part, limit=None) for part in parts)).urn


def _time(value: str) -> str:
    return iso(f"{value}T00:00:00Z" if _DAY.match(value) else value)


def _escaped(text: str, limit: int | None = 2000) -> Markup:
    return escape(shown(text, limit=limit))


def atom(title: str, description: str, entries: Iterable[Entry], *, base_url: str | None) -> bytes:
    """
    Write the feed.

    Args:
        title: Of the site.
        description: Of the site, in a sentence.
        entries: In any order.
        base_url: Where the site is served, ending in ``/``; links are relative without it.

    Raises:
        SiteError: A time is none.
    """
    timed = sorted(
        ((_time(entry.updated), entry) for entry in entries),
        key=lambda pair: (pair[0], pair[1].id),
        reverse=True,
    )
    base = base_url or ""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">',
        f"<id>{_named('feed', title)}</id>",
        f"<title>{_escaped(title)}</title>",
        f"<subtitle>{_escaped(description)}</subtitle>",
        # Without entries nothing was ever published, and the format wants a time all the same.
        f"<updated>{timed[0][0] if timed else _EPOCH}</updated>",
        f"<author><name>{_escaped(title)}</name></author>",
        f'<link rel="self" type="application/atom+xml" href="{escape(base)}atom.xml"/>',
        f'<link rel="alternate" type="text/html" href="{escape(base)}index.html"/>',
    ]
    for updated, entry in timed:
        page, mark, anchor = entry.path.partition("#")
        address = f"{base}{relative('atom.xml', page)}{mark}{anchor}"
        lines += [
            "<entry>",
            f"<id>{escape(entry.id)}</id>",
            f"<title>{_escaped(entry.title)}</title>",
            f"<updated>{updated}</updated>",
            f'<link rel="alternate" type="text/html" href="{escape(address)}"/>',
            f'<summary type="text">{_escaped(entry.summary)}</summary>',
            "</entry>",
        ]
    lines.append("</feed>\n")
    return "\n".join(lines).encode()


def sitemap_files(pages: Iterable[tuple[str, str | None]], *, base_url: str | None) -> list[File]:
    """
    Write the map of the site.

    Args:
        pages: Path from the root of each page, and the time of its data if it has one.
        base_url: Where the site is served, ending in ``/``; None makes no map.

    Raises:
        SiteError: A time is none.
    """
    if base_url is None:
        return []
    listed = sorted(pages, key=lambda pair: pair[0].encode())
    parts = [listed[start : start + _MOST] for start in range(0, len(listed), _MOST)] or [[]]
    made = [
        _sitemap("urlset", "url", [(f"{base_url}{_quoted(path)}", at) for path, at in part])
        for part in parts
    ]
    if len(made) == 1:
        return [File("sitemap.xml", made[0])]
    names = [f"sitemap-{number}.xml" for number in range(1, len(made) + 1)]
    index = _sitemap("sitemapindex", "sitemap", [(f"{base_url}{name}", None) for name in names])
    return [
        File("sitemap.xml", index),
        *(File(name, content) for name, content in zip(names, made, strict=True)),
    ]


def _quoted(path: str) -> str:
    return relative("sitemap.xml", path)


def _sitemap(kind: str, item: str, entries: Sequence[tuple[str, str | None]]) -> bytes:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ]
    for address, at in entries:
        changed = "" if at is None else f"<lastmod>{_time(at)}</lastmod>"
        lines.append(f"<{item}><loc>{escape(address)}</loc>{changed}</{item}>")
    lines.append(f"</{kind}>\n")
    return "\n".join(lines).encode()


def robots(*, base_url: str | None) -> bytes:
    """Write the rules for robots."""
    rules = "User-agent: *\nAllow: /\n"
    return (rules if base_url is None else f"{rules}\nSitemap: {base_url}sitemap.xml\n").encode()


def dataset(  # noqa: PLR0913 - what schema.org asks of a data set
    *,
    name: str,
    description: str,
    page: str,
    publisher: str,
    as_of: str,
    sha256: str,
    version: str,
    downloads: Iterable[Download],
    base_url: str | None,
    on: str | None = None,
) -> dict[str, JsonValue]:
    """
    Describe a season to search engines, as JSON-LD.

    Args:
        name: Of the season; hostile text.
        description: What its table holds, in a sentence.
        page: Its page, from the root of the site.
        publisher: The arena.
        as_of: Time of the audit, RFC 3339.
        sha256: Hash of the frozen table, which is the identity of the data.
        version: Id of the season.
        downloads: Its files.
        base_url: Where the site is served, ending in ``/``; addresses are relative without it.
        on: The page that carries the description, where that is another one.

    Returns:
        A JSON value for a ``<script type="application/ld+json">``, still to be escaped.

    Raises:
        SiteError: The time is none, or the hash is not 64 hex digits.
    """
    if not re.fullmatch(r"[0-9a-f]{64}", sha256):
        raise SiteError(f"a data set is named by the hash of its table, not by {sha256[:80]!r}")

    def address(path: str) -> str:
        return relative(on or page, path) if base_url is None else f"{base_url}{_quoted(path)}"

    distribution: list[JsonValue] = [
        {
            "@type": "DataDownload",
            "contentSize": f"{item.size} B",
            "contentUrl": address(item.path),
            "encodingFormat": _TYPES.get(item.path.rpartition(".")[2], "application/octet-stream"),
            "name": shown(item.label),
            "sha256": item.sha256,
        }
        for item in downloads
    ]
    described: dict[str, JsonValue] = {
        "@context": "https://schema.org",
        "@type": "Dataset",
        "creator": {"@type": "Organization", "name": shown(publisher)},
        "dateModified": _time(as_of),
        "description": shown(description),
        "distribution": distribution,
        "identifier": f"urn:sha256:{sha256}",
        "isAccessibleForFree": True,
        "name": shown(name),
        "version": shown(version),
    }
    # A page need not name itself; elsewhere the way to it is wanted, even if it is relative.
    if base_url is not None or on is not None:
        described["url"] = address(page)
    return described


def catalog(
    *,
    name: str,
    description: str,
    datasets: Iterable[dict[str, JsonValue]],
    base_url: str | None,
) -> dict[str, JsonValue]:
    """
    Describe all seasons of a site to search engines, as JSON-LD.

    Args:
        name: Of the site.
        description: What it publishes, in a sentence.
        datasets: One of each season, from :func:`dataset`.
        base_url: Where the site is served, ending in ``/``.

    Returns:
        A JSON value for a ``<script type="application/ld+json">``, still to be escaped.
    """
    described: dict[str, JsonValue] = {
        "@context": "https://schema.org",
        "@type": "DataCatalog",
        "dataset": [*datasets],
        "description": shown(description),
        "name": shown(name),
    }
    if base_url is not None:
        described["url"] = f"{base_url}index.html"
    return described
