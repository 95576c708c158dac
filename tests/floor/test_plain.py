"""Rows read by one pattern are the rows that the strict reader gives, of canonical lines alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.floor import rows
from verifier.floor.plain import plain_call, plain_settlement

if TYPE_CHECKING:
    from collections.abc import Callable

READERS: Final[dict[str, tuple[Callable[..., object], Callable[..., object]]]] = {
    "calls": (plain_call, rows.read_call),
    "settlements": (plain_settlement, rows.read_settlement),
}
LINES: Final = {
    name: (FIXTURES / f"floor-demo/floor/{name}.jsonl").read_bytes().splitlines()
    for name in READERS
}
# Pieces that mean something in a line, and such as canonical JSON writes in another way.
PIECES: Final = (
    *(b'"', b",", b'","', b'""', b"\\", b'\\"', b"\\n", b"\\/", b"\\u0001", b"\x01", b"\x7f", b" "),
    *(b"0", b"00", b"-0", b"1e5", b"0.5", b"0.50", b"0.0000001", b"0.0000011", b"null", b"true"),
    *(b"[]", b"{}", b"[", b"]", b"{", b"}", b":", b".", b"\xc3\xa9", b"\xff", b"\xed\xa0\x80"),
    *(b'"a":1,', b"above", b"range", b"2026-02-30", b"T24", b"a" * 64, b'"' + b"a" * 64 + b'"'),
)


def agrees(name: str, line: bytes) -> bool:
    """Hold what the pattern reads against the strict reader; tell whether it read something."""
    plain, strict = READERS[name]
    row = plain(7, line)
    if row is None:
        return False
    value = read_json(line)
    assert canonical_bytes(value) == line
    expected = strict(7, value, line)
    assert row == expected
    assert repr(row) == repr(expected)  # decimals with all their digits
    return True


@pytest.mark.parametrize("name", READERS)
def test_lines_of_an_arena_are_read_by_the_pattern(name: str) -> None:
    """All of them, so that the fast way is the way."""
    assert all(agrees(name, line) for line in LINES[name])


@pytest.mark.parametrize("name", READERS)
@given(st.data())
def test_a_changed_line_gives_the_same_row_or_none(name: str, data: st.DataObject) -> None:
    """Whatever is put in the place of whatever else."""
    line = data.draw(st.sampled_from(LINES[name]))
    for _ in range(data.draw(st.integers(1, 2))):
        start = data.draw(st.integers(0, len(line)))
        stop = data.draw(st.integers(start, min(len(line), start + 70)))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=3))
        line = line[:start] + piece + line[stop:]
    agrees(name, line)


@given(
    st.fixed_dictionaries(
        {
            "claim": st.text(),
            "labels": st.lists(st.text(max_size=5), max_size=3),
            "note": st.none() | st.text(),
        }
    ),
    st.sampled_from(LINES["calls"]),
)
def test_texts_of_agents_are_read_as_they_stand(texts: dict[str, object], line: bytes) -> None:
    """Quotes, controls and other scripts, in every member that an agent writes."""
    value = read_json(line)
    assert isinstance(value, dict)
    agrees("calls", canonical_bytes({**value, **texts}))  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("share", "read"),
    [
        *(("0", True), ("1", True), ("0.5", True), ("0.000001", True), ("0.123456789012345", True)),
        *(("0.0000001", False), ("1e-7", False), ("0.50", False), ("1.0", False), ("-0", False)),
    ],
)
def test_only_numbers_in_canonical_form_are_read(share: str, *, read: bool) -> None:
    """Another form is for the strict reader, which reports it."""
    line = LINES["calls"][0]
    at = line.index(b'"p":') + 4
    stop = line.index(b",", at)
    changed = line[:at] + share.encode() + line[stop:]
    assert agrees("calls", changed) == read


@pytest.mark.parametrize("name", READERS)
def test_a_hostile_line_is_refused_in_no_time(name: str) -> None:
    """The patterns never go back and forth, however long the line is."""
    line = LINES[name][0]
    for at in range(0, len(line), 5):
        for piece in (b'"a' * 200_000, b"\\n" * 200_000, b'"' + b"a" * 64 + b'",'):
            READERS[name][0](1, line[:at] + piece * (1 if len(piece) > 99 else 3_000))


def test_a_line_of_megabytes_is_left_to_the_strict_reader() -> None:
    """A pattern would take gigabytes for its escapes, and takes what is over the limits."""
    line = LINES["calls"][0]
    at = line.index(b'"note":') + len(b'"note":')
    end = line.index(b',"posted_at"')
    short, long = (
        line[:at] + b'"' + b"\\n" * count + b'"' + line[end:] for count in (1_000, 40_000)
    )
    assert agrees("calls", short)
    assert not agrees("calls", long)
