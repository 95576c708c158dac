"""
Generated cases, many to one Node process: Python and JavaScript agree on each.

Rounding boundaries are looked for, since a double decides nothing there.
"""

from __future__ import annotations

import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpz
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from json_vectors import values as json_values
from verify_node import ask, bits, described, needs_node, values

from formulas.arcana_score import legacy, v1
from formulas.arcana_score.steps import complement
from formulas.arith import parse_float, round1
from formulas.errors import FormulaConstantsError
from formulas.floor.primitives import plain, round_half_away
from formulas.floor.proved import decimal
from formulas.floor.score import brier, points
from formulas.floor.season import Entry, season_table
from formulas.floor.standing import standing
from verifier.arcana.manifest import ManifestError, ScoreManifest, emit_manifest, parse_manifest
from verifier.arcana.manifest_score import DecisionRef, NavPoint, PeerRef
from verifier.core.canon import canonical_bytes
from verifier.floor.rulesets import known_rules

pytestmark = needs_node

RULES = known_rules("floor-rules/1")
# Each example is a batch and starts Node, so shrinking one would take minutes.
BATCH = settings(
    max_examples=4,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.large_base_example,
    ],
)
HALF_LIFE = 2_592_000

probabilities = st.integers(0, 10_000).map(lambda n: Decimal(n) / 10_000)
baselines = st.integers(0, 1_000_000).map(lambda n: Decimal(n) / 1_000_000)
gains = st.integers(-5_700_000, 5_700_000).map(lambda n: Decimal(n) / 10_000)
ages = st.one_of(
    st.integers(0, 3 * HALF_LIFE),
    st.integers(0, 5).map(lambda n: n * HALF_LIFE),
    st.sampled_from([1, 60, 86_400, HALF_LIFE - 1, HALF_LIFE + 1]),
)


def double(text: str) -> float:
    """Read the 64 bits of a double."""
    return float(struct.unpack(">d", bytes.fromhex(text))[0])


@BATCH
@given(st.lists(st.tuples(probabilities, baselines, st.booleans()), min_size=80, max_size=150))
def test_points_of_any_call(calls: list[tuple[Decimal, Decimal, bool]]) -> None:
    """All p of four decimals and b of six."""
    answers = values(("points", f"{p:f}", f"{b:f}", hit) for p, b, hit in calls)
    for (p, b, hit), answer in zip(calls, answers, strict=True):
        exact = decimal(points(p, b, hit=hit, rules=RULES.score), 4)
        assert answer["text"] == plain(exact), (p, b, hit)


def test_points_beside_rounding_boundaries() -> None:
    """Baselines found on both sides of a boundary, with ever more digits."""
    asked: list[tuple[Decimal, Decimal]] = []
    with ctx.workprec(400):
        for p in ("0.6", "0.37", "0.9", "0.05"):
            for half in (1, -1, 101, -777, 12_345, 654_321):
                # b with 100*log2(p/b) = half/20000, to 12 up to 60 digits.
                exponent = -arb(fmpz(half)) / arb(fmpz(2_000_000))
                b = arb(fmpz(int(Decimal(p) * 10_000))) / arb(fmpz(10_000)) * (arb(2) ** exponent)
                for digits in (6, 9, 12, 15, 20, 30, 45, 60):
                    whole = (b * arb(fmpz(10) ** digits)).floor().unique_fmpz()
                    asked += [
                        (Decimal(p), Decimal(int(whole) + step).scaleb(-digits)) for step in (0, 1)
                    ]
    answers = values(("points", f"{p:f}", f"{b:f}", True) for p, b in asked)
    by = {answer["by"] for answer in answers}
    for (p, b), answer in zip(asked, answers, strict=True):
        exact = decimal(points(p, b, hit=True, rules=RULES.score), 4)
        assert answer["text"] == plain(exact), (p, b)
    assert by == {"double", "fixed point"}


def test_points_of_powers_of_two() -> None:
    """Exactly so many hundreds, whichever way they are decided."""
    asked = [("points", "0.8", text, True) for text in ("0.4", "0.2", "0.1", "0.05", "0.025")]
    texts = [answer["text"] for answer in values([*asked, ("points", "0.4", "0.8", True)])]
    assert texts == ["100", "200", "300", "400", "500", "-100"]


@BATCH
@given(st.lists(st.lists(st.tuples(gains, ages), max_size=30), min_size=20, max_size=40))
def test_standing_of_any_calls(agents: list[list[tuple[Decimal, int]]]) -> None:
    """Ages of all kinds, whole half-lives among them."""
    answers = values(
        ("standing", [(f"{gained:f}", age) for gained, age in calls]) for calls in agents
    )
    at = 10 * HALF_LIFE * 1000
    for calls, answer in zip(agents, answers, strict=True):
        listed = [(gained, at - age * 1000) for gained, age in calls]
        assert answer["text"] == plain(decimal(standing(listed, at=at, rules=RULES.score), 4))


def test_standing_beside_rounding_boundaries() -> None:
    """Two calls whose second pulls the sum onto a boundary, nearer than a double sees."""
    asked: list[list[tuple[Decimal, int]]] = []
    with ctx.workprec(300):
        for age in (1, 86_400, 1_000_000):
            weight = arb(2) ** (-arb(fmpz(age)) / arb(fmpz(HALF_LIFE)))
            for digits in (12, 18, 25, 40):
                term = arb(fmpz(123_4567)) / arb(fmpz(10_000)) * weight
                whole = (term * arb(fmpz(10) ** digits)).floor().unique_fmpz()
                # 0.00005 less the term, cut off below or above.
                for step in (0, 1):
                    rest = Decimal("0.00005") - Decimal(int(whole) + step).scaleb(-digits)
                    asked.append([(Decimal("123.4567"), age), (rest, 0)])
    answers = values(
        ("standing", [(f"{gained:f}", age) for gained, age in calls]) for calls in asked
    )
    at = HALF_LIFE * 1000
    for calls, answer in zip(asked, answers, strict=True):
        listed = [(gained, at - age * 1000) for gained, age in calls]
        assert answer["text"] == plain(decimal(standing(listed, at=at, rules=RULES.score), 4))
    assert {answer["by"] for answer in answers} == {"fixed point"}


def test_standing_on_a_boundary() -> None:
    """A tie that is exact goes away from zero; terms that cancel leave the rational part."""
    asked = [
        [("0.0001", HALF_LIFE)],
        [("-0.0001", HALF_LIFE)],
        [("0.0001", HALF_LIFE), ("5", 7), ("-5", 7)],
        [("0.0001", HALF_LIFE), ("5", 7), ("-10", 7 + HALF_LIFE), ("3", 3 * HALF_LIFE)],
        [("5", 7), ("-5", 7)],
    ]
    answers = values(("standing", calls) for calls in asked)
    texts = [answer["text"] for answer in answers]
    assert texts == ["0.0001", "-0.0001", "0.0001", "0.3751", "0"]
    assert {answer["by"] for answer in answers} == {"fraction"}


@BATCH
@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 10**6)), min_size=20, max_size=60))
def test_enclosures_hold_the_truth(pairs: list[tuple[int, int]]) -> None:
    """Against ball arithmetic of twice the precision: logarithms and powers lie between."""
    asked: list[tuple[Any, ...]] = []
    truths: list[arb] = []
    with ctx.workprec(700):
        for a, b in pairs:
            n, d = max(a, b) + 1, min(a, b)
            asked.append(("enclose", "encloseLog2", str(n), str(d), "200"))
            truths.append((arb(fmpz(n)) / arb(fmpz(d))).log() / arb(2).log())
            asked.append(("enclose", "encloseHalving", str(d - 1), str(n), "200"))
            truths.append(arb(2) ** (-arb(fmpz(d - 1)) / arb(fmpz(n))))
        for truth, (low, high) in zip(truths, values(asked), strict=True):
            size = truth * arb(2) ** 200
            # Balls: only what lies beyond an end for certain is wrong.
            assert not size < arb(fmpz(int(low)))
            assert not size > arb(fmpz(int(high)))
            assert int(high) - int(low) < 1 << 12


@BATCH
@given(st.lists(st.lists(st.tuples(probabilities, st.booleans()), max_size=25), min_size=10, max_size=20))
def test_brier_scores(agents: list[list[tuple[Decimal, bool]]]) -> None:
    """Exact means, rounded once."""
    answers = values(("brier", [(f"{p:f}", hit) for p, hit in calls]) for calls in agents)
    for calls, got in zip(agents, answers, strict=True):
        mean = brier(calls)
        assert got == (None if mean is None else plain(round_half_away(mean, 6)))


@st.composite
def ledgers(draw: st.DrawFn) -> list[Entry]:
    """Draw few agents with few different calls, so that ties come about."""
    kinds = [("hit", Decimal("0.5"), Decimal("10")), ("miss", Decimal("0.5"), Decimal("-10"))]
    kinds += [("hit", Decimal("0.7"), Decimal("0.0001")), ("void", Decimal("0.5"), None)]
    made = []
    for agent in draw(st.sets(st.sampled_from(["a", "B", "é", "𝒳", "\uffee", "b"]), min_size=1)):
        for _ in range(draw(st.integers(1, 30))):
            outcome, p, gained = draw(st.sampled_from(kinds))
            at = draw(st.integers(0, 9)) * 1000
            made.append(Entry(agent, outcome, p, gained, at))  # type: ignore[arg-type]
    return made


@BATCH
@given(st.lists(ledgers(), min_size=4, max_size=8))
def test_season_tables(listed: list[list[Entry]]) -> None:
    """Rows, ranks with ties, the unlisted, and agents in the order of code points."""
    asked = [
        (
            "table",
            [
                (e.agent, e.outcome, f"{e.p:f}", None if e.points is None else f"{e.points:f}", e.settled_at // 1000)
                for e in entries
            ],
            2,
            8,
        )
        for entries in listed
    ]
    for entries, got in zip(listed, values(asked), strict=True):
        table = season_table(entries, start=2000, end=8000, rules=RULES)
        assert [
            (r["agent"], r["rank"], r["standing"], r["brier"], r["settled"], r["voids"])
            for r in got["rows"]
        ] == [
            (r.agent, r.rank, plain(r.standing), plain(r.brier), r.settled, r.voids)
            for r in table.rows
        ]
        assert [(r["agent"], r["settled"], r["standing"]) for r in got["unlisted"]] == [
            (r.agent, r.settled, plain(r.standing)) for r in table.unlisted
        ]


number_texts = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.floats().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(float.hex),
    st.from_regex(r"[+-]?[0-9_]{1,30}\.?[0-9_]{0,30}(e[+-]?[0-9_]{1,4})?", fullmatch=True),
    st.from_regex(r"[+-]?0[xX]_?[0-9a-f_]{1,20}\.?[0-9a-f_]{0,20}p[+-]?[0-9]{1,4}", fullmatch=True),
    st.sampled_from(["inf", "-Infinity", "+INF", "", " 1", "1 ", "1_", "_1", "1__0", "0x1", "１"]),
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
        exact = Decimal(value) + (Decimal(math.nextafter(value, 0)) - Decimal(value)) / 2
        with_more = Fraction(value) - (Fraction(value) - Fraction(math.nextafter(value, 0))) / 2
        digits = with_more.denominator.bit_length() + 5
        scaled = with_more * Fraction(10) ** digits
        whole = scaled.numerator // scaled.denominator
        assert exact is not None
        texts += [f"{whole + step}e-{digits}" for step in (-1, 0, 1)]
    assert values(("goFloat", text) for text in texts) == [bits(float(text)) for text in texts]


@BATCH
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=60, max_size=100))
def test_numbers_as_text_and_rounded(numbers: list[float]) -> None:
    """Go's text, one decimal, and stored columns of sizes that scores have."""
    from verifier.arcana.gojson import number_text

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
    import json

    got = values(("canonical", json.dumps(value)) for value in listed)
    assert got == [canonical_bytes(value).decode() for value in listed]


strategies = st.sampled_from(["momentum", "buy_and_hold", "mean_reversion", "", "constructor", "<b>"])
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
                name,  # type: ignore[arg-type]
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
names = st.sampled_from(["0.7", "1", "0.25", "0.30000000000000004", "50"])


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
    peers = st.builds(PeerRef, texts, texts, times, st.floats(0, 100).map(lambda x: round(x, 2)), seals)
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


@settings(BATCH, max_examples=6)
@given(st.lists(manifests(), min_size=8, max_size=12))
def test_manifests_are_accepted_alike(listed: list[str]) -> None:
    """Whole and damaged: what one refuses the other refuses, and outputs are the same bits."""
    from verifier.arcana.recompute import recompute

    for text, answer in zip(listed, ask(("manifest", text) for text in listed), strict=True):
        try:
            manifest = parse_manifest(text.encode("utf-8", "surrogatepass"))
            assert isinstance(manifest, ScoreManifest)
            outputs = recompute(manifest).outputs
        except (ManifestError, FormulaConstantsError, KeyError) as error:
            refused = "error" in answer or isinstance(error, KeyError)
            assert refused, (text, error)
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
