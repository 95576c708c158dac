"""Pages of the demo's seasons, and of the formulas: what stands on them."""

from __future__ import annotations

import json
import re

import pytest
from floor_site import RENDERER, ROOT, pages_of, season_of, text_of
from shared import SHARED, needs_shared

from sitegen.floor.call_page import call_page
from sitegen.floor.chapter import chapter
from sitegen.floor.formulas import formula_pages
from sitegen.floor.ledger_pages import day_pages
from sitegen.floor.shelf import Shelf
from sitegen.model import Page
from sitegen.shelf import ROWS
from verifier.bundle import Bundle, open_bundle
from verifier.dossier.floor_sealed import sealed_members
from verifier.dossier.floor_terms import kind_of_terms


@pytest.fixture(scope="module")
def season_page(demo: Bundle) -> str:
    """Render the first page of the demo's season."""
    return RENDERER.render(pages_of(demo, "season-1", "season")[f"{ROOT}index.html"])


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


@needs_shared
def test_pages_of_the_full_design() -> None:
    """Gates, funding and margins have their paths, prints and words, and pass."""
    with open_bundle(SHARED / "reference" / "bundles" / "floor-full") as full:
        made = chapter(season_of(full, "season-full"), newest=False)
        gates = prints = 0
        for held in made.shelf.calls.values():
            kind = kind_of_terms(held.call.terms)
            if kind != "conditional" and ":funding" not in str(sealed_members(held.call)):
                continue
            page, call = call_page(made.shelf, held)
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


def test_long_days_are_turned(demo: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    """A day with more entries than a page holds goes on, and no entry is left out."""
    assert ROWS == 1_000
    for module in ("shelf", "ledger_pages", "season_page"):
        monkeypatch.setattr(f"sitegen.floor.{module}.ROWS", 7)
    shelf = Shelf(season_of(demo, "season-1"))
    day = max(shelf.days, key=shelf.entries_of_day)
    pages = list(day_pages(shelf, day))
    assert len(pages) == -(-shelf.entries_of_day(day) // 7)
    ids = [found for page in pages for found in re.findall(r"entry-(\d+)", _ids(page))]
    assert len(ids) == len(set(ids)) == shelf.entries_of_day(day)
    for place in (int(ids[0]), int(ids[-1])):
        entry = shelf.floor.context.tables.entries[place]
        anchor = shelf.entry_anchor(entry.line, entry.settled_at)
        assert anchor is not None
        path, _, name = anchor.partition("#")
        assert name in _ids(next(page for page in pages if page.path == path))
    tables = pages_of(demo, "season-1", "season")
    assert [path.rpartition("/")[2] for path in tables] == ["index.html", "2.html"]


def _ids(page: Page) -> str:
    return " ".join(re.findall(r' id="([^"]*)"', RENDERER.render(page)))


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
