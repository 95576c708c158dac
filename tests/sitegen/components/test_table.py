"""Tables: everything in them is escaped, and what the script needs is there."""

import html
import json
import time
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import parsed
from markupsafe import Markup
from shared import SHARED, needs_shared

from sitegen.components import Cell, Column, Row, Table, render_table
from sitegen.links import relative
from sitegen.text import shown
from verifier.errors import SiteError

HIDDEN: Final = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
KINDS: Final = (
    "rank",
    "text",
    "name",
    "number",
    "points",
    "percent",
    "hash",
    "time",
    "link",
    "verdict",
    "chart",
)


def href(path: str) -> str:
    """Link from the page of a season."""
    return relative("seasons/s/index.html", path)


def one_cell(cell: Cell, column: Column | None = None) -> str:
    """Show a table of one cell."""
    column = column or Column("c", "c", "name")
    return render_table(Table("t", "Caption", [column], [Row("r", [cell])]), href)


@needs_shared
def test_a_hostile_name_stays_text() -> None:
    """No case of the untrusted names becomes an element, a link or an invisible character."""
    cases = json.loads((SHARED / "cases/untrusted-names.json").read_bytes())["cases"]
    names = [case for case in cases if "name" in case["input"]]
    assert len(names) > 20
    for case in names:
        name = case["input"]["name"]
        markup = one_cell(Cell(name))
        tree = parsed(markup)
        assert [link.attrib["href"] for link in tree.iter("a")] == ["#r"], case["id"]
        assert not list(tree.iter("img")), case["id"]
        assert not HIDDEN & set(markup), case["id"]
        for raw in case["expected"]["must_not_appear"]:
            assert raw not in markup.replace('<a class="permalink"', ""), case["id"]
        heading = next(tree.iter("tbody")).find("tr/th")
        assert "".join(heading.itertext()) == shown(name) + "¶", case["id"]


@given(
    text=st.text(),
    title=st.text(),
    sort=st.text(),
    kind=st.sampled_from(KINDS),
    verdict=st.sampled_from([None, "pass", "fail", "unproven", "exempt"]),
)
def test_no_text_ends_its_cell(
    text: str, title: str, sort: str, kind: Any, verdict: str | None
) -> None:
    """Whatever a cell says, the table has one row of one cell, and the text is in it whole."""
    markup = one_cell(Cell(text, title=title, sort=sort, verdict=verdict), Column("c", "c", kind))
    tree = parsed(markup)
    body = next(tree.iter("tbody"))
    assert len(body) == 1
    assert len(body[0]) == 1
    assert "".join(body[0][0].itertext()).removesuffix("¶") == shown(text)
    assert not list(tree.iter("script"))


def test_only_markup_passes_unescaped() -> None:
    """A cell's html is shown as it is; its text still sorts the column."""
    markup = one_cell(Cell("3 values", html=Markup("<svg></svg>")), Column("c", "c", "chart"))
    assert "<svg></svg>" in markup
    assert 'data-sort="3 values"' in markup


def test_a_column_that_must_not_order_the_table_has_no_kind() -> None:
    """What is context only cannot be sorted on, and the page says why."""
    columns = [
        Column("a", "agent", "name"),
        Column("m", "mean return", "percent", note="Context only: a lucky mean is no skill."),
        Column("g", "gate", "text", sortable=False),
        Column("n", "calls", "number"),
    ]
    cells = [Cell("x"), Cell("1 %"), Cell("open"), Cell("3")]
    markup = render_table(
        Table("t", "Board", columns, [Row("x", cells)], context_only=("m",)), href
    )
    heads = next(parsed(markup).iter("thead"))[0]
    assert [head.attrib.get("data-kind") for head in heads] == ["text", None, None, "number"]
    assert "<b>mean return</b>: Context only: a lucky mean is no skill." in markup


def test_tied_rows_keep_their_rank() -> None:
    """Each row of a tie has its rank cell, so that sorting leaves it whole."""
    columns = [Column("r", "rank", "rank"), Column("a", "agent", "name")]
    rows = [
        Row("a", [Cell("1"), Cell("a")], rank_span=2),
        Row("b", [Cell("1"), Cell("b")], rank_span=0),
        Row("c", [Cell("3"), Cell("c")]),
        Row("d", [Cell("—", sort=""), Cell("d")], muted=True),
    ]
    body = next(parsed(render_table(Table("t", "Ranks", columns, rows), href)).iter("tbody"))
    assert [row.attrib.get("class") for row in body] == ["tie", "tied", None, "muted"]
    assert [row[0].text for row in body] == ["1", "1", "3", "—"]
    assert body[3][0].attrib["data-sort"] == ""


def test_a_hash_is_shown_by_its_ends_and_kept_whole() -> None:
    """The first 8 and last 4 digits stand outside what is folded away."""
    digest = "0123456789abcdef" * 4
    markup = one_cell(Cell(digest, href="evidence/x/raw.json"), Column("h", "seal", "hash"))
    code = next(parsed(markup).iter("code"))
    assert "".join(code.itertext()) == digest
    assert (code.text, code[0].tail) == (digest[:8], digest[-4:])
    assert 'href="../../evidence/x/raw.json"' in markup


def test_links_are_made_by_the_page() -> None:
    """A path is made relative and percent-encoded; a text alone is never a link."""
    markup = one_cell(Cell("javascript:alert(1)", href='evidence/x/a"b?.json'))
    assert 'href="../../evidence/x/a%22b%3F.json"' in markup
    assert 'href="javascript' not in markup


@pytest.mark.parametrize("identity", ["a b", 'a"b', "a\u202eb", "#a", "ä"])
def test_a_row_is_named_as_an_address_can_be(identity: str) -> None:
    """An id that would need escaping in an address is refused."""
    with pytest.raises(SiteError, match="no id"):
        render_table(Table("t", "T", [Column("c", "c")], [Row(identity, [Cell("x")])]), href)


def test_a_row_has_a_cell_for_each_column() -> None:
    """A row that is too short is an error, never a shifted row."""
    with pytest.raises(ValueError, match="zip"):
        render_table(
            Table("t", "T", [Column("c", "c"), Column("d", "d")], [Row("", [Cell("x")])]), href
        )


def test_every_row_has_a_permalink() -> None:
    """A row without an id of its own is called by its place, as no row's own id can be."""
    rows = [Row(name, [Cell(name)]) for name in ("", "own", "")]
    markup = render_table(Table("t", "T", [Column("c", "c", "name")], rows), href)
    links = [link.attrib["href"] for link in parsed(markup).iter("a")]
    assert links == ["#t:1", "#own", "#t:3"]
    assert [row.attrib.get("id") for row in parsed(markup).iter("tr")][1:] == ["t:1", "own", "t:3"]
    with pytest.raises(SiteError, match="no id"):
        render_table(Table("t", "T", [Column("c", "c")], [Row("t:1", [Cell("x")])]), href)


def test_a_verdict_is_one_of_four() -> None:
    """Another word has no shape."""
    with pytest.raises(ValueError, match="no verdict"):
        one_cell(Cell("fine", verdict="ok"))


def test_a_season_of_rows_is_fast() -> None:
    """Thirty rows of eight columns take 0.3 ms; the limit is for a busy machine."""
    columns = [Column(kind, kind, kind) for kind in KINDS[:8]]
    rows = [
        Row(
            f"agent-{i}",
            [
                Cell(str(i)),
                Cell("some words"),
                Cell(f"agent-{i}", href=f"seasons/s/agents/agent-{i}/index.html"),
                Cell("12"),
                Cell("1.2345"),
                Cell("3.2 %", sort="0.032"),
                Cell("0f" * 32),
                Cell("2026-01-01 00:00 UTC"),
            ],
        )
        for i in range(30)
    ]
    table = Table("t", "T", columns, rows)
    best = min(_timed(table) for _ in range(50))
    assert best < 0.002


def _timed(table: Table) -> float:
    start = time.perf_counter()
    render_table(table, href)
    return time.perf_counter() - start


def test_a_caption_names_its_region() -> None:
    """The scroll region has the caption as its name, escaped in both places."""
    markup = render_table(Table("t", 'A "B" <c>', [Column("c", "c")], []), href)
    region = parsed(markup)[0]
    assert region.attrib["aria-label"] == 'A "B" <c>'
    assert html.escape('A "B" <c>').replace("&quot;", "&#34;") in markup


def test_cells_have_names_for_the_script() -> None:
    """A column and its row name a value; a row without a name is called by its id."""
    rows = [Row("first", [Cell("1"), Cell("2")], of='a"b'), Row("second", [Cell("3"), Cell("4")])]
    columns = [Column("a", "a", "number", figure="lo hi"), Column("b", "b", "number")]
    tree = parsed(render_table(Table("t", "Caption", columns, rows), href))
    assert [head.attrib.get("data-figure") for head in tree.iter("th")] == ["lo hi", None]
    found = [(row.attrib.get("id"), row.attrib.get("data-of")) for row in tree.iter("tr")]
    assert found == [(None, None), ("first", 'a"b'), ("second", None)]
