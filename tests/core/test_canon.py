"""Canonical JSON: every byte of RFC 8785, and what has no canonical form."""

import csv
import hashlib
import json
import struct
from typing import Any

import jcs
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from json_vectors import CRYPTO, SAFE, row_id, values, vectors
from shared import needs_shared

from verifier.core.canon import MAX_DEPTH, canonical_bytes
from verifier.core.jsonread import JsonValue, read_canonical, read_json
from verifier.errors import EvidenceError, JsonError


def as_doubles(value: JsonValue) -> JsonValue:
    """Turn the integers that only a double can have printed back into doubles."""
    if isinstance(value, list):
        return [as_doubles(item) for item in value]
    if isinstance(value, dict):
        return {name: as_doubles(item) for name, item in value.items()}
    return float(value) if type(value) is int and abs(value) > SAFE else value


def double(ieee_hex: str) -> float:
    """The double with these bits."""
    return float(struct.unpack(">d", bytes.fromhex(ieee_hex.zfill(16)))[0])


@pytest.mark.parametrize("row", vectors("pairs"), ids=row_id)
def test_pairs(row: dict[str, Any]) -> None:
    """A text has the canonical bytes of its pair, and those are their own canonical form."""
    canonical = bytes.fromhex(row["canonical_hex"])
    assert canonical_bytes(read_json(bytes.fromhex(row["input_hex"]))) == canonical
    assert hashlib.sha256(canonical).hexdigest() == row["sha256"]
    again = as_doubles(read_json(canonical, big_integers="keep"))
    assert canonical_bytes(again) == canonical


@pytest.mark.parametrize("row", vectors("appendix_b"), ids=row_id)
def test_appendix_b(row: dict[str, Any]) -> None:
    """The numbers of RFC 8785 Appendix B; NaN and Infinity have no form."""
    number = double(row["ieee_hex"])
    if row["canonical"] is None:
        with pytest.raises(JsonError):
            canonical_bytes(number)
    else:
        assert canonical_bytes(number).decode() == row["canonical"]
        assert canonical_bytes([number]).decode() == f"[{row['canonical']}]"


@needs_shared
def test_es6_numbers() -> None:
    """Every double of the published sequence prints as ECMAScript prints it."""
    with (CRYPTO / "jcs" / "es6_numbers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 6000
    for row in rows:
        assert canonical_bytes(double(row["ieee_hex"])).decode() == row["canonical"], row["line"]


@pytest.mark.parametrize("row", vectors("reject"), ids=row_id)
def test_refused_texts_get_no_canonical_form(row: dict[str, Any]) -> None:
    """What the strict profile refuses never comes to a seal."""
    if row["expect"] == "reject":
        with pytest.raises(EvidenceError):
            canonical_bytes(read_json(bytes.fromhex(row["input_hex"])))


class _Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        {"a": [float("-inf")]},
        2**53,
        -(2**53),
        [2**64],
        "\ud800",
        ["\udc00\ud800"],
        {"\ud800": 1},
        {"\ud800": 1.0, "\uffff": 2},
        {1: 2},
        {"a": {None: 1}},
        {"a": 1, 2: 3},
        (1, 2),
        {"a": {1}},
        b"{}",
        _Text("a"),
    ],
    ids=repr,
)
def test_values_without_canonical_form(value: Any) -> None:
    """A value that JSON, or RFC 8785, has no text for is refused by our own error."""
    with pytest.raises(JsonError, match="no canonical form"):
        canonical_bytes(value)


@pytest.mark.parametrize("leaf", [0, 0.0, "x"])
def test_depth(leaf: JsonValue) -> None:
    """Values are written down to the stated depth, and no depth exhausts the stack."""
    value = leaf
    for _ in range(MAX_DEPTH):
        value = [value]
    assert canonical_bytes(value) == rfc8785.dumps(value)
    for _ in range(100_000):
        value = {"a": value}
    with pytest.raises(JsonError, match="nested deeper than 256"):
        canonical_bytes(value)


@pytest.mark.parametrize(
    "names", [["\ufb33", "😀"], ["é", "z", "\ud7ff"], ["\ue000", "a"], ["😀", "a"]]
)
def test_names_sort_by_utf16_units(names: list[str]) -> None:
    """Names beyond U+FFFF come before those from U+E000 on."""
    value: JsonValue = dict.fromkeys(names, 1)
    assert canonical_bytes(value) == rfc8785.dumps(value)
    assert list(json.loads(canonical_bytes(value))) == sorted(
        names,
        key=lambda name: name.encode("utf-16-be"),
    )


class TestProperties:
    """Two other implementations write the same bytes, and writing twice changes nothing."""

    @given(values)
    def test_as_other_implementations(self, value: JsonValue) -> None:
        """The bytes are those of the packages rfc8785 and jcs."""
        assert canonical_bytes(value) == rfc8785.dumps(value) == jcs.canonicalize(value)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_numbers_as_other_implementations(self, number: float) -> None:
        """So is the text of every double, alone and among others."""
        assert canonical_bytes(number) == rfc8785.dumps(number) == jcs.canonicalize(number)
        assert canonical_bytes([number, 0.5]) == rfc8785.dumps([number, 0.5])

    @given(values)
    def test_idempotent(self, value: JsonValue) -> None:
        """Canonical bytes, read and written again, are the same bytes."""
        once = canonical_bytes(value)
        assert canonical_bytes(as_doubles(read_json(once, big_integers="keep"))) == once

    @given(values)
    def test_canonical_documents_are_read_as_such(self, value: JsonValue) -> None:
        """Canonical bytes pass the canonical reader, unless a double prints as a big integer."""
        data = canonical_bytes(value)
        try:
            assert canonical_bytes(read_canonical(data)) == data
        except JsonError as error:
            assert "beyond 2^53 - 1" in error.reason  # noqa: PT017 - both outcomes are right
