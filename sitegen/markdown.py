"""
Prose: CommonMark with tables and footnotes, written by the maintainer.

Raw HTML is shown as the text that it is. The first heading is the title of the
page, a plain first paragraph is the sentence under it, and every other heading
has a permalink. A link may lead to another Markdown file of the content, which
becomes a link to its page, or to ``https:`` and ``http:`` addresses; an image may
be a file of the content. Everything else stops the build: ``javascript:``,
``data:``, images of other hosts, and files that are not there.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markupsafe import Markup
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.footnote import footnote_plugin

from sitegen.links import allowed, relative
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it.token import Token

__all__ = ["Prose", "render_markdown", "slug"]

_WORDS: Final = re.compile(r"[^0-9a-z]+")
_TABLE: Final = re.compile("<table>")  # in text it would be escaped
_EXTERNAL: Final = re.compile(r"https?:", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prose:
    """
    A rendered Markdown file.

    Args:
        title: Its first heading, as plain text.
        lead: Its first paragraph when that is plain text, which ``html`` then lacks.
        html: The rest.
        images: Files of the content that it shows.
    """

    title: str
    lead: str
    html: Markup
    images: tuple[str, ...]


def slug(title: str) -> str:
    """
    Make the id of a heading.

    >>> slug("What it does *not* do")
    'what-it-does-not-do'
    """
    return _WORDS.sub("-", title.lower()).strip("-") or "section"


def render_markdown(
    text: str, *, file: str, page: str, target: Callable[[str], str], title: str | None = None
) -> Prose:
    """
    Render a Markdown file.

    Args:
        text: The file.
        file: Its path within the content, which its links are relative to.
        page: The page that it is shown on, from the root of the site.
        target: From a path within the content to what shows it, from the root of
            the site. Raises SiteError when nothing does.
        title: The title, for a file that does not begin with it; such a file has no lead.

    Raises:
        SiteError: No title or two, or a link or image that is not allowed.
    """
    parser = _parser()
    footnotes: dict[str, object] = {}
    tokens = parser.parse(text, footnotes)
    lead = ""
    if title is None:
        title, tokens = _title(tokens, file)
        lead, tokens = _lead(tokens)
    images: list[str] = []
    for token in _all(tokens):
        if token.type == "link_open":
            token.attrs["href"] = _href(str(token.attrs["href"]), file, page, target)
        elif token.type == "image":
            token.attrs["src"] = _image(str(token.attrs["src"]), file, page, target, images)
        elif token.type in {"th_open", "td_open"}:
            # The policy of the pages knows no style attributes.
            if align := re.search("right|center", str(token.attrs.pop("style", ""))):
                token.attrs["class"] = align[0]
        elif token.type == "heading_open" and token.tag == "h1":
            raise SiteError(f"{file}: a second title; headings below the first begin with ##")
    html = _scrollable(parser.renderer.render(tokens, parser.options, footnotes))
    return Prose(title=title, lead=lead, html=Markup(html), images=tuple(images))  # noqa: S704 - raw HTML is off


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.use(anchors_plugin, min_level=2, max_level=4, slug_func=slug, permalink=True)
    parser.use(footnote_plugin)
    # The parser would show a forbidden link as text. Here it becomes a link, and stops the build.
    setattr(parser, "validateLink", _any)  # noqa: B010 - it is a method, as mypy sees it
    return parser


def _any(url: str) -> bool:
    return isinstance(url, str)


def _scrollable(html: str) -> str:
    """Let code and tables that are wider than the screen be scrolled, by keyboard too."""
    numbers = count(1)
    html = html.replace("<pre><code", '<pre tabindex="0"><code')
    html = _TABLE.sub(
        lambda _: (
            '<div class="scroll" role="group" tabindex="0" '
            f'aria-label="Table {next(numbers)}"><table>'
        ),
        html,
    )
    return html.replace("</table>", "</table></div>")


def _title(tokens: list[Token], file: str) -> tuple[str, list[Token]]:
    if len(tokens) < 3 or tokens[0].type != "heading_open" or tokens[0].tag != "h1":
        raise SiteError(f"{file}: does not begin with a heading, which would be its title")
    return _plain(tokens[1].children or ()), tokens[3:]


def _lead(tokens: list[Token]) -> tuple[str, list[Token]]:
    if len(tokens) >= 3 and tokens[0].type == "paragraph_open":
        children = tokens[1].children or ()
        if all(child.type in {"text", "softbreak"} for child in children):
            return _plain(children), tokens[3:]
    return "", tokens


def _plain(tokens: Sequence[Token]) -> str:
    return "".join(
        " " if token.type in {"softbreak", "hardbreak"} else token.content for token in tokens
    )


def _all(tokens: Sequence[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *_all(token.children or ()))]


def _href(href: str, file: str, page: str, target: Callable[[str], str]) -> str:
    if not allowed(href):
        raise SiteError(f"{file}: a link to {href!a}, which is neither http(s) nor a relative path")
    if _EXTERNAL.match(href) or href.startswith("#"):
        return href
    path, mark, anchor = href.partition("#")
    return relative(page, target(_within(path, file)) + mark + anchor)


def _image(src: str, file: str, page: str, target: Callable[[str], str], images: list[str]) -> str:
    if not allowed(src) or _EXTERNAL.match(src):
        raise SiteError(f"{file}: an image of {src!a}; only files of the content are shown")
    path = _within(src, file)
    images.append(path)
    return relative(page, target(path))


def _within(path: str, file: str) -> str:
    joined = posixpath.normpath(posixpath.join(posixpath.dirname(file), unquote(path)))
    if joined == ".." or joined.startswith("../"):
        raise SiteError(f"{file}: {path!a} lies outside the content")
    return joined
