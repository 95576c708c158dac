"""Scores against a public library of scoring rules, where a tolerance is honest."""

from __future__ import annotations

from math import isclose, log
from typing import TYPE_CHECKING

import numpy as np
import pytest
from floor_evidence import rules
from hypothesis import given
from hypothesis import strategies as st

from formulas.floor.score import brier, points

if TYPE_CHECKING:
    from decimal import Decimal

scoringrules = pytest.importorskip("scoringrules")
RULES = rules().score
PROBABILITIES = st.decimals("0.02", "0.98", places=4)


@given(st.lists(st.tuples(PROBABILITIES, st.booleans()), min_size=1, max_size=30))
def test_brier(calls: list[tuple[Decimal, bool]]) -> None:
    """The mean of the library's Brier scores is ours."""
    happened = np.array([float(hit) for _, hit in calls])
    said = np.array([float(p) for p, _ in calls])
    mean = brier(calls)
    assert mean is not None
    theirs = scoringrules.brier_score(happened, said)
    assert isclose(float(mean), float(np.mean(theirs)), rel_tol=1e-12, abs_tol=1e-15)


@given(PROBABILITIES, PROBABILITIES, st.booleans())
def test_points(p: Decimal, b: Decimal, hit: bool) -> None:  # noqa: FBT001  # drawn
    """Points are the difference of two of the library's logarithmic scores, in bits."""
    theirs = [float(scoringrules.log_score(float(hit), float(q))) for q in (p, b)]
    gained = 100 * (theirs[1] - theirs[0]) / log(2)
    ours = points(p, b, hit=hit, rules=RULES).value
    assert isclose(ours, gained, rel_tol=1e-9, abs_tol=1e-9)
