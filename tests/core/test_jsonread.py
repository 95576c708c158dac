"""The strict reader: what it accepts, where it says a fault is, and that it is never stuck."""

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_vectors import row_id, texts, values, vectors
from shared import needs_shared

from verifier.core.jsonread import JsonLimits, JsonValue, iter_jsonl, read_canonical, read_json
from verifier.core.jsonscan import BIG_DIGITS, BigIntegers, json_pointer, scan
from verifier.errors import EvidenceError, JsonError, LimitError

DEEP: Final = JsonLimits(depth=100_000)


def by_scanner(data: bytes, big_integers: BigIntegers = "refuse") -> JsonValue:
    """Read by the scanner alone."""
    return scan(data, JsonLimits(), big_integers)


def outcome(read: Callable[[], JsonValue]) -> str:
    """What a reader makes of a text, with -0.0 and 1.0 told from 0 and 1."""
    try:
        return f"value {read()!r}"
    except EvidenceError as error:
        return f"error {error}"


def fault(data: bytes, limits: JsonLimits = JsonLimits()) -> EvidenceError:  # noqa: B008 - frozen
    """The refusal of a text."""
    with pytest.raises(EvidenceError) as caught:
        read_json(data, limits=limits)
    return caught.value


def input_of(row: dict[str, Any]) -> bytes:
    """The bytes of a row, which may be given as a unit and how often it comes."""
    if "repeat" in row:
        unit, times = row["repeat"]
        return bytes.fromhex(unit) * int(times) + bytes.fromhex(row.get("suffix_hex", ""))
    return bytes.fromhex(row["input_hex"])


@needs_shared
@pytest.mark.parametrize("row", vectors("jsontestsuite"), ids=row_id)
def test_jsontestsuite(row: dict[str, Any]) -> None:
    """What must be accepted is, what must be refused is, in under a second, by both readers."""
    data = input_of(row)
    start = time.monotonic()
    result = outcome(lambda: read_json(data))
    assert time.monotonic() - start < 1
    assert result == outcome(lambda: by_scanner(data))
    accepted = result.startswith("value")
    if row["expect"] == "accept":
        assert accepted is not ("y_object_duplicated_key" in row["id"])
    elif row["expect"] == "reject":
        assert not accepted


@pytest.mark.parametrize("row", vectors("reject"), ids=row_id)
def test_strict_profile_refuses(row: dict[str, Any]) -> None:
    """A text that the strict profile refuses is refused, by both readers for one reason."""
    data = bytes.fromhex(row["input_hex"])
    result = outcome(lambda: read_json(data))
    assert result == outcome(lambda: by_scanner(data))
    assert result.startswith("value" if row["expect"] == "policy" else "error")


@pytest.mark.parametrize(
    ("data", "offset", "line", "pointer", "reason"),
    [
        (b'{"a":1,"a":2}', 7, 1, "/a", "name 'a' twice in one object"),
        (b'{"a":1,\n"\\u0061" :2}', 8, 2, "/a", "name 'a' twice in one object"),
        (b'[{"b":[0,{"k":1,"k":1}]}]', 16, 1, "/0/b/1/k", "name 'k' twice in one object"),
        (b'{"a/b":{"~":[NaN]}}', 13, 1, "/a~1b/~0/0", "NaN is not a JSON number"),
        (b"[-Infinity]", 1, 1, "/0", "-Infinity is not a JSON number"),
        (b"[0,1e400]", 3, 1, "/1", "number '1e400' overflows a double"),
        (b"[-1e400]", 1, 1, "/0", "number '-1e400' overflows a double"),
        (b'{"n":9007199254740992}', 5, 1, "/n", "integer '9007199254740992' is beyond 2^53 - 1"),
        (b"-9007199254740992", 0, 1, "", "integer '-9007199254740992' is beyond 2^53 - 1"),
        (b'["x\\ud800"]', 3, 1, "/0", "lone surrogate \\ud800"),
        (b'["\xc3\xa9\\udc00\\ud800"]', 4, 1, "/0", "lone surrogate \\udc00"),
        (b'["\\\\\\ud83d\\\\\\ude00"]', 4, 1, "/0", "lone surrogate \\ud83d"),
        (b'["\\\\ud83d\\ude00"]', 9, 1, "/0", "lone surrogate \\ude00"),
        (b'{"\\ud800":1}', 2, 1, "", "lone surrogate \\ud800"),
        (b"\xef\xbb\xbf{}", 0, 1, "", "text begins with a byte order mark"),
        (b'{\n"a":\n"\xc3("}', 8, 3, "/a", "invalid UTF-8 in a string"),
        (b'["\xed\xa0\x80"]', 2, 1, "/0", "invalid UTF-8 in a string"),
        (b"{}\n\nx", 4, 3, "", "'x' after the end of the value"),
        (b"{}\x00", 2, 1, "", "byte 0x00 after the end of the value"),
        (b"", 0, 1, "", "text ends where a value belongs"),
        (b"[1,]", 3, 1, "/1", "']' where a value belongs"),
        (b"[1 2]", 3, 1, "", "'2' where ',' or ']' belongs"),
        (b'{"a" 1}', 5, 1, "/a", "'1' where ':' belongs"),
        (b'{"a":1,}', 7, 1, "", "'}' where a name in quotes belongs"),
        (b'{"a":1', 6, 1, "", "text ends where ',' or '}' belongs"),
        (b"[01]", 1, 1, "/0", "malformed number"),
        (b"[-]", 1, 1, "/0", "malformed number"),
        (b"[1.]", 1, 1, "/0", "malformed number"),
        (b'["a\nb"]', 3, 1, "/0", "raw control character U+000A in a string"),
        (b'["\\x"]', 2, 1, "/0", "malformed escape in a string"),
        (b'["abc', 5, 1, "/0", "text ends inside a string"),
        (b"nul", 0, 1, "", "'n' where a value belongs"),
        (b"\xc2\xa0{}", 0, 1, "", "byte 0xc2 where a value belongs"),
    ],
)
def test_place(data: bytes, offset: int, line: int, pointer: str, reason: str) -> None:
    """A refusal gives the byte offset, the line, the pointer and the reason."""
    error = fault(data)
    assert type(error) is JsonError
    assert (error.offset, error.line, error.pointer, error.reason) == (
        offset,
        line,
        pointer,
        reason,
    )


def test_depth_limit_is_exact() -> None:
    """As many containers as the limit says are read, one more is refused at its bracket."""
    limits = JsonLimits(depth=3)
    for opened, closed in ((b"[", b"]"), (b'{"a":', b"}"), (b'{"]":', b"}")):
        fits = opened * 3 + b"0" + closed * 3
        assert read_json(fits, limits=limits) == json.loads(fits)
        assert type(fault(opened + fits + closed, limits)) is LimitError
        assert type(fault(b"[" + fits + b',"' + b"x" * 5000 + b'"]', limits)) is LimitError
    error = fault(b"[[[\n[]]]]", limits)
    assert (error.offset, error.line, error.pointer) == (4, 2, "/0/0/0")
    assert "limit json_depth" in error.reason


@pytest.mark.parametrize("filler", [b'"]"', b'"]]]"', b'"\\"]"', b'"}"', b'"\\\\", "]"'])
@pytest.mark.parametrize("longer", [0, 5000])
def test_brackets_in_strings_do_not_hide_depth(filler: bytes, longer: int) -> None:
    """Depth is that of the structure, whatever brackets stand in strings."""
    filler += b',"' + b"x" * longer + b'"'
    fits = (b"[" + filler + b",") * 63 + b"[" + filler + b"]" * 64
    assert read_json(fits) == json.loads(fits)
    assert isinstance(fault(b"[" + fits + b"]"), LimitError)


def test_size_limit_is_exact() -> None:
    """A text as long as the limit is read, a longer one is refused before it is looked at."""
    assert read_json(b"[1]", limits=JsonLimits(size=3)) == [1]
    error = fault(b"\xff\xff\xff\xff", JsonLimits(size=3))
    assert isinstance(error, LimitError)
    assert error.limit == "json_size"


@pytest.mark.parametrize("filler", [b"0", b"[]", b"{}", b'"[,]"', b'{"a,":[]}'])
@pytest.mark.parametrize("longer", [0, 5000])
def test_values_limit_is_exact(filler: bytes, longer: int) -> None:
    """As many values as the limit says are read, whatever kind they are; names are none."""
    each = 2 if filler.startswith(b'{"') else 1
    fits = b"[" + (filler + b",") * 10 + b'"' + b"x" * longer + b'"]'
    count = 1 + 10 * each + 1
    assert read_json(fits, limits=JsonLimits(values=count)) == json.loads(fits)
    error = fault(fits, JsonLimits(values=count - 1))
    assert isinstance(error, LimitError)
    assert error.limit == "json_values"
    assert (error.offset, error.pointer) == (fits.rindex(b'"x') if longer else len(fits) - 3, "/10")


@pytest.mark.parametrize("unit", [b"[", b'{"a":', b'[{"":', b"[[],", b'["[",'])
def test_no_depth_exhausts_the_stack(unit: bytes) -> None:
    """Nesting beyond any stack is an ordinary refusal, or is read if the caller allows it."""
    assert isinstance(fault(unit * 200_000), LimitError)
    assert isinstance(fault(unit * 20_000, DEEP), JsonError)


def test_depth_beyond_the_stack_can_be_read() -> None:
    """A caller who allows more depth than Python's stack gets the value."""
    depth = 10_000
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1_000)  # libraries of other tests raise it
    try:
        _reads_at(depth)
    finally:
        sys.setrecursionlimit(limit)


def _reads_at(depth: int) -> None:
    value = read_json(b"[" * depth + b"]" * depth, limits=DEEP)
    for _ in range(depth - 1):
        assert isinstance(value, list)
        (value,) = value
    assert value == []


@pytest.mark.parametrize("size", [0, 5_000])
def test_big_integers_are_kept_exactly(size: int) -> None:
    """Where a number is an integer, one beyond 2^53 - 1 is kept to the last digit."""
    pad = [" " * size]
    for number in (2**53, -(2**53), 2**53 + 1, 2**256 - 1, 10**BIG_DIGITS - 1):
        data = json.dumps([number, pad]).encode()
        assert read_json(data, big_integers="keep") == [number, pad]
        assert by_scanner(data, "keep") == [number, pad]
        assert isinstance(fault(data), JsonError)
    assert read_json(json.dumps([2**53 - 1, pad]).encode()) == [2**53 - 1, pad]
    over = json.dumps([10**BIG_DIGITS, pad]).encode()
    with pytest.raises(LimitError, match="integer of 641 digits") as caught:
        read_json(over, big_integers="keep")
    assert caught.value.pointer == "/0"


@pytest.mark.parametrize("size", [0, 5_000])
def test_kept_integers_do_not_let_doubles_overflow(size: int) -> None:
    """Keeping integers changes nothing for numbers with a fraction or an exponent."""
    data = json.dumps([" " * size]).encode()[:-1] + b"," + b"9" * 400 + b".0]"
    for mode in ("refuse", "keep"):
        with pytest.raises(JsonError, match="overflows a double"):
            read_json(data, big_integers=mode)


@pytest.mark.parametrize("token", [b"1" * 1_000_000, b"0." + b"1" * 1_000_000, b"1e" + b"9" * 9999])
def test_long_numbers_take_no_time(token: bytes) -> None:
    """A number of a million digits is judged in under a second."""
    start = time.monotonic()
    outcome(lambda: read_json(token))
    outcome(lambda: read_json(token, big_integers="keep"))
    assert time.monotonic() - start < 1


def test_minus_zero() -> None:
    """``-0`` is the integer 0 and ``-0.0`` the double -0.0, for both readers."""
    for read in (read_json, by_scanner):
        value = read(b"[-0,-0.0]")
        assert isinstance(value, list)
        integer, double = value
        assert type(integer) is int
        assert type(double) is float
        assert math.copysign(1, double) == -1


@pytest.mark.parametrize("size", [0, 5_000])
def test_a_name_twice_is_seen_wherever_it_stands(size: int) -> None:
    """Two spellings of one name are one name, in texts short and long."""
    pad = b'"' + b"x" * size + b'"'
    for twice in (b'"a":1,"\\u0061":2', b'"":1, "" :2', b'":":1,":":1', b'"\\":":{},"\\":":[]'):
        error = fault(b"[" + pad + b',[{"b":0,' + twice + b"}]]")
        assert "twice in one object" in error.reason
        assert error.pointer is not None
        assert error.pointer.startswith("/1/0/")


def respelled(value: JsonValue, draw: Callable[[st.SearchStrategy[Any]], Any]) -> str:
    """Spell a value with white space and escapes drawn at random."""
    space = st.sampled_from(["", "", " ", "\n", "\t\r\n "])

    def spaced(token: str) -> str:
        return f"{draw(space)}{token}{draw(space)}"

    def text(string: str) -> str:
        return spaced(json.dumps(string, ensure_ascii=draw(st.booleans())))

    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return spaced("[" + ",".join(respelled(item, draw) for item in value) + spaced("]"))
    if isinstance(value, dict):
        members = [text(name) + ":" + respelled(item, draw) for name, item in value.items()]
        return spaced("{" + ",".join(members) + spaced("}"))
    return spaced(json.dumps(value))


class TestProperties:
    """The reader agrees with the standard library on values, and with itself on refusals."""

    @given(values, st.data())
    def test_valid_texts_read_as_by_json(self, value: JsonValue, data: st.DataObject) -> None:
        """On a text that is strict JSON, the value is the one that ``json`` gives."""
        text = respelled(value, data.draw).encode()
        expected = f"value {json.loads(text)!r}"
        assert outcome(lambda: read_json(text)) == expected
        assert outcome(lambda: by_scanner(text)) == expected
        padded = b'["' + b"x" * 3000 + b'",' + text + b"]"
        assert outcome(lambda: read_json(padded)) == f"value {json.loads(padded)!r}"

    @given(st.binary(max_size=12), values, st.data())
    def test_damaged_texts_are_judged_alike(
        self,
        noise: bytes,
        value: JsonValue,
        data: st.DataObject,
    ) -> None:
        """Both readers give one answer on a damaged text, a short or a long one."""
        text = respelled(value, data.draw).encode()
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        noise = data.draw(
            st.sampled_from([noise, b'"a":1,', b'"', b"]", b"\\", b"9" * 17, b"e999"])
        )
        text = text[:start] + noise + text[end:]
        for damaged in (text, b'["' + b"x" * 3000 + b'",' + text + b"]"):
            for mode in ("refuse", "keep"):
                fast = outcome(lambda: read_json(damaged, big_integers=mode))  # noqa: B023
                assert fast == outcome(lambda: by_scanner(damaged, mode))  # noqa: B023

    @given(st.lists(texts, max_size=4), st.sampled_from(["NaN", '"\\ud800"', "1e999", "01"]))
    def test_pointer_leads_to_the_fault(self, names: list[str], bad: str) -> None:
        """The pointer, followed by RFC 6901, ends at the value that is refused."""
        text = bad
        for name in reversed(names):
            text = f"{{{json.dumps(name)}:[0,{text}]}}"
        pointer = fault(text.encode()).pointer
        assert pointer is not None
        steps = [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]
        assert steps == [step for name in names for step in (name, "1")]
        assert pointer == json_pointer(list(steps))


class TestLines:
    """JSON lines: one text a line, divided and ended by a line feed alone."""

    def test_numbers_bytes_and_values(self) -> None:
        """Each line comes with its number from 1, its bytes, and its value."""
        assert list(iter_jsonl(b'{"a":1}\n[2]\n')) == [(1, b'{"a":1}', {"a": 1}), (2, b"[2]", [2])]
        assert list(iter_jsonl(b"")) == []
        assert list(iter_jsonl('"\u2028\x85"\n'.encode())) == [
            (1, '"\u2028\x85"'.encode(), "\u2028\x85")
        ]

    @pytest.mark.parametrize(
        ("data", "line", "offset", "reason"),
        [
            (b"1\n2", 2, 3, "last line does not end in a newline"),
            (b"1\n\n2\n", 2, 2, "empty line"),
            (b"\n", 1, 0, "empty line"),
            (b'1\n{"a":\n1}\n', 2, 7, "text ends where a value belongs"),
            (b"1\n2\nNaN\n", 3, 4, "NaN is not a JSON number"),
            (b"1\r2\n", 1, 2, "'2' after the end of the value"),
        ],
    )
    def test_place_in_the_file(self, data: bytes, line: int, offset: int, reason: str) -> None:
        """The place of a fault is that in the whole file."""
        with pytest.raises(JsonError) as caught:
            list(iter_jsonl(data))
        error = caught.value
        assert (error.line, error.offset, error.reason) == (line, offset, reason)

    def test_canonical_lines(self) -> None:
        """Where canonical lines are demanded, another spelling is refused with its place."""
        assert len(list(iter_jsonl(b'{"a":1,"b":0.5}\n[]\n', canonical=True))) == 2
        with pytest.raises(JsonError, match="a space after separators") as caught:
            list(iter_jsonl(b'[]\n{"a": 1}\n', canonical=True))
        assert (caught.value.line, caught.value.offset) == (2, 8)

    def test_limits_hold_for_each_line(self) -> None:
        """A file may be longer than a line may be."""
        lines = list(iter_jsonl(b"[1]\n" * 100, limits=JsonLimits(size=3)))
        assert len(lines) == 100
        with pytest.raises(LimitError):
            list(iter_jsonl(b"[1]\n[12]\n", limits=JsonLimits(size=3)))

    def test_kept_integers(self) -> None:
        """Integers are kept on request in lines, too."""
        assert next(iter_jsonl(b"18446744073709551616\n", big_integers="keep"))[2] == 2**64


@pytest.mark.parametrize(
    ("data", "offset", "reason"),
    [
        (b'{"a": 1}', 5, "a space after separators"),
        (b'{"b":1,"a":2}', 2, "names as inserted"),
        (b"[1.0]", 2, "Python numbers"),
        (b"[]\n", 2, "a newline at the end"),
        (b"-0", 0, "not in canonical form from this byte on"),
        (b"1e2", 1, "not in canonical form from this byte on"),
    ],
)
def test_canonical_reading_refuses_other_spellings(data: bytes, offset: int, reason: str) -> None:
    """The first byte that differs is named, and the form as a guess if it is a known one."""
    with pytest.raises(JsonError, match=reason) as caught:
        read_canonical(data)
    assert caught.value.offset == offset


def test_canonical_reading() -> None:
    """What is canonical reads as its value."""
    assert read_canonical(b'{"a":[1,0.5,"\xc3\xa9"],"b":null}') == {"a": [1, 0.5, "é"], "b": None}
