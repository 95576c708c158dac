"""Links inside the site: relative, encoded, and the way back."""

import json
from typing import Any, Final
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from sitegen.links import allowed, relative
from verifier.errors import SiteError

CASES: Final = [
    case
    for case in json.loads((FIXTURES / "vectors" / "site" / "site-build.json").read_bytes())[
        "cases"
    ]
    if case["what"] == "relative link"
]

parts = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="/"), min_size=1)
paths = st.lists(parts.filter(lambda part: part not in {".", ".."}), min_size=1, max_size=4).map(
    "/".join
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_vector(case: dict[str, Any]) -> None:
    """Links are relative, since a site may be served under a sub-path."""
    assert relative(case["input"]["page"], case["input"]["target"]) == case["expected"]["href"]


@given(paths, paths.filter(lambda path: ".html#" not in path and path[0] != "#"))
def test_a_browser_finds_the_file(page: str, target: str) -> None:
    """Resolved against its page under any prefix, a link gives the file's path."""
    base = f"http://host/sub/{'/'.join('p' for _ in page.split('/'))}"
    here = "/".join("p" for _ in page.split("/"))
    found = urlsplit(urljoin(base, relative(here, target)))
    assert unquote(found.path) == f"/sub/{target}"
    assert (found.scheme, found.netloc, found.query, found.fragment) == ("http", "host", "", "")


@given(paths, parts)
def test_an_anchor_is_kept(page: str, anchor: str) -> None:
    """A link to an element of a page leads to that element."""
    link = relative("a/index.html", f"{page}.html#{anchor}")
    assert unquote(urlsplit(urljoin("http://host/a/index.html", link)).fragment) == anchor


def test_a_page_links_to_itself() -> None:
    """Both forms of a link to the page's own element are the fragment alone."""
    assert relative("a/index.html", "#row") == "#row"
    assert relative("a/index.html", "a/index.html#row") == "#row"


def test_a_path_that_is_no_text_is_refused() -> None:
    """Bytes that are not UTF-8 have no address."""
    with pytest.raises(SiteError, match="not UTF-8"):
        relative("index.html", "evidence/\udcff")


@given(st.text())
def test_no_script_is_allowed(text: str) -> None:
    """Whatever is allowed begins with http(s), or has no scheme."""
    if allowed(text):
        assert urlsplit(text).scheme in {"", "http", "https"}
        assert not text.startswith(("/", "\\"))
