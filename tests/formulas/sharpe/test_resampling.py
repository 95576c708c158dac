"""Resampling: fast, and the same bits as the plain loops it stands for."""

import math
import random
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sharpe_vectors import one_by_one, random_band

from formulas.sharpe import block_bootstrap, tracks
from formulas.sharpe.block_bootstrap import SEED_MASK, block_p_value
from formulas.sharpe.deflated import deflation_bar
from formulas.sharpe.enclosures import enclose
from formulas.sharpe.interval import Bootstrap, interval, locate_scores
from formulas.sharpe.kernel import Kernel
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.locate import Located
from formulas.sharpe.normal import ERF_COEFFICIENTS, cdf
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.quantile import quantile
from formulas.sharpe.series import mean
from formulas.sharpe.splitmix import INCREMENT, MASK, index_below, index_table, indices_below, mix
from formulas.sharpe.tracks import SeedTable, track_scores

kernels = st.sampled_from(sorted(KERNELS.values(), key=lambda kernel: kernel.name))
scales = st.sampled_from([1e-200, 1e-61, 1e-30, 1e-9, 1e-3, 1.0, 1e30, 1e61, 1e152])
shifts = st.sampled_from([0.0, 1e-12, 1e-3, -0.5, 1.0, 1e3, -1e9, 1e15])


@st.composite
def hostile_bands(draw: st.DrawFn) -> list[list[float]]:
    """Bands of any scale, shifted far off or hardly at all, with constant and ragged seeds."""
    scale, shift = draw(scales), draw(shifts)
    source = random.Random(draw(st.integers(0, 2**32)))
    lengths = draw(st.lists(st.integers(0, 9), min_size=1, max_size=6))
    if draw(st.booleans()):
        lengths = [max(lengths)] * len(lengths)
    band = []
    for length in lengths:
        moving = source.random() < 0.8
        level = shift * scale + source.choice([0.0, source.gauss(0.0, scale)])
        band.append([level + (source.gauss(0.0, scale) if moving else 0.0) for _ in range(length)])
    return band


def draw_rows(band: list[list[float]], rows: int, seed: int) -> NDArray[np.int64]:
    """Draws of an interval call."""
    return index_table(seed, rows, len(band))


@given(st.integers(0, MASK), st.integers(1, 9), st.integers(1, 5))
def test_index_table_is_the_scalar_generator(seed: int, k: int, rows: int) -> None:
    """Draw after draw of one stream, k for each resample."""
    state, expected = seed, []
    for _ in range(rows * k):
        state = (state + INCREMENT) & MASK
        expected.append(index_below(mix(state), k))
    assert index_table(seed, rows, k).ravel().tolist() == expected


@given(st.lists(st.integers(0, MASK), min_size=1), st.integers(1, 2**32 - 1))
@example([0, MASK], 2**32 - 1)
def test_indices_use_the_128_bit_product(outputs: list[int], k: int) -> None:
    """An index is the upper half of output * k, for every number of seeds."""
    found = indices_below(np.array(outputs, dtype=np.uint64), k).tolist()
    assert found == [index_below(output, k) for output in outputs]


@given(kernels, hostile_bands(), st.integers(0, 2**64 - 1))
@settings(max_examples=200)
def test_columns_are_the_scalar_formula(kernel: Kernel, band: list[list[float]], seed: int) -> None:
    """Every resample of a block has the bits of the formula that handles one track."""
    draws = draw_rows(band, 9, seed)
    plain = one_by_one(kernel, band, draws.tolist(), 0.07)
    if all(map(math.isfinite, plain)):
        assert track_scores(kernel, SeedTable(band), draws, 0.07).tolist() == plain


@pytest.mark.parametrize("columns", [2, 7, 256])
@pytest.mark.parametrize("chunk", [1, 1000, 2**15])
def test_chunks_change_no_bit(monkeypatch: pytest.MonkeyPatch, columns: int, chunk: int) -> None:
    """However the work is cut, the additions go on where they ended."""
    monkeypatch.setattr(tracks, "COLUMNS", columns)
    monkeypatch.setattr(tracks, "CHUNK", chunk)
    kernel, band = KERNELS["0.28.0"], random_band(1, 5, 40)
    draws = draw_rows(band, 15, 3)
    plain = one_by_one(kernel, band, draws.tolist(), 0.01)
    assert track_scores(kernel, SeedTable(band), draws, 0.01).tolist() == plain


@given(kernels, hostile_bands(), st.integers(0, 2**64 - 1), st.sampled_from([0.0, 0.07, -3.0]))
@settings(max_examples=400)
def test_bounds_hold(kernel: Kernel, band: list[list[float]], seed: int, bar: float) -> None:
    """The kernel's statistic of every resample lies within its bounds."""
    draws = draw_rows(band, 20, seed)
    low, high = enclose(kernel, SeedTable(band), draws, bar)
    for exact, floor, ceiling in zip(
        one_by_one(kernel, band, draws.tolist(), bar), low, high, strict=True
    ):
        assert math.isnan(exact) or floor <= exact <= ceiling


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("drift", [-0.01, -0.003, 0.0, 0.0004, 0.003, 0.02])
def test_bounds_hold_and_are_narrow(kernel: Kernel, drift: float) -> None:
    """On ordinary returns every bound holds, and is narrow: the fast way is taken."""
    band = random_band(7, 16, 60, drift=drift)
    draws, bar = draw_rows(band, 500, 1), deflation_bar(KERNELS["0.5.0"], 6)
    low, high = enclose(kernel, SeedTable(band), draws, bar)
    exact = track_scores(kernel, SeedTable(band), draws, bar)
    assert ((low <= exact) & (exact <= high)).all()
    assert (high - low).max() < 1e-9


def test_saturated_bounds_are_exact() -> None:
    """Step 6: from 8.5 on the kernels' distribution function is 0 or 1, so nothing is open."""
    assert (cdf(8.5), cdf(-8.5)) == (1.0, 0.0)
    assert all(cdf(8.5 + step / 100) == 1.0 for step in range(1000))
    assert all(cdf(-8.5 - step / 100) == 0.0 for step in range(1000))
    kernel = KERNELS["0.28.0"]
    for drift, value in ((0.05, 1.0), (-0.05, 0.0)):
        band = random_band(2, 8, 60, drift=drift)
        low, high = enclose(kernel, SeedTable(band), draw_rows(band, 50, 1), 0.07)
        assert low.tolist() == high.tolist() == [value] * 50


def test_the_kernels_distribution_increases() -> None:
    """Step 5: t*q(t) increases on (0, 1], shown exactly: its derivative stays positive."""
    # t*q(t) = c0*t + ... + c4*t^5; the coefficients run from the highest power down.
    coefficients = [Fraction(c) for c in reversed(ERF_COEFFICIENTS)]
    derivative = [(power + 1) * c for power, c in enumerate(coefficients)]
    steepest = sum(power * abs(c) for power, c in enumerate(derivative))
    parts = 1000
    for part in range(parts):
        left = sum(c * Fraction(part, parts) ** power for power, c in enumerate(derivative))
        assert left > steepest / parts


def values_and_bounds(
    draw_count: int, seed: int
) -> tuple[list[float], NDArray[np.float64], NDArray[np.float64]]:
    """Values with bounds around them, many equal, some known exactly."""
    source = random.Random(seed)
    values = [source.choice([0.0, 1.0, source.random()]) for _ in range(draw_count)]
    slack = [source.choice([0.0, source.random() ** 4]) for _ in values]
    low = np.array([v - s * source.random() for v, s in zip(values, slack, strict=True)])
    high = np.array([v + s for v, s in zip(values, slack, strict=True)])
    return values, np.minimum(low, values), np.maximum(high, values)


@given(st.integers(1, 40), st.integers(0, 2**32), st.data())
def test_order_statistics_behind_bounds(count: int, seed: int, data: st.DataObject) -> None:
    """Whatever the bounds, the order statistics are those of the values."""
    values, low, high = values_and_bounds(count, seed)
    ranks = data.draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=4))
    asked: list[int] = []

    def compute(at: NDArray[np.int64]) -> NDArray[np.float64]:
        asked.extend(at.tolist())
        return np.array(values)[at]

    located = Located(low, high, compute)
    assert located.order_statistics(ranks) == [sorted(values)[rank] for rank in ranks]
    assert len(asked) == len(set(asked))


def test_few_resamples_are_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 2,000 resamples a handful is computed: the neighbours of the two quantiles."""
    computed: list[int] = []

    def counting(
        kernel: Kernel, table: SeedTable, draws: NDArray[np.int64], bar: float
    ) -> NDArray[np.float64]:
        computed.append(len(draws))
        return track_scores(kernel, table, draws, bar)

    monkeypatch.setattr(tracks, "track_scores", counting)
    interval(KERNELS["0.28.0"], random_band(3, 16, 120, drift=0.0007))
    assert sum(computed) <= 8


@given(kernels, hostile_bands(), st.sampled_from([0.05, 0.3, 0.9]))
@settings(max_examples=100)
def test_interval_is_the_plain_bootstrap(
    kernel: Kernel, band: list[list[float]], alpha: float
) -> None:
    """Locating changes nothing: the quantiles are those of all statistics, sorted."""
    options = Bootstrap(n_boot=41, alpha=alpha, trials=6, resample_seed=9)
    if kernel.band_error(band, 41) or kernel.statistic_error(band):
        return
    bar = deflation_bar(kernel, 6)
    plain = one_by_one(kernel, band, draw_rows(band, 41, 9).tolist(), bar)
    if not all(map(math.isfinite, plain)):
        return
    found = interval(kernel, band, options)
    assert found.lo == quantile(plain, alpha / 2.0)
    assert found.hi == quantile(plain, 1.0 - alpha / 2.0)


@pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("drift", [-0.03, 0.0, 0.002, 0.03])
def test_paired_test_is_the_plain_bootstrap(kernel: Kernel, drift: float) -> None:
    """The same holds for differences, and for the counts behind the p-value."""
    a, b = random_band(4, 6, 30, drift=drift), random_band(5, 6, 30, drift=drift)
    options = Bootstrap(n_boot=301, alpha=0.1, resample_seed=2**64 - 1)
    bar = deflation_bar(kernel, 0)
    rows = draw_rows(a, 301, options.resample_seed).tolist()
    plain = [
        x - y
        for x, y in zip(
            one_by_one(kernel, a, rows, bar), one_by_one(kernel, b, rows, bar), strict=True
        )
    ]
    found = paired_difference(kernel, a, b, options)
    assert found.lo == quantile(plain, 0.05)
    assert found.hi == quantile(plain, 0.95)
    counts = sum(d <= 0.0 for d in plain), sum(d >= 0.0 for d in plain)
    assert found.p_value == min(1.0, 2.0 * (min(counts) / 301))


def test_all_values_on_demand() -> None:
    """Asked for every resample, the located values are the exact ones."""
    kernel, band = KERNELS["0.5.0"], random_band(6, 4, 20)
    options = Bootstrap(n_boot=30)
    located = locate_scores(kernel, band, options, 0.02)
    plain = one_by_one(kernel, band, draw_rows(band, 30, options.resample_seed).tolist(), 0.02)
    assert located.values(np.arange(30)).tolist() == plain


def plain_p_value(track: list[float], seed: int, n_boot: int, restart: float) -> float:
    """The stationary bootstrap as its rules read, draw by draw."""
    m, n, state = mean(track), len(track), (seed ^ SEED_MASK) & MASK

    def uniform() -> float:
        nonlocal state
        state = (state + INCREMENT) & MASK
        return (mix(state) >> 11) / 2.0**53

    def index() -> int:
        return min(int(uniform() * n), n - 1)

    reached = 0
    for _ in range(n_boot):
        i, total = index(), 0.0
        for _ in range(n):
            total += track[i] - m
            i = index() if uniform() < restart else (i + 1) % n
        reached += total / n >= m
    return (reached + 1) / (n_boot + 1)


@given(
    st.integers(1, 60),
    st.integers(0, MASK),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.1, 0.6, 1.0]),
)
def test_block_bootstrap_is_the_plain_one(n: int, seed: int, n_boot: int, restart: float) -> None:
    """Blocks found ahead of the returns give the p-value of drawing bar by bar."""
    source = random.Random(n)
    track = [abs(source.gauss(0.002, 0.01)) - 0.004 for _ in range(n)]
    # Restarts at every bar walk a chunk through for each resample; small ones are soon through.
    with patch.object(block_bootstrap, "CHUNK", 1_000):
        found = block_p_value(track, seed=seed, n_boot=n_boot, restart=restart)
    plain = plain_p_value(track, seed, n_boot, restart) if mean(track) > 0 else 1.0
    assert found == plain


def test_block_bootstrap_over_several_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream is read in chunks, which leave no trace."""
    track = [0.01, -0.005, 0.02, -0.012, 0.003]
    plain = plain_p_value(track, 5, 400, 0.2)
    assert block_p_value(track, seed=5, n_boot=400, restart=0.2) == plain
    block_bootstrap.block_paths.cache_clear()
    monkeypatch.setattr(block_bootstrap, "CHUNK", 3)
    monkeypatch.setattr(block_bootstrap, "CELLS", 12)
    assert block_p_value(track, seed=5, n_boot=400, restart=0.2) == plain
    block_bootstrap.block_paths.cache_clear()
