"""Properties that the rules promise, and bad input that gets one error naming its place."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sharpe_vectors import random_band

from formulas.errors import FormulaDomainError
from formulas.sharpe.block_bootstrap import block_p_value
from formulas.sharpe.deflated import (
    deflated_sharpe,
    deflation_bar,
    effective_trials,
    prior_deviation,
    working,
)
from formulas.sharpe.drawdown import maximum_drawdown
from formulas.sharpe.eligibility import Scorer, judge_eligibility
from formulas.sharpe.gaps import evaluate_side, gap
from formulas.sharpe.interval import DRAWS_LIMIT, RESAMPLES_LIMIT, Bootstrap, interval
from formulas.sharpe.kernel import TRIALS_LIMIT, Kernel, KernelRefusalError
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.mean_return import mean_return, pairwise_sum
from formulas.sharpe.moments import sharpe_ratio
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.quantile import position, quantile
from formulas.sharpe.ranking import has_marks, neighbours, order, rank_cells
from formulas.sharpe.row import pass_rate, score_row
from formulas.sharpe.series import sample_deviation
from formulas.sharpe.splitmix import index_table, indices_below, stream
from formulas.sharpe.track_interval import track_interval

OLD, NEW = KERNELS["0.5.0"], KERNELS["0.28.0"]
BAND = random_band(11, 5, 30)
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
scores = st.lists(st.sampled_from([0.0, 1.0, 0.5, 0.50001, 0.5000000001, 1e-9]), max_size=8)


@given(st.lists(st.floats(-1, 1), max_size=400))
def test_mean_return_is_numpys(track: list[float]) -> None:
    """The published mean is NumPy's, whatever NumPy is installed."""
    if track:
        assert pairwise_sum(track) == float(np.sum(np.array(track)))
        assert mean_return(track) == float(np.mean(track))


@pytest.mark.parametrize("size", [1920, 3000, 30720])
def test_mean_return_of_long_tracks(size: int) -> None:
    """The order of additions matters more the longer the track."""
    (track,) = random_band(size, 1, size)
    assert mean_return(track) == float(np.mean(track))


def test_nothing_published_is_negative_zero() -> None:
    """Minus zero is written 0."""
    assert math.copysign(1.0, mean_return([-0.0, -0.0])) == 1.0
    assert mean_return([]) == 0.0


@given(scores, st.randoms())
def test_permuting_rows_changes_nothing(values: list[float], chance: Any) -> None:
    """Any order of input rows gives the same sequence of scores and ranks."""
    shuffled = values.copy()
    chance.shuffle(shuffled)
    boards = [[column[i] for i in order(column)] for column in (values, shuffled)]
    assert boards[0] == boards[1]
    assert rank_cells(boards[0], marks=True) == rank_cells(boards[1], marks=True)


def test_order_is_stable_and_unscored_last() -> None:
    """Ties keep their order, and a row without a score is compared with nobody."""
    column = [0.5, None, 0.9, 0.5, None]
    assert order(column) == [2, 0, 3, 1, 4]
    assert neighbours(column) == [(2, 0), (0, 3)]
    assert neighbours([None]) == []


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        ([], []),
        ([None], ["-"]),
        ([0.3], ["1"]),
        ([0.9, 0.9, 0.9], ["1=", "1=", "1="]),
        ([0.9, 0.8, 0.8, 0.1], ["1", "2=", "2=", "4"]),
        ([0.90001, 0.90002 - 1e-9, 0.1], ["1~", "2~", "3"]),
        ([2.38e-7, 0.0, 0.0, None], ["1~", "2=", "2=", "-"]),
        ([0.5, 0.5, 0.49999], ["1=", "1=", "3~"]),
        ([0.5, 0.4999], ["1", "2"]),
    ],
)
def test_rank_marks(column: list[float | None], cells: list[str]) -> None:
    """Exact ties share a rank; those that only print alike are marked and keep theirs."""
    assert rank_cells(column, marks=True) == cells
    plain = [str(i + 1) if score is not None else "-" for i, score in enumerate(column)]
    assert rank_cells(column, marks=False) == plain


def test_marks_begin_with_a_release() -> None:
    """Versions are compared by number, not as text."""
    assert [has_marks(v) for v in ("0.9.0", "0.25.0", "0.26.0", "0.31.0", "1.0.0")] == [
        False,
        False,
        True,
        True,
        True,
    ]


@every_kernel
def test_same_sides_give_a_gap_of_exactly_zero(kernel: Kernel) -> None:
    """With train and test alike there is nothing to generalize to."""
    found = gap(kernel, BAND, BAND)
    assert (found.deflated_sharpe.value, found.mean_return) == (0.0, 0.0)


@every_kernel
def test_identical_entries_tie(kernel: Kernel) -> None:
    """Difference 0, p 1, verdict tied."""
    found = paired_difference(kernel, BAND, BAND, Bootstrap(n_boot=50))
    assert (found.point_diff, found.lo, found.hi, found.p_value) == (0.0, 0.0, 0.0, 1.0)
    assert (found.significant, found.verdict) == (False, "tied")


@given(st.integers(0, TRIALS_LIMIT - 1), st.integers(1, 1000))
def test_deflation_grows_with_trials(declared: int, more: int) -> None:
    """More declared trials never lower the bar nor raise the score."""
    fewer, greater = declared, min(declared + more, TRIALS_LIMIT)
    assert deflation_bar(NEW, fewer) <= deflation_bar(NEW, greater)
    track = BAND[0]
    assert deflated_sharpe(NEW, track, fewer) >= deflated_sharpe(NEW, track, greater)


def test_trials_saturate() -> None:
    """The footprint is added and the sum capped."""
    assert [effective_trials(n) for n in (0, 6, TRIALS_LIMIT)] == [50, 56, TRIALS_LIMIT]


def test_working_shows_every_step() -> None:
    """The steps behind a probability belong together."""
    found = working(NEW, BAND[0], 0.07)
    assert found.moments.sharpe == sharpe_ratio(NEW, BAND[0])
    expected = (found.moments.sharpe - 0.07) * math.sqrt(29) / math.sqrt(found.variance)
    assert found.score == expected
    assert working(NEW, [0.1], 0.0).probability == 0.0


@every_kernel
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_returns_that_are_not_finite(kernel: Kernel, value: float) -> None:
    """Every figure refuses them, naming seed and bar."""
    band = [[0.01, 0.02, 0.03], [0.01, 0.02, value]]
    place = rf"seed 1, bar 2 is not finite: {value!r}"
    for call in (score_row, interval, evaluate_side):
        with pytest.raises(FormulaDomainError, match=place):
            call(kernel, band)
    with pytest.raises(FormulaDomainError, match=place):
        judge_eligibility(kernel, band, None)
    with pytest.raises(FormulaDomainError, match=f"b: {place}"):
        paired_difference(kernel, [[0.1, 0.2, 0.3]] * 2, band)
    with pytest.raises(FormulaDomainError, match="seed 0, bar 2"):
        track_interval(kernel, band[1])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"trials": -1}, r"declared trials must be in \[0, 4294967295\], was -1"),
        ({"trials": 2**32}, "declared trials"),
        ({"alpha": 0.0}, r"alpha must be in \(0, 1\), was 0.0"),
        ({"alpha": 1.0}, "alpha"),
        ({"alpha": math.nan}, "alpha must be in .*, was nan"),
        ({"n_boot": -1}, "n_boot must not be negative"),
        ({"n_boot": RESAMPLES_LIMIT + 1}, "n_boot 1000001 is above 1000000"),
        ({"resample_seed": -1}, "resample seed must be in"),
        ({"resample_seed": 2**64}, "resample seed must be in"),
        ({"periods_per_year": 0.0}, "periods per year must be positive"),
        ({"periods_per_year": math.inf}, "periods per year must be positive"),
        ({"periods_per_year": math.nan}, "periods per year must be positive"),
    ],
)
@every_kernel
def test_settings_that_make_no_sense(
    kernel: Kernel, settings: dict[str, Any], message: str
) -> None:
    """No kernel is asked with them; the message names the parameter and its value."""
    chosen = replace(Bootstrap(), **settings)
    with pytest.raises(FormulaDomainError, match=message):
        interval(kernel, BAND, chosen)
    with pytest.raises(FormulaDomainError, match=message):
        paired_difference(kernel, BAND, BAND, chosen)


def test_more_draws_than_memory_allows() -> None:
    """Resamples times seeds have a stated limit."""
    band = [[0.01, 0.02]] * 20
    settings = Bootstrap(n_boot=DRAWS_LIMIT // 20 + 1)
    with pytest.raises(FormulaDomainError, match=f"above {DRAWS_LIMIT} draws"):
        interval(OLD, band, settings)


CONSTANT = "returns must not be constant: a constant series has no Sharpe ratio"
TOO_FEW = "seed bootstrap requires at least two independent seed units"
TOO_SHORT = "each seed requires at least two finite returns"


@pytest.mark.parametrize(
    ("band", "n_boot", "reason"),
    [
        ([], 10, TOO_FEW),
        ([[0.1, 0.2]], 1, TOO_FEW),
        ([[0.1, 0.2], [0.3, 0.1]], 1, "n_boot must be at least two"),
        ([[0.1, 0.2], [0.3]], 10, TOO_SHORT),
        ([[0.001] * 50, [0.001] * 50], 10, CONSTANT),
        ([[0.0, -0.0], [0.0, 0.0]], 10, CONSTANT),
        ([[1e300, -1e300], [1e300, 1e299]], 10, "seed-bootstrap statistic is not finite"),
        ([[1e-200, 2e-200], [3e-200, 1e-200]], 10, "Sharpe ratio is not finite"),
    ],
)
def test_the_new_kernels_refusals(band: list[list[float]], n_boot: int, reason: str) -> None:
    """Each with the kernel's own text; the old kernel refuses nothing."""
    with pytest.raises(KernelRefusalError) as refusal:
        interval(NEW, band, Bootstrap(n_boot=n_boot))
    assert refusal.value.reason == reason
    assert 0.0 <= interval(OLD, band, Bootstrap(n_boot=n_boot)).point <= 1.0


def test_unequal_bands() -> None:
    """The new kernel refuses them, the old one compares the common prefix."""
    for other in (BAND[:4], [series[:-1] for series in BAND]):
        with pytest.raises(KernelRefusalError, match="per-pair return lengths must match"):
            paired_difference(NEW, BAND, other)
    found = paired_difference(OLD, BAND, BAND[:4], Bootstrap(n_boot=20))
    assert found == paired_difference(OLD, BAND[:4], BAND[:4], Bootstrap(n_boot=20))


def test_old_kernel_without_resamples() -> None:
    """No resample leaves the point; p is 0 for any difference."""
    found = paired_difference(OLD, BAND, [s[::-1] for s in BAND[::-1]], Bootstrap(n_boot=0))
    assert found.lo == found.hi == found.point_diff
    shifted = [[x + 0.01 for x in series] for series in BAND]
    better = paired_difference(OLD, shifted, BAND, Bootstrap(n_boot=0))
    assert (better.significant, better.verdict, better.p_value) == (True, "a_better", 0.0)
    assert interval(OLD, BAND, Bootstrap(n_boot=0)).width == 0.0


def test_constant_seed_makes_the_rate_unavailable() -> None:
    """One seed that cannot be scored is enough, while the score stands."""
    band = [*BAND, [0.001] * 30]
    row = score_row(NEW, band)
    assert row.score.value is not None
    assert row.pass_k_rate is None
    assert evaluate_side(NEW, band).pass_k_rate == sum(
        deflated >= 0.9 for deflated in [working(NEW, s, 0.0).probability for s in BAND]
    ) / len(band)
    assert pass_rate(OLD, [*BAND, [0.1]]) == pass_rate(OLD, BAND)


def test_a_row_of_one_bar() -> None:
    """The new board does not even ask the kernel; the old one scores 0."""
    row = score_row(NEW, [[0.1]])
    assert row.score.status == (
        "unavailable_scoring_kernel_value: deflated_sharpe is None, not a number"
    )
    assert score_row(OLD, [[0.1]]).score.value == 0.0
    assert pass_rate(OLD, [[0.1]]) == 0.0
    side = evaluate_side(NEW, [[0.1]])
    assert side.score.status == (
        "unavailable_scoring_kernel_error: "
        "bootstrap_error: at least 2 observations are required, got 1; "
        "deflation_error: at least 2 observations are required, got 1"
    )


def test_a_gap_takes_the_reason_of_the_side_that_has_none() -> None:
    """The first unavailable side decides."""
    flat, good = [[0.0] * 9], BAND
    assert CONSTANT in gap(NEW, flat, good).deflated_sharpe.status
    assert CONSTANT in gap(NEW, good, flat).deflated_sharpe.status
    assert gap(NEW, flat, [[0.1]]).deflated_sharpe.status.endswith(CONSTANT)
    assert gap(NEW, good, flat).deflated_sharpe.value is None


@pytest.mark.parametrize(
    "call",
    [
        lambda: quantile([], 0.5),
        lambda: quantile([1.0], 1.5),
        lambda: position(math.nan, 3),
        lambda: pass_rate(NEW, []),
        lambda: stream(-1, 0, 1),
        lambda: index_table(2**64, 1, 1),
        lambda: indices_below(stream(0, 0, 1), 0),
        lambda: prior_deviation(NEW, -252.0),
        lambda: block_p_value([0.1] * 9, n_boot=10**8),
        lambda: block_p_value([0.1], restart=1.5),
        lambda: judge_eligibility(NEW, BAND, None, 0, Scorer(n_boot=0)),
        lambda: judge_eligibility(NEW, BAND, None, -1),
        lambda: track_interval(OLD, []),
        lambda: track_interval(OLD, [0.1, 0.2], level=1.0),
        lambda: track_interval(NEW, [0.1, 0.1]),
        lambda: score_row(OLD, [[1.7e308, 1.7e308]]),
        lambda: interval(OLD, [[1e308, -1e308], [1.7e308, 1.7e308]]),
        # The whole band has a statistic here, and the first seed drawn twice has none.
        lambda: interval(OLD, [[1.5e308, 0.0], [-1.5e308, 0.0]]),
    ],
)
def test_other_bad_input(call: Any) -> None:
    """One kind of error, and no other."""
    with pytest.raises(FormulaDomainError):
        call()


def test_a_deviation_that_overflows() -> None:
    """Its reason comes before that of a Sharpe ratio."""
    track = [1e160, -1e160, 3e159]
    assert NEW.track_error(track) == "return standard deviation is not finite"
    assert NEW.bootstrap_error(track) is None
    assert sample_deviation([0.1]) == 0.0


def test_no_returns_have_no_p_value_nor_drawdown() -> None:
    """Nothing happened."""
    assert block_p_value([]) == 1.0
    assert maximum_drawdown([]) == 0.0
    assert maximum_drawdown([-1.5]) == 1.5
