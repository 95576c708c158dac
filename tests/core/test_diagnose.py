"""Diagnosis: the known spelling that would have matched is named, and only as a guess."""

import hashlib
import json
import time
from typing import Any

import pytest
from hypothesis import given
from json_vectors import cases, row_id, values

from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import diagnose
from verifier.core.jsonread import JsonValue, read_json
from verifier.errors import JsonError

RECORD: JsonValue = {
    "b": 1.0,
    "a": "é</\u2028>",
    "\ufb33": [1e-7, -0.0, 1e16],
    "😀": {"empty": {}, "none": []},
}


def guessed(value: JsonValue, published: bytes) -> str | None:
    """The guess, which is the same for the bytes and for their digest."""
    by_bytes = diagnose(value, published)
    assert by_bytes == diagnose(value, hashlib.sha256(published).hexdigest())
    return by_bytes


@pytest.mark.parametrize("case", cases("canonical-json"), ids=row_id)
def test_forms_of_other_languages(case: dict[str, Any]) -> None:
    """A form that JavaScript, Python or Go writes is canonical, or is named as theirs."""
    data = case["input"]["json_text"].encode()
    if case["expected"].get("refuse"):
        with pytest.raises(JsonError):
            read_json(data)
        return
    value = read_json(data, big_integers="keep")
    names = {
        "python_default": "Python|ASCII|sorted|in full",
        "python_utf8": "Python|sorted|in full",
    }
    for form in ("ecma", "python_default", "python_utf8", "go"):
        text = case["expected"][form]["text"].encode()
        guess = guessed(value, text)
        try:
            canonical = canonical_bytes(value) == text
        except JsonError:
            canonical = False
        assert (guess is None) is canonical
        if guess:
            allowed = names.get(form, "Go|HTML|ASCII|sorted|in full|rounded").split("|")
            assert any(name in guess for name in allowed)


@pytest.mark.parametrize(
    ("published", "names"),
    [
        (json.dumps(RECORD), "names as inserted, Python numbers, ASCII escapes, a space after"),
        (
            json.dumps(RECORD, indent=2),
            "names as inserted, Python numbers, ASCII escapes, indent=2",
        ),
        (
            json.dumps(RECORD, indent=4, ensure_ascii=False, sort_keys=True) + "\n",
            "names sorted by code point, Python numbers, indent=4, a newline at the end",
        ),
        (
            json.dumps(RECORD, indent="\t").replace("\n", "\r\n"),
            "Python numbers, ASCII escapes, indent by tab, CRLF for newlines",
        ),
        (canonical_bytes(RECORD).decode() + "\n", "a newline at the end"),
        (canonical_bytes(RECORD).decode() + "\r\n", "a newline at the end, CRLF for newlines"),
        ("\ufeff" + canonical_bytes(RECORD).decode(), "a byte order mark"),
        (canonical_bytes(RECORD).decode().replace("/", "\\/"), "escaped solidus"),
        (canonical_bytes(RECORD).decode().replace("é", "\\u00E9"), None),
        (canonical_bytes(RECORD).decode().replace("[1e-7,0", "[1e-7,-0"), "Go numbers"),
        (
            canonical_bytes(RECORD)
            .decode()
            .replace("<", "\\u003c")
            .replace(">", "\\u003e")
            .replace("\u2028", "\\u2028"),
            "Go's HTML escapes",
        ),
    ],
)
def test_known_spellings(published: str, names: str | None) -> None:
    """Each known difference is named, alone and among others."""
    guess = guessed(RECORD, published.encode())
    if names is None:
        assert guess is None
    else:
        assert guess is not None
        assert guess.startswith("guess: it would match with ")
        assert names in guess


def test_upper_case_escapes() -> None:
    """Escapes in upper case are told from those in lower case, and from a written backslash."""
    value: JsonValue = ["é\\u00e9"]
    assert guessed(value, b'["\\u00E9\\\\u00e9"]') == (
        "guess: it would match with upper-case ASCII escapes"
    )


@pytest.mark.parametrize(
    ("number", "published", "name"),
    [
        (2**53 + 1, "9007199254740993", "integers beyond 2^53 - 1 in full"),
        (2**53 + 1, "9007199254740992", "integers rounded to doubles"),
        (10**21, "1e+21", "integers rounded to doubles"),
        (10**400, "1" + "0" * 400, "integers beyond 2^53 - 1 in full"),
    ],
)
def test_big_integers(number: int, published: str, name: str) -> None:
    """What has no canonical form at all is explained, too."""
    assert guessed([number], f"[{published}]".encode()) == f"guess: it would match with {name}"


@given(values)
def test_canonical_form_is_never_a_guess(value: JsonValue) -> None:
    """There is nothing to guess about a form that is canonical."""
    assert guessed(value, canonical_bytes(value)) is None


@pytest.mark.parametrize("published", ["", "00" * 32, "no hex", b"", b"{}"])
def test_unknown_spellings(published: str | bytes) -> None:
    """What matches nothing known is not explained."""
    assert diagnose(RECORD, published) is None


@pytest.mark.parametrize("value", [float("nan"), "\ud800", {"\ud800": 1}, {1: 2}, b"x"], ids=repr)
def test_values_that_are_no_json(value: Any) -> None:
    """A value that nobody can write gets no guess, and no error."""
    assert diagnose(value, "00" * 32) is None


def test_hostile_values_end() -> None:
    """Deep values get no guess; large ones stop at the budget."""
    deep: JsonValue = []
    for _ in range(100_000):
        deep = [deep]
    assert diagnose(deep, "00" * 32) is None
    large: JsonValue = [{"b": 1e-7, "a": f"é/<{i}"} for i in range(10_000)]
    start = time.monotonic()
    assert diagnose(large, "00" * 32) is None
    assert time.monotonic() - start < 20
