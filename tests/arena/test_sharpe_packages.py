"""
The public packages against the formulas, on returns that nobody published.

A group of its own: it needs ``sharpebench`` and ``sharpearena`` (group ``arena``),
whose releases decide which kernel is compared, and is skipped without them.
"""

import json
import math
import random
from importlib import metadata
from typing import Any, Final

import pytest

from formulas.sharpe.block_bootstrap import block_p_value
from formulas.sharpe.deflated import (
    deflated_sharpe,
    expected_maximum_sharpe,
    probabilistic_sharpe,
)
from formulas.sharpe.eligibility import judge_eligibility
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import Kernel, KernelRefusalError
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, KERNELS
from formulas.sharpe.moments import moments
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.process import judge_process
from formulas.sharpe.seeds import bands

sharpebench: Final[Any] = pytest.importorskip(
    "sharpebench", reason="the public package sharpebench is not installed (group arena)"
)
sharpearena: Final[Any] = pytest.importorskip(
    "sharpearena", reason="the public package sharpearena is not installed (group arena)"
)

# Two of the modules lie: the distribution's metadata says which release this is.
RELEASE: Final = metadata.version("sharpearena")
if RELEASE not in KERNEL_OF_RELEASE:
    pytest.skip(f"no formulas for sharpearena {RELEASE}", allow_module_level=True)
KERNEL: Final[Kernel] = KERNELS[KERNEL_OF_RELEASE[RELEASE]]
REFUSES: Final = not KERNEL.pairs_by_prefix


def random_tracks(count: int) -> list[list[float]]:
    """Tracks of many scales, drifts, tails and lengths."""
    source = random.Random(20261129)
    found = []
    for _ in range(count):
        n = source.choice([2, 3, 4, 5, 21, 120, 700])
        scale = 10.0 ** source.randint(-9, 3)
        drift = source.choice([0.0, 0.05, -0.2, 1.0, 30.0]) * scale
        tail = source.choice([1, 3])
        found.append([drift + scale * source.gauss(0.0, 1.0) ** tail for _ in range(n)])
    return found


def random_bands(count: int, *, ragged: bool = False) -> list[list[list[float]]]:
    """Bands of a few seeds, of equal length unless ragged."""
    source = random.Random(5)
    found = []
    for _ in range(count):
        seeds, bars = source.randint(2, 7), source.randint(2, 40)
        drift = source.choice([-0.01, 0.0, 0.001, 0.01])
        lengths = [source.randint(2, 40) if ragged else bars for _ in range(seeds)]
        found.append([[source.gauss(drift, 0.01) for _ in range(n)] for n in lengths])
    return found


def refusal(call: Any) -> str | None:
    """The reason of a refused call of ours."""
    try:
        call()
    except KernelRefusalError as error:
        return error.reason
    return None


def their_refusal(call: Any) -> str | None:
    """The reason of a refused call of theirs, without its code."""
    try:
        call()
    except ValueError as error:
        return str(error).removeprefix("[INVALID_ARGUMENT] ")
    return None


@pytest.mark.parametrize("track", random_tracks(150), ids=len)
def test_random_tracks(track: list[float]) -> None:
    """Moments, PSR, deflated Sharpe and typed errors of random tracks."""
    theirs, ours = sharpebench.moments(track), moments(KERNEL, track)
    assert [ours.mean, ours.deviation, ours.skewness, ours.kurtosis] == [
        theirs[name] for name in ("mean", "std_dev", "skew", "kurtosis")
    ]
    assert ours.sharpe == sharpebench.sharpe_ratio(track)
    for bar in (0.0, 0.07, -1.0):
        published = sharpebench.probabilistic_sharpe_ratio(track, bar)
        assert probabilistic_sharpe(KERNEL, track, bar) == published
    run = json.loads(sharpearena.score_run(track, 6))
    assert KERNEL.track_error(track) == run.get("deflation_error")
    assert deflated_sharpe(KERNEL, track, 6) == run["deflated_sharpe"]
    found = judge_eligibility(KERNEL, [track], judge_process([[]]), 6)
    assert (found.bootstrap_p, found.passed_k) == (run["bootstrap_p"], run["passed_k"])
    assert found.eligible == run["rank_eligible"]
    # Their JSON writes an overflow as null.
    drawdown = found.max_drawdown if math.isfinite(found.max_drawdown) else None
    assert drawdown == run["max_drawdown"]


def test_random_bars() -> None:
    """The expected maximum for random dispersions and numbers of trials."""
    source = random.Random(3)
    for _ in range(3000):
        deviation, trials = source.random() * 3, int(2 ** (source.random() * 32))
        published = sharpebench.expected_max_sharpe(deviation, trials)
        assert expected_maximum_sharpe(deviation, trials) == published


@pytest.mark.parametrize("ragged", [False, True])
def test_random_intervals(*, ragged: bool) -> None:
    """Intervals under random settings, with seeds of equal and of unequal length."""
    source = random.Random(7)
    for band in random_bands(60, ragged=ragged):
        trials, n_boot = source.choice([0, 6, 950, 2**32 - 1]), source.randint(2, 300)
        seed, alpha = source.getrandbits(64), source.choice([0.01, 0.05, 0.32, 0.9])
        theirs = sharpearena.deflated_sharpe_ci(
            band, trials, n_boot=n_boot, resample_seed=seed, alpha=alpha
        )
        settings = Bootstrap(trials=trials, n_boot=n_boot, resample_seed=seed, alpha=alpha)
        ours = interval(KERNEL, band, settings)
        assert theirs == {name: getattr(ours, name) for name in theirs}


def test_random_pairs() -> None:
    """Paired tests of entries that share much of their path."""
    source = random.Random(9)
    for a in random_bands(60):
        share, noise = source.random(), source.choice([0.0, 0.001, 0.01])
        b = [[share * x + source.gauss(0.0, noise) for x in series] for series in a]
        theirs = sharpearena.paired_dsr_diff(a, b, 3, n_boot=200)
        ours = paired_difference(KERNEL, a, b, Bootstrap(trials=3, n_boot=200))
        assert theirs == {name: getattr(ours, name) for name in theirs}


ODD_TRACKS: Final = [
    [],
    [0.1],
    [-0.1],
    [0.0, -0.0, 0.0],
    [0.001] * 50,
    [1.7e308, 1.7e308],
    [1e160, -1e160, 3e159],
    [1e-200, -1e-200, 2e-200],
    [5e-324] * 4,
    [0.001] * 50 + [math.nextafter(0.001, 1.0)],
    [1.0, 1.0 + 1e-15],
    [-1.0, 0.5, 0.1],
]


@pytest.mark.skipif(not REFUSES, reason="this kernel has no typed errors")
@pytest.mark.parametrize("track", ODD_TRACKS, ids=repr)
def test_typed_errors(track: list[float]) -> None:
    """Where the kernel refuses a track, with its own words."""
    run = json.loads(sharpearena.score_run(track, 0))
    assert KERNEL.track_error(track) == run.get("deflation_error")
    assert KERNEL.bootstrap_error(track) == run.get("bootstrap_error")


@pytest.mark.skipif(not REFUSES, reason="this kernel refuses nothing")
@pytest.mark.parametrize("n_boot", [1, 2, 20])
def test_refusals_of_bands(n_boot: int) -> None:
    """Which refusal comes first, for intervals and for pairs of odd bands."""
    odd = [[track, track[::-1]] for track in ODD_TRACKS] + [[[0.1, 0.2, 0.3]], []]
    odd += [[[0.01, 0.02, -0.01], [0.02, -0.01, 0.03]], [[0.01, 0.02], [0.02, -0.01], [0.3, 0.1]]]
    settings = Bootstrap(n_boot=n_boot)
    for a in odd:
        ours = refusal(lambda a=a: interval(KERNEL, a, settings))
        theirs = their_refusal(lambda a=a: sharpearena.deflated_sharpe_ci(a, n_boot=n_boot))
        assert ours == theirs
        for b in odd:
            ours = refusal(lambda a=a, b=b: paired_difference(KERNEL, a, b, settings))
            theirs = their_refusal(
                lambda a=a, b=b: sharpearena.paired_dsr_diff(a, b, n_boot=n_boot)
            )
            assert ours == theirs, (a, b)


def test_block_bootstrap() -> None:
    """The stationary bootstrap under random settings."""
    source = random.Random(13)
    for track in random_tracks(60):
        if KERNEL.bootstrap_error(track):
            continue
        seed, n_boot = source.getrandbits(64), source.randint(1, 200)
        restart = source.choice([0.05, 0.1, 0.5])
        theirs = sharpebench.bootstrap_pvalue(track, seed, n_boot, restart)
        ours = block_p_value(track, seed=seed, n_boot=n_boot, restart=restart)
        assert ours == (theirs["p_value"] if isinstance(theirs, dict) else theirs)


def test_bands() -> None:
    """Seed bands of random sizes."""
    source = random.Random(17)
    for _ in range(200):
        sizes = [source.randint(0, 50) for _ in range(4)]
        theirs = sharpearena.train_test_seeds(*sizes)
        ours = bands(*sizes)
        assert tuple(theirs) == (list(ours.train), list(ours.test))
