"""Calibration counts every settled call once, by its probability."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formulas.errors import FormulaDomainError
from formulas.floor.calibration import calibration

probabilities = st.decimals(0, 1, places=4, allow_nan=False)


@given(st.lists(st.tuples(probabilities, st.booleans())))
def test_every_call_is_in_one_bin(calls: list[tuple[Decimal, bool]]) -> None:
    """Ten bins, each with the calls from its lower edge to before its upper one."""
    bins = calibration(calls)
    assert [each.low * 10 for each in bins] == list(range(10))
    assert sum(each.calls for each in bins) == len(calls)
    assert sum(each.hits for each in bins) == sum(hit for _, hit in calls)
    for each in bins:
        last = each.high == 1
        own = [(p, hit) for p, hit in calls if each.low <= p < each.high or (last and p == 1)]
        assert (each.calls, each.hits) == (len(own), sum(hit for _, hit in own))
        if own:
            assert each.mean_p == sum((Fraction(p) for p, _ in own), Fraction(0)) / len(own)
            assert each.share == Fraction(each.hits, each.calls)
        else:
            assert each.mean_p is None
            assert each.share is None


@pytest.mark.parametrize("p", ["-0.1", "1.0001", "NaN", "Infinity"])
def test_only_probabilities(p: str) -> None:
    """What is no probability has no bin."""
    with pytest.raises(FormulaDomainError, match="probability"):
        calibration([(Decimal(p), True)])
