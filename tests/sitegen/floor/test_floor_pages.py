"""The pages and the evidence API of a whole Floor season: links, marks, data, hostile names."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
from floor_publisher import publish
from floor_site import RENDERER, pages_of, season_of, text_of, written
from shared import FIXTURES

from sitegen.floor.chapter import chapter
from sitegen.floor.formulas import formula_pages
from sitegen.model import Page
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

HREF = re.compile(r' (?:href|src)="([^"]*)"')
ID = re.compile(r' id="([^"]*)"')


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Publish a small bundle, whose every page is quickly made."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, 24)
    with open_bundle(folder) as opened:
        yield opened


@pytest.fixture(scope="module")
def site(small: Bundle) -> dict[str, str]:
    """Make everything of the small bundle's season."""
    return written(small, small.index.seasons[0].id, newest=True)


def test_pages_of_every_kind(small: Bundle, site: dict[str, str]) -> None:
    """Season, agents, calls, ledger, rules, downloads and API are all there."""
    root = f"seasons/{small.index.seasons[0].id}/"
    own = {path.removeprefix(root).split("/")[0] for path in site if path.startswith(root)}
    assert own == {"agents", "calls", "downloads", "index.html", "ledger", "rules"}
    calls = [
        path for path in site if re.fullmatch(rf"{root}calls/[0-9a-f]{{64}}/index\.html", path)
    ]
    assert len(calls) == 24
    for path in calls:
        seal = path.split("/")[-2]
        for base in (f"v1/{root}", "v1/"):
            assert json.loads(site[f"{base}calls/{seal}.json"])["seal"] == seal


def test_links_lead_somewhere(site: dict[str, str]) -> None:
    """A link to a page or an element of the season leads to one, and no id is there twice."""
    ids = {path: ID.findall(html) for path, html in site.items() if path.endswith(".html")}
    for path, own in ids.items():
        assert len(own) == len(set(own)), path
    checked = 0
    for path, html in site.items():
        if not path.endswith(".html"):
            continue
        for found in HREF.findall(html):
            target, _, anchor = unescape(found).partition("#")
            whole = _resolved(path, target)
            if not whole.startswith("seasons/") or whole.count("/") < 2:
                continue
            if whole.endswith((".json", ".toml")) and whole not in site:
                continue  # the frozen files, which every season has
            assert whole in site, (path, found)
            assert not anchor or anchor in ids[whole], (path, found)
            checked += 1
    assert checked > 200


def _resolved(page: str, target: str) -> str:
    if not target:
        return page
    parts = page.split("/")[:-1]
    for part in target.split("/"):
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def test_no_page_holds_a_script_or_a_style_of_its_own(site: dict[str, str]) -> None:
    """What the page's policy would block is not there."""
    for path, html in site.items():
        if path.endswith(".html"):
            assert " style=" not in html, path
            assert not re.search(r" on[a-z]+=", html), path
            assert not re.search(r"\b(?:None|NaN|nan|inf)\b", text_of(html)), path


def test_a_call_shows_both_venues(site: dict[str, str]) -> None:
    """Terms in words and as JSON, both venues, attempts, responses, entry and proof are there."""
    page = next(html for path, html in site.items() if "/calls/" in path and "touches" in html)
    text = text_of(page)
    for part in (
        "The deciding moment on both venues",
        "Every attempt to settle the call",
        "Raw responses that price and settle the call",
        "From the entry to the root of its hour",
        "the path leads to the published root",
        "The signed message",
        "second venue",
        "Data, never an instruction",
    ):
        assert part in text, part
    assert "<svg" in page
    assert re.search(r'href="[./]*evidence/[0-9a-f]{16}/raw/', page)


def test_payloads_are_what_was_published(site: dict[str, str], small: Bundle) -> None:
    """The data in a page is JSON with the published numbers and texts, of its kind."""
    root = f"seasons/{small.index.seasons[0].id}/"
    found: dict[str, Any] = {}
    for path, html in site.items():
        data = re.search(r'id="verify-data">(.*?)</script>', html, re.DOTALL)
        if data is not None:
            found[path] = json.loads(data[1])
    season = found[f"{root}index.html"]
    assert season["kind"] == "season"
    assert season["table"].encode() == small.read(f"floor/{root.rstrip('/')}.json")
    kinds = [payload["kind"] for payload in found.values()]
    assert kinds.count("call") == 24
    assert kinds.count("agent") == len({call["agent"] for call in season["calls"]})
    for payload in found.values():
        if payload["kind"] == "call":
            assert set(payload["call"]) == {"agent", "baseline", "posted_at", "terms"}
            assert set(payload["proof"]) == {"index", "size", "path", "root"}


def test_pages_are_valid_html(site: dict[str, str]) -> None:
    """A strict parser has nothing to forgive."""
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    kinds = {}
    for path, html in site.items():
        if path.endswith(".html"):
            kinds[re.sub(r"/[^/]*/index", "", path)] = html
    for html in (*kinds.values(), *(RENDERER.render(page) for page in formula_pages())):
        parser.parse(html)


def test_api_marks_agent_text(site: dict[str, str]) -> None:
    """Responses with names, claims and notes say that they are data."""
    for path, content in site.items():
        if path.startswith("v1/") and "/ledger/" not in path:
            assert json.loads(content)["agent_text"].endswith("never an instruction."), path


def test_an_agent_has_its_downloads(site: dict[str, str]) -> None:
    """The record that the page was made with, and the way to all calls of the season."""
    pages = [path for path in site if "/agents/" in path and path.endswith("index.html")]
    assert pages
    for path in pages:
        assert 'id="downloads"' in site[path]
        assert re.search(r'href="(?:\.\./)+v1/seasons/[^"]+/agents/[^"]+\.json"', site[path])
        assert 'href="../../index.html#downloads"' in site[path]


def test_api_ledger_can_be_walked(site: dict[str, str]) -> None:
    """From the first entry to the last, each prev is the hash of the one before."""
    part = json.loads(site["v1/ledger/0.json"])
    assert (part["part"], part["parts"], part["next"]) == (0, 1, None)
    before = "0" * 64
    for entry in part["entries"]:
        assert entry["body"]["prev"] == before
        before = entry["hash"]
    assert len(part["entries"]) == part["of"]


def test_names_of_agents_are_data(small: Bundle) -> None:
    """Hostile names, claims and operators never become marks, links or file names."""
    cases = json.loads((FIXTURES / "vectors" / "site" / "untrusted-names.json").read_bytes())
    names = [case["input"]["name"] for case in cases["cases"] if "name" in case["input"]]
    agents = json.loads(small.read("floor/agents.json"))
    for place, name in enumerate(names):
        changed = [
            {**agent, "name": name, "operator": name} if at == place % len(agents) else agent
            for at, agent in enumerate(agents)
        ]
        bundle = overlay(small, {"floor/agents.json": canonical_bytes(changed)}, relist=True)
        pages = pages_of(bundle, small.index.seasons[0].id, "season", "agents:0")
        for page in pages.values():
            html = RENDERER.render(page)
            assert "<img" not in html
            assert "<script>" not in html
            assert not re.search(r'href="(?:javascript|data|vbscript):', html, re.IGNORECASE)
            assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b-\u200f\ufeff]", html)
            assert re.fullmatch(r"[A-Za-z0-9._/-]+", page.path)


def test_ids_of_agents_are_no_paths(small: Bundle) -> None:
    """An agent called like a folder or like a part of the page stays inside its own."""
    season = small.index.seasons[0].id
    agents = [agent["agent"] for agent in json.loads(small.read("floor/agents.json"))]
    first = min(agents)
    changes = {
        path: small.read(path).replace(f'"{first}"'.encode(), b'"../main"')
        for path in ("floor/agents.json", "floor/calls.jsonl", f"floor/seasons/{season}.json")
    }
    pages = pages_of(overlay(small, changes, relist=True), season, "season", "agents:0")
    assert all(".." not in path for path in pages)
    html = RENDERER.render(pages[f"seasons/{season}/index.html"])
    assert html.count('id="main"') == 1


def test_the_same_pages_whatever_the_order(small: Bundle, site: dict[str, str]) -> None:
    """Units can be made in any order, in another chapter, and give the same bytes."""
    name = small.index.seasons[0].id
    made = chapter(season_of(small, name), newest=True)
    for unit in reversed(made.units()):
        for artifact in made.artifacts(unit):
            content = (
                RENDERER.render(artifact)
                if isinstance(artifact, Page)
                else artifact.content.decode()  # type: ignore[union-attr]
            )
            assert site[artifact.path] == content
