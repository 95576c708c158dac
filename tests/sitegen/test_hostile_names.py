"""Text of agents on a page: data, visible, and never a link or markup."""

import html
import json
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES
from toy_site import rendered

from sitegen.links import allowed
from sitegen.model import Crumb, Page
from sitegen.text import EMPTY, cleaned, shown

CASES: Final = json.loads((FIXTURES / "vectors" / "site" / "untrusted-names.json").read_bytes())
NAMES: Final = [case for case in CASES["cases"] if "name" in case["input"]]
HREFS: Final = [case for case in CASES["cases"] if "href" in case["input"]]


def page_of(name: str) -> str:
    """Render a page that shows the name wherever a page can."""
    page = Page(
        path="seasons/x/index.html",
        template="pages/prose.html",
        title=name,
        finding=name or "nothing",  # a page without a finding has no element for it
        trail=(Crumb("home", "index.html"), Crumb(name)),
        values={"prose": name},
        command=name,
        payload={"name": name},
    )
    return rendered(page)


@pytest.mark.parametrize("case", NAMES, ids=lambda case: case["id"])
def test_a_name_is_shown_as_data(case: dict[str, Any]) -> None:
    """Nothing of a name is markup, invisible or reordering; an empty one has a stand-in."""
    name, expected = case["input"]["name"], case["expected"]
    text = page_of(name)
    plain = page_of("plain")
    assert cleaned(name) == expected["cleaned"]
    assert html.escape(cleaned(name)) == expected["html_of_cleaned"]
    for code in expected["raw_code_points_forbidden"]:
        # In the whole page there are the template's own line ends.
        assert chr(int(f"0x{code[2:]}", 0)) not in shown(name)
    for mark in expected["must_not_appear"]:
        assert text.count(mark) == plain.count(mark)
    assert text.count("<a ") == plain.count("<a ")
    if expected.get("needs_placeholder"):
        assert shown(name).strip()


@pytest.mark.parametrize("case", HREFS, ids=lambda case: case["id"])
def test_which_links_are_allowed(case: dict[str, Any]) -> None:
    """A maintainer's text may link to http(s) and to relative addresses alone."""
    assert allowed(case["input"]["href"]) == case["expected"]["allowed"]


def test_an_empty_text_is_seen() -> None:
    """A name without a character is not shown as nothing."""
    assert shown("") == EMPTY


def test_a_huge_text_is_cut_and_counted() -> None:
    """A name of a million characters does not fill a page."""
    assert shown("x" * 1_000_000) == f"{'x' * 400}… (999600 more characters)"


@given(st.text(st.characters(codec=None), max_size=40))
def test_no_text_can_break_out(name: str) -> None:
    """Whatever a name holds, the page has the elements of a page with a plain name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        assert shown(name).encode()
        return
    assert page_of(name).count("<") == page_of("plain").count("<")
