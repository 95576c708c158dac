"""Manifests: one text for each, read and written byte for byte, and every other one refused."""

import json
import random
import struct
from dataclasses import fields
from hashlib import sha256
from typing import Any, Final

import pytest
from arcana_manifests import made_manifest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES, SHARED

from formulas.arcana_score import v1
from verifier.arcana.manifest import (
    CommitmentManifest,
    ManifestError,
    ScoreManifest,
    SnapshotManifest,
    emit_manifest,
    parse_manifest,
)
from verifier.arcana.recompute import differences, recompute
from verifier.errors import JsonError

VECTORS: Final = FIXTURES / "vectors/arcana"
KINDS: Final = {
    "score_manifest": ScoreManifest,
    "snapshot_manifest": SnapshotManifest,
    "commitment_manifest": CommitmentManifest,
}


def body(case: dict[str, Any]) -> bytes:
    """The bytes of a case; the largest two lie beside the checkout alone."""
    path = VECTORS / str(case["file"])
    if not path.is_file():
        path = SHARED / "reference/arcana" / str(case["file"])
    if not path.is_file():
        pytest.skip("the shared reference data is not beside this checkout")
    return path.read_bytes()


def cases(verdict: str, *kinds: str) -> list[Any]:
    """Cases of the index by their ids."""
    index = json.loads((VECTORS / "manifests/index.json").read_bytes())["cases"]
    return [
        pytest.param(case, id=case["id"])
        for case in index
        if case["kind"] in kinds and case["expect"]["verdict"] == verdict
    ]


def bits(value: float | bool | None) -> str | bool | None:  # noqa: FBT001 - an output
    """A double as hex; a boolean and null as they are."""
    return value if value is None or isinstance(value, bool) else struct.pack(">d", value).hex()


text = st.text(st.characters(exclude_categories=["Cs"]))
optional = st.none() | text.filter(bool)
finite = st.floats(allow_nan=False, allow_infinity=False)
time = st.none() | st.datetimes().map(lambda t: t.isoformat(timespec="microseconds") + "Z")
parameters = st.none() | st.dictionaries(
    text,
    st.recursive(
        st.none() | st.booleans() | finite | text,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
        max_leaves=6,
    ),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize("case", cases("valid", *KINDS))
def test_good_manifest(case: dict[str, Any]) -> None:
    """It is read as its kind, and written again byte for byte under its seal."""
    data = body(case)
    manifest = parse_manifest(data)
    assert type(manifest) is KINDS[case["kind"]]
    assert emit_manifest(manifest) == data
    assert sha256(data).hexdigest() == case["sha256"]


@pytest.mark.parametrize("case", cases("valid", "score_manifest"))
def test_good_score(case: dict[str, Any]) -> None:
    """Its ten outputs follow from what it lists, to the bit, and so does the working."""
    manifest = parse_manifest(body(case))
    assert isinstance(manifest, ScoreManifest)
    working = recompute(manifest)
    recomputed = {name: bits(value) for name, value in working.outputs.items()}
    assert recomputed == case["outputs_hex"]
    assert isinstance(manifest.outputs, dict)
    assert tuple(manifest.outputs) == v1.OUTPUTS
    assert {name: bits(value) for name, value in manifest.outputs.items()} == recomputed
    context = case["context"]
    assert bits(working.exposure) == context["exposure_hex"]
    assert bits(working.peer_mean) == context["peer_mean_hex"]
    assert [working.decisions, working.buys, working.sells, working.ticks] == [
        context[name] for name in ("decision_count", "buys", "sells", "ticks")
    ]
    seals = case["input_seals"]
    assert len({p.seal for p in manifest.nav_series} - {None}) == seals["portfolio_snapshot"]
    assert len({d.commitment for d in manifest.decisions} - {None}) == seals["decision"]
    assert len({p.seal for p in manifest.peers} - {None}) == seals["score"]
    assert v1.same_constants(manifest.constants, v1.CONSTANTS)


@pytest.mark.parametrize("case", cases("invalid", *KINDS))
def test_bad_manifest(case: dict[str, Any]) -> None:
    """It is refused for the reason that the index names, and for no other."""
    reasons = []
    data = body(case)
    if sha256(data).hexdigest() != case["seal"]:
        reasons.append("seal_mismatch")
    try:
        manifest = parse_manifest(data)
    except ManifestError as error:
        reasons.append(error.kind)
    else:
        assert isinstance(manifest, ScoreManifest)
        if not v1.same_constants(manifest.constants, v1.CONSTANTS):
            reasons.append("constants_not_published")
        if isinstance(manifest.outputs, str):
            reasons.append("outputs_unencodable")
        else:
            recomputed = recompute(manifest).outputs
            wrong = [name for name, _, _ in differences(manifest.outputs, recomputed)]
            assert wrong == case["expect"].get("differs", [])
            reasons += ["output_mismatch"] if wrong else []
    assert reasons == case["expect"]["reasons"]


class TestRoundTrip:
    """Writing a manifest and reading it gives that manifest."""

    @given(st.integers(), st.integers(0, 30), st.integers(0, 5))
    def test_score(self, seed: int, ticks: int, peers: int) -> None:
        """A score manifest, with outputs that follow from it."""
        manifest = made_manifest(random.Random(seed), ticks=ticks, peers=peers)
        data = emit_manifest(manifest)
        assert parse_manifest(data) == manifest
        assert not list(differences(outputs(manifest), recompute(manifest).outputs))

    @given(st.data())
    def test_snapshot(self, data: st.DataObject) -> None:
        """A snapshot manifest, whatever its texts and holdings."""
        drawn: dict[str, Any] = {f.name: data.draw(optional) for f in fields(SnapshotManifest)}
        drawn["holdings"] = data.draw(st.dictionaries(text, finite))
        manifest = SnapshotManifest(**{**drawn, "ts": data.draw(time)})
        assert parse_manifest(emit_manifest(manifest)) == manifest

    @given(st.data())
    def test_commitment(self, data: st.DataObject) -> None:
        """A commitment manifest, whatever its texts and parameters."""
        drawn: dict[str, Any] = {f.name: data.draw(optional) for f in fields(CommitmentManifest)}
        drawn.update({name: data.draw(parameters) for name in ("params", "thesis")})
        manifest = CommitmentManifest(**{**drawn, "ts": data.draw(time)})
        assert parse_manifest(emit_manifest(manifest)) == manifest


def outputs(manifest: ScoreManifest) -> dict[str, float | bool | None]:
    """The outputs of a manifest whose outputs could be encoded."""
    assert isinstance(manifest.outputs, dict)
    return manifest.outputs


def test_any_bit_changed_changes_what_is_said_or_is_refused() -> None:
    """No two texts say the same: a changed bit is refused, or gives another manifest."""
    data = (VECTORS / "manifests/snapshot-typical.txt").read_bytes()
    manifest = parse_manifest(data)
    refused = 0
    for at in range(len(data) * 8):
        changed = bytearray(data)
        changed[at // 8] ^= 1 << at % 8
        try:
            assert parse_manifest(bytes(changed)) != manifest
        except ManifestError:
            refused += 1
    assert 0 < refused < len(data) * 8


def test_what_cannot_be_written_is_refused() -> None:
    """A number that JSON cannot hold is an error, not a text."""
    manifest = SnapshotManifest(
        portfolio_id=None,
        agent_id=None,
        season_id=None,
        ts=None,
        nav=None,
        cash=None,
        holdings={"SPY": float("inf")},
        previous_seal=None,
    )
    with pytest.raises(JsonError, match="inf has no JSON text"):
        emit_manifest(manifest)
