"""Two JSON values, member by member."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.jsonread import read_json
from verifier.diff.values import Items, compare, json_text, same

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab/~", max_size=2), inner),
    max_leaves=12,
)
ITEMS = {"rows": Items(("id",), ordered=False), "leaves": Items(("id",))}


def listed(before: Any, after: Any) -> list[tuple[str, str, str]]:
    """Kind, member and pointer of every change."""
    return [(c.kind.value, c.member, c.pointer) for c in compare(before, after, ITEMS)]


def at(value: Any, pointer: str) -> Any:
    """Follow a pointer, as RFC 6901 says."""
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": 1}, {"a": True}, [("changed", "/a", "/a")]),
        ({"a": 0}, {"a": None}, [("changed", "/a", "/a")]),
        ({"a": 0}, {"a": "0"}, [("changed", "/a", "/a")]),
        ({"a": None}, {}, [("removed", "/a", "/a")]),
        ({}, {"a/b~": None}, [("added", "/a~1b~0", "/a~1b~0")]),
        ([1, 2, 3], [1, 3], [("removed", "/1", "/1")]),
        ([1, 3], [1, 2, 3], [("added", "/1", "/1")]),
        ([[1], 2], [[9], 2], [("changed", "/0/0", "/0/0")]),
        (1, [1], [("changed", "", "")]),
        (2**60, 2**60 + 1, [("changed", "", "")]),
        (
            {"rows": [{"id": "x", "n": 1}, {"id": "y"}]},
            {"rows": [{"id": "y"}, {"id": "x", "n": 2}]},
            [("changed", "/rows/x/n", "/rows/1/n")],
        ),
        (
            {"leaves": [{"id": 1}, {"id": 2}]},
            {"leaves": [{"id": 2}, {"id": 1}]},
            [
                ("changed", "/leaves/0/id", "/leaves/0/id"),
                ("changed", "/leaves/1/id", "/leaves/1/id"),
            ],
        ),
        (
            {"rows": [{"id": "x"}, {"id": "x"}]},
            {"rows": [{"id": "x"}]},
            [("removed", "/rows/1", "/rows/1")],
        ),
        (
            {"rows": [{"id": "x"}, {"id": "y"}]},
            {"rows": [{"id": "z"}, {"id": "y"}]},
            [("removed", "/rows/x", "/rows/0"), ("added", "/rows/z", "/rows/0")],
        ),
    ],
)
def test_changes_are_named(before: Any, after: Any, changes: list[tuple[str, str, str]]) -> None:
    """Numbers by value, all else by kind; list items by identity where one is known."""
    assert listed(before, after) == changes


@given(JSON, JSON)
def test_changes_lead_to_where_the_values_differ(before: Any, after: Any) -> None:
    """No changes if and only if equal in meaning; every pointer leads to the value shown."""
    changes = list(compare(before, after))
    assert (not changes) == same(before, after)
    for change in changes:
        if change.kind == "removed":
            assert at(before, change.pointer) is change.before
        if change.kind != "removed":
            assert at(after, change.pointer) is change.after


@given(JSON)
def test_a_value_equals_itself(value: Any) -> None:
    """Whatever the value, a copy of it is the same, and so is what its text says."""
    assert same(value, copy.deepcopy(value))
    assert same(value, json.loads(json_text(value)))


def test_deep_values_take_no_longer() -> None:
    """Comparing nested lists visits every level once for each level, not twice."""
    one, other = (read_json(b"[" * 60 + leaf + b"]" * 60) for leaf in (b"1", b"2"))
    (change,) = compare(one, other)
    assert change.pointer == "/0" * 60


def test_integers_of_64_bits_are_shown() -> None:
    """Manifests hold ids that canonical JSON cannot."""
    assert json_text({"id": 2**63 - 1}) == '{"id":9223372036854775807}'
