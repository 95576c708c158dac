"""Files too long to be held: read in segments and again row by row, as nobody can see."""

from __future__ import annotations

import shutil
from array import array
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from overlays import overlays
from shared import FIXTURES
from small_bundle import sound, write_tree

from formulas.floor.primitives import as_written
from verifier.audit import audit, audit_bundle
from verifier.bundle import open_bundle, overlay
from verifier.bundle.segments import cut
from verifier.engine import Serial
from verifier.engine.processes import Processes
from verifier.errors import ChangedError, EvidenceError
from verifier.floor import files, lines
from verifier.floor.columns import Decimals
from verifier.floor.context import load_context
from verifier.floor.digests import DigestIndex, Digests
from verifier.floor.lines import Lines, runs
from verifier.policy import Policy, parse_policy
from verifier.report import RENDERERS

if TYPE_CHECKING:
    from pathlib import Path

DEMO: Final = FIXTURES / "floor-demo"
LONG: Final = ("calls", "envelopes", "settlements", "ledger")


@pytest.fixture
def long_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Treat every file as long, in segments of a line or two."""
    monkeypatch.setattr(files, "HELD_BYTES", 0)
    monkeypatch.setattr(files, "SEGMENT", 1_000)


def _policy() -> Policy:
    return parse_policy((FIXTURES / "policy.toml").read_bytes(), file="policy.toml")


def _reports(held: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    monkeypatch.setattr(files, "HELD_BYTES", held)
    found = {}
    with open_bundle(DEMO) as base:
        for each in overlays("floor-demo")[::2]:
            forged = overlay(base, each.changes(base), relist=each.relist)
            try:
                found[each.name] = RENDERERS["json"](audit_bundle(forged, policy=_policy()))
            except EvidenceError as error:
                found[each.name] = str(error).encode()
    return found


def test_forgeries_have_the_same_report_in_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a report says does not depend on how long its files are. Every second forgery."""
    monkeypatch.setattr(files, "SEGMENT", 1_000)
    assert _reports(0, monkeypatch) == _reports(1 << 30, monkeypatch)


def test_engines_agree_on_segments(long_files: None) -> None:
    """Segments that other processes read give the same columns."""
    assert long_files is None
    reports = {
        RENDERERS["json"](audit(DEMO, policy=_policy(), keep="all", engine=engine))
        for engine in (Serial(), Processes(2))
    }
    assert len(reports) == 1


def test_rows_read_again_are_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by one, in slices and all of them."""
    monkeypatch.setattr(files, "SEGMENT", 1_000)
    with open_bundle(DEMO) as bundle:
        held = load_context(bundle, Policy()).tables
        monkeypatch.setattr(files, "HELD_BYTES", 0)
        again = load_context(bundle, Policy()).tables
        for name in ("calls", "envelopes", "settlements", "entries"):
            rows = getattr(held, name)
            lines = getattr(again, name)
            assert isinstance(lines, Lines)
            assert list(lines) == list(rows) == [lines[place] for place in range(len(rows))]
            assert lines[2:7] == list(rows[2:7])
            assert lines[::-1] == list(rows[::-1])
            with pytest.raises(IndexError):
                lines[len(rows)]


def test_rows_are_kept_by_their_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the rows of a stranger are, what is kept of them is bounded."""
    monkeypatch.setattr(lines, "KEPT", 30)
    texts = [b"a" * 9, b"b" * 9, b"c" * 29, b"d" * 99]
    path = "rows.jsonl"
    asked: list[int] = []

    def read(place: int, text: bytes, _beside: object) -> bytes:
        asked.append(place)
        return text

    files = sound(**{path: b"".join(text + b"\n" for text in texts)})
    with open_bundle(write_tree(tmp_path / "bundle", files)) as bundle:
        column = Digests(bytearray(b"".join(sha256(text).digest() for text in texts)))
        rows = Lines(bundle, path, array("Q", [10, 20, 50, 150]), column, read, None)
        for place in (3, 2, 1, 0, 1, 0, 2, 3, 2):
            assert rows[place] == texts[place]
    assert asked == [3, 2, 1, 0, 2, 3, 2]


@pytest.mark.parametrize("name", LONG)
def test_a_line_that_changes_after_it_was_read_is_refused(
    tmp_path: Path, long_files: None, name: str
) -> None:
    """A row that is read again is the row that the seal covers, or an error."""
    assert long_files is None
    shutil.copytree(DEMO, tmp_path / "demo")
    path = tmp_path / "demo" / "floor" / f"{name}.jsonl"
    with open_bundle(tmp_path / "demo") as bundle:
        tables = load_context(bundle, Policy()).tables
        data = path.read_bytes()
        path.write_bytes(data.replace(b"7", b"8"))
        rows = tables.entries if name == "ledger" else getattr(tables, name)
        with pytest.raises(ChangedError):
            list(rows)
        path.write_bytes(data[:-100])
        with pytest.raises(ChangedError):
            list(rows)


@pytest.mark.parametrize("broken", [b"{}", b"[", b"\xff", b""])
def test_a_broken_line_is_named_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: bytes
) -> None:
    """File and line of an error are the same in segments."""
    shutil.copytree(DEMO, tmp_path / "demo")
    path = tmp_path / "demo" / "floor" / "calls.jsonl"
    lines = path.read_bytes().split(b"\n")
    lines[20] = broken
    path.write_bytes(b"\n".join(lines))
    errors = []
    monkeypatch.setattr(files, "SEGMENT", 1_000)
    for held in (0, 1 << 30):
        monkeypatch.setattr(files, "HELD_BYTES", held)
        with pytest.raises(EvidenceError) as caught:
            audit(tmp_path / "demo")
        errors.append((type(caught.value), str(caught.value), caught.value.line))
    assert errors[0] == errors[1]
    assert errors[0][2] == 21


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b" "))), st.data())
def test_segments_are_the_file(lines: list[bytes], data: st.DataObject) -> None:
    """Put together they are its bytes; each is whole lines, with their number and hash."""
    whole = b"".join(line + b"\n" for line in lines)
    step = data.draw(st.integers(1, 200))
    size = data.draw(st.integers(1, 30))
    chunks = [whole[at : at + step] for at in range(0, len(whole), step)]
    offset, line = 0, 1
    for segment in cut("x", chunks, size, limit=100):
        part = whole[offset : offset + segment.size]
        assert (segment.offset, segment.line) == (offset, line)
        assert part.endswith(b"\n")
        # However the bytes come, a segment ends with the line that makes it long enough.
        assert len(part) >= size or offset + len(part) == len(whole)
        assert part.rfind(b"\n", 0, -1) + 1 < size
        assert segment.digest == sha256(part).digest()
        assert segment.lines == part.count(b"\n")
        offset += segment.size
        line += segment.lines
    assert offset == len(whole)


def test_a_last_line_without_an_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was cut off says so, and first what is wrong before its end."""
    monkeypatch.setattr(files, "SEGMENT", 1_000)
    shutil.copytree(DEMO, tmp_path / "demo")
    path = tmp_path / "demo" / "floor" / "calls.jsonl"
    whole = path.read_bytes()[:-1]
    for damaged in (whole, whole.replace(b"p", b"q", 1)):
        path.write_bytes(damaged)
        errors = set()
        for held in (0, 1 << 30):
            monkeypatch.setattr(files, "HELD_BYTES", held)
            with pytest.raises(EvidenceError) as caught:
                audit(tmp_path / "demo")
            errors.add(str(caught.value))
        assert len(errors) == 1
        assert ("does not end in a newline" in errors.pop()) == (damaged is whole)


def test_a_line_without_an_end_is_not_collected_for_ever() -> None:
    """A line is longer than its limit before it is held in memory."""
    with pytest.raises(EvidenceError, match="line_bytes"):
        list(cut("x", iter([b"a\n", *[b"x" * 50] * 1_000_000]), 10, limit=100))


digests = st.lists(
    st.tuples(st.sampled_from([b"\0" * 8, b"\1" * 8]), st.integers(0, 5)).map(
        lambda parts: parts[0] + bytes([parts[1]]) * 24
    )
)


@given(digests, digests)
def test_an_index_finds_what_a_dictionary_finds(column: list[bytes], asked: list[bytes]) -> None:
    """The first and the last place of a hash, also where many begin alike."""
    held = Digests(bytearray(b"".join(column)))
    index = DigestIndex(held)
    last = {digest: place for place, digest in enumerate(column)}
    first = {digest: place for place, digest in reversed(list(enumerate(column)))}
    for digest in (*column, *asked):
        assert index.first(digest) == first.get(digest)
        assert index.last(digest) == last.get(digest)
    assert list(index.distinct()) == sorted(first)
    repeated = {place: first[digest] for place, digest in enumerate(column)}
    assert dict(index.repeated()) == {at: to for at, to in repeated.items() if at != to}


@given(
    st.lists(
        st.one_of(
            st.none(),
            st.floats(allow_nan=False, allow_infinity=False).map(as_written),
            st.sampled_from(["2", "2.0", "2.00", "0", "-0", "-0.0", "1E+2", "100"]).map(Decimal),
        )
    )
)
def test_decimals_are_shown_as_they_are_written(values: list[Decimal | None]) -> None:
    """Equal ones may have other digits, whatever was seen before, and are kept apart."""
    half = Decimals()
    for value in values:
        half.append(value)
    whole = Decimals()
    whole.extend(half)
    whole.extend(half)
    found = [whole[place] for place in range(2 * len(values))]
    assert list(map(str, found)) == list(map(str, [*values, *values]))


class Counted(Digests):
    """A column that counts how often it is asked."""

    asked = 0

    def __getitem__(self, place: int) -> bytes:
        self.asked += 1
        return super().__getitem__(place)


def test_rows_of_one_hash_are_not_gone_through_one_by_one() -> None:
    """A publisher who repeats one identity in every row makes no lookup slow."""
    column = Counted(bytearray(bytes([1]) * 32 * 10_000 + bytes([1]) * 31 + b"\2"))
    index = DigestIndex(column)
    column.asked = 0
    assert (index.first(b"\1" * 32), index.last(b"\1" * 32)) == (0, 9_999)
    assert column.asked < 100


@given(st.lists(st.integers(1, 40)), st.integers(1, 60))
def test_runs_cover_every_row_once(sizes: list[int], size: int) -> None:
    """In order, and none of them empty."""
    ends = array("Q", (sum(sizes[: at + 1]) for at in range(len(sizes))))
    found = list(runs(ends, size))
    assert [place for start, stop in found for place in range(start, stop)] == [*range(len(sizes))]
    assert all(start < stop for start, stop in found)
