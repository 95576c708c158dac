"""What a dossier of the Floor shows leads back to the bytes that were sealed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from floor_publisher import publish
from hypothesis import given
from hypothesis import strategies as st

from verifier.bundle import open_bundle
from verifier.core.canon import canonical_bytes
from verifier.core.merkle import check_inclusion
from verifier.core.schemes import scheme
from verifier.dossier.floor import FloorSeason, load_floor
from verifier.dossier.floor_call import FloorCall, floor_call
from verifier.dossier.floor_sealed import entry_body, sealed_members, settlement_record
from verifier.findings import Verdict
from verifier.floor.rows import read_call
from verifier.policy import Policy

if TYPE_CHECKING:
    import pytest

    from verifier.core.jsonread import JsonValue


def sha256(value: JsonValue) -> str:
    """Hash canonical JSON."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def test_what_is_shown_hashes_to_what_was_sealed(shown: tuple[FloorCall, ...]) -> None:
    """The JSON that a page shows is what seal, entry and record are hashes of."""
    for call in shown:
        assert sha256(call.sealed) == call.held.call.seal
        if call.held.entry is not None:
            assert sha256(call.entry) == call.held.entry.hash
            assert sha256(call.record) == call.held.entry.record


def test_proofs_lead_to_the_published_roots(shown: tuple[FloorCall, ...]) -> None:
    """The path of a page, walked by itself, leads from the entry to the root of its hour."""
    tree = scheme("rfc9162-sha256")
    walked = 0
    for call in shown:
        if call.proof is None or call.held.entry is None:
            continue
        path = [bytes.fromhex(each) for each in call.proof.path]
        published = bytes.fromhex(str(call.proof.root.published))
        leaf = tree.leaf(bytes.fromhex(call.held.entry.hash))
        check_inclusion(leaf, call.proof.index, call.proof.size, path, published, scheme=tree)
        walked += 1
    assert walked == 336


def test_a_published_bundle(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Calls of another publisher recompute as well."""
    folder = tmp_path_factory.mktemp("published")
    publish(folder, 24)
    with open_bundle(folder) as opened:
        season = load_floor(opened, Policy(), opened.index.seasons[0].id)
        shown = [floor_call(season, held) for held in season.calls]
        assert shown
        assert {call.verdict for call in shown} == {Verdict.PASS}
        assert {sha256(call.sealed) == call.held.call.seal for call in shown} == {True}


decimals = st.from_regex(r"(0|[1-9][0-9]{0,6})(\.[0-9]{1,9})?", fullmatch=True)

times = st.sampled_from(["2026-11-03T14:05:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])

sources = st.sampled_from(["hyperliquid:BTC:price", "coinbase:k@x/9:funding"])

sides = st.sampled_from(["above", "below"])

touches = st.fixed_dictionaries(
    {
        "kind": st.just("touch"),
        "deadline": times,
        "source": sources,
        "direction": sides,
        "level": decimals,
    }
)

inners = st.one_of(
    touches,
    touches.map(lambda terms: {**terms, "kind": "close"}),
    st.fixed_dictionaries(
        {
            "kind": st.just("range"),
            "deadline": times,
            "source": sources,
            "low": decimals,
            "high": decimals,
        }
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("relative"),
            "deadline": times,
            "source": sources,
            "other": sources,
            "margin": decimals,
        }
    ),
)

numbers = st.one_of(
    st.integers(-5, 5),
    st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: x == 0 or abs(x) > 1e-6),
    st.sampled_from([1e-7, 1e300, 0.1, 1e21, 123456789012345.6]),
)


@given(
    st.one_of(
        inners,
        st.fixed_dictionaries(
            {"kind": st.just("conditional"), "deadline": times, "gate": touches, "inner": inners}
        ),
    ),
    numbers,
    numbers,
)
def test_any_call_leads_back_to_its_sealed_bytes(
    terms: dict[str, JsonValue], p: float, b: float
) -> None:
    """Whatever kind, level or number was sealed, what is shown of it has the same seal."""
    sealed: dict[str, JsonValue] = {
        "agent": "a",
        "baseline": {"b": b, "version": "v"},
        "posted_at": "2026-11-03T14:05:00Z",
        "terms": {**terms, "p": p},
    }
    call = read_call(
        1,
        {
            **sealed,
            "claim": "c",
            "envelope": "0" * 64,
            "evidence": {"history": [], "spot": []},
            "labels": [],
            "note": None,
            "seal": "0" * 64,
        },
        b"",
    )
    assert sha256(sealed_members(call)) == call.sealed == sha256(sealed)


def test_rows_lead_back_to_their_lines(season: FloorSeason) -> None:
    """Settlements and entries are written as they were read."""
    tables = season.context.tables
    assert all(sha256(settlement_record(row)) == row.sha256 for row in tables.settlements)
    assert all(sha256(entry_body(entry)) == entry.body_sha256 for entry in tables.entries)
