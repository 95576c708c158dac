"""Pages of forged seasons: each lie is told where it was made."""

from __future__ import annotations

import re

import pytest
from floor_site import RENDERER, ROOT, pages_of, season_of, text_of
from overlays import overlays

from sitegen.floor.chapter import chapter
from sitegen.floor.ledger_pages import day_pages
from sitegen.floor.shelf import Shelf
from sitegen.model import Page
from verifier.bundle import Bundle, overlay

FORGERIES = {forgery.name: forgery for forgery in overlays("floor-demo")}

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
        at for at, held in enumerate(made.shelf.calls.values()) if held.call.seal[:16] == seal
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
    shelf = Shelf(season_of(bundle, "season-1"))
    failed = 0
    for day in shelf.days:
        for page in day_pages(shelf, day):
            html = RENDERER.render(page)
            failed += len(re.findall(r'<tr id="h\d\d".*?class="verdict fail"', html))
    assert failed == 1
