"""What was altered is named, and what is hostile never passes and never throws."""

from __future__ import annotations

import copy
import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

import pytest
from verify_node import SCRIPT, needs_node, values
from verify_payloads import (
    FLOOR,
    agent_payload,
    call_payload,
    calls,
    home_payload,
    leaderboard_payload,
    ledger,
    lines,
    score_payload,
    sealed_scores,
    season_payload,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = needs_node

Payload = dict[str, Any]
Path_ = tuple[str | int, ...]


def a_call() -> Payload:
    """Give a settled call whose baseline and probability are within the clamps."""
    seal = next(
        entry["body"]["call"]
        for entry in ledger()
        if entry["body"]["outcome"] == "hit"
        and calls()[entry["body"]["call"]]["baseline"]["b"] > 0.1
        and len(lines(FLOOR / "floor/roots.jsonl")) > 0
    )
    return call_payload(seal)


def leaves(value: object, path: Path_ = ()) -> Iterator[tuple[Path_, object]]:
    """Walk to every member that is no object and no list."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from leaves(member, (*path, index))
    else:
        yield path, value


def replaced(payload: Payload, path: Path_, value: object) -> Payload:
    """Copy a payload with one member replaced."""
    changed: Any = copy.deepcopy(payload)
    inner = changed
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    result: Payload = changed
    return result


def other_digits(value: object) -> Iterator[object]:
    """Give a value with one digit altered, at several places of it."""
    text = value if isinstance(value, str) else json.dumps(value)
    places = [match.start() for match in re.finditer("[0-9]", text)]
    step = max(1, len(places) // 6)
    for at in places[::step]:
        other = f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}"
        if isinstance(value, str):
            yield other
        elif re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?", other):
            yield json.loads(other)


def damages(payload: Payload, skipped: tuple[str, ...] = ()) -> list[tuple[Path_, Payload]]:
    """Alter one digit of every member that has one."""
    return [
        (path, replaced(payload, path, other))
        for path, value in leaves(payload)
        if not isinstance(value, bool) and value is not None and path[0] != "kind"
        for other in other_digits(value)
        if other != value and not {str(step) for step in path} & set(skipped)
    ]


def assert_named(payload: Payload, skipped: tuple[str, ...] = ()) -> None:
    """Demand that every alteration fails, with a line that says where."""
    damaged = damages(payload, skipped)
    assert damaged
    results = values(("verify", json.dumps(altered)) for _, altered in damaged)
    for (path, _), result in zip(damaged, results, strict=True):
        failed = [check for check in result["checks"] if check["verdict"] == "fail"]
        assert result["verdict"] == "fail", path
        assert failed, path
        assert all(check["what"] and check["value"] for check in failed), path


def test_one_digit_of_a_call_is_named() -> None:
    """Seal, terms, baseline, points, entry, proof, and what the page shows."""
    # How many leaves a tree has is the root's word: some other sizes have the same path.
    assert_named(a_call(), skipped=("size",))


def test_one_digit_of_a_score_is_named() -> None:
    """Manifest, seal, columns and proof."""
    assert_named(score_payload(sealed_scores()[5]), skipped=("leaf_count",))


def test_one_digit_of_a_season_is_named() -> None:
    """The table by its hash, the calls by the ledger's head; p and b enter the points alone."""
    payload = season_payload("season-2")
    damaged = []
    for place in (0, len(payload["calls"]) - 1):
        call = payload["calls"][place]
        for path, altered in damages({"call": call}, ("agent", "p", "b"))[::2]:
            damaged.append((path, replaced(payload, ("calls", place), altered["call"])))
    for key in ("table", "sha256"):
        damaged += [((key,), replaced(payload, (key,), o)) for o in other_digits(payload[key])]
    before = damages({"ledger": payload["ledger"]})
    damaged += [(path, {**payload, **altered}) for path, altered in before]
    results = values(("verify", json.dumps(altered)) for _, altered in damaged)
    for (path, _), result in zip(damaged, results, strict=True):
        assert result["verdict"] == "fail", path


def test_a_season_may_begin_in_the_middle_of_the_ledger() -> None:
    """With the entry before, the head follows; without, that is said, and the count holds."""
    whole = season_payload("season-2")
    first = next(
        place for place, call in enumerate(whole["calls"]) if call["settled_at"] >= "2026-11-07"
    )
    part = {**whole, "calls": whole["calls"][first:]}
    known = {**part, "ledger": {"first": first, "prev": ledger()[first]["body"]["prev"]}}
    unknown = {key: value for key, value in part.items() if key != "ledger"}
    less = {**unknown, "calls": unknown["calls"][:-1]}
    shifted = replaced(unknown, ("calls", 0, "entry"), first + 1)
    answers = values(("verify", page) for page in (known, unknown, less, shifted))
    assert [answer["verdict"] for answer in answers] == ["pass", "pass", "fail", "fail"]
    heads = [any("head follows" in c["what"] for c in answer["checks"]) for answer in answers]
    assert heads == [True, False, False, False]
    assert any(what.startswith("the ledger's head: ") for what in answers[1]["unchecked"])


def test_one_digit_of_an_agent_is_named() -> None:
    """What is published of it, and each call by the hash of its entry."""
    payload = agent_payload("a-0004", "season-1")
    last = len(payload["calls"]) - 1
    # p and b enter the points alone, and not those of a clamped or void call.
    own = [
        (path, altered)
        for path, altered in damages(payload, ("agent", "p", "b"))
        if path[0] == "published" or path[:2] in {("calls", 0), ("calls", last)}
    ]
    assert len(own) > 30
    for (path, _), result in zip(
        own, values(("verify", json.dumps(altered)) for _, altered in own), strict=True
    ):
        assert result["verdict"] == "fail", path


def test_one_digit_of_tables_is_named() -> None:
    """A leaderboard and the tables of the home page, by their hashes."""
    assert_named(leaderboard_payload())
    assert_named(home_payload(), skipped=("id",))


def test_a_false_number_with_its_own_hash_is_named() -> None:
    """A table hashed again after a digit was altered: the recomputed value stands beside it."""
    payload = season_payload("season-1")
    text = payload["table"].replace('"standing":1166.7311', '"standing":1166.7312')
    assert text != payload["table"]
    forged = {**payload, "table": text, "sha256": sha256(text.encode()).hexdigest()}
    (result,) = values([("verify", forged)])
    assert result["verdict"] == "fail"
    (failed,) = [check for check in result["checks"] if check["verdict"] == "fail"]
    assert failed["what"] == "values of rows: standing of a-0001"
    assert (failed["published"], failed["recomputed"]) == ("1166.7312", "1166.7311")


def test_a_false_rank_with_its_own_hash_is_named() -> None:
    """Ranks and order follow from the columns."""
    payload = leaderboard_payload()
    for old, new in (('"rank":2,', '"rank":3,'), ('"score":72,', '"score":73,')):
        text = payload["table"].replace(old, new, 1)
        assert text != payload["table"]
        forged = {**payload, "table": text, "sha256": sha256(text.encode()).hexdigest()}
        (result,) = values([("verify", forged)])
        assert result["verdict"] == "fail"


@pytest.mark.parametrize(
    ("shown", "value", "agrees"),
    [
        ("12.3457", "12.3457", True),
        (" 12.3457\n", "12.3457", True),
        ("12.3456", "12.3457", False),
        ("12.35", "12.3457", True),
        ("12.34", "12.3457", False),
        ("\u221212.3457", "-12.3457", True),
        ("12.3457", "-12.3457", False),
        ("60.0%", "0.6", True),
        ("60%", "0.6", True),
        ("61%", "0.6", False),
        ("31.3%", "0.312742", True),
        ("2,992", "2992", True),
        ("2,993", "2992", False),
        ("2992", "2992.4", False),
        ("0.0000", "0", True),
        ("—", None, True),
        ("0", None, False),
        ("", "0", False),
        ("hit", "hit", True),
        ("miss", "hit", False),
        ("1e3", "1000", False),
        ("<b>", "5", False),
    ],
)
def test_what_agrees_as_shown(shown: str, value: str | None, agrees: bool) -> None:  # noqa: FBT001 - a column
    """Rounding at the shown decimals, percent, groups and minus signs; nothing looser."""
    assert values([("agrees", shown, value)]) == [agrees]


def test_a_digit_shown_wrong_is_named() -> None:
    """The page's own text is compared, not only its data."""
    payload = a_call()
    points = f"{payload['points']:.4f}"
    good, bad, none = values(
        [
            ("verify", payload, [["points", points], ["seal", payload["seal"]]]),
            ("verify", payload, [["points", points[:-1] + ("1" if points[-1] != "1" else "2")]]),
            ("verify", payload, [["nonsense", "1"]]),
        ]
    )
    assert good["verdict"] == "pass"
    assert bad["verdict"] == "fail"
    assert [c["what"] for c in bad["checks"] if c["verdict"] == "fail"] == [
        "shown on the page: points"
    ]
    assert none["verdict"] == "pass"
    assert "shown on the page: nonsense" in none["unchecked"]


DEEP: Final = '{"a":' * 20_000 + "1" + "}" * 20_000
NASTY: Final = (
    "",
    "null",
    "[]",
    "{}",
    "0",
    '"score"',
    "{",
    '{"kind":"score"',
    '{"kind":"nothing"}',
    '{"kind":"__proto__"}',
    '{"kind":"constructor"}',
    '{"__proto__":{"kind":"score"},"kind":"toString"}',
    '{"kind":["score"]}',
    '{"kind":"score","kind":"score"}',
    '{"kind":"drop","kind":"call"}',
    DEEP,
    "[" * 1_000_000,
    f'{{"kind":"season","table":{json.dumps(DEEP)},"sha256":"{sha256(DEEP.encode()).hexdigest()}"}}',
    '{"kind":"call","call":{"__proto__":1,"constructor":2},"seal":"x"}',
    '{"kind":"call","points":1e999}',
    '{"kind":"call","points":123456789012345678901234567890}',
    '{"kind":"home","seasons":{"length":3}}',
    '{"kind":"home","seasons":[null]}',
    '{"kind":"agent","agent":1,"season":{},"calls":[],"published":{}}',
    '{"kind":"board"}',
    '{"kind":"board","board":"{}","sha256":"x","returns":[]}',
    '{"kind":"leaderboard","table":"\\ud800","sha256":""}',
    "\x00",
    "\ufeff{}",
)


def test_hostile_payloads_never_pass() -> None:
    """Nor do they throw: each gives a report that says what is wrong."""
    for text, result in zip(NASTY, values(("verify", text) for text in NASTY), strict=True):
        assert result["verdict"] in {"fail", "unproven"}, text[:80]
        assert result["checks"], text[:80]
    assert values([("verify", None), ("verify", 5)])[0]["verdict"] == "fail"


def test_members_of_the_wrong_type_never_pass() -> None:
    """Any member of any payload replaced by something else."""
    others: tuple[object, ...] = (
        None,
        {},
        [],
        "x",
        -1,
        1e300,
        0.1,
        True,
        {"__proto__": 1},
        "9" * 2000,
    )
    agent = agent_payload("a-0004", "season-1")
    agent["calls"] = agent["calls"][:2]
    pages = [a_call(), score_payload(sealed_scores()[5]), leaderboard_payload(), agent]
    asked = []
    for page in pages:
        own = [path for path, _ in leaves(page) if "calls" not in path or path[1] == 0]
        paths = {path[:depth] for path in own for depth in range(1, len(path) + 1)}
        for path in sorted(paths, key=repr):
            asked += [(path, other, replaced(page, path, other)) for other in others]
    results = values(("verify", json.dumps(altered)) for *_, altered in asked)
    passed = [
        (path, other)
        for (path, other, _), result in zip(asked, results, strict=True)
        if result["verdict"] == "pass"
    ]
    # What may be absent, and what is shown elsewhere: saying nothing is not a lie.
    harmless = {"proof", "shown", "published", "tx_input", "p", "b", "reason"}
    assert all(set(map(str, path)) & harmless for path, _ in passed), passed[:5]


def test_without_web_crypto_nothing_is_said_either_way() -> None:
    """As on an http page of another host: unproven, with the reason, and no exception."""
    pages = [a_call(), score_payload(sealed_scores()[5]), season_payload("season-2")]
    for result in values(("verifyWithoutCrypto", page) for page in pages):
        assert result["verdict"] == "unproven"
        assert [check["what"] for check in result["checks"]] == ["could not run"]


def test_the_script_reaches_no_host_and_writes_no_markup() -> None:
    """It loads nothing, sends nothing, evaluates nothing, and stands alone."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", SCRIPT.read_text(encoding="utf-8"), flags=re.DOTALL)
    forbidden = (
        *("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser"),
        *("eval(", "Function(", "setTimeout(", "import ", "import(", "require("),
        *("fetch(", "XMLHttpRequest", "WebSocket", "sendBeacon", "localStorage", "cookie"),
    )
    assert [word for word in forbidden if word in text] == []


def test_hostile_files_never_pass() -> None:
    """Files that a reader brings: no manifest, no proof, no text."""
    files = [
        b"",
        b"\xff\xfe",
        b"arcana-score/v1\n",
        b"arcana-score/v2\nformula: 1\n",
        b"arcana-portfolio-snapshot/v1\n" + b"x: 1\n" * 8,
        b"{}",
        b'{"format":"tallyproof-proof/1"}',
        b'{"format":"tallyproof-proof/2","record":{}}',
        b'{"seal":"' + b"0" * 64 + b'"}',
        b'{"seal":"' + b"0" * 64 + b'","status":"pending"}',
        DEEP.encode(),
        b'{"format":{"toString":1}}',
    ]
    for file, result in zip(files, values(("verifyFile", f.hex()) for f in files), strict=True):
        assert result["verdict"] in {"fail", "unproven"}, file[:60]
        assert result["checks"], file[:60]


def test_damaged_proof_files_fail() -> None:
    """One digit of a proof of the corpus at a time."""
    corpus = FLOOR.parents[1] / "tests/fuzz/corpus/proof"
    for name in ("score", "floor"):
        proof = json.loads((corpus / f"{name}.json").read_bytes())
        damaged = damages(
            {key: proof[key] for key in proof if key in {"record", "tree", "hour", "format"}},
            ("leaf_count",),
        )
        files = [json.dumps({**proof, **altered}).encode() for _, altered in damaged]
        results = values(("verifyFile", file.hex()) for file in files)
        for (path, _), result in zip(damaged, results, strict=True):
            assert result["verdict"] == "fail", path


def test_an_anchor_that_lists_another_leaf_fails() -> None:
    """Every digit of what the anchor lists is compared, the last as well as the first."""
    corpus = FLOOR.parents[1] / "tests/fuzz/corpus/proof"
    proof = json.loads((corpus / "score.json").read_bytes())
    leaf = proof["anchor"]["leaf"]
    seal = leaf["commitment"]
    others = [seal[:at] + ("0" if seal[at] != "0" else "1") + seal[at + 1 :] for at in range(64)]
    leaves = [
        *({**leaf, "commitment": other} for other in others),
        {**leaf, "leaf_index": leaf["leaf_index"] + 1},
        {key: value for key, value in leaf.items() if key != "commitment"},
    ]
    files = [
        json.dumps({**proof, "anchor": {**proof["anchor"], "leaf": each}}).encode()
        for each in leaves
    ]
    for each, result in zip(leaves, values(("verifyFile", f.hex()) for f in files), strict=True):
        assert result["verdict"] == "fail", each
