"""A page of each kind, at both widths, light and dark, from a file and from a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest
from demo_site import PAGES, pages_with_data
from programs import needs_chromium

if TYPE_CHECKING:
    from browser_tab import Opened, Scheme, Transport
    from demo_site import DemoSite
    from playwright.sync_api import Browser

pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = needs_chromium

WIDTHS: Final = (360, 1440)
SCHEMES: Final[tuple[Scheme, ...]] = ("light", "dark")
PAPER: Final = {"light": "rgb(251, 250, 247)", "dark": "rgb(20, 22, 26)"}
"""The ground of a page, as ``site.css`` sets it."""


@pytest.mark.parametrize("over", ["file", "http"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_silent_and_fits(name: str, over: Transport, tab: Opened, demo: DemoSite) -> None:
    """Nothing on the console, no other host, nothing sideways, and verify.js passes."""
    path = PAGES[name](demo.out)
    for width in WIDTHS:
        tab.look(width, SCHEMES[0])
        view = tab.go(path, over)
        assert view.locator("h1").count() == 1
        for scheme in SCHEMES:
            tab.look(width, scheme)  # as a reader turns the lights off: nothing is loaded again
            assert view.evaluate("document.documentElement.scrollWidth") <= width, (width, scheme)
            assert view.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER[scheme]
            if over == "file":
                tab.keep(f"{name} {width} {scheme}")
        if view.locator("#verify").count():
            text = view.inner_text("#verify")
            assert view.get_attribute("#verify", "data-verdict") == "pass", text
            assert "checks agree, recomputed in this browser" in text
            assert "What was not checked here" in text


def test_every_page_with_data_is_among_them(demo: DemoSite) -> None:
    """Home, season, agent, call, score and board carry their data; so do the others."""
    found = pages_with_data(demo)
    assert {"home", "season", "agent", "call", "score", "board"} <= found.keys()
    assert {"ARCANA season", "ARCANA agent", "unlisted agent"} <= found.keys()


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1440, "light")])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(
    name: str, width: int, scheme: Scheme, tab: Opened, demo: DemoSite
) -> None:
    """No violation of any rule that axe knows, with everything unfolded."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    tab.look(width, scheme)
    view = tab.go(PAGES[name](demo.out))
    view.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    # Without preloading: axe would fetch the style sheet, which no file page may.
    found = axe.Axe().run(view, options={"preload": False, "resultTypes": ["violations"]})
    assert [_told(each) for each in found.response["violations"]] == []


def _told(violation: dict[str, Any]) -> str:
    where = [node["html"][:160] for node in violation["nodes"][:3]]
    return f"{violation['id']}: {violation['help']}: {where}"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_the_same_without_scripts(name: str, browser: Browser, demo: DemoSite) -> None:
    """The finding, every row of every table and every figure can be read; nothing waits."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 780})
    view = context.new_page()
    view.goto(f"{demo.out.as_uri()}/{PAGES[name](demo.out)}")
    assert view.locator("h1").is_visible()
    if view.locator("#finding").count():
        assert view.locator("#finding").is_visible()
    assert len(view.inner_text("main")) > 100
    folded = "details"
    for row in view.locator("main tbody tr").all()[:40]:
        assert row.is_visible() or row.locator(f"xpath=ancestor::{folded}").count()
    for drawing in view.locator("main svg[role=img]").all()[:10]:
        assert drawing.is_visible() or drawing.locator(f"xpath=ancestor::{folded}").count()
    if view.locator("#verify").count():
        assert "the command at its foot does the same" in view.inner_text("#verify")
        assert view.locator("#footer .command").is_visible()
    context.close()


def test_a_missing_page_is_the_sites_own(tab: Opened, demo: DemoSite) -> None:
    """Deep in the site a wrong address gives the 404 page, and its links lead home."""
    view = tab.view
    view.goto(f"{tab.roots['http']}seasons/nothing/here.html")
    assert view.locator("h1").is_visible()
    assert view.evaluate("getComputedStyle(document.body).backgroundColor") == PAPER["light"]
    view.click("header .home")
    view.wait_for_url(f"{tab.roots['http']}index.html")
    # The browser itself says that the page was not found, once.
    assert [each for each in tab.said if "404" not in each] == []
    tab.said.clear()
    assert (demo.out / "404.html").exists()
