"""Hash chains: the first break is found, wherever and whatever it is."""

from copy import deepcopy
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from json_vectors import cases, row_id, values

from verifier.core.hashchain import (
    NO_ENTRY,
    Chain,
    Completeness,
    Head,
    body_link,
    flat_link,
    walk,
)
from verifier.core.jsonread import JsonValue
from verifier.core.seals import RecordSeal, seal_of_record

ZEROS = "0" * 64


def chain_of(records: list[JsonValue]) -> list[dict[str, Any]]:
    """Chain records in the layout with a body."""
    entries: list[dict[str, Any]] = []
    for number, record in enumerate(records):
        prev = entries[-1]["hash"] if entries else ZEROS
        body: dict[str, Any] = {
            "entry": number,
            "prev": prev,
            "call": f"call {number}",
            "record": record,
        }
        entries.append({"body": body, "hash": seal_of_record(body).hex})
    return entries


def rehash(entry: dict[str, Any]) -> None:
    """Make an entry's own hash right again."""
    entry["hash"] = seal_of_record(entry["body"]).hex


def walked(entries: list[dict[str, Any]]) -> Chain:
    """Walk entries of the layout with a body."""
    return walk(cast("list[JsonValue]", entries), body_link)


@pytest.mark.parametrize("case", cases("ledger-chain"), ids=row_id)
def test_case(case: dict[str, Any]) -> None:
    """A chain breaks at the stated entry for the stated reason, or is whole or not shown to be."""
    given, expected = case["input"], case["expected"]
    head = given["head"] and Head(given["head"]["count"], RecordSeal.parse(given["head"]["hash"]))
    chain = walk(given["entries"], flat_link)
    state = chain.completeness(head)
    assert (state is Completeness.WHOLE) is expected["ok"]
    if "first_bad" in expected:
        assert chain.broken is not None
        assert chain.broken.index == chain.count == expected["first_bad"]
        assert expected.get("reason", "") in chain.broken.reason
        assert state is Completeness.BROKEN
    else:
        assert chain.broken is None
        assert chain.count == len(given["entries"])
        assert state == expected.get("reason", expected.get("verdict", "whole"))


def test_damage() -> None:
    """Each kind of damage to one entry is found at that entry, and named."""
    good = chain_of([1, {"points": 0.5}, "é", None])
    assert walked(good).broken is None
    for name, value, reason in (
        ("prev", ZEROS, "second entry with the same prev: entry 0 has it already"),
        ("prev", "1" * 64, "prev is not the hash of the entry before"),
        ("prev", good[1]["hash"].upper(), "is not 64 lower-case hex digits"),
        ("prev", None, "prev is missing or no text"),
        ("entry", 3, "number is not the position"),
        ("entry", True, "entry is missing or no integer"),
        ("entry", 2.0, "entry is missing or no integer"),
        ("call", "call 0", "call already settled by entry 0"),
        ("call", ["call 2"], "call is missing or no text"),
        ("record", float("nan"), "no canonical form"),
    ):
        bad = deepcopy(good)
        bad[2]["body"][name] = value
        if name != "record":
            rehash(bad[2])
        chain = walked(bad)
        assert chain.broken is not None
        assert chain.broken.index == 2
        assert reason in chain.broken.reason


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (None, "entry is no object"),
        ({}, "entry has not exactly the members body and hash"),
        ({"body": {}, "hash": ZEROS, "more": 1}, "entry has not exactly the members"),
        ({"body": [], "hash": ZEROS}, "body is no object"),
        ({"body": {}, "hash": ZEROS}, "entry is missing or no integer"),
        (
            {"body": {"entry": 0, "prev": ZEROS, "call": ""}, "hash": 0},
            "hash is missing or no text",
        ),
    ],
)
def test_malformed_entry(entry: JsonValue, reason: str) -> None:
    """An entry of another shape is a break, not an error."""
    chain = walk([entry], body_link)
    assert chain.broken is not None
    assert (chain.broken.index, chain.count) == (0, 0)
    assert reason in chain.broken.reason


def test_head() -> None:
    """Only a head published elsewhere shows that a chain is whole."""
    entries = chain_of([1, 2, 3])
    chain, last = walked(entries), RecordSeal.parse(entries[-1]["hash"])
    assert chain.completeness(Head(3, last)) is Completeness.WHOLE
    assert chain.completeness(Head(4, last)) is Completeness.OTHER_COUNT
    assert chain.completeness(Head(3, NO_ENTRY)) is Completeness.OTHER_HASH
    assert chain.completeness(Head(2, NO_ENTRY)) is Completeness.OTHER_HEAD
    assert chain.completeness(None) is Completeness.NOT_SHOWN
    assert walked([]).completeness(Head(0, NO_ENTRY)) is Completeness.WHOLE


class TestProperties:
    """An honest chain has no break; one changed entry breaks it there or right after."""

    @given(st.lists(values, max_size=6))
    def test_honest_chain(self, records: list[JsonValue]) -> None:
        """Every link of an honest chain holds, up to the published head."""
        entries = chain_of(records)
        chain = walked(entries)
        head = RecordSeal.parse(entries[-1]["hash"]) if entries else NO_ENTRY
        assert chain == Chain(len(entries), head, None)
        assert chain.completeness(Head(len(entries), head)) is Completeness.WHOLE

    @given(st.lists(values, min_size=1, max_size=6), st.data())
    def test_changed_entry(self, records: list[JsonValue], data: st.DataObject) -> None:
        """
        The walk stops at the first entry that fails.

        A changed entry fails itself; with its hash made right, the next one fails, or
        the published head differs.
        """
        entries = chain_of(records)
        head = Head(len(entries), RecordSeal.parse(entries[-1]["hash"]))
        at = data.draw(st.integers(0, len(entries) - 1))
        entries[at]["body"]["record"] = {"changed": entries[at]["body"]["record"]}
        chain = walked(entries)
        assert chain.broken is not None
        assert chain.broken.index == at
        rehash(entries[at])
        chain = walked(entries)
        if at + 1 < len(entries):
            assert chain.broken is not None
            assert chain.broken.index == at + 1
        else:
            assert chain.completeness(head) is Completeness.OTHER_HASH

    @given(st.lists(values, min_size=2, max_size=6), st.data())
    def test_order(self, records: list[JsonValue], data: st.DataObject) -> None:
        """Entries removed, repeated or in another order break the chain where that begins."""
        entries = chain_of(records)
        taken = data.draw(st.lists(st.sampled_from(range(len(entries))), min_size=1, max_size=8))
        chain = walked([entries[i] for i in taken])
        first_bad = next((at for at, i in enumerate(taken) if at != i), None)
        assert (chain.broken.index if chain.broken else None) == first_bad
