"""
A page whose data was altered by one digit says so, and shows both values.

The page is copied beside the assets of the demo site, one digit of the data that it
carries is exchanged, and it is opened from the file.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from demo_site import PAGES, payload_of, rewritten
from programs import needs_chromium

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from browser_tab import Opened
    from demo_site import DemoSite
    from playwright.sync_api import Page as View

pytest.importorskip("playwright", reason="Playwright is not installed")
pytestmark = needs_chromium

Payload = dict[str, Any]
Expected = tuple[str, ...]
Forgery = "Callable[[Payload], Expected]"


def other(text: str, place: int = -1) -> str:
    """Exchange one digit, the last one if no other is named."""
    digits = [at for at, mark in enumerate(text) if mark.isdigit()]
    at = digits[place]
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"


def in_number(owner: Payload, key: str) -> Expected:
    """Alter the last digit of a number, of which a page says what it would be."""
    before = owner[key]
    owner[key] = json.loads(other(json.dumps(before)))
    return f"published {owner[key]}", f"recomputed {before}"


def in_text(owner: Payload, key: str, pattern: str) -> tuple[str, str]:
    """Alter the last digit of what a pattern finds in a text; before and after."""
    found = re.search(pattern, owner[key])
    assert found is not None
    after = other(found[0])
    owner[key] = owner[key].replace(found[0], after, 1)
    return found[0], after


def a_probability(payload: Payload) -> Expected:
    """The p of a call is sealed, and its points follow from it."""
    in_number(payload["call"]["terms"], "p")
    return f"published {payload['seal'][:12]}", "seal"


def points_of_a_call(payload: Payload) -> Expected:
    """Points follow from p, b and the outcome."""
    return in_number(payload, "points")


def a_baseline(payload: Payload) -> Expected:
    """The b of a call is sealed as well."""
    in_number(payload["call"]["baseline"], "b")
    return f"published {payload['seal'][:12]}", "seal"


def a_ledger_hash(payload: Payload) -> Expected:
    """An entry's hash is that of its body."""
    before = payload["entry"]["hash"]
    payload["entry"]["hash"] = other(before)
    return payload["entry"]["hash"], before


def a_digit_of_a_manifest(payload: Payload) -> Expected:
    """A manifest has one hash, which is its seal."""
    in_text(payload, "manifest", r'"regime":\d+')
    return payload["seal"], "output regime5150"


def a_stored_column(payload: Payload) -> Expected:
    """A column of the score table is the rounded output."""
    before = payload["published"]["arcana_score"]
    payload["published"]["arcana_score"] = other(before)
    return f"published {other(before)}", f"recomputed {before}"


def a_sibling(payload: Payload) -> Expected:
    """A proof leads to the root that is anchored, or it does not."""
    step = payload["proof"]["path"][0]
    step["sibling"] = other(step["sibling"])
    return payload["proof"]["root"], "root"


def a_row_of_the_table(payload: Payload) -> Expected:
    """A standing is recomputed from the calls, even when the table's hash was renewed."""
    before, after = in_text(payload, "table", r'"standing":[0-9.]+')
    payload["sha256"] = sha256(payload["table"].encode()).hexdigest()
    return f"published {after[11:]}", f"recomputed {before[11:]}"


def points_in_a_season(payload: Payload) -> Expected:
    """Points of one call among hundreds."""
    return in_number(payload["calls"][40], "points")


def a_hash_of_a_table(payload: Payload) -> Expected:
    """A table has one hash."""
    before = payload["sha256"]
    payload["sha256"] = other(before)
    return payload["sha256"], before


def a_table_at_home(payload: Payload) -> Expected:
    """The front page carries each table with its hash."""
    season = next(each for each in payload["seasons"] if each["family"] == "floor")
    in_text(season, "table", r'"standing":[0-9.]+')
    return (f"published {season['sha256']}",)


def a_standing_of_an_agent(payload: Payload) -> Expected:
    """A standing is the sum of what its calls left."""
    return in_number(payload["published"], "standing")


def a_brier_score(payload: Payload) -> Expected:
    """A Brier score is a mean over the calls."""
    return in_number(payload["published"], "brier")


def a_return(payload: Payload) -> Expected:
    """One return of thousands changes figures, and the file's hash."""
    path = min(payload["returns"])
    before = sha256(payload["returns"][path].encode()).hexdigest()
    in_text(payload["returns"], path, r"-?\d\.\d{10,}")
    return before, sha256(payload["returns"][path].encode()).hexdigest()


def a_deflated_sharpe(payload: Payload) -> Expected:
    """A figure of a row is recomputed from its returns, whatever the file's hash says."""
    before, after = in_text(payload, "board", r'"deflated_sharpe":0\.\d+')
    payload["sha256"] = sha256(payload["board"].encode()).hexdigest()
    return f"published {after[18:]}", f"recomputed {before[18:]}"


def a_rank_of_arcana(payload: Payload) -> Expected:
    """The order of a leaderboard follows from its scores."""
    before, after = in_text(payload, "table", r'"rank":\d+')
    payload["sha256"] = sha256(payload["table"].encode()).hexdigest()
    return f"published {after[7:]}", f"recomputed {before[7:]}"


FORGERIES: Final[tuple[tuple[str, Callable[[Payload], Expected]], ...]] = (
    ("call", a_probability),
    ("call", points_of_a_call),
    ("call", a_baseline),
    ("call", a_ledger_hash),
    ("score", a_digit_of_a_manifest),
    ("score", a_stored_column),
    ("score", a_sibling),
    ("season", a_row_of_the_table),
    ("season", points_in_a_season),
    ("season", a_hash_of_a_table),
    ("home", a_table_at_home),
    ("agent", a_standing_of_an_agent),
    ("agent", a_brier_score),
    ("board", a_return),
    ("board", a_deflated_sharpe),
    ("ARCANA season", a_rank_of_arcana),
)


def copied(demo: DemoSite, folder: Path, name: str, html: str) -> str:
    """Write another text of a page, with the site's assets where it looks for them."""
    place = PAGES[name](demo.out)
    (folder / place).parent.mkdir(parents=True, exist_ok=True)
    (folder / place).write_text(html, encoding="utf-8")
    if not (folder / "assets").exists():
        (folder / "assets").symlink_to(demo.out / "assets")
    return place


def honest(demo: DemoSite, name: str) -> str:
    """Read a page as it was built."""
    return (demo.out / PAGES[name](demo.out)).read_text(encoding="utf-8")


def told(view: View) -> str:
    """Read all that verify.js says, with the hashes whole."""
    view.wait_for_selector("#verify[data-verdict]")
    return view.text_content("#verify") or ""


@pytest.mark.parametrize(
    ("name", "forgery"), FORGERIES, ids=[each.__name__ for _, each in FORGERIES]
)
def test_one_digit_is_named_with_both_values(
    name: str,
    forgery: Callable[[Payload], Expected],
    demo: DemoSite,
    tmp_path: Path,
    tab_of: Callable[[Path], Opened],
) -> None:
    """The verdict is fail, the difference is named, and it can be seen without a click."""
    html = honest(demo, name)
    payload = payload_of(html)
    assert payload is not None
    expected = forgery(payload)
    tab = tab_of(tmp_path)
    view = tab.go(copied(demo, tmp_path, name, rewritten(html, payload)))
    text = told(view)
    assert view.get_attribute("#verify", "data-verdict") == "fail"
    for part in expected:
        assert part in text
    assert "First difference: " in view.inner_text("#verify")
    marked = view.locator("#verify tr.differs")
    assert marked.count() >= 1
    assert marked.first.is_visible()


@pytest.mark.parametrize("name", ["season", "agent", "call", "score", "ARCANA season"])
def test_a_digit_of_the_text_is_named(
    name: str, demo: DemoSite, tmp_path: Path, tab_of: Callable[[Path], Opened]
) -> None:
    """The numbers that a reader sees are compared too, not those of the data alone."""
    html = honest(demo, name)
    shown = re.search(r'data-verify="([^"]+)">([^<]*\d)<', html)
    assert shown is not None
    at = shown.start(2)
    altered = html[:at] + other(shown[2]) + html[at + len(shown[2]) :]
    view = tab_of(tmp_path).go(copied(demo, tmp_path, name, altered))
    text = told(view)
    assert view.get_attribute("#verify", "data-verdict") == "fail"
    assert f"shown on the page: {shown[1]}" in text
    assert f"published {other(shown[2])}" in text


ALTER: Final = """
document.addEventListener("readystatechange", () => {
  if (document.readyState !== "interactive") {
    return;
  }
  window.altered = [...document.querySelectorAll("th[data-figure]")].flatMap((heading) => {
    for (const row of heading.closest("table").tBodies[0].rows) {
      const texts = document.createTreeWalker(row.cells[heading.cellIndex], NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const text = texts.currentNode;
        if (/[0-9]/.test(text.data) && text.parentElement.closest(".visually-hidden") === null) {
          text.data = text.data.replace(/[0-9](?=[^0-9]*$)/, (digit) => (Number(digit) + 1) % 10);
          const name = heading.dataset.figure.split(" ").pop();
          return [(name && `${name}:`) + (row.dataset.of ?? row.id)];
        }
      }
    }
    return [];
  });
});
"""
"""Alters the last digit of one cell of each column that verify.js knows, before it runs."""


@pytest.mark.parametrize(
    ("name", "columns"),
    [("board", 14), ("entry", 8), ("agent", 3), ("score", 4), ("ARCANA season", 9)],
)
def test_a_digit_of_a_cell_is_named(name: str, columns: int, tab: Opened, demo: DemoSite) -> None:
    """Whatever the data says, the numbers in the tables are read as a reader sees them."""
    tab.view.add_init_script(ALTER)
    view = tab.go(PAGES[name](demo.out))
    altered = view.evaluate("window.altered")
    assert len(altered) >= columns
    text = told(view)
    assert view.get_attribute("#verify", "data-verdict") == "fail"
    # A long name is shown by its beginning.
    assert [each for each in altered if f"shown on the page: {each[:40]}" not in text] == []


def test_a_copy_of_an_honest_page_passes(
    demo: DemoSite, tmp_path: Path, tab_of: Callable[[Path], Opened]
) -> None:
    """It is the digit that fails, and not the copy."""
    html = honest(demo, "season")
    payload = payload_of(html)
    assert payload is not None
    view = tab_of(tmp_path).go(copied(demo, tmp_path, "season", rewritten(html, payload)))
    assert view.get_attribute("#verify", "data-verdict") == "pass"
