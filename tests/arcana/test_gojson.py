"""Go's JSON text: numbers and strings as its tables show, and reading that loses nothing."""

import json
import math
import struct
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from verifier.arcana.gojson import (
    MAX_DEPTH,
    GoValue,
    as_doubles,
    check_depth,
    number_text,
    read,
    string_text,
    value_text,
)
from verifier.errors import JsonError

FACTS: Final = FIXTURES / "vectors/arcana/facts"

finite = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | finite | text,
    lambda children: st.lists(children) | st.dictionaries(text, children),
    max_leaves=20,
)


def cases(name: str) -> list[Any]:
    """The rows of one table."""
    rows = json.loads((FACTS / name).read_bytes())["cases"]
    return [pytest.param(row, id=row["text"] or "empty") for row in rows]


def bits(x: float) -> bytes:
    """The bits of a double."""
    return struct.pack(">d", x)


@pytest.mark.parametrize("case", cases("float-format.json"))
def test_number_text(case: dict[str, str]) -> None:
    """Every double of the table has its text, and the text reads back to it."""
    value = struct.unpack(">d", bytes.fromhex(case["bits"]))[0]
    assert number_text(value) == case["text"]
    assert bits(float(case["text"])) == bits(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (1e-4, "0.0001"),
        (1.5e-5, "0.000015"),
        (-1.25e-6, "-0.00000125"),
        (math.nextafter(1e-6, 0), "9.999999999999997e-7"),
        (1e16, "10000000000000000"),
        (-1.5e16, "-15000000000000000"),
        (1.2345678901234568e20, "123456789012345680000"),
        (-1e21, "-1e+21"),
        (1e22, "1e+22"),
        (-1e-100, "-1e-100"),
        (5e-324, "5e-324"),
    ],
)
def test_number_text_at_its_borders(value: float, written: str) -> None:
    """Plain from 1e-6 up to 1e21, and with a short exponent outside of that."""
    assert number_text(value) == written


@given(finite)
def test_number_text_is_the_shortest(x: float) -> None:
    """It reads back to the same double, with the digits of Python's shortest text."""
    written = number_text(x)
    assert bits(float(written)) == bits(x)
    digits = repr(x).partition("e")[0].replace(".", "").strip("-0")
    assert written.partition("e")[0].replace(".", "").strip("-0") == digits


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_no_text_for_what_is_no_number(value: float) -> None:
    """JSON has no infinity and no NaN."""
    with pytest.raises(JsonError, match="has no JSON text"):
        value_text([value])


@pytest.mark.parametrize("case", cases("string-escape.json"))
def test_string_text(case: dict[str, str]) -> None:
    """Every text of the table is written with its bytes."""
    assert string_text(case["text"]).encode() == bytes.fromhex(case["hex"])


def test_lone_surrogate_is_written_as_the_replacement() -> None:
    """What UTF-8 cannot hold becomes the escape of U+FFFD, while the character itself is raw."""
    assert string_text("a\ud800\udfffb\ufffd") == '"a\\ufffd\\ufffdb\ufffd"'


@given(text)
def test_string_is_json_without_markup(given_text: str) -> None:
    """It is JSON for the text, and cannot end a script or a page's text."""
    written = string_text(given_text)
    assert json.loads(written) == given_text
    assert not set("<>&\u2028\u2029\n") & set(written)


@given(values)
def test_round_trip(value: GoValue) -> None:
    """Reading what was written gives the same value, and writing it again the same text."""
    written = value_text(value)
    again = read(written)
    assert value_text(again) == written
    assert value_text(as_doubles(again)) == value_text(as_doubles(value))


@given(st.dictionaries(text, st.none(), min_size=2))
def test_keys_are_sorted_by_their_bytes(members: dict[str, GoValue]) -> None:
    """Keys stand in the order of their UTF-8, which is not that of UTF-16."""
    keys = list(json.loads(value_text(members)))
    assert [key.encode() for key in keys] == sorted(key.encode() for key in members)


def test_astral_keys_follow_all_others() -> None:
    """U+1F680 comes after U+FFFD, though its first UTF-16 unit is smaller."""
    assert value_text({"\U0001f680": 1, "\ufffd": 2}) == '{"\ufffd":2,"\U0001f680":1}'


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9007199254740993", 2**53 + 1),
        ("0", 0),
        ("9223372036854775808", 2.0**63),
        ("-0", -0.0),
        ("-0.0", -0.0),
        ("1.0", 1.0),
        ("1" + "0" * 300, 1e300),
    ],
)
def test_integers_are_kept(written: str, value: float) -> None:
    """An integer of 64 bits stays one; negative zero and larger numbers are doubles."""
    found = read(written)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("1e400", "1e400 is too large"),
        ("-1e400", "-1e400 is too large"),
        ("9" * 5_000, "999999999999999999999999... is too large"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("", "not JSON: expecting value"),
        ("01", "not JSON: extra data"),
        ("'a'", "not JSON: expecting value"),
        ('"\t"', "not JSON: invalid control character"),
        ('"\\x"', "not JSON: invalid \\\\escape"),
        ('"\\ud8"', "not JSON: invalid \\\\uXXXX escape"),
        ("[1,]", "not JSON: expecting value"),
        ("{}{}", "not JSON: extra data"),
        ("\ufeff1", "not JSON: "),
    ],
)
def test_what_is_no_json_is_refused(written: str, reason: str) -> None:
    """Everything else ends in the one error."""
    with pytest.raises(JsonError, match=reason):
        read(written)


def test_error_counts_bytes() -> None:
    """The place of a fault is a byte, however many its characters take."""
    with pytest.raises(JsonError) as caught:
        read('["\U0001f680", x]')
    assert caught.value.offset == 9


@pytest.mark.parametrize(("before", "after"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_limited(before: str, after: str) -> None:
    """64 levels are read, 65 are not, and 100,000 are no crash."""
    check_depth(read(before * MAX_DEPTH + "1" + after * MAX_DEPTH))
    for inner in ("1", "[]"):
        deep = before * MAX_DEPTH + f"[{inner}]" + after * MAX_DEPTH
        with pytest.raises(JsonError, match="nested deeper than 64 levels"):
            check_depth(read(deep))
    with pytest.raises(JsonError, match="nested deeper than 64 levels"):
        read(before * 100_000 + "1" + after * 100_000)
