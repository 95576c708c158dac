"""Arithmetic that decides: every row of the tables, bit for bit."""

import json
import math
import struct
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from formulas.arith import (
    clamp01,
    parse_float,
    parse_floats,
    population_stdev,
    round1,
    round_half_away,
    same_double,
    sum_in_order,
)

VECTORS: Final = FIXTURES / "vectors/arcana"
finite = st.floats(allow_nan=False, allow_infinity=False)


def table(name: str) -> list[Any]:
    """The cases of one file, named by themselves where they have no id."""
    cases = json.loads((VECTORS / name).read_bytes())["cases"]
    return [pytest.param(case, id=case.get("id") or repr(case)[:60]) for case in cases]


def cases_of(prefix: str) -> list[Any]:
    """The cases of ``float-arith`` whose title begins so."""
    return [c for c in table("cases/float-arith.json") if c.values[0]["what"].startswith(prefix)]


def double(bits: str) -> float:
    """A double from its bits in hex."""
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


@pytest.mark.parametrize("case", table("facts/number-text.json"))
def test_number_text(case: dict[str, str]) -> None:
    """The engine's double of every text, those that it refuses included."""
    assert same_double(parse_float(case["text"]), double(case["bits"]))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1_000.000_1", 1000.0001),
        ("1_.5", 0.0),
        ("1._5", 0.0),
        ("1e_5", 0.0),
        ("1_e5", 0.0),
        ("0_1", 1.0),
        ("0x_1_2p0_1", 36.0),
        ("0x_.8p1", 0.0),
        ("0x.8p1", 1.0),
        ("0x1._8p1", 0.0),
        ("0xp1", 0.0),
        ("0x1p1024", 0.0),
        ("-0x1p-1080", -0.0),
        ("0x1.fffffffffffff8p0", 2.0),
        ("0b1", 0.0),
        ("+nan", 0.0),
        ("-1e-400", -0.0),
        ("1\x00", 0.0),
        ("\u00a01", 0.0),
        ("INFINITY", math.inf),
        ("\u0131nf", 0.0),
    ],
)
def test_number_text_further(text: str, value: float) -> None:
    """Underscores stand between digits or after 0x; hexadecimal needs its exponent."""
    assert same_double(parse_float(text), value)


@given(finite)
def test_number_text_reads_what_python_writes(x: float) -> None:
    """The shortest text of a double reads back as that double."""
    assert same_double(parse_float(repr(x)), x)
    assert same_double(parse_float(x.hex()), x)


@given(st.lists(st.one_of(st.decimals(-10_000, 10_000, places=2).map(str), st.text("01.\n-"))))
def test_column_is_its_texts(texts: list[str]) -> None:
    """Reading a column at once is reading each of its texts, whatever newlines they hold."""
    assert list(map(repr, parse_floats(texts))) == [repr(parse_float(text)) for text in texts]


def test_column_with_newlines_inside() -> None:
    """Two texts in one, and an empty one beside it, are no column of two."""
    assert parse_floats(["1.00\n2.00"]) == [0.0]
    assert parse_floats(["1.00", "2.00\n"]) == [1.0, 0.0]
    assert parse_floats([]) == []


@pytest.mark.parametrize("case", table("facts/round1.json"))
def test_round1(case: dict[str, str]) -> None:
    """Multiply by ten, round halves away from zero, divide by ten."""
    assert same_double(round1(double(case["in_bits"])), double(case["out_bits"]))


@pytest.mark.parametrize("case", table("cases/round1.json"))
def test_round1_is_the_engines(case: dict[str, Any]) -> None:
    """Of the four languages' roundings, ours is the one of the engine's language."""
    assert repr(round1(float.fromhex(case["input"]["hex"]))) == case["expected"]["go_x10"]


@given(st.floats(-1e300, 1e300), st.integers(0, 6))
def test_rounding_is_exact_between_the_scalings(x: float, decimals: int) -> None:
    """The rounding itself is that of the exact value, halves away from zero."""
    scaled = Fraction(x * 10.0**decimals)
    whole = math.floor(abs(scaled) + Fraction(1, 2)) * (-1 if scaled < 0 else 1)
    assert round_half_away(x, decimals) == float(whole) / 10.0**decimals


def test_rounding_keeps_what_is_no_number() -> None:
    """Infinities, NaN and the sign of zero pass through."""
    assert round1(math.inf) == math.inf
    assert math.isnan(round1(math.nan))
    assert same_double(round1(-0.04), -0.0)


@pytest.mark.parametrize("case", cases_of("sum of"))
def test_sum_in_order(case: dict[str, Any]) -> None:
    """From left to right, each addition rounded."""
    values = list(map(float, case["input"]["values"]))
    expected = case["expected"]
    assert sum_in_order(values).hex() == expected["left_to_right"]["hex"]
    assert (sum_in_order(values) / len(values)).hex() == expected["mean_left_to_right"]["hex"]


@pytest.mark.parametrize("case", cases_of("standard deviation"))
def test_population_stdev(case: dict[str, Any]) -> None:
    """Two passes, divided by the number of values."""
    values = list(map(float, case["input"]["values"]))
    variance = float.fromhex(case["expected"]["binary64_two_pass_population_variance"]["hex"])
    mean = sum_in_order(values) / len(values)
    assert population_stdev(values, mean) == math.sqrt(variance)


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=50))
def test_population_stdev_has_a_second_opinion(values: list[float]) -> None:
    """It is close to another implementation, which adds in another order."""
    mean = sum_in_order(values) / len(values)
    assert population_stdev(values, mean) == pytest.approx(float(np.std(values)), abs=1e-12)


@given(st.floats())
def test_clamp01(x: float) -> None:
    """The result lies in [0, 1], is *x* if *x* does, and NaN passes through."""
    if math.isnan(x):
        assert math.isnan(clamp01(x))
    else:
        assert clamp01(x) == min(max(x, 0.0), 1.0)


@given(st.floats(), st.floats())
def test_same_double_is_same_bits(a: float, b: float) -> None:
    """Equal means the same bits, with one NaN."""
    bits = [struct.pack(">d", math.nan if math.isnan(x) else x) for x in (a, b)]
    assert same_double(a, b) == (bits[0] == bits[1])
