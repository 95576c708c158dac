"""Vectors and strategies that the tests of JSON, seals and chains share."""

import json
from typing import Any, Final

from hypothesis import strategies as st
from shared import FIXTURES, SHARED

VECTORS: Final = FIXTURES / "vectors" / "json"
CRYPTO: Final = SHARED / "reference" / "crypto"
SAFE: Final = 2**53 - 1


def vectors(name: str) -> list[dict[str, Any]]:
    """The rows that travel with the project and, where it is there, the whole public set."""
    rows: dict[str, dict[str, Any]] = {}
    folder = "json-parse" if name == "jsontestsuite" else "jcs"
    for path in (VECTORS / f"{name}.jsonl", CRYPTO / folder / f"{name}.jsonl"):
        if path.is_file():
            found = [json.loads(line) for line in path.read_bytes().splitlines()]
            rows |= {row["id"]: row for row in found}
    return list(rows.values())


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one composed file."""
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_bytes())["cases"]
    return found


def row_id(row: dict[str, Any]) -> str:
    """What pytest calls a row."""
    return str(row["id"])


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', "\\", "\\u0041", '":', "[", "]}", "<&>", "/", "\u2028", "\x7f", "\x00", "\ufb33", "😀"],
)
integers = st.integers(-SAFE, SAFE)
doubles = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [1e20, 1e21, 1e-4, 1e-6, 1e-7, 9007199254740992.0, 1e16, 123456.0, -0.0, 5e-324],
)
scalars = st.none() | st.booleans() | integers | doubles | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
