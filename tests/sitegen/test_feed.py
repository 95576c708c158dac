"""The feed, the map, the rules for robots and the description of a data set."""

import itertools
import json
import re
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from sitegen.components.parts import Download
from sitegen.feed import (
    Entry,
    atom,
    catalog,
    dataset,
    erratum_id,
    robots,
    season_id,
    sitemap_files,
)
from verifier.errors import SiteError

ATOM: Final = "{http://www.w3.org/2005/Atom}"
MAP: Final = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
BASE: Final = "https://arena.example/proof/"
DIGEST: Final = "a" * 64
HOSTILE: Final = "]]><script>alert(1)</script>&amp;\u0000\u202e\ud800\ufffe"

ENTRIES: Final = (
    Entry(season_id("s1", DIGEST), "Season 1", "2026-11-03T14:00:00Z", "seasons/s1/index.html", ""),
    Entry(erratum_id("s1", "e1"), HOSTILE, "2026-11-09", "errata/index.html#e1", HOSTILE),
    Entry(season_id("s ü", DIGEST), "S", "2026-11-03T14:00:00Z", "seasons/s ü/index.html", "x"),
)


@pytest.mark.parametrize("base", [None, BASE])
def test_atom_has_what_rfc_4287_demands(base: str | None) -> None:
    """Feed and entries each have one id, title and time; every id is an absolute address."""
    root = ET.fromstring(atom("Arena", "What it does.", ENTRIES, base_url=base))
    assert root.tag == f"{ATOM}feed"
    for each in (root, *root.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(each.findall(f"{ATOM}{name}")) == 1
        written = each.findtext(f"{ATOM}id") or ""
        assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", written)
        assert each.find(f"{ATOM}link[@rel='alternate']") is not None
    assert root.findtext(f"{ATOM}author/{ATOM}name") == "Arena"
    assert root.findtext(f"{ATOM}updated") == "2026-11-09T00:00:00Z"
    addresses = [each.get("href", "") for each in root.iter(f"{ATOM}link")]
    assert all(address.startswith(base or "") for address in addresses)
    assert any(address.endswith("errata/index.html#e1") for address in addresses)
    assert any(address.endswith("seasons/s%20%C3%BC/index.html") for address in addresses)


def test_atom_is_newest_first_whatever_the_order() -> None:
    """The order of the entries is that of their times and ids, not that in which they come."""
    written = {
        atom("Arena", "What.", order, base_url=None) for order in itertools.permutations(ENTRIES)
    }
    assert len(written) == 1
    times = [each.text for each in ET.fromstring(written.pop()).iter(f"{ATOM}updated")]
    assert times == sorted(times, key=str, reverse=True)


def test_hostile_titles_are_text() -> None:
    """What XML cannot hold is made visible, and what it could obey is escaped."""
    root = ET.fromstring(atom(HOSTILE, HOSTILE, ENTRIES, base_url=None))
    title = root.findtext(f"{ATOM}title") or ""
    assert "<script>" in title
    assert "<U+0000>" in title
    assert "<U+202E>" in title
    assert [each for each in root.iter() if "script" in each.tag] == []


def test_ids_are_of_what_they_name() -> None:
    """Another table or another erratum is another entry; the site's address is in no id."""
    assert season_id("s1", DIGEST) == season_id("s1", DIGEST)
    assert len({season_id("s1", DIGEST), season_id("s1", "b" * 64), erratum_id("s1", DIGEST)}) == 3


def test_atom_without_entries() -> None:
    """A feed of nothing is a feed all the same."""
    assert ET.fromstring(atom("A", "B", [], base_url=None)).findall(f"{ATOM}entry") == []


def test_a_time_that_is_none_is_refused() -> None:
    """A feed does not guess times."""
    entry = Entry(erratum_id("s", "e"), "t", "last week", "errata/index.html", "x")
    with pytest.raises(SiteError):
        atom("A", "B", [entry], base_url=None)


def test_sitemap() -> None:
    """Absolute addresses, sorted, with the time of the data; none without an address."""
    pages = [("b/index.html", "2026-11-03T14:00:00Z"), ("a b/index.html", None)]
    assert sitemap_files(pages, base_url=None) == []
    (file,) = sitemap_files(pages, base_url=BASE)
    root = ET.fromstring(file.content)
    assert root.tag == f"{MAP}urlset"
    assert [each.text for each in root.iter(f"{MAP}loc")] == [
        f"{BASE}a%20b/index.html",
        f"{BASE}b/index.html",
    ]
    assert [each.text for each in root.iter(f"{MAP}lastmod")] == ["2026-11-03T14:00:00Z"]


def test_sitemap_of_many_pages() -> None:
    """Above 50,000 pages the map is an index of maps, and every page is in one."""
    pages = [(f"p/{number:06}.html", None) for number in range(100_001)]
    index, *parts = sitemap_files(pages, base_url=BASE)
    named = [each.text for each in ET.fromstring(index.content).iter(f"{MAP}loc")]
    assert named == [f"{BASE}{part.path}" for part in parts]
    counts = [part.content.count(b"<loc>") for part in parts]
    assert counts == [50_000, 50_000, 1]


def test_robots() -> None:
    """Everything may be read, and the map is named where there is one."""
    assert robots(base_url=None) == b"User-agent: *\nAllow: /\n"
    assert robots(base_url=BASE).endswith(f"Sitemap: {BASE}sitemap.xml\n".encode())


def described(base: str | None, name: str = "Season 1", sha256: str = DIGEST) -> object:
    """Describe a season with one download."""
    return dataset(
        name=name,
        description="Standings of 12 agents.",
        page="seasons/s1/index.html",
        publisher="Arena",
        as_of="2026-11-03T14:00:00Z",
        sha256=sha256,
        version="s1",
        downloads=[Download("Table, CSV", "seasons/s1/downloads/t.csv", "b" * 64, 120)],
        base_url=base,
    )


def test_dataset() -> None:
    """The data set is named by the hash of its table, and each file has its own."""
    value = json.loads(json.dumps(described(BASE)))
    assert (value["@context"], value["@type"]) == ("https://schema.org", "Dataset")
    assert value["identifier"] == f"urn:sha256:{DIGEST}"
    assert value["url"] == f"{BASE}seasons/s1/index.html"
    (file,) = value["distribution"]
    assert file["contentUrl"] == f"{BASE}seasons/s1/downloads/t.csv"
    assert (file["encodingFormat"], file["sha256"]) == ("text/csv", "b" * 64)


def test_dataset_of_a_site_without_an_address() -> None:
    """Addresses are relative to the page, and what must be absolute is left out."""
    value = json.loads(json.dumps(described(None, HOSTILE)))
    assert "url" not in value
    assert value["distribution"][0]["contentUrl"] == "downloads/t.csv"
    assert "\u202e" not in value["name"]
    with pytest.raises(SiteError):
        described(None, sha256="A" * 64)


def test_catalog() -> None:
    """The home page of a site without an address leads to each season and its files."""
    season = dataset(
        name=HOSTILE,
        description="Standings of 12 agents.",
        page="seasons/s1/index.html",
        publisher="Arena",
        as_of="2026-11-03T14:00:00Z",
        sha256=DIGEST,
        version="s1",
        downloads=[Download("Table", "seasons/s1/table.json", "b" * 64, 120)],
        base_url=None,
        on="index.html",
    )
    value = json.loads(
        json.dumps(catalog(name=HOSTILE, description="All", datasets=[season], base_url=None))
    )
    assert (value["@context"], value["@type"]) == ("https://schema.org", "DataCatalog")
    assert "url" not in value
    assert "\u202e" not in value["name"]
    (found,) = value["dataset"]
    assert (found["@type"], found["url"]) == ("Dataset", "seasons/s1/index.html")
    assert found["distribution"][0]["contentUrl"] == "seasons/s1/table.json"
    absolute = catalog(name="A", description="All", datasets=[], base_url=BASE)
    assert absolute["url"] == f"{BASE}index.html"
