"""How far the kernels are from the true deflated Sharpe ratio, by 50-digit arithmetic."""

import json
import math
from typing import Any, Final

import mpmath
import numpy as np
import pytest
from sharpe_vectors import VECTORS, VERSIONS, close, read

from formulas.errors import FormulaError
from formulas.sharpe.deflated import (
    deflated_sharpe,
    deflation_bar,
    expected_maximum_sharpe,
    probabilistic_sharpe,
)
from formulas.sharpe.interval import interval
from formulas.sharpe.kernel import Kernel
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.moments import moments
from formulas.sharpe.normal import CDF_ERROR, INVERSE_ERROR, cdf, erf, inverse_cdf
from formulas.sharpe.quantile import quantile
from formulas.sharpe.series import pool
from formulas.sharpe.tracks import SeedTable, track_scores

NEW: Final = KERNELS["0.28.0"]


def cases(name: str) -> list[dict[str, Any]]:
    """Cases composed by hand."""
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_bytes())["cases"]
    return found


def fraction(text: str) -> float:
    """Decimal or exact fraction of a case, as the nearest double."""
    over, _, under = text.partition("/")
    return float(over) / float(under or 1)


def true_deflated_sharpe(kernel: Kernel, track: list[float], bar: Any) -> Any:
    """The definition without rounding, under the kernel's choice of moments."""
    x = [mpmath.mpf(value) for value in track]
    n = len(x)
    m = mpmath.fsum(x) / n
    squares = mpmath.fsum((value - m) ** 2 for value in x)
    s = mpmath.sqrt(squares / (n - 1))
    u = mpmath.sqrt(squares / n) if kernel.population_moments else s
    g3 = mpmath.fsum(((value - m) / u) ** 3 for value in x) / n
    g4 = mpmath.fsum(((value - m) / u) ** 4 for value in x) / n
    sr = m / s
    v = 1 - g3 * sr + (g4 - 1) / 4 * sr**2
    return mpmath.ncdf((sr - bar) * mpmath.sqrt(n - 1) / mpmath.sqrt(v))


def true_bar(deviation: Any, trials: int) -> Any:
    """The expected maximum without rounding."""

    def z(p: Any) -> Any:
        return mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1)

    best = z(1 - mpmath.mpf(1) / trials)
    beyond = z(1 - 1 / (trials * mpmath.e))
    return deviation * ((1 - mpmath.euler) * best + mpmath.euler * beyond)


def test_distance_of_the_distribution() -> None:
    """The stated distance holds everywhere looked, and is nearly reached."""
    with mpmath.workdps(30):
        found = max(abs(cdf(k / 200) - mpmath.ncdf(k / 200)) for k in range(-1800, 1801))
    assert CDF_ERROR / 1.1 < found <= CDF_ERROR


def test_distance_of_the_inverse() -> None:
    """The stated relative error holds for every number of trials a bar is set by."""
    with mpmath.workdps(40):
        worst = 0.0
        for trials in [*range(2, 400), 10**3, 10**4, 10**6, 2**32 - 1]:
            for p in (1.0 - 1.0 / trials, 1.0 - 1.0 / (trials * math.e)):
                truth = mpmath.sqrt(2) * mpmath.erfinv(2 * mpmath.mpf(p) - 1)
                if truth:
                    worst = max(worst, abs(inverse_cdf(p) / truth - 1))
    assert worst <= INVERSE_ERROR


def test_edges_of_the_inverse() -> None:
    """Certainty has no finite value, and both tails are mirrored."""
    assert inverse_cdf(0.0) == inverse_cdf(-1.0) == -math.inf
    assert inverse_cdf(1.0) == inverse_cdf(2.0) == math.inf
    assert inverse_cdf(0.01) == pytest.approx(-inverse_cdf(0.99), rel=1e-12)


def test_erf_is_odd_but_at_zero() -> None:
    """The sign of zero counts as positive, so the approximation jumps there."""
    assert erf(-0.0) == erf(0.0) > 0.0
    assert all(erf(-k / 7) == -erf(k / 7) for k in range(1, 60))


@pytest.mark.parametrize("folder", VERSIONS)
def test_boards_are_near_the_truth(folder: str) -> None:
    """The published scores of a board are within the approximation's error of the true ones."""
    kernel = VERSIONS[folder]
    with mpmath.workdps(50):
        bar = true_bar(mpmath.mpf("0.5") / mpmath.sqrt(252), 56)
        assert abs(deflation_bar(kernel, 6) / bar - 1) < INVERSE_ERROR
        for row in read(f"{folder}/board_calm.json")["rows"]:
            track = pool(row["per_seed_returns"])
            if any(track):
                truth = true_deflated_sharpe(kernel, track, bar)
                # The bar's own error moves the score by far less than a digit of this.
                assert abs(deflated_sharpe(kernel, track, 6) - truth) < 1.1 * CDF_ERROR


@pytest.mark.parametrize(
    "case",
    [c for c in cases("ref-deflated-sharpe") if "sr" in c["expected"]],
    ids=lambda c: c["id"],
)
def test_composed_probabilities(case: dict[str, Any]) -> None:
    """Bar and deflated Sharpe from given moments, and none of the known mistakes."""
    given, expected = case["input"], case["expected"]
    years = float(given["periods_per_year"])
    deviation = math.sqrt(float(given["trial_variance_annual"]) / years)
    sr = float(given["sr_annual"]) / math.sqrt(years)
    bar = expected_maximum_sharpe(deviation, int(given["n_trials"]))
    assert bar == pytest.approx(float(expected["sr0"]), rel=2 * INVERSE_ERROR, abs=0.0)
    v = 1.0 - float(given["skew"]) * sr + (float(given["kurtosis_raw"]) - 1.0) / 4.0 * sr * sr
    if expected["dsr"] is None:
        # Moments that no returns have: g4 >= 1 + g3^2 keeps v from being negative.
        assert v < 0.0
        return
    found = cdf((sr - bar) * math.sqrt(int(given["n_obs"]) - 1) / math.sqrt(v))
    assert close(found, float(expected["dsr"]), 1.1 * CDF_ERROR)


@pytest.mark.parametrize(
    "case",
    [c for c in cases("ref-deflated-sharpe") if "returns" in c["input"]],
    ids=lambda c: c["id"],
)
def test_composed_moments(case: dict[str, Any]) -> None:
    """Moments under the new kernel's convention: sample deviation, population moments."""
    track, expected = [float(x) for x in case["input"]["returns"]], case["expected"]
    m = moments(NEW, track)
    assert close(m.mean, fraction(expected["mean"]), 1e-15)
    assert close(m.deviation**2, fraction(expected["variance_sample"]), 1e-15)
    if "skew_population" in expected:
        assert close(m.sharpe, float(expected["sharpe_sample_sd"]), 1e-13)
        assert close(m.skewness, float(expected["skew_population"]), 1e-12)
        assert close(m.kurtosis, float(expected["kurtosis_raw_population"]), 1e-12)
        truth = float(expected["psr_zero_sample_sd_population_moments"])
        assert close(probabilistic_sharpe(NEW, track, 0.0), truth, CDF_ERROR)
    else:
        assert expected["sharpe"] is None
        assert "must not be constant" in str(NEW.track_error(track))


@pytest.mark.parametrize("case", cases("bootstrap-ci"), ids=lambda case: case["id"])
def test_composed_bootstraps(case: dict[str, Any]) -> None:
    """Quantiles by the published rule, paired resamples with given indices, printed shares."""
    given, expected = case["input"], case["expected"]
    if "values" in given:
        found = quantile([float(v) for v in given["values"]], float(given["p"]))
        assert found == pytest.approx(fraction(expected["linear_n_minus_1"]), rel=1e-15)
    elif "resample_indices" in given:
        check_paired(given, expected)
    elif "passes" in given:
        assert f"{given['passes'] / given['runs']:.2f}" == expected["two_decimals_half_even"]
    else:
        band = [[float(x) for x in series] for series in given["per_seed_returns"]]
        with pytest.raises(FormulaError, match="at least two independent seed units"):
            interval(NEW, band)
        old = interval(KERNELS["0.5.0"], band)
        assert old.width == float(expected["width"])


def check_paired(given: dict[str, Any], expected: dict[str, Any]) -> None:
    """Statistics of both entries on the given resamples, their quantiles, and the difference."""
    deviation = math.sqrt(float(given["trial_variance_annual"]) / float(given["periods_per_year"]))
    bar = expected_maximum_sharpe(deviation, int(given["n_trials"]))
    assert bar == pytest.approx(float(expected["bar"]), rel=2 * INVERSE_ERROR)
    draws = np.array(given["resample_indices"])
    scores = {}
    for entry in "ab":
        band = [[float(x) for x in series] for series in given[f"per_seed_returns_{entry}"]]
        point = probabilistic_sharpe(NEW, pool(band), bar)
        assert close(point, float(expected[f"point_{entry}"]), 1.1 * CDF_ERROR)
        table = SeedTable(band)
        scores[entry] = track_scores(NEW, table, draws, bar).tolist()
        for found, truth in zip(scores[entry], expected[f"resampled_{entry}"], strict=True):
            assert close(found, float(truth), 1.1 * CDF_ERROR)
    for q, truth in zip((0.025, 0.975), expected["ci_a_linear_n_minus_1"], strict=True):
        assert close(quantile(scores["a"], q), float(truth), 1.1 * CDF_ERROR)
    differences = [a - b for a, b in zip(scores["a"], scores["b"], strict=True)]
    bounds = [quantile(differences, q) for q in (0.025, 0.975)]
    for found, truth in zip(bounds, expected["diff_ci_linear_n_minus_1"], strict=True):
        assert close(found, float(truth), 2.2 * CDF_ERROR)
    assert (bounds[0] <= 0.0 <= bounds[1]) is expected["zero_inside"]
