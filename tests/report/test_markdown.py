"""Markdown in which text of others stays text."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from report.samples import SAMPLES, finding, report
from shared import SHARED, needs_shared

from verifier.findings import Verdict, Where
from verifier.report import RENDERERS
from verifier.report.visible import visible

markdown_it = pytest.importorskip("markdown_it")

_PLAIN: Final = {
    *("heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close"),
    *("table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close"),
    *("tr_open", "tr_close", "th_open", "th_close", "td_open", "td_close"),
    *("fence", "code_inline", "softbreak"),
}
_HOSTILE: Final = (
    "<img src=x onerror=alert(1)>",
    "</code></pre><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![i](https://example.invalid/p.png)",
    "https://example.invalid/free",
    "@everyone #1 GH-1",
    "a|b|c",
    "# heading",
    "`code` **bold** _it_",
    "```",
    "`````` x",
    "~~~\n```\nend",
    "- item",
    "| a | b |\n|---|---|",
    " `",
    "\\`",
    "&lt;b&gt; &amp;",
)


def _tokens(text: str) -> list[Any]:
    parser = markdown_it.MarkdownIt("commonmark").enable("table")
    return [leaf for token in parser.parse(text) for leaf in (token, *(token.children or ()))]


def _assert_inert(name: str) -> None:
    """Put a text everywhere it can be, and find it in code and nowhere else."""
    bad = finding(
        "floor/points",
        Verdict.FAIL,
        name,
        name,
        published=name,
        recomputed=name + "x",
        where=Where(name, 1, name),
    )
    rendered = RENDERERS["markdown"](report([bad], title=name, notes=(name,))).decode()
    tokens = _tokens(rendered)
    assert {token.type for token in tokens} <= _PLAIN
    code = "\n".join(token.content for token in tokens if token.type in {"fence", "code_inline"})
    for word in visible(name).split():
        assert code.count(word) >= 5
    prose = [token.content for token in tokens if token.type == "text"]
    clean = _tokens(RENDERERS["markdown"](report([], title="t")).decode())
    columns = [token.type for token in clean].count("td_open")
    assert [token.type for token in tokens].count("td_open") == columns
    assert not [text for text in prose if visible(name).strip() and visible(name) in text]


@pytest.mark.parametrize("name", _HOSTILE)
def test_hostile_text_is_inert(name: str) -> None:
    """No markup, link, image, HTML or table cell comes of it."""
    _assert_inert(name)


def _names() -> list[dict[str, Any]]:
    path = SHARED / "cases" / "untrusted-names.json"
    cases: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"] if path.is_file() else []
    return [case for case in cases if "name" in case["input"]]


@needs_shared
@pytest.mark.parametrize("case", _names(), ids=lambda case: case["what"])
def test_untrusted_name(case: dict[str, Any]) -> None:
    """The shared hostile names are inert too."""
    _assert_inert(case["input"]["name"])


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_table_has_a_row_a_check(name: str) -> None:
    """Every check is a row of seven cells, and the sum is the last."""
    types = [token.type for token in _tokens(RENDERERS["markdown"](SAMPLES[name]).decode())]
    assert types.count("td_open") == 7 * (len(SAMPLES[name].checks) + 1)
