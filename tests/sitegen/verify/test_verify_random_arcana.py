"""Generated numbers, JSON and manifests, many to one Node process: both implementations agree."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from json_vectors import values as json_values
from verify_batches import BATCH
from verify_node import ask, bits, described, needs_node, values

from formulas.arcana_score import legacy, v1
from formulas.arcana_score.steps import complement
from formulas.arith import parse_float, round1
from formulas.errors import FormulaConstantsError
from formulas.floor.primitives import round_half_away
from verifier.arcana.gojson import number_text
from verifier.arcana.manifest import ManifestError, ScoreManifest, emit_manifest, parse_manifest
from verifier.arcana.manifest_score import DecisionRef, NavPoint, PeerRef
from verifier.arcana.recompute import recompute
from verifier.core.canon import canonical_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = needs_node


def double(text: str) -> float:
    """Read the 64 bits of a double."""
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


number_texts = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.floats().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(float.hex),
    st.from_regex(r"[+-]?[0-9_]{1,30}\.?[0-9_]{0,30}(e[+-]?[0-9_]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?0[xX]_?[0-9a-f_]{1,20}\.?[0-9a-f_]{0,20}p[+-]?[0-9]{1,4}", fullmatch=True),
    st.sampled_from(
        ["inf", "-Infinity", "+INF", "", " 1", "1 ", "1_", "_1", "1__0", "0x1", "\uff11"]
    ),
)


@BATCH
@given(st.lists(number_texts, min_size=50, max_size=90))
def test_number_texts(texts: list[str]) -> None:
    """The same double from any text, however long."""
    for text, got in zip(texts, values(("goFloat", text) for text in texts), strict=True):
        want = parse_float(text)
        assert got == bits(want) or (math.isnan(want) and math.isnan(double(got))), text


def test_number_texts_between_two_doubles() -> None:
    """Exactly half way, and one digit beside it, in normal and subnormal doubles."""
    texts = []
    for value in (1.0, 0.1, 123456.789, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308):
        with_more = Fraction(value) - (Fraction(value) - Fraction(math.nextafter(value, 0))) / 2
        digits = with_more.denominator.bit_length() + 5
        scaled = with_more * Fraction(10) ** digits
        whole = scaled.numerator // scaled.denominator
        texts += [f"{whole + step}e-{digits}" for step in (-1, 0, 1)]
    assert values(("goFloat", text) for text in texts) == [bits(float(text)) for text in texts]


@BATCH
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=60, max_size=100))
def test_numbers_as_text_and_rounded(numbers: list[float]) -> None:
    """Go's text, one decimal, and stored columns of sizes that scores have."""
    hexes = [bits(number) for number in numbers]
    assert values(("goNumber", each) for each in hexes) == [number_text(n) for n in numbers]
    for number, got in zip(numbers, values(("round1", each) for each in hexes), strict=True):
        want = round1(number)
        # Ten times a large double overflows, in both.
        assert got == bits(want), number


@BATCH
@given(st.lists(st.floats(0, 100, allow_nan=False), min_size=50, max_size=100))
def test_stored_columns_and_complements(numbers: list[float]) -> None:
    """Two decimals of the shortest text, halves away from zero; 1 - x exactly, then rounded."""
    (columns,) = values([("columns", [bits(number) for number in numbers])])
    for number, got in zip(numbers, columns, strict=True):
        assert got == f"{round_half_away(Fraction(repr(number)), 2):.2f}"
    got = values(("complement", bits(number)) for number in numbers)
    assert got == [bits(complement(number)) for number in numbers]


@BATCH
@given(
    st.lists(
        st.tuples(st.integers(-(2**1200), 2**1200), st.integers(1, 2**1100)),
        min_size=30,
        max_size=60,
    )
)
def test_the_nearest_double(pairs: list[tuple[int, int]]) -> None:
    """Of any fraction, subnormal and overflowing ones too."""
    got = values(("nearest", str(n), str(d)) for n, d in pairs)
    for (n, d), found in zip(pairs, got, strict=True):
        try:
            want = float(Fraction(n, d))
        except OverflowError:
            want = math.inf if n > 0 else -math.inf
        assert double(found) == want, (n, d)


@BATCH
@given(st.lists(json_values, min_size=10, max_size=20))
def test_canonical_json(listed: list[Any]) -> None:
    """Any value of JSON has the same canonical bytes."""
    got = values(("canonical", json.dumps(value)) for value in listed)
    assert got == [canonical_bytes(value).decode() for value in listed]


strategies = st.sampled_from(
    ["momentum", "buy_and_hold", "mean_reversion", "", "constructor", "<b>"]
)
money = st.one_of(
    st.integers(-100_000, 3_000_000).map(lambda cents: f"{cents / 100:.2f}"),
    st.just("10000.00"),
    number_texts,
)
inputs = st.fixed_dictionaries(
    {
        "ticks": st.lists(st.tuples(money, money), max_size=8),
        "actions": st.lists(st.sampled_from(["buy", "sell", "hold", "Buy", ""]), max_size=12),
        "strategy": strategies,
        "peers": st.lists(st.integers(-100, 11_000).map(lambda n: n / 100), max_size=5),
    }
)


@BATCH
@given(st.lists(inputs, min_size=12, max_size=20))
def test_scores_of_any_inputs(listed: list[dict[str, Any]]) -> None:
    """Ten outputs, and those of the formulas before sealing, bit for bit."""
    asked: list[tuple[Any, ...]] = []
    expected: list[dict[str, object]] = []
    for given_ in listed:
        navs = [nav for nav, _ in given_["ticks"]]
        cash = [held for _, held in given_["ticks"]]
        shared = {
            "navs": navs,
            "cash": cash,
            "actions": given_["actions"],
            "strategy": given_["strategy"],
            "peers": [bits(peer) for peer in given_["peers"]],
        }
        asked.append(("score", shared))
        outputs = v1.score(
            navs=navs,
            cash=cash,
            actions=given_["actions"],
            strategy_type=given_["strategy"],
            peers=given_["peers"],
        ).outputs
        expected.append({key: described(value) for key, value in outputs.items()})
        for name in ("F1", "F2", "F3"):
            asked.append(("legacy", name, shared))
            old = legacy.score(
                name,
                navs=navs,
                actions=given_["actions"],
                strategy_type=given_["strategy"],
                peers=given_["peers"],
            )
            expected.append({key: bits(getattr(old, key)) for key in old.__slots__})
    for question, want, got in zip(asked, expected, values(asked), strict=True):
        assert set(want) == set(got)
        for key, value in want.items():
            one, other = value, got[key]
            both_nan = (
                isinstance(one, str)
                and isinstance(other, str)
                and math.isnan(double(one))
                and math.isnan(double(other))
            )
            assert one == other or both_nan, (key, question)


times = st.sampled_from(["2026-09-14T23:30:00.000000Z", "2026-09-15T00:00:00.123456Z"])
texts = st.text(max_size=8) | st.sampled_from(["<&>", "\u2028", "\ufffd", "é", "\x7f", '"\\'])
seals = st.none() | st.just("ab" * 32)


@st.composite
def manifests(draw: st.DrawFn) -> str:
    """Draw a score manifest as the platform would write it, at times with other constants."""
    constants: dict[str, Any] = {**v1.CONSTANTS}
    constants["strategy_profiles"] = {
        name: dict(bands) for name, bands in constants["strategy_profiles"].items()
    }
    if draw(st.booleans()):
        key = draw(st.sampled_from([each for each in constants if each != "strategy_profiles"]))
        constants[key] = draw(
            st.sampled_from([0, 1, 0.5, -1, 1e-7, 1e21, 0.3, 12345678901234567, -0.0])
        )
    outputs = v1.score(navs=[], cash=[], actions=[], strategy_type="", peers=[]).outputs
    ticks = st.builds(NavPoint, times, money, money, seals)
    decisions = st.builds(
        DecisionRef,
        st.integers(-(2**63), 2**63 - 1),
        times,
        st.sampled_from(["buy", "sell", "hold"]),
        seals,
    )
    peers = st.builds(
        PeerRef, texts, texts, times, st.floats(0, 100).map(lambda x: round(x, 2)), seals
    )
    manifest = ScoreManifest(
        formula="arcana-score-formula/v1",
        agent_id=draw(texts),
        season_id=draw(texts),
        ts=draw(times),
        constants=constants,
        strategy_type=draw(strategies),
        nav_series=tuple(draw(st.lists(ticks, max_size=6))),
        decisions=tuple(draw(st.lists(decisions, max_size=8))),
        peers=tuple(draw(st.lists(peers, max_size=3))),
        outputs=outputs,
        previous_seal=draw(seals),
    )
    text = emit_manifest(manifest).decode()
    damage = draw(st.sampled_from(["none", "none", "none", "cut", "double", "space", "digit"]))
    at = draw(st.integers(0, len(text) - 1))
    if damage == "cut":
        return text[:at] + text[at + 1 :]
    if damage == "double":
        return text[:at] + text[at] + text[at:]
    if damage == "space":
        return f"{text[:at]} {text[at:]}"
    if damage == "digit":
        return text[:at] + "7" + text[at + 1 :]
    return text


def judged(text: str) -> tuple[ScoreManifest | None, Mapping[str, float | bool | None] | None]:
    """Read a manifest and compute its outputs; None where it is refused."""
    try:
        manifest = parse_manifest(text.encode())
    except ManifestError:
        return None, None
    assert isinstance(manifest, ScoreManifest)
    try:
        # Another version's name changes no step of the one that is asked for.
        return manifest, recompute(replace(manifest, formula=v1.ID)).outputs
    except FormulaConstantsError:
        return manifest, None


@settings(BATCH, max_examples=6)
@given(st.lists(manifests(), min_size=8, max_size=12))
def test_manifests_are_accepted_alike(listed: list[str]) -> None:
    """Whole and damaged: what one refuses the other refuses, and outputs are the same bits."""
    for text, answer in zip(listed, ask(("manifest", text) for text in listed), strict=True):
        manifest, outputs = judged(text)
        if outputs is None or manifest is None:
            assert answer.get("error") == "Refused", text
            continue
        assert "value" in answer, (text, answer)
        value = answer["value"]
        assert value["published"] == v1.same_constants(manifest.constants, v1.CONSTANTS)
        for key, want in outputs.items():
            got = value["outputs"][key]
            if isinstance(want, float) and math.isnan(want):
                assert math.isnan(double(got))
            else:
                assert got == described(want), (key, text)
