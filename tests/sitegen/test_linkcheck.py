"""Every link of every page is followed, as the page was written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from sitegen.linkcheck import Links, ids_of
from verifier.errors import SiteError

if TYPE_CHECKING:
    from pathlib import Path


def gathered(html: str, page: str = "a/index.html") -> Links:
    """Read one page."""
    links = Links()
    links.gather(page, html)
    return links


def test_targets_are_paths_of_the_site() -> None:
    """Relative links are resolved against their page, decoded, and told apart from anchors."""
    links = gathered(
        '<a href="../b/caf%C3%A9.html#x">x</a> <img src="i.png"> <a href="index.html">x</a>'
        ' <a href="https://example.org/">x</a> <a href="b&amp;c.txt">x</a>'
    )
    assert set(links.targets) == {"b/caf\u00e9.html", "a/i.png", "a/index.html", "a/b&c.txt"}
    assert set(links.anchors) == {("b/caf\u00e9.html", "x")}


@pytest.mark.parametrize(
    "html",
    [
        '<a href="/x">',
        '<a href="//host/x">',
        '<a href="../../x">',
        '<a href="b/">',
        '<a href="">',
        '<a href="javascript:alert(1)">',
        '<a href="java&#115;cript:alert(1)">',
        '<a href="x?y">',
        '<img src="https://host/x.png">',
        '<img src="data:text/html,1">',
        '<a href="#missing">',
        '<p id="x"></p><p id="x"></p>',
        "<a href='x'>",
        "<a href=x>",
        '<a HREF="x">',
        '<p style="x">',
        '<p onclick="x">',
        '<p title=">" onclick="x">',
    ],
)
def test_what_a_page_must_not_have(html: str) -> None:
    """Links out of the site's reach, ids twice, styles, handlers and other spellings are errors."""
    with pytest.raises(SiteError, match=re.escape("a/index.html")):
        gathered(html)


@pytest.mark.parametrize(
    "html",
    [
        '<p title="onclick=1 style=2 id=3 href=4">x</p>',
        "<p>id=x href=y onclick=z</p>",
        '<script type="application/json">{"a":" href=\'x\' id=\\"y\\" style=1"}</script>',
        '<p id="a&amp;b"></p><a href="#a%26b">x</a>',
        '<img src="data:image/png;base64,AA">',
    ],
)
def test_what_values_say_is_no_attribute(html: str) -> None:
    """Text, values and data may hold anything."""
    gathered(html)


def test_links_of_all_pages_are_checked(tmp_path: Path) -> None:
    """A target must be written, and have the id that is linked to."""
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    links = gathered('<a href="../b.html#there">x</a>')
    links.check({"b.html"}, tmp_path)
    links.merge(gathered('<a href="../b.html#gone">x</a>', "c/index.html"))
    with pytest.raises(SiteError, match=r"c/index\.html: .*b\.html#gone"):
        links.check({"b.html"}, tmp_path)
    with pytest.raises(SiteError, match=r"a/index\.html: .*b\.html"):
        links.check(set(), tmp_path)


def test_ids_in_data_do_not_count() -> None:
    """What stands in a script element is no element."""
    assert ids_of('<p id="a"><script type="x"><p id="b"></script>') == {"a"}
