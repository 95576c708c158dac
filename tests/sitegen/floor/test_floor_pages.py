"""Pages of a Floor season: what stands on them, and what they say of a lie."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import TYPE_CHECKING, Any

import html5lib
import pytest
from floor_publisher import publish
from floor_site import RENDERER, pages_of, season_of, written
from overlays import overlays
from shared import FIXTURES, SHARED, needs_shared

from sitegen.floor.call_page import call_page
from sitegen.floor.chapter import chapter
from sitegen.floor.desk import ROWS, Desk
from sitegen.floor.formulas import formula_pages
from sitegen.floor.ledger_pages import day_pages
from sitegen.model import Page
from verifier.bundle import Bundle, open_bundle, overlay
from verifier.core.canon import canonical_bytes
from verifier.dossier.floor_sealed import sealed_members
from verifier.dossier.floor_terms import kind_of_terms

if TYPE_CHECKING:
    from collections.abc import Iterator

FORGERIES = {forgery.name: forgery for forgery in overlays("floor-demo")}
ROOT = "seasons/season-1/"
HREF = re.compile(r' (?:href|src)="([^"]*)"')
ID = re.compile(r' id="([^"]*)"')


@pytest.fixture(scope="module")
def demo() -> Iterator[Bundle]:
    """Open the demo."""
    with open_bundle(FIXTURES / "floor-demo") as opened:
        yield opened


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


@pytest.fixture(scope="module")
def season_page(demo: Bundle) -> str:
    """Render the first page of the demo's season."""
    return RENDERER.render(pages_of(demo, "season-1", "season")[f"{ROOT}index.html"])


def text_of(html: str) -> str:
    """Leave a page's text, without marks."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html.replace("<wbr>", ""))).split())


def row_of(html: str, start: str) -> str:
    """Take a row of a table by the beginning of its id."""
    found = re.search(rf'<tr id="{start}.*?</tr>', html, re.DOTALL)
    assert found is not None
    return found[0]


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


def test_the_table_shows_ties_and_the_unlisted(season_page: str) -> None:
    """Equals share a rank, the next is skipped, and who is not listed stands apart with why."""
    ranks = [
        re.sub(r"<[^>]*>", "", re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL)[0])
        for row in re.findall(r'<tr id="agent-a-00\d\d".*?</tr>', season_page, re.DOTALL)[:11]
    ]
    assert ranks == ["1", "2", "2", "4", "5", "6", "7", "8", "9", "9", "11"]
    text = text_of(season_page)
    assert "19 of the 20 settled calls that it takes" in text
    assert "Of 346 calls posted, 295 settled (124 hit, 171 missed) and 41 void." in text
    assert "unconfirmed 7" in text
    assert text.count("7 of 7 equal") == 11


def test_a_void_has_no_points(demo: Bundle) -> None:
    """On the agent's page a void is a dash with its reason, never 0, and is said in words."""
    page = RENDERER.render(
        pages_of(demo, "season-1", "agents:0")[f"{ROOT}agents/a-0001/index.html"]
    )
    voids = [row for row in re.findall(r"<tr id=.*?</tr>", page, re.DOTALL) if ">void: " in row]
    assert len(voids) == 3
    for row in voids:
        points = re.findall(r'<td class="n"[^>]*>(.*?)</td>', row, re.DOTALL)[0]
        assert "—" in points
        assert "void: data gap" in points
        assert "0.0000" not in points
    assert "Void on the record: 3 data gap" in text_of(page)


def test_an_open_call_says_so(demo: Bundle) -> None:
    """A call of the window that nobody settled has a page, and no points."""
    calls = chapter(season_of(demo, "season-1"), newest=False)
    last = next(unit for unit in reversed(calls.units()) if unit.startswith("calls:"))
    pages = [each for each in calls.artifacts(last) if isinstance(each, Page)]
    (first, _) = [page for page in pages if "not settled" in page.finding]
    html = RENDERER.render(first)
    assert "open: not settled yet" in html
    assert first.payload is not None
    assert first.payload["outcome"] is None
    assert first.payload["entry"] is None


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


@needs_shared
def test_pages_of_the_full_design() -> None:
    """Gates, funding and margins have their paths, prints and words, and pass."""
    with open_bundle(SHARED / "reference" / "bundles" / "floor-full") as full:
        made = chapter(season_of(full, "season-full"), newest=False)
        gates = prints = 0
        for held in made.desk.calls.values():
            kind = kind_of_terms(held.call.terms)
            if kind != "conditional" and ":funding" not in str(sealed_members(held.call)):
                continue
            page, call = call_page(made.desk, held)
            html = RENDERER.render(page)
            assert call.verdict == "pass"
            prints += "hourly prints up to the deadline" in html
            if kind == "conditional":
                gates += 1
                assert "Gate: " in html
                (gate, inner, *_) = call.legs
                assert ("gate met" in html) == (gate.met is not None)
                if gate.met is not None and inner.levels and inner.first > gate.first:
                    assert inner.first == gate.met.at + 60_000
        assert gates > 5
        assert prints > 5


def test_numbers_are_marked_for_the_browser(demo: Bundle) -> None:
    """What verify.js recomputes is named on the page, of listed and unlisted agents."""
    names = {"standing", "brier", "settled", "hits", "misses", "voids"}
    pages = pages_of(demo, "season-1", "agents:0", "season")
    for agent in ("a-0001", "a-0012"):
        page = pages[f"{ROOT}agents/{agent}/index.html"]
        html = RENDERER.render(page)
        assert set(re.findall(r'data-verify="([a-z]+)"', html)) == names
        assert page.payload is not None
        published = page.payload["published"]
        assert isinstance(published, dict)
        assert set(published) == (names if agent == "a-0001" else {"standing", "settled"})
    season = RENDERER.render(pages[f"{ROOT}index.html"])
    assert 'data-verify="standing:a-0001">1166.7311<' in season


def test_a_later_season_says_where_the_chain_stands(demo: Bundle) -> None:
    """From there the entries of its calls lead to the head that its table states."""
    page = pages_of(demo, "season-2", "season")["seasons/season-2/index.html"]
    assert page.payload is not None
    ledger = page.payload["ledger"]
    lines = demo.read("floor/ledger.jsonl").splitlines()
    assert ledger == {"first": 336, "prev": json.loads(lines[335])["hash"]}
    calls = page.payload["calls"]
    assert isinstance(calls, list)
    assert [call["entry"] for call in calls if isinstance(call, dict)] == list(range(336, 344))


def test_api_marks_agent_text(site: dict[str, str]) -> None:
    """Responses with names, claims and notes say that they are data."""
    for path, content in site.items():
        if path.startswith("v1/") and "/ledger/" not in path:
            assert json.loads(content)["agent_text"].endswith("never an instruction."), path


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


LIES = {
    "points-off": ("7a342a6b3661ac04", "fail", ("45.5219", "45.5218")),
    "outcome-flipped": ("39ad2c35d7008867", "fail", ("hit", "miss")),
    "raw-body-gone": ("4ede945091e69014", "unproven", ("is not in the bundle", "missing")),
    "wick-edited": ("48a42722d93c8d21", "fail", ("settled", "unconfirmed")),
    "entry-removed": (
        "e8ef2fb8fc4d716d",
        "fail",
        ("no entry, though it had to be settled", "open"),
    ),
    "baseline-off": ("ec748ff0c181337e", "fail", ("b differs", "floor/baseline")),
}


@pytest.mark.parametrize("name", LIES)
def test_a_call_page_tells_a_lie(demo: Bundle, name: str) -> None:
    """The page of the call shows what was published, what follows, and the verdict."""
    seal, verdict, values = LIES[name]
    forgery = FORGERIES[name]
    bundle = overlay(demo, forgery.changes(demo), relist=forgery.relist)
    made = chapter(season_of(bundle, "season-1"), newest=False)
    place = next(
        at for at, held in enumerate(made.desk.calls.values()) if held.call.seal[:16] == seal
    )
    unit = f"calls:{place // 50 * 50}"
    page = next(
        each for each in made.artifacts(unit) if isinstance(each, Page) and seal in each.path
    )
    html = RENDERER.render(page)
    lead = html[: html.index('id="what"')]
    assert f'class="verdict {verdict}"' in lead
    text = text_of(html)
    for value in values:
        assert value in text, value


def test_a_season_page_tells_a_lie(demo: Bundle) -> None:
    """A row that was dropped stands in the table, failed, without a published value."""
    forgery = FORGERIES["season-row-dropped"]
    bundle = overlay(demo, forgery.changes(demo), relist=forgery.relist)
    page = pages_of(bundle, "season-1", "season")[f"{ROOT}index.html"]
    html = RENDERER.render(page)
    assert "10 agents are ranked" in page.finding
    assert "3 lines do not recompute." in page.finding  # it, and two whose rank is another
    failed = [
        row
        for row in re.findall(r'<tr id="agent-.*?</tr>', html, re.DOTALL)
        if 'class="verdict fail"' in row
    ]
    assert len(failed) == 3
    assert all("recomputed" in row for row in failed)
    assert sum("the publication leaves it out" in row for row in failed) == 1


def test_a_ledger_day_tells_a_lie(demo: Bundle) -> None:
    """A root of another hour fails on the page of its day."""
    forgery = FORGERIES["root-of-another-hour"]
    bundle = overlay(demo, forgery.changes(demo), relist=forgery.relist)
    desk = Desk(season_of(bundle, "season-1"))
    failed = 0
    for day in desk.days:
        for page in day_pages(desk, day):
            html = RENDERER.render(page)
            failed += len(re.findall(r'<tr id="h\d\d".*?class="verdict fail"', html))
    assert failed == 1


def test_long_days_are_turned(demo: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day with more entries than a page holds goes on, and no entry is left out."""
    assert ROWS == 1_000
    for module in ("desk", "ledger_pages", "season_page"):
        monkeypatch.setattr(f"sitegen.floor.{module}.ROWS", 7)
    desk = Desk(season_of(demo, "season-1"))
    day = max(desk.days, key=desk.entries_of_day)
    pages = list(day_pages(desk, day))
    assert len(pages) == -(-desk.entries_of_day(day) // 7)
    ids = [found for page in pages for found in re.findall(r"entry-(\d+)", _ids(page))]
    assert len(ids) == len(set(ids)) == desk.entries_of_day(day)
    for place in (int(ids[0]), int(ids[-1])):
        entry = desk.floor.context.tables.entries[place]
        anchor = desk.entry_anchor(entry.line, entry.settled_at)
        assert anchor is not None
        path, _, name = anchor.partition("#")
        assert name in _ids(next(page for page in pages if page.path == path))
    tables = pages_of(demo, "season-1", "season")
    assert [path.rpartition("/")[2] for path in tables] == ["index.html", "2.html"]


def _ids(page: Page) -> str:
    return " ".join(ID.findall(RENDERER.render(page)))


def test_rules_show_every_constant(demo: Bundle) -> None:
    """The rules as frozen name each constant, its value and who fixed it."""
    html = RENDERER.render(pages_of(demo, "season-1", "rules")[f"{ROOT}rules/index.html"])
    text = text_of(html)
    assert "score.half_life_seconds ¶ 2592000" in text
    assert "points lose half of their weight in this time" in text
    assert html.count("<tr id=") == 81
    assert "the document is the known one, to the byte" in text


def test_pages_of_formulas() -> None:
    """Baseline, points, Brier, standing and both rule sets have steps, constants and a source."""
    pages = {page.path.split("/")[1]: page for page in formula_pages()}
    assert list(pages) == [
        "v1-lognormal-zero-drift",
        "floor-log-score",
        "floor-brier",
        "floor-standing",
        "floor-rules-1",
        "floor-rules-1-full",
    ]
    for page in pages.values():
        html = RENDERER.render(page)
        assert html.count("<math ") >= 1
        assert "<tr id=" in html
        assert "floor.md section" in html
    text = text_of(RENDERER.render(pages["floor-rules-1-full"]))
    for name in ("id", "horizon_max_seconds", "kinds", "margins", "measures"):
        assert re.search(rf"(?:admission\.)?{name} is \S.*?; before, it was", text), name
    assert 'admission.margins is null; before, it was ["0"].' in text


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
