"""Hostile text is shown, and never acts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import SHARED, needs_shared

from verifier.report.visible import LIMIT, visible, visible_pair

any_text = st.text(st.characters(exclude_categories=()))
FORBIDDEN = [
    *range(0x20),
    *range(0x7F, 0xA0),
    *(0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)),
    *(0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF),
    *(0xA0, 0xAD, 0x2028, 0x2029, 0x3000, 0x3164),
    *(0xD800, 0xDFFF, 0xFFFE, 0xFFFF, 0x1FFFE, 0xE0001, 0xE0100, 0x10FFFF),
]


@pytest.mark.parametrize("code", FORBIDDEN)
def test_forbidden_code_points_are_escaped(code: int) -> None:
    """Controls, bidirectional and zero-width characters appear by number."""
    assert visible(f"a{chr(code)}b") == f"a<U+{code:04X}>b"


@pytest.mark.parametrize(
    "text", ["", "plain-agent_01", "שלום", "e\u0301", "日本", "🙂", "<b>", "a#b"]
)
def test_ordinary_text_is_kept(text: str) -> None:
    """Letters of every script, marks and markup are text like any other."""
    assert visible(text) == text


@given(any_text, any_text)
def test_different_texts_look_different(one: str, other: str) -> None:
    """Nothing that an agent can write looks like an escaped character."""
    assert (visible(one) == visible(other)) == (one == other)


@pytest.mark.parametrize("text", ["<U+202E>", "##[group]x", "x ##vso[task.complete]"])
def test_orders_and_imitations_are_broken(text: str) -> None:
    """A literal escape, and what build servers obey, is not printed as it is."""
    assert text not in visible(text)


@given(any_text)
def test_what_is_left_can_be_printed(text: str) -> None:
    """No raw control and nothing that UTF-8 or XML refuses is left."""
    shown = visible(text)
    assert shown.encode().decode() == shown
    assert not set(map(ord, shown)) & set(FORBIDDEN)


def test_long_text_is_cut_and_counted() -> None:
    """The length that is not shown is said."""
    assert visible("a" * (LIMIT + 7)) == "a" * LIMIT + "… (7 more characters)"
    assert visible("a" * LIMIT) == "a" * LIMIT
    assert len(visible("\x00" * 10**6)) < 10 * LIMIT


@given(st.text("ab", max_size=30), st.text("ab", max_size=30), st.integers(0, 3000))
def test_difference_is_always_shown(one: str, other: str, shared: int) -> None:
    """Two different values differ on the page too, however late they part."""
    first, second = visible_pair("x" * shared + one, "x" * shared + other)
    assert (first == second) == (one == other)


def _names() -> list[dict[str, Any]]:
    path = SHARED / "cases" / "untrusted-names.json"
    cases: list[dict[str, Any]] = json.loads(path.read_bytes())["cases"] if path.is_file() else []
    return [case for case in cases if "name" in case["input"]]


@needs_shared
@pytest.mark.parametrize("case", _names(), ids=lambda case: case["what"])
def test_untrusted_name(case: dict[str, Any]) -> None:
    """No forbidden code point appears raw, and what may stay stays."""
    name, expected = case["input"]["name"], case["expected"]
    shown = visible(name)
    for code in expected["raw_code_points_forbidden"]:
        assert chr(int(code.removeprefix("U+"), base=16)) not in shown
        assert f"<{code}>" in shown
    if not expected["raw_code_points_forbidden"]:
        assert shown == expected["cleaned"]
