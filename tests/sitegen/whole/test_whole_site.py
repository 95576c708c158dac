"""All pages of the demo site: valid, and no link that leads nowhere."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urljoin, urlsplit

import html5lib
import pytest
from demo_site import PAGES
from strict_html import StrictPage, read_page

if TYPE_CHECKING:
    from demo_site import DemoSite

ROOT: Final = "http://site.invalid/root/"
_DATA: Final = re.compile(r'(<script type="application/json"[^>]*>)[^<]*')


@pytest.fixture(scope="module")
def pages(demo: DemoSite) -> dict[str, StrictPage]:
    """Read every page of the site."""
    return {
        file.relative_to(demo.out).as_posix(): read_page(file.read_text(encoding="utf-8"))
        for file in sorted(demo.out.rglob("*.html"))
        if "evidence" not in file.relative_to(demo.out).parts[:1]
    }


def test_every_page_is_well_formed(pages: dict[str, StrictPage]) -> None:
    """Nested, closed, labelled and referenced as HTML wants it; no script or style inside."""
    assert len(pages) > 600
    assert {path: page.wrong[:3] for path, page in pages.items() if page.wrong} == {}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_each_kind_is_valid(name: str, demo: DemoSite) -> None:
    """The parser of the standard finds nothing that it would have to forgive."""
    text = (demo.out / PAGES[name](demo.out)).read_text(encoding="utf-8")
    html5lib.HTMLParser(strict=True).parse(_DATA.sub(r"\1{}", text))


def test_every_link_leads_somewhere(demo: DemoSite, pages: dict[str, StrictPage]) -> None:
    """Files are there, anchors too; nothing leads out of the site but to http(s)."""
    broken = []
    outside = set()
    there: dict[str, bool] = {}
    for path, page in pages.items():
        for name, link in page.links:
            to = urlsplit(urljoin(ROOT + path, link))
            if to.netloc != "site.invalid":
                outside.add((to.scheme, name))
                continue
            address = unquote(to.path)
            inside = address.startswith("/root/")
            file = address.removeprefix("/root/")
            if file not in there:
                there[file] = inside and (demo.out / file).is_file()
            anchor = unquote(to.fragment)
            leads = there[file] and not link.startswith("/")
            if not leads or (anchor and anchor not in pages[file].ids):
                broken.append((path, link))
    assert broken == []
    assert outside <= {("https", "href"), ("http", "href"), ("data", "src")}


def test_every_page_can_be_reached(pages: dict[str, StrictPage]) -> None:
    """From the home page links lead to each page but the 404 page."""
    seen, left = {"index.html"}, ["index.html"]
    while left:
        path = left.pop()
        for name, link in pages[path].links:
            to = urlsplit(urljoin(ROOT + path, link))
            file = unquote(to.path).removeprefix("/root/")
            if (
                name == "href"
                and to.netloc == "site.invalid"
                and file in pages
                and file not in seen
            ):
                seen.add(file)
                left.append(file)
    assert set(pages) - seen == {"404.html"}


def test_every_page_says_what_it_was_made_from(
    demo: DemoSite, pages: dict[str, StrictPage]
) -> None:
    """Its footer has the hash of its data and a command; a season's page has all five hashes."""
    for path in pages:
        foot = (demo.out / path).read_text(encoding="utf-8").partition('<footer id="footer"')[2]
        assert '<dt>recompute it</dt><dd><code class="command">tallyproof ' in foot, path
        terms = ["made from"]
        if path.startswith("seasons/") and path != "seasons/index.html":
            terms += ["table", "report", "policy", "bundle"]
        for term in terms:
            assert re.search(rf'<dt>{term}</dt><dd><[^>]*title="[0-9a-f]{{64}}"', foot), (
                path,
                term,
            )


def test_the_home_page_describes_every_season_to_machines(demo: DemoSite) -> None:
    """JSON-LD: a Dataset a season, whose files are there with the hash that is stated."""
    html = (demo.out / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<script type="application/ld\+json">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    described = json.loads(found[1])["dataset"]
    assert {each["version"] for each in described} == {
        each.name for each in (demo.out / "seasons").iterdir() if each.is_dir()
    }
    for season in described:
        assert season["@type"] == "Dataset"
        assert (demo.out / season["url"]).is_file()
        for file in season["distribution"]:
            content = (demo.out / file["contentUrl"]).read_bytes()
            assert file["sha256"] == sha256(content).hexdigest()
            assert file["contentSize"] == f"{len(content)} B"
