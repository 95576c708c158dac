"""What a reader does: walk by keyboard, sort, search, bring a file of his own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from demo_site import PAGES, tallyproof
from programs import needs_chromium
from shared import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

    from browser_tab import Opened, Transport
    from demo_site import DemoSite
    from playwright.sync_api import Page as View

pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = needs_chromium

_FOCUS = """() => {
  const on = document.activeElement;
  const style = getComputedStyle(on);
  const box = on.getBoundingClientRect();
  return {
    name: on.tagName + ' ' + (on.textContent || on.getAttribute('aria-label') || '').trim(),
    body: on === document.body,
    seen: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight,
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0
      || style.boxShadow !== 'none',
  };
}"""


@pytest.mark.parametrize("name", ["home", "season", "score", "board"])
def test_the_keyboard_goes_everywhere(name: str, tab: Opened, demo: DemoSite) -> None:
    """Each stop of the Tab key can be seen and has a ring; the first one skips to the page."""
    tab.look(1440, "light")
    view = tab.go(PAGES[name](demo.out))
    view.keyboard.press("Tab")
    first = view.evaluate(_FOCUS)
    assert first["name"] == "A Skip to the page"
    assert first["seen"]
    stops = [first]
    for _ in range(40):
        view.keyboard.press("Tab")
        stops.append(view.evaluate(_FOCUS))
    assert [stop["name"] for stop in stops if not stop["body"] and not stop["seen"]] == []
    assert [stop["name"] for stop in stops if not stop["body"] and not stop["ring"]] == []


def test_skipping_leads_into_the_page(tab: Opened, demo: DemoSite) -> None:
    """The next stop after the skip link lies in the main part."""
    view = tab.go(PAGES["season"](demo.out))
    view.keyboard.press("Tab")
    view.keyboard.press("Enter")
    view.keyboard.press("Tab")
    assert view.evaluate("document.activeElement.closest('main') !== null")


def _agents(view: View) -> list[str | None]:
    return [
        row.get_attribute("id") for row in view.locator("main table tbody tr[id^=agent-]").all()
    ]


def test_a_season_is_sorted_by_keyboard(tab: Opened, demo: DemoSite) -> None:
    """A press turns the order by Brier score; the third one gives the published order back."""
    view = tab.go(PAGES["season"](demo.out))
    before = _agents(view)
    assert len(before) > 10
    head = view.locator("main th", has_text="Brier").first
    button = head.get_by_role("button")
    button.focus()
    orders = []
    for _ in range(3):
        view.keyboard.press("Enter")
        orders.append((head.get_attribute("aria-sort"), _agents(view)))
    (first, falling), (second, rising), (third, last) = orders
    assert (first, second, third) == ("descending", "ascending", None)
    assert falling != rising != before
    assert last == before
    assert sorted(map(str, falling)) == sorted(map(str, before))


def test_a_board_is_not_sorted_by_return(tab: Opened, demo: DemoSite) -> None:
    """Mean return and regime have no button, and the page says why."""
    view = tab.go(PAGES["board"](demo.out))
    heads = view.locator("#board thead th")
    assert heads.filter(has_text="mean return").get_by_role("button").count() == 0
    assert heads.filter(has_text="deflated Sharpe").get_by_role("button").count() == 1
    assert "context only" in view.inner_text("main").lower()


@pytest.mark.parametrize("over", ["file", "http"])
def test_search_finds_and_leads(over: Transport, tab: Opened, demo: DemoSite) -> None:
    """An agent by its name, a call by its seal, a check by its id; from a file as well."""
    seal = json.loads((FIXTURES / "floor-demo/floor/ledger.jsonl").read_text().split("\n")[0])
    for words, title in (
        ("corvus", "Corvus"),
        (seal["body"]["call"], None),
        ("floor/points", "floor/points"),
    ):
        view = tab.go(PAGES["search"](demo.out), over)
        view.get_by_role("searchbox", name="Search all pages").fill(words)
        first = view.locator("#search .results a").first
        if title is not None:
            assert title in first.inner_text()
        first.click()
        view.wait_for_selector("main h1")
        assert "/search/" not in view.url
        assert words.lower() in (view.text_content("body") or "").lower()


def test_search_says_when_there_is_nothing(tab: Opened, demo: DemoSite) -> None:
    """The count is announced, and no list of nothing is left."""
    view = tab.go(PAGES["search"](demo.out))
    view.get_by_role("searchbox", name="Search all pages").fill("zzqqxx")
    assert view.locator("#search [role=status]").inner_text().startswith("0 of ")
    assert view.locator("#search .results li").count() == 0


def _proof(tmp_path: Path, bundle: str, seal: str) -> Path:
    file = tmp_path / f"{seal[:8]}.json"
    done = tallyproof(
        *("prove", seal, "--bundle", str(FIXTURES / bundle), "--output", str(file)),
        *("--policy", str(FIXTURES / "policy.toml")),
    )
    assert done.returncode == 0, done.stderr
    return file


def _rows(bundle: str, path: str) -> list[dict[str, str]]:
    lines = (FIXTURES / bundle / path).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_readers_own_files_are_judged(tab: Opened, demo: DemoSite, tmp_path: Path) -> None:
    """
    A manifest passes, and each file with one digit changed fails.

    Of a proof everything holds but what only a node of the chain, or whoever signs the
    roots, can say: that is unproven, and nothing else is.
    """
    manifests = sorted(demo.out.glob("evidence/*/arcana/manifests/**/*"))
    manifest = next(
        file
        for file in manifests
        if file.is_file() and file.read_bytes().startswith(b"arcana-score/v1")
    )
    score = next(row for row in _rows("arcana-demo", "arcana/scores.jsonl") if row.get("seal"))
    entry = _rows("floor-demo", "floor/ledger.jsonl")[1]
    files = (
        (manifest, '"regime":50', '"regime":51'),
        (_proof(tmp_path, "arcana-demo", score["seal"]), score["seal"], None),
        (_proof(tmp_path, "floor-demo", entry["hash"]), entry["hash"], None),
    )
    view = tab.go(PAGES["verify"](demo.out))
    for file, old, new in files:
        text = file.read_text(encoding="utf-8")
        assert old in text
        changed = new or old[:-1] + ("0" if old[-1] != "0" else "1")
        damaged = tmp_path / f"damaged-{file.name}"
        damaged.write_text(text.replace(old, changed, 1), encoding="utf-8")
        honest = "pass" if file == manifest else "unproven"
        for each, verdict in ((file, honest), (damaged, "fail")):
            view.set_input_files("#verify-drop input", str(each))
            view.wait_for_function(
                "name => document.querySelector('#verify-drop').textContent.includes(name)",
                arg=each.name,
            )
            found = view.get_attribute("#verify-drop", "data-verdict")
            assert found == verdict, (each.name, view.inner_text("#verify-drop")[:600])
            open_ends = view.locator("#verify-drop tbody .verdict.unproven").count()
            assert verdict == "fail" or open_ends == (verdict == "unproven")
