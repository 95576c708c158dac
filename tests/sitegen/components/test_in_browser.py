"""
What site.js does to a page, in Chromium, from ``file://``.

The page holds the content security policy of every page, so that a script or
style that the policy forbids shows as an error on the console.
"""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from markupsafe import Markup

import sitegen
from sitegen.components import Cell, Column, Row, Table, hash_chip, render_table, time
from sitegen.model import Crumb, Page
from sitegen.render import Renderer, Site

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser
    from playwright.sync_api import Page as View

pytest.importorskip("playwright", reason="Playwright is not installed")
CHROMIUM: Final = shutil.which("chromium")
STATIC: Final = Path(sitegen.__file__).parent / "static"
TEMPLATE: Final = "pages/prose.html"

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

COLUMNS: Final = (
    Column("r", "rank", "rank"),
    Column("a", "agent", "name"),
    Column("p", "standing", "points"),
    Column("m", "mean return", "percent", note="Context only."),
)
VALUES: Final = ("2.5", "2.5", "-1", "10", "—", "0.1", "3", "4", "5", "6", "7", "8")


def board() -> Markup:
    """A table of twelve rows: two share a rank, one has no value."""
    rows = [
        Row(
            f"agent-{i}",
            [
                Cell("1" if i < 2 else str(i + 1)),
                Cell(f"agent-{i}"),
                Cell(value, sort="" if value == "—" else None),
                Cell("1 %"),
            ],
            rank_span={0: 2, 1: 0}.get(i, 1),
        )
        for i, value in enumerate(VALUES)
    ]
    return render_table(Table("t", "Board", COLUMNS, rows, context_only=("m",)), str)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a page with its assets, two folders deep."""
    root = tmp_path_factory.mktemp("site")
    shutil.copytree(STATIC, root / "assets")
    page = Page(
        path="a/b/index.html",
        template=TEMPLATE,
        title="Board",
        finding="Twelve agents are ranked.",
        trail=(Crumb("Arena", "index.html"), Crumb("Board")),
        values={"prose": board() + Markup("<p>") + hash_chip("0f" * 32) + time(0) + Markup("</p>")},
    )
    path = root / page.path
    path.parent.mkdir(parents=True)
    path.write_text(Renderer(Site(title="Arena", description="A.")).render(page))
    return path.as_uri()


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Start Chromium once."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - tests only

    with sync_playwright() as started:
        launched = started.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield launched
        launched.close()


@pytest.fixture
def view(browser: "Browser", address: str) -> "Iterator[View]":
    """Open the page; whatever its console complains of fails the test."""
    complaints: list[str] = []
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    yield page
    page.close()
    assert complaints == []


def agents(view: "View") -> list[str]:
    """Read the rows that are left, from top to bottom."""
    return [
        (each.get_attribute("id") or "").removeprefix("agent-")
        for each in view.locator("#t tbody tr:visible").all()
    ]


def test_a_column_sorts_down_up_and_back(view: "View") -> None:
    """The third press gives the published order back; a missing value is last throughout."""
    before = agents(view)
    head = view.locator("#t th", has_text="standing")
    button = head.get_by_role("button")
    button.click()
    assert head.get_attribute("aria-sort") == "descending"
    assert agents(view) == ["3", "11", "10", "9", "8", "7", "6", "0", "1", "5", "2", "4"]
    button.click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert agents(view) == ["2", "5", "0", "1", "6", "7", "8", "9", "10", "11", "3", "4"]
    button.click()
    assert head.get_attribute("aria-sort") is None
    assert agents(view) == before


def test_the_keyboard_sorts_too(view: "View") -> None:
    """The buttons are real ones."""
    view.locator("#t th", has_text="agent").get_by_role("button").focus()
    view.keyboard.press("Enter")
    assert view.locator("#t th[aria-sort]").get_attribute("aria-sort") == "ascending"
    assert agents(view)[:3] == ["0", "1", "2"]


def test_context_has_no_button(view: "View") -> None:
    """No press orders the board by what must not order it."""
    assert view.locator("#t th", has_text="mean return").get_by_role("button").count() == 0


def test_a_tie_shares_its_rank_until_rows_move(view: "View") -> None:
    """Among other rows each row shows its own rank."""
    second = view.locator("#agent-1 td.r")
    size = "element => getComputedStyle(element).fontSize"
    assert second.evaluate(size) == "0px"
    view.locator("#t th", has_text="standing").get_by_role("button").click()
    assert second.evaluate(size) != "0px"


def test_a_filter_leaves_what_matches(view: "View") -> None:
    """It says how many rows are left, and takes nothing away for good."""
    field = view.get_by_role("searchbox", name="Filter the rows of: Board")
    field.fill("AGENT-1")
    assert agents(view) == ["1", "10", "11"]
    assert view.locator(".filter output").inner_text() == "3 of 12 rows"
    field.fill("")
    assert len(agents(view)) == 12


def test_a_hash_is_copied_whole(view: "View") -> None:
    """What is folded away is copied with the rest."""
    view.context.grant_permissions(["clipboard-read", "clipboard-write"])
    view.locator(".prose .hash code").click()
    assert view.locator(".copy").inner_text() == "copied"
    assert view.evaluate("navigator.clipboard.readText()") == "0f" * 32


def test_local_time_is_a_tooltip(view: "View") -> None:
    """The page says UTC; the reader's own time comes when it is asked for."""
    moment = view.locator("time").first
    assert moment.get_attribute("title") is None
    moment.hover()
    assert "your local time" in (moment.get_attribute("title") or "")
    assert moment.inner_text() == "1970-01-01 00:00 UTC"


def test_nothing_moves_on_load(browser: "Browser", address: str) -> None:
    """What the script adds has its room before it comes."""
    for width in (360, 1440):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(address)
        shift = page.evaluate(
            """() => new Promise(done => {
                let sum = 0;
                new PerformanceObserver(list => {
                    for (const entry of list.getEntries()) sum += entry.value;
                }).observe({type: "layout-shift", buffered: true});
                setTimeout(() => done(sum), 300);
            })"""
        )
        page.close()
        assert shift == 0


def test_no_page_is_wider_than_the_screen(browser: "Browser", address: str) -> None:
    """A table scrolls inside itself; the page does not scroll sideways."""
    for width in (320, 360, 768, 1440, 1600):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.close()


def test_the_table_is_whole_without_scripts(browser: "Browser", address: str) -> None:
    """Every row and every link is there; nothing asks for a script."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#t tbody tr").count() == 12
    assert page.locator("#t button").count() == 0
    context.close()


def test_paper_has_hashes_whole_and_links_as_footnotes(view: "View") -> None:
    """Printing unfolds hashes and writes out where links lead."""
    view.emulate_media(media="print")
    assert view.locator(".prose .hash .mid").evaluate("e => getComputedStyle(e).fontSize") != "0px"
    assert view.locator("#t .permalink").first.is_hidden()
