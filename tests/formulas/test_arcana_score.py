"""ARCANA's season score: the platform's own outputs, bit for bit, and the rules behind them."""

import json
import math
import random
import struct
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any, Final, cast

import pytest
from arcana_manifests import made_manifest, published_constants
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from formulas.arcana_score import legacy, steps, v1
from formulas.arith import round1
from formulas.errors import FormulaConstantsError, FormulaDomainError
from verifier.arcana.recompute import recompute

VECTORS: Final = FIXTURES / "vectors/arcana"
C: Final = steps.read_constants(v1.CONSTANTS)
NAVS: Final = ["10000.00", "10050.00", "9980.00", "10120.00"]
CASH: Final = ["6000.00", "5000.00", "5500.00", "5000.00"]

money = st.decimals(-1_000, 100_000, places=2).map(str)


def table(name: str) -> Any:
    """One file of vectors."""
    return json.loads((VECTORS / name).read_bytes())


def cases(name: str, prefix: str = "") -> list[Any]:
    """The cases of one file by their ids."""
    found = [c for c in table(name)["cases"] if c.get("what", "").startswith(prefix)]
    return [pytest.param(case, id=case["id"]) for case in found]


def bits(value: float | bool | None) -> str | bool | None:  # noqa: FBT001 - an output
    """A double as hex; a boolean and null as they are."""
    return value if value is None or isinstance(value, bool) else struct.pack(">d", value).hex()


def scored(**changes: Any) -> v1.Working:
    """A plain agent's score, with some of its inputs changed."""
    inputs: dict[str, Any] = {
        "navs": NAVS,
        "cash": CASH,
        "actions": ["buy", "sell", "hold", "hold", "buy"],
        "strategy_type": "momentum",
        "peers": [61.37, 48.02],
    }
    return v1.score(**{**inputs, **changes})


def test_multiplier_of_every_strategy() -> None:
    """All 1,001 multipliers, with 1 - floor folded exactly."""
    published = table("facts/strategy-multiplier.json")["bits"]
    fold = steps.complement(C.strategy_floor)
    ours = [bits(C.strategy_floor + fold * (k / 10 / 100)) for k in range(1_001)]
    assert ours == published
    naive = [bits(0.7 + (1 - 0.7) * (k / 10 / 100)) for k in range(1_001)]
    assert sum(a != b for a, b in zip(naive, published, strict=True)) == 257


@given(st.floats(-1e6, 1e6))
def test_complement_is_the_decimals(x: float) -> None:
    """The decimal text is subtracted exactly, and the result rounded once."""
    assert steps.complement(x) == float(1 - Fraction(repr(x)))


def test_constants_are_the_published_ones() -> None:
    """Code, document and the platform's own golden test agree."""
    golden = json.loads(table("facts/golden.json")["constants_json"])
    assert v1.same_constants(v1.CONSTANTS, golden)


@pytest.mark.parametrize("case", cases("legacy/legacy-formulas.json"))
def test_before_sealing(case: dict[str, Any]) -> None:
    """F1, F2 and F3 give the outputs of their time."""
    computed = legacy.score(
        case["formula"],
        navs=case["nav"],
        actions=case["actions"],
        strategy_type=case["strategy_type"],
        peers=case["peer_performance"],
    )
    assert {name: bits(getattr(computed, name)) for name in case["outputs_hex"]} == case[
        "outputs_hex"
    ]


@pytest.mark.parametrize("case", cases("cases/ref-drawdown.json"))
def test_drawdown(case: dict[str, Any]) -> None:
    """The largest fall from a running peak, the first value included."""
    if "returns" in case["input"]:
        values = [float(case["input"]["start"])]
        for change in case["input"]["returns"]:
            values.append(values[-1] * (1 + float(change)))
    else:
        # The engine counts a text that it cannot read as 0.
        values = [float(nav or 0) for nav in case["input"]["nav"]]
    expected = case["expected"]
    if "max_drawdown" in expected:
        assert steps.max_drawdown(values) == pytest.approx(Fraction(expected["max_drawdown"]))
    elif not values:
        assert scored(navs=[], cash=[]).drawdown is None
    elif values[0] > 0 and min(values) < 0:
        assert steps.max_drawdown(values) == float(Fraction(expected["by_rule"]["peak_based"]))
    elif values[0] > 0:
        assert steps.max_drawdown(values) == 1.0
    else:
        # No peak above 0, so nothing is measured; and as no return is either, risk is neutral.
        assert scored(navs=list(map(str, values)), cash=["0"] * len(values)).risk == C.neutral


@pytest.mark.parametrize("case", cases("cases/float-arith.json", "risk component"))
def test_risk_on_a_rounding_edge(case: dict[str, Any]) -> None:
    """The two halves are computed as written, not with their divisors multiplied."""
    sigma, exposure, drawdown = (
        float(case["input"][name]) for name in ("sigma", "exposure", "max_drawdown")
    )
    risk = steps.risk_factor(C, sigma / exposure, drawdown / exposure)
    assert risk == float(case["expected"]["as_written_left_to_right"]["round1_go"])


@pytest.mark.parametrize("case", cases("cases/float-arith.json", "return of one step"))
def test_return_of_one_step(case: dict[str, Any]) -> None:
    """A return is the difference over the start, not the ratio less one."""
    navs = [float(case["input"]["from"]), float(case["input"]["to"])]
    (change,) = steps.returns_of(navs)
    assert change.hex() == float.fromhex(case["expected"]["difference_over_start"]["hex"]).hex()


def from_case(case: dict[str, Any], decisions: int) -> v1.Working:
    """Score the inputs of a case; its invested fractions become cash."""
    given_ = case["input"]
    navs = given_.get("nav", NAVS)
    invested = given_.get("invested", ["0.5"] * len(navs))
    cash = [Decimal(n) * (1 - Decimal(i)) for n, i in zip(navs, invested, strict=True)]
    return scored(
        navs=navs,
        cash=list(map(str, cash)),
        actions=["hold"] * decisions,
        strategy_type="",
        peers=list(map(float, given_.get("peer_performance", []))),
    )


@pytest.mark.parametrize("case", cases("cases/score-formula.json"))
def test_whole_score(case: dict[str, Any]) -> None:
    """Real arithmetic gives the same to nine digits; what is undefined is neutral or null."""
    expected = case["expected"]
    if "weights" in case["input"]:
        weights = [C.w_performance, C.w_risk, C.w_consistency, C.w_regime, C.w_longevity]
        assert sum(Fraction(repr(w)) for w in [*weights, C.w_creator]) == 1
        return
    working = from_case(case, expected.get("decisions_counted", 6))
    assert all(math.isfinite(value) for value in working.outputs.values() if value is not None)
    if expected.get("ranked") is False:
        assert [n for n, v in working.outputs.items() if v is None] == [
            "risk",
            "consistency",
            "arcana",
        ]
    elif not case["input"].get("peer_performance"):
        assert working.creator == C.neutral
    if working.returns == 0:
        assert (working.stdev_return, working.risk, working.consistency) == (None, 50.0, 50.0)
    if "population_sigma" in expected:
        exact = expected["population_sigma"]
        for ours, theirs in {
            "stdev_return": "exact_sigma",
            "exposure_used": "exact_exposure",
            "drawdown": "exact_max_drawdown",
            "total_return": "exact_total_return",
            "performance": "exact_performance",
            "consistency": "exact_consistency",
            "longevity": "exact_longevity",
            "creator": "exact_creator",
            "weighted_sum": "exact_weighted",
        }.items():
            assert getattr(working, ours) == pytest.approx(
                float(Fraction(exact[theirs])), abs=1e-9
            ), ours
        assert working.risk == float(exact["f64_risk"])


@pytest.mark.parametrize(
    ("navs", "regime_third", "regime_fourth"),
    [
        (["1000.00", "1018.61", "980.47"], 43.222278304503206, 43.2222783045032),
        (["1000.00", "1018.97", "982.59"], 44.1271151101112, 44.12711511011119),
        (["1000.00", "1006.49", "1014.26"], 68.61489415071189, 68.61489415071188),
        (["1000.00", "1006.85", "1017.99"], 68.33308559492478, 68.33308559492477),
    ],
)
def test_regime_is_added_third(navs: list[str], regime_third: float, regime_fourth: float) -> None:
    """Agents found by search, whose sum tells where the regime is added."""
    working = scored(navs=navs, cash=["0.00"] * 3, strategy_type="", peers=[])
    assert working.weighted_sum == regime_third != regime_fourth


def test_factors_are_added_in_the_published_order() -> None:
    """Performance, risk, regime, consistency, creator, longevity; the last two swapped differ."""
    names = ["performance", "risk", "regime", "consistency", "creator", "longevity"]
    differ = 0
    for seed in range(100):
        working = recompute(made_manifest(random.Random(seed), ticks=25))
        terms = [getattr(C, f"w_{name}") * getattr(working, name) for name in names]
        total = reduce(float.__add__, terms)
        assert bits(working.weighted_sum) == bits(total)
        assert bits(working.arcana) == bits(round1(total * working.strategy_multiplier))
        differ += total != reduce(float.__add__, [*terms[:4], terms[5], terms[4]])
    assert differ > 0


def test_a_nav_that_is_no_number_is_represented() -> None:
    """NaN and infinite outputs are values like others: the manifest says that they are none."""
    outputs = scored(navs=["10000.00", "NaN", "9980.00", "Inf"]).outputs
    assert math.isnan(cast("float", outputs["risk"]))
    assert math.isnan(cast("float", outputs["arcana"]))


def test_length_mismatch_is_refused() -> None:
    """Every NAV has its cash."""
    with pytest.raises(FormulaDomainError, match="4 NAVs, but 1"):
        scored(cash=["1.00"])


def test_constants_given_are_the_ones_used() -> None:
    """A score is computed with the constants that its manifest states."""
    stated = {**published_constants(), "neutral": 40, "w_regime": 1.5}
    assert scored(constants=stated).regime == 40.0
    assert scored(constants=stated).weighted_sum > scored().weighted_sum + 50


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"neutral": None}, "neutral is missing or no number"),
        ({"neutral": True}, "neutral is missing or no number"),
        ({"neutral": "50"}, "neutral is missing or no number"),
        ({"w_risk": math.nan}, "w_risk is not a finite double"),
        ({"w_risk": 10**400}, "w_risk is not a finite double"),
        ({"perf_scale": 0}, "perf_scale is 0"),
        ({"strategy_fit_tolerance": -0.0}, "strategy_fit_tolerance is 0"),
        ({"min_exposure": 0}, "min_exposure is not above 0"),
        ({"strategy_profiles": []}, "strategy_profiles is missing or no object"),
        ({"strategy_profiles": {"momentum": 1}}, "strategy_profiles.momentum is no object"),
        ({"strategy_profiles": {"momentum": {}}}, "strategy_profiles.momentum.turnover_lo is"),
    ],
)
def test_constants_of_another_shape_are_refused(change: dict[str, Any], message: str) -> None:
    """Constants that lack a key or hold another type are not computed with."""
    with pytest.raises(FormulaConstantsError, match=message):
        scored(constants={**published_constants(), **change})


@pytest.mark.parametrize("name", published_constants())
def test_every_constant_is_demanded(name: str) -> None:
    """None of the twenty has a default."""
    without = {key: value for key, value in published_constants().items() if key != name}
    with pytest.raises(FormulaConstantsError, match=name):
        scored(constants=without)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ({"x": 50}, {"x": 50.0}, True),
        ({"x": 50}, {"x": 50.00000000000001}, False),
        ({"x": 2**53 + 1}, {"x": float(2**53)}, False),
        ({"x": 0}, {"x": -0.0}, False),
        ({"x": 1}, {"x": True}, False),
        ({"x": 1}, {"x": 1, "y": 1}, False),
        ({"x": {"y": 1}}, {"x": {"y": 1.0}}, True),
        ({"x": {"y": 1}}, {"x": {"y": 2}}, False),
        ({"x": "1"}, {"x": 1}, False),
        ({"x": None}, {"x": None}, True),
        ({}, [], False),
    ],
)
def test_same_constants(a: object, b: object, same: bool) -> None:  # noqa: FBT001 - expected
    """Equal by exact value, with the same keys at every depth."""
    assert v1.same_constants(a, b) is same
    assert v1.same_constants(b, a) is same


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, Any]:
    """The inputs of any agent, odd ones included."""
    ticks = draw(st.lists(st.tuples(money, money), max_size=30))
    return {
        "navs": [nav for nav, _ in ticks],
        "cash": [cash for _, cash in ticks],
        "actions": draw(st.lists(st.sampled_from(["buy", "sell", "hold", "Buy"]), max_size=20)),
        "strategy_type": draw(st.sampled_from(["momentum", "buy_and_hold", "Momentum", ""])),
        "peers": draw(st.lists(st.floats(0, 100), max_size=5)),
    }


class TestProperties:
    """What holds for every agent."""

    @given(inputs())
    def test_factors_stay_in_range(self, given_: dict[str, Any]) -> None:
        """A factor is from 0 to 100, and the multiplier from its floor to 1."""
        working = v1.score(**given_)
        for name, value in working.outputs.items():
            if name not in ("ranked", "strategy_multiplier") and value is not None:
                assert 0 <= value <= 100
        assert 0.7 <= working.strategy_multiplier <= 1

    @given(inputs())
    def test_only_the_inputs_count(self, given_: dict[str, Any]) -> None:
        """The same inputs give the same bits, and are left as they were."""
        before = json.dumps(given_)
        first, second = v1.score(**given_), v1.score(**given_, constants=published_constants())
        assert list(map(bits, first.outputs.values())) == list(map(bits, second.outputs.values()))
        assert json.dumps(given_) == before

    @given(inputs())
    def test_order_of_decisions_does_not_count(self, given_: dict[str, Any]) -> None:
        """Decisions are only counted."""
        shuffled = random.Random(1).sample(given_["actions"], len(given_["actions"]))
        assert v1.score(**given_) == v1.score(**{**given_, "actions": shuffled})

    @given(inputs())
    def test_unranked_below_five_decisions(self, given_: dict[str, Any]) -> None:
        """Risk, consistency and score are null exactly below five decisions; the rest is not."""
        working = v1.score(**given_)
        nulls = {name for name, value in working.outputs.items() if value is None}
        assert tuple(working.outputs) == v1.OUTPUTS
        assert working.ranked is (len(given_["actions"]) >= 5)
        assert nulls == (set() if working.ranked else {"risk", "consistency", "arcana"})

    @given(inputs())
    def test_other_actions_are_not_trades(self, given_: dict[str, Any]) -> None:
        """Only exactly buy and sell are trades; every action is a decision."""
        working = v1.score(**given_)
        held = [a if a in ("buy", "sell") else "rebalance" for a in given_["actions"]]
        assert working == v1.score(**{**given_, "actions": held})
        assert working.decisions == len(given_["actions"])


def test_constants_cannot_be_changed() -> None:
    """The constants cannot be changed by whoever reads them."""
    with pytest.raises(TypeError):
        cast("dict[str, object]", v1.CONSTANTS)["neutral"] = 0
    profiles = cast("dict[str, dict[str, float]]", v1.CONSTANTS["strategy_profiles"])
    with pytest.raises(TypeError):
        profiles["momentum"]["turnover_lo"] = 0.0
