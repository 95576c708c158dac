"""Numbers of the site: exact, plain, the same everywhere, and never NaN."""

import json
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared import FIXTURES

from sitegen import numbers
from verifier.errors import SiteError

CASES: Final = json.loads((FIXTURES / "vectors/site/site-build.json").read_bytes())["cases"]
FINITE: Final = st.floats(allow_nan=False, allow_infinity=False)
PLAIN: Final = re.compile(r"-?\d+(\.\d+)?")


def test_numbers_in_tables() -> None:
    """The case of the shared vectors: null, NaN, infinity, minus zero and an exponent."""
    case = next(case for case in CASES if case["what"] == "numbers in tables")
    assert case["input"]["values"] == ["null", "NaN", "Infinity", "-0.0", "1e-7"]
    assert "not measured" in numbers.dash("not measured")
    for refused in (float("nan"), float("inf")):
        for write in (numbers.points, numbers.plain, numbers.percent, numbers.exact):
            with pytest.raises(SiteError):
                write(refused)
    assert numbers.plain(-0.0) == "0.0"
    assert numbers.plain(1e-7) == "0.0000001"


@given(FINITE)
def test_plain_reads_back(value: float) -> None:
    """The plain text of a double reads back as it, and has no exponent."""
    written = numbers.plain(value)
    assert PLAIN.fullmatch(written)
    assert float(written) == value


@given(FINITE, st.integers(0, 8))
def test_fixed_is_rounded_once(value: float, places: int) -> None:
    """Decimals are those of the exact value, rounded half to even; zero has no sign."""
    written = numbers.fixed(value, places)
    exact = Decimal(value)
    assert abs(Decimal(written) - exact) * 2 <= Decimal(1).scaleb(-places)
    assert not (written.startswith("-") and not written.strip("-0."))


def test_rounding_is_of_the_double_itself() -> None:
    """2.675 is a double below it, and an integer is not rounded on its way through one."""
    assert numbers.fixed(2.675, 2) == "2.67"
    assert numbers.fixed(Decimal("2.675"), 2) == "2.68"
    assert numbers.fixed(2**63 + 1, 1) == "9223372036854775809.0"
    assert numbers.points(-0.00004) == "0.0000"


def test_percent_has_its_value_on_hover() -> None:
    """One decimal is shown and the value as published stands in the title."""
    assert numbers.percent(0.07) == '<span title="0.07">7.0%</span>'
    assert numbers.percent(0.615) == '<span title="0.615">61.5%</span>'
    assert numbers.percent(0.9995, 2) == '<span title="0.9995">99.95%</span>'


@given(st.integers(0, 4_102_444_800_000))
def test_times_are_utc(moment: int) -> None:
    """Milliseconds and their RFC 3339 text are one time, and both come out in UTC."""
    written = numbers.iso(moment)
    theirs = datetime.fromtimestamp(moment // 1000, UTC)
    assert written.startswith(theirs.strftime("%Y-%m-%dT%H:%M:%S"))
    assert numbers.iso(written) == written
    assert numbers.utc(moment).endswith(" UTC")


@pytest.mark.parametrize(
    "value",
    [
        "2026-11-03",
        "2026-11-03T12:00:00+01:00",
        "2026-13-03T12:00:00Z",
        "2026-11-03T12:00:00Z\n",
        "٢026-11-03T12:00:00Z",
        "",
        10**18,
        -(10**18),
        True,
    ],
)
def test_what_is_no_time_is_refused(value: str | int) -> None:
    """A day, another zone, other digits and times of no calendar are errors of ours."""
    with pytest.raises(SiteError):
        numbers.utc(value)


def test_durations() -> None:
    """Two units at most, and zeros are left out."""
    day = 86_400_000
    assert numbers.duration(day) == "1 d"
    assert numbers.duration(day + 60_000) == "1 d"
    assert numbers.duration(3_661_000) == "1 h 1 min"
    assert numbers.duration(-1500) == "-1.5 s"
    assert numbers.duration(2000 * day) == "2,000 d"


@pytest.mark.parametrize("value", [True, 10**2000, Decimal("1e9999"), Decimal("NaN")], ids=str)
def test_what_no_page_can_hold_is_refused(value: int | Decimal) -> None:
    """Truth values, hostile exponents and endless digits are errors of ours."""
    for write in (numbers.plain, numbers.points, numbers.exact):
        with pytest.raises(SiteError):
            write(value)


@pytest.mark.parametrize("text", ["", "abc", "1,5", "0x1p3", "nan", "1e99999"])
def test_text_of_no_number_is_refused(text: str) -> None:
    """A text is written as a number only if it is one."""
    with pytest.raises(SiteError):
        numbers.plain(text)


def test_a_dash_has_a_reason() -> None:
    """The reason is there for those who hover and for those who listen, and is escaped."""
    assert numbers.dash("<b>").count("&lt;b&gt;") == 2
    with pytest.raises(SiteError):
        numbers.dash(" ")
