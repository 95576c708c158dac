"""One thing changed in a good manifest: each is refused, for its reason and at its place."""

from typing import Final

import pytest
from shared import FIXTURES

from verifier.arcana.manifest import ManifestError, parse_manifest


def good(name: str) -> bytes:
    """One good manifest to damage."""
    return (FIXTURES / f"vectors/arcana/manifests/{name}.txt").read_bytes()


SCORE: Final = good("golden-fixture")
SNAPSHOT: Final = good("snapshot-small-and-large")
COMMITMENT: Final = good("commitment-nested")

# What was done to a good manifest, its bytes before and after, and what must be said of it.
DAMAGED: Final = {
    # the lines
    "other-scheme": (SCORE, b"score/v1\n", b"score/v2\n", "format", "unknown scheme"),
    "scheme-of-another": (SCORE, b"arcana-score/v1", b"arcana-commitment/v1", "format", "12 lines"),
    "no-scheme": (SCORE, b"arcana-score/v1\n", b"", "format", "unknown scheme 'formula: "),
    "byte-order-mark": (SCORE, b"arcana-", b"\xef\xbb\xbfarcana-", "format", "byte-order mark"),
    "carriage-returns": (SCORE, b"\n", b"\r\n", "format", "carriage return"),
    "carriage-return-in-value": (SCORE, b'"agent"', b'"agent\r"', "format", "carriage return"),
    "no-last-newline": (SCORE, b"previous_seal: null\n", b"previous_seal: null", "format", "end"),
    "blank-line": (SCORE, b"\nts:", b"\n\nts:", "format", "has 13 lines"),
    "blank-line-last": (
        SCORE,
        b"previous_seal: null\n",
        b"previous_seal: null\n\n",
        "format",
        "13",
    ),
    "line-missing": (SCORE, b"previous_seal: null\n", b"", "format", "has 11 lines"),
    "line-twice": (SCORE, b"previous_seal: null\n", b"previous_seal: null\n" * 2, "format", "13"),
    "lines-swapped": (
        SCORE,
        b'agent_id: "agent"\nseason_id: "season"',
        b'season_id: "season"\nagent_id: "agent"',
        "format",
        "'agent_id: '",
    ),
    "key-renamed": (SCORE, b"creator_peers:", b"peers:", "format", "'creator_peers: '"),
    "no-space": (SCORE, b"agent_id: ", b"agent_id:", "format", "'agent_id: '"),
    "two-spaces": (SCORE, b"agent_id: ", b"agent_id:  ", "not_canonical", "not canonical"),
    "space-at-end": (SCORE, b'"agent"\n', b'"agent" \n', "not_canonical", "not canonical"),
    "tab": (SCORE, b'"agent"\n', b'"agent"\t\n', "not_canonical", "not canonical"),
    "byte-order-mark-inside": (
        SCORE,
        b"agent_id: ",
        b"agent_id: \xef\xbb\xbf",
        "format",
        "not JSON",
    ),
    "not-utf-8": (SCORE, b'"agent"', b'"agent\xff"', "format", "not UTF-8"),
    "surrogate-as-utf-8": (SCORE, b'"agent"', b'"agent\xed\xa0\x80"', "format", "not UTF-8"),
    "overlong": (SCORE, b'"agent"', b'"agent\xc0\x80"', "format", "not UTF-8"),
    "nul": (SCORE, b'"agent"', b'"agent\x00"', "format", "control character"),
    "two-values": (SCORE, b'"agent"\n', b'"agent" 1\n', "format", "extra data"),
    "no-value": (SCORE, b'"agent"\n', b"\n", "format", "expecting value"),
    # strings
    "slash-escaped": (SCORE, b'"momentum"', b'"moment\\/um"', "not_canonical", "not canonical"),
    "letter-escaped": (SCORE, b'"momentum"', b'"\\u006domentum"', "not_canonical", "canonical"),
    "less-than-raw": (SCORE, b'"momentum"', b'"<momentum"', "not_canonical", "not canonical"),
    "escape-in-capitals": (SCORE, b'"momentum"', b'"\\u003Cb"', "not_canonical", "not canonical"),
    "backspace-by-number": (SCORE, b'"momentum"', b'"\\u0008"', "not_canonical", "not canonical"),
    "line-separator-raw": (SCORE, b'"momentum"', b'"\xe2\x80\xa8"', "not_canonical", "canonical"),
    "lone-surrogate": (SCORE, b'"momentum"', b'"\\ud800"', "not_canonical", "not canonical"),
    "pair-escaped": (SCORE, b'"momentum"', b'"\\ud83d\\ude80"', "not_canonical", "canonical"),
    "replacement-in-capitals": (SCORE, b'"momentum"', b'"\\uFFFD"', "not_canonical", "canonical"),
    # types
    "agent-null": (SCORE, b'agent_id: "agent"', b"agent_id: null", "format", "must be a string"),
    "agent-a-number": (SCORE, b'agent_id: "agent"', b"agent_id: 1", "format", "must be a string"),
    "strategy-null": (SCORE, b'type: "momentum"', b"type: null", "format", "must be a string"),
    "seal-a-number": (SCORE, b"previous_seal: null", b"previous_seal: 0", "format", "or null"),
    "navs-null": (good("no-nav-ranked"), b"series: []", b"series: null", "format", "a list"),
    "navs-an-object": (good("no-nav-ranked"), b"series: []", b"series: {}", "format", "a list"),
    "nav-a-list": (good("no-nav-ranked"), b"series: []", b"series: [[]]", "format", "an object"),
    "nav-null": (good("no-nav-ranked"), b"series: []", b"series: [null]", "format", "an object"),
    "nav-a-text": (good("no-nav-ranked"), b"series: []", b'series: ["ts"]', "format", "an object"),
    "nav-value-a-number": (SCORE, b'"nav":"100450.10"', b'"nav":100450.1', "format", "a string"),
    "constants-a-list": (SCORE, b'{"consistency_scale":0.04', b"[0.04", "format", "not JSON"),
    "id-a-text": (SCORE, b'"id":3000', b'"id":"3000"', "format", "integer of 64 bits"),
    "id-a-boolean": (SCORE, b'"id":3000', b'"id":true', "format", "integer of 64 bits"),
    "id-a-double": (SCORE, b'"id":3000', b'"id":3000.5', "format", "integer of 64 bits"),
    "id-too-large": (SCORE, b'"id":3000', b'"id":9223372036854775808', "format", "of 64 bits"),
    "id-with-5000-digits": (SCORE, b'"id":3000', b'"id":' + b"9" * 5_000, "format", "too large"),
    "id-minus-zero": (SCORE, b'"id":3000', b'"id":-0', "format", "integer of 64 bits"),
    "peer-score-null": (SCORE, b"61.37", b"null", "format", "must be a number"),
    "peer-score-a-boolean": (SCORE, b"61.37", b"true", "format", "must be a number"),
    "ranked-a-number": (SCORE, b'"ranked":true', b'"ranked":1', "format", "true or false"),
    "creator-null": (SCORE, b'"creator":54.69500000000001', b'"creator":null', "format", "number"),
    "outputs-another-text": (
        good("nav-nan"),
        b'"unencodable: ',
        b'"encodable: ',
        "format",
        "begins",
    ),
    "holdings-null": (good("snapshot-empty"), b"{}", b"null", "format", "must be an object"),
    "holding-a-text": (SNAPSHOT, b'"NEG":-3.5', b'"NEG":"-3.5"', "format", "must be a number"),
    "holding-a-boolean": (SNAPSHOT, b'"NEG":-3.5', b'"NEG":true', "format", "must be a number"),
    "params-a-list": (
        good("commitment-minimal"),
        b"params: null",
        b"params: []",
        "format",
        "object",
    ),
    # times
    "time-without-fraction": (SCORE, b"30:00.000000Z", b"30:00Z", "format", "must be a time"),
    "time-with-offset": (SCORE, b"30:00.000000Z", b"30:00.000000+00:00", "format", "a time"),
    "time-of-month-13": (SCORE, b"2026-09-14T23", b"2026-13-14T23", "format", "must be a time"),
    "time-of-a-nav": (SCORE, b"2026-09-10T05:00:00.123456Z", b"", "format", "must be a time"),
    "time-in-other-digits": (SCORE, b"2026-09-14T23", "٢026-09-14T23".encode(), "format", "time"),
    # members
    "member-missing": (SCORE, b',"cash":"61000.00"', b"", "format", "has no cash"),
    "output-missing": (SCORE, b'"regime":50,', b"", "format", "has no regime"),
    "member-unknown": (
        SCORE,
        b'"cash":"61000.00"',
        b'"cash":"61000.00","x":1',
        "not_canonical",
        "",
    ),
    "output-unknown": (SCORE, b'"regime":50', b'"regime":50,"x":1', "not_canonical", ""),
    "member-twice": (SCORE, b'"regime":50', b'"regime":50,"regime":50', "not_canonical", ""),
    "members-swapped": (
        SCORE,
        b'"nav":"100450.10","cash":"61000.00"',
        b'"cash":"61000.00","nav":"100450.10"',
        "not_canonical",
        "",
    ),
    "constant-twice": (SCORE, b'"neutral":50', b'"neutral":50,"neutral":50', "not_canonical", ""),
    "constants-unsorted": (
        SCORE,
        b'"neutral":50,"perf_scale":0.2',
        b'"perf_scale":0.2,"neutral":50',
        "not_canonical",
        "",
    ),
    "holdings-unsorted": (SNAPSHOT, b'{"AMD"', b'{"ZZZ":1,"AMD"', "not_canonical", ""),
    "empty-text": (
        good("snapshot-empty"),
        b"previous_seal: null",
        b'previous_seal: ""',
        "not_canonical",
        "",
    ),
    "empty-object": (
        good("commitment-minimal"),
        b"params: null",
        b"params: {}",
        "not_canonical",
        "",
    ),
    # numbers
    "point-zero": (SCORE, b'"regime":50', b'"regime":50.0', "not_canonical", ""),
    "exponent": (SCORE, b'"regime":50', b'"regime":5e1', "not_canonical", ""),
    "trailing-zero": (SCORE, b"61.37", b"61.370", "not_canonical", ""),
    "too-many-digits": (SCORE, b"61.37", b"61.36999999999999999", "not_canonical", ""),
    "minus-zero-point": (SNAPSHOT, b'"ZERO":0', b'"ZERO":-0.0', "not_canonical", ""),
    "exponent-padded": (SNAPSHOT, b'"TSLA":1e-7', b'"TSLA":1e-07', "not_canonical", ""),
    "exponent-unsigned": (SNAPSHOT, b"1e+21", b"1e21", "not_canonical", ""),
    "exponent-in-capitals": (SNAPSHOT, b"1e+21", b"1E+21", "not_canonical", ""),
    "written-out": (SNAPSHOT, b"1e+21", b"1000000000000000000000", "not_canonical", ""),
    "underflow": (SNAPSHOT, b"1e-18", b"1e-400", "not_canonical", ""),
    "param-not-a-double": (
        COMMITMENT,
        b'"seed":7',
        b'"seed":9007199254740993',
        "not_canonical",
        "",
    ),
    "score-not-a-double": (SCORE, b"61.37", b"9007199254740993", "not_canonical", ""),
    "output-not-a-double": (SCORE, b":100,", b":9007199254740993,", "not_canonical", ""),
    "holding-not-a-double": (SNAPSHOT, b"-3.5", b"9007199254740993", "not_canonical", ""),
    "constant-point-zero": (SCORE, b'"neutral":50', b'"neutral":50.0', "not_canonical", ""),
    "overflow": (SNAPSHOT, b"1e-18", b"1e400", "format", "too large for a double"),
    "nan": (SNAPSHOT, b"1e-18", b"NaN", "format", "NaN is not JSON"),
    "infinity": (SNAPSHOT, b"1e-18", b"-Infinity", "format", "-Infinity is not JSON"),
    "leading-zero": (SCORE, b'"regime":50', b'"regime":050', "format", "not JSON"),
    "plus": (SCORE, b'"regime":50', b'"regime":+50', "format", "not JSON"),
    "hexadecimal": (SCORE, b'"regime":50', b'"regime":0x32', "format", "not JSON"),
    # depth
    "deep-constants": (
        SCORE,
        b'"neutral":50',
        b'"neutral":' + b"[" * 65 + b"]" * 65,
        "format",
        "64",
    ),
    "deep-params": (COMMITMENT, b'["a","b"]', b"[" * 64 + b"]" * 64, "format", "64 levels"),
    "deep-nav": (SCORE, b'"100450.10"', b"[" * 500 + b"]" * 500, "format", "must be a string"),
    "deepest-nav": (SCORE, b'"100450.10"', b"[" * 90_000 + b"]" * 90_000, "format", "64 levels"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_manifest(name: str) -> None:
    """It is refused, and the error says why, and where in the bytes."""
    data, before, after, kind, reason = DAMAGED[name]
    damaged = data.replace(before, after, 1 if before != b"\n" else -1)
    assert damaged != data
    with pytest.raises(ManifestError) as caught:
        parse_manifest(damaged)
    error = caught.value
    assert error.kind == kind
    assert (reason or "not canonical") in str(error)
    if error.offset is not None and error.line is not None:
        # The place that is named is at the change or before it, on the line that holds it.
        assert damaged.count(b"\n", 0, error.offset) + 1 == error.line


@pytest.mark.parametrize(
    ("name", "line", "offset", "pointer"),
    [
        ("not-utf-8", 3, 67, None),
        ("nav-value-a-number", 8, None, "/1/nav"),
        ("time-of-a-nav", 8, None, "/1/ts"),
        ("member-missing", 8, None, "/1"),
        ("id-a-text", 9, None, "/0/id"),
        ("peer-score-null", 10, None, "/0/performance_score"),
        ("ranked-a-number", 11, None, "/ranked"),
        ("holding-a-text", 8, None, "/NEG"),
    ],
)
def test_place_of_the_damage(name: str, line: int, offset: int | None, pointer: str | None) -> None:
    """The line, and the member in its value, that are wrong."""
    data, before, after, _, _ = DAMAGED[name]
    with pytest.raises(ManifestError) as caught:
        parse_manifest(data.replace(before, after, 1))
    assert (caught.value.line, caught.value.pointer) == (line, pointer)
    if offset is not None:
        assert caught.value.offset == offset


def test_first_byte_that_differs() -> None:
    """What is not canonical is shown beside what must stand there."""
    damaged = SNAPSHOT.replace("größer".encode(), b"").replace(b'"ZERO":0', b'"ZERO":0.0')
    with pytest.raises(ManifestError, match=r"not canonical: '\.0}.*' must be '}.*'") as caught:
        parse_manifest(damaged)
    assert damaged[caught.value.offset :].startswith(b".0}")
    assert caught.value.line == 8


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"arcana-score/v1",
        b"arcana-score/v1\n" * 10_000,
        b"arcana-score/v1\n" + b"\n" * 11,
        b"\x00" * 1_000,
        b"\xff\xfe",
        b"[" * 100_000 + b"\n",
    ],
    ids=lambda data: f"{len(data)}-bytes",
)
def test_what_is_no_manifest_at_all(data: bytes) -> None:
    """Anything else is refused for its shape."""
    with pytest.raises(ManifestError) as caught:
        parse_manifest(data)
    assert caught.value.kind == "format"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (b'"a\\ufffdb"', "a\ufffdb"),
        (b'"a\xef\xbf\xbdb"', "a\ufffdb"),
        (b'"\\\\ufffd\\ufffd"', "\\ufffd\ufffd"),
    ],
)
def test_replacement_character_has_two_spellings(written: bytes, read: str) -> None:
    """Bytes that were no UTF-8 are written as an escape, and U+FFFD itself as it is."""
    manifest = parse_manifest(SCORE.replace(b'"agent"', written))
    assert getattr(manifest, "agent_id", None) == read
