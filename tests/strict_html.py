"""
A reader of pages that forgives nothing, written apart from what the site checks of itself.

It knows the structure of HTML and not how this site writes it. Of a page it gives its
ids, its links, and everything that is wrong: an element that is not closed or closed in
the wrong place, an id twice, a reference to no id, an element where its parent allows
none, an attribute twice, one that is obsolete, a script or style in the page itself.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

__all__ = ["StrictPage", "read_page"]


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID: Final = _names("area base br col embed hr img input link meta param source track wbr")
REFERENCES: Final = _names(
    "aria-activedescendant aria-controls aria-describedby aria-details aria-labelledby aria-owns "
    "for headers"
)
BARRED: Final = _names(
    "align bgcolor border cellpadding cellspacing center clear language nowrap style valign"
)
"""Attributes that are obsolete, and the one that the policy of the site blocks."""

FOREIGN: Final = _names("base embed font form iframe marquee object style")
"""Elements that are obsolete, or that no page of this site has."""

PARENTS: Final = {
    "li": _names("ol ul menu"),
    "dt": _names("dl div"),
    "dd": _names("dl div"),
    "tr": _names("thead tbody tfoot"),
    "td": _names("tr"),
    "th": _names("tr"),
    "thead": _names("table"),
    "tbody": _names("table"),
    "caption": _names("table"),
    "figcaption": _names("figure"),
    "summary": _names("details"),
    "legend": _names("fieldset"),
    "option": _names("select datalist optgroup"),
}
CHILDREN: Final = {
    "ol": _names("li script template"),
    "ul": _names("li script template"),
    "dl": _names("dt dd div script template"),
    "table": _names("caption colgroup thead tbody tfoot script template"),
    "thead": _names("tr"),
    "tbody": _names("tr"),
    "tr": _names("th td"),
}
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
BLOCKS: Final = HEADINGS.keys() | _names(
    "address article aside blockquote details div dl fieldset figure footer form header hr main "
    "nav ol p pre section table ul"
)
TEXT_ONLY: Final = HEADINGS.keys() | _names(
    "a b button code dt em i label p pre q small span strong sub summary sup"
)
"""Elements that hold text alone; ``a`` too, which no page of this site wraps around blocks."""


class StrictPage(HTMLParser):
    """What a page holds, and what is wrong with it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.wrong: list[str] = []
        self.open: list[str] = []
        self.references: list[tuple[str, str]] = []
        self.headings: list[int] = []
        self.has: set[str] = set()
        self.doctype = ""

    def handle_decl(self, decl: str) -> None:
        """Keep the document type."""
        self.doctype = decl

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take a slash at the end for what it is: nothing, but in SVG and MathML."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            if not {"svg", "math"} & set(self.open):
                self._complain(f"<{tag}/> closes nothing")
            self.open.pop()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check an element where it stands."""
        parent = self.open[-1] if self.open else ""
        foreign = bool({"svg", "math"} & set(self.open))
        if not foreign:
            self._check_place(tag, parent)
        self._check_attributes(tag, attrs)
        self.has.add(tag)
        if tag in HEADINGS:
            self.headings.append(HEADINGS[tag])
        if tag not in VOID or foreign:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        if tag in VOID:
            self._complain(f"</{tag}> of an element without content")
        elif not self.open or self.open[-1] != tag:
            self._complain(f"</{tag}> closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Refuse text where only elements may stand."""
        if data.strip() and self.open and self.open[-1] in CHILDREN:
            self._complain(f"text {data.strip()[:30]!r} in <{self.open[-1]}>")

    def finish(self) -> None:
        """Check what can be known at the end alone."""
        self.close()
        if self.open:
            self._complain("elements are not closed")
        for name, target in self.references:
            if target not in self.ids:
                self._complain(f"{name} names {target!r}, which no element is")
        if self.headings[:1] != [1] or self.headings.count(1) != 1:
            self._complain(f"headings {self.headings[:5]}")
        for before, after in zip(self.headings, self.headings[1:], strict=False):
            if after > before + 1:
                self._complain(f"a heading of level {after} after {before}")
        if missing := {"html", "head", "title", "body", "main"} - self.has:
            self._complain(f"no {sorted(missing)}")
        if self.doctype.lower() != "doctype html":
            self._complain(f"document type {self.doctype!r}")

    def _check_place(self, tag: str, parent: str) -> None:
        if tag in PARENTS and parent not in PARENTS[tag]:
            self._complain(f"<{tag}> in <{parent}>")
        if parent in CHILDREN and tag not in CHILDREN[parent]:
            self._complain(f"<{tag}> in <{parent}>")
        if tag in BLOCKS:
            inside = [each for each in self.open if each in TEXT_ONLY]
            if inside:
                self._complain(f"<{tag}> within <{inside[-1]}>")
        if tag in {"a", "button", "label"} and tag in self.open:
            self._complain(f"<{tag}> within <{tag}>")

    def _check_attributes(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if len(values) != len(attrs):
            self._complain(f"<{tag}> has an attribute twice")
        for name, value in values.items():
            if name.startswith("on") or name in BARRED:
                self._complain(f"<{tag} {name}>")
            elif name in REFERENCES:
                self.references += [(name, each) for each in (value or "").split()]
            elif name in {"href", "src", "data-root"} and value is not None:
                self.links.append((name, value))
        if "id" in values:
            self._check_id(values["id"] or "")
        if tag in FOREIGN or (tag == "img" and "alt" not in values):
            self._complain(f"<{tag}> without what it needs, or at all")
        if tag == "script" and "src" not in values and "json" not in (values.get("type") or ""):
            self._complain("a script in the page")

    def _check_id(self, element: str) -> None:
        if not element or element.split() != [element]:
            self._complain(f"the id {element!r}")
        if element in self.ids:
            self._complain(f"the id {element!r} twice")
        self.ids.add(element)

    def _complain(self, what: str) -> None:
        line, column = self.getpos()
        self.wrong.append(f"{line}:{column}: {what} ({'/'.join(self.open[-4:])})")


def read_page(text: str) -> StrictPage:
    """Read a page to its end."""
    page = StrictPage()
    page.feed(text)
    page.finish()
    return page
