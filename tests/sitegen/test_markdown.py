"""Prose of the maintainer: CommonMark, and nothing that a page must not have."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sitegen.linkcheck import Links
from sitegen.markdown import Prose, render_markdown
from verifier.errors import SiteError


def target(path: str) -> str:
    """Know two files of the content."""
    if path not in {"a.md", "checks/b.md", "checks/p.png"}:
        raise SiteError(f"no {path}")
    return f"content/{path}" if path.endswith(".png") else path.replace(".md", "/index.html")


def render(body: str, *, file: str = "checks/x.md") -> Prose:
    """Render a file with a title."""
    return render_markdown(f"# X\n\n{body}", file=file, page="checks/x/index.html", target=target)


def test_title_and_lead_stand_apart() -> None:
    """The first heading and a plain first paragraph are not in the text again."""
    prose = render_markdown(
        "# A *fine* `title`\n\nOne sentence.\nAnd another.\n\nMore.\n",
        file="x.md",
        page="x/index.html",
        target=target,
    )
    assert (prose.title, prose.lead) == ("A fine title", "One sentence. And another.")
    assert prose.html == "<p>More.</p>\n"


def test_a_lead_with_markup_stays_where_it_is() -> None:
    """A first paragraph with a link is no plain sentence."""
    prose = render("See [b](b.md).")
    assert prose.lead == ""
    assert 'href="../b/index.html"' in prose.html


def test_links_between_files_lead_to_pages() -> None:
    """A link to a Markdown file becomes one to its page, with its anchor."""
    html = render("a\n\n[a](../a.md#part) [b](b.md) [out](https://example.org/) [here](#x)").html
    for href in ("../../a/index.html#part", "../b/index.html", "https://example.org/", "#x"):
        assert f'href="{href}"' in html


@pytest.mark.parametrize(
    "link",
    [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](data:text/html,1)",
        "[x](vbscript:x)",
        "[x](mailto:a@example.org)",
        "[x](//example.org/)",
        "[x](/root)",
        "[x][y]\n\n[y]: javascript:x",
        "<javascript:alert(1)>",
        "[x](missing.md)",
        "[x](../../../etc/passwd)",
        "![x](https://example.org/p.png)",
        "![x](data:image/png;base64,AA)",
        "![x](missing.png)",
        "# Second title",
    ],
)
def test_what_stops_the_build(link: str) -> None:
    """Scripts, other schemes, remote images and files that are not there are errors."""
    with pytest.raises(SiteError):
        render(f"a\n\n{link}")


def test_an_image_of_the_content_is_shown_and_kept() -> None:
    """An image that is a file of the content is named, so that it is copied."""
    prose = render("a\n\n![p](p.png)")
    assert prose.images == ("checks/p.png",)
    assert 'src="../../content/checks/p.png"' in prose.html


def test_raw_html_is_text() -> None:
    """A tag in the text is shown as it is typed."""
    html = render("a\n\n<script>alert(1)</script> and <b onclick=x>\n\n<div>\n").html
    assert "<script" not in html
    assert "<b" not in html
    assert "<div" not in html


def test_tables_have_no_style() -> None:
    """Alignment is a class, since the policy of the pages forbids style attributes."""
    html = render("a\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n").html
    assert "style" not in html
    assert '<th class="right">' in html


def test_footnotes_and_headings_can_be_linked() -> None:
    """Every heading has an id, a repeated one another, and footnotes lead back."""
    html = render("a\n\n## Part one\n\n## Part one\n\nText[^1].\n\n[^1]: Note.\n").html
    assert 'id="part-one"' in html
    Links().gather("checks/x/index.html", html)


@given(st.text(max_size=60))
def test_no_text_makes_a_page_that_the_link_check_cannot_read(text: str) -> None:
    """Whatever is written is refused, or gives HTML with allowed links alone."""
    try:
        html = render(text).html
    except SiteError:
        return
    assert "<script" not in html.lower()
