"""Every published figure of both releases is recomputed to the last bit."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sharpe_vectors import VERSIONS, boards, bootstrap, cases, find, is_finite, read

from formulas.errors import FormulaError
from formulas.sharpe.deflated import (
    deflated_sharpe,
    deflation_bar,
    expected_maximum_sharpe,
    prior_deviation,
    probabilistic_sharpe,
)
from formulas.sharpe.drawdown import maximum_drawdown
from formulas.sharpe.gaps import gap
from formulas.sharpe.interval import Bootstrap, interval, locate_scores
from formulas.sharpe.kernel import Kernel, KernelRefusalError
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.mean_return import mean_return
from formulas.sharpe.moments import moments
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.quantile import quantile
from formulas.sharpe.ranking import neighbours, order, rank_cells
from formulas.sharpe.row import score_row
from formulas.sharpe.series import mean, pool
from formulas.sharpe.track_interval import track_interval

INTERVAL = ("point", "lo", "hi", "width", "confidence", "n_boot")
PAIR = ("point_diff", "lo", "hi", "p_value", "confidence", "significant", "verdict", "n_boot")


def figures(value: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Figures of a result by the names that the release gives them."""
    return {name: getattr(value, name) for name in names}


def score_text(value: Any) -> Any:
    """A published score or the reason in its place."""
    return value if isinstance(value, str) else float(value)


@pytest.mark.parametrize("folder", VERSIONS)
def test_moments_and_probabilities(folder: str) -> None:
    """Mean, deviation, Sharpe, skewness, kurtosis and PSR are the published doubles."""
    kernel = VERSIONS[folder]
    for case in read(f"{folder}/primitives.json")["psr_cases"]:
        track, published = case["returns"], case["moments"]["result"]
        m = moments(kernel, track)
        assert m.sharpe == case["sharpe_ratio"]["result"]
        assert [m.count, m.mean, m.deviation, m.skewness, m.kurtosis] == [
            published[name] for name in ("n_obs", "mean", "std_dev", "skew", "kurtosis")
        ]
        benchmark = case["sr_benchmark"]
        assert probabilistic_sharpe(kernel, track, benchmark) == case["psr"]["result"]


@pytest.mark.parametrize("folder", VERSIONS)
def test_expected_maximum_sharpe(folder: str) -> None:
    """The bar is the published double; a negative dispersion is refused, not scored as 0."""
    for case in read(f"{folder}/primitives.json")["expected_max_sharpe"]:
        if case["trials_sr_std"] < 0:
            with pytest.raises(FormulaError, match=r"must be finite and >= 0, was -1\.0"):
                expected_maximum_sharpe(case["trials_sr_std"], case["n_trials"])
        else:
            bar = expected_maximum_sharpe(case["trials_sr_std"], case["n_trials"])
            assert bar == case["result"]


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_board_rows(kernel: Kernel, board: dict[str, Any]) -> None:
    """Score, pass^k rate, mean return and interval of each row; None where it is refused."""
    declared = board["config"]["n_trials_declared"]
    for row in board["rows"]:
        band = row["per_seed_returns"]
        found = score_row(kernel, band, declared)
        if isinstance(row["deflated_sharpe"], str):
            assert found.score.value is None
            assert found.pass_k_rate is None
            assert found.score.status == row["deflated_sharpe"] == row["passed_k_rate"]
            assert row["deflated_sharpe_ci"] is None
            with pytest.raises(KernelRefusalError, match="must not be constant"):
                interval(kernel, band, Bootstrap(trials=declared))
        else:
            assert found.score.value == row["deflated_sharpe"]
            assert found.pass_k_rate == row["passed_k_rate"]
            published = row["deflated_sharpe_ci"]
            found_interval = interval(kernel, band, Bootstrap(trials=declared))
            assert figures(found_interval, INTERVAL) == published
        assert found.mean_return == row["mean_return"]


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_board_seeds(kernel: Kernel, board: dict[str, Any]) -> None:
    """PSR, pass and deflated Sharpe of each seed on its own."""
    declared = board["config"]["n_trials_declared"]
    for row in board["rows"]:
        for series, published in zip(row["per_seed_returns"], row["per_seed_scores"], strict=True):
            error = kernel.track_error(series)
            assert error == published["deflation_error"]
            if error is None:
                psr = probabilistic_sharpe(kernel, series, 0.0)
                assert psr == published["psr"]
                assert (psr >= 0.9) is published["passed_k"]
                deflated = deflated_sharpe(kernel, series, declared)
                assert deflated == published["deflated_sharpe"]


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_board_pooled_scores(kernel: Kernel, board: dict[str, Any]) -> None:
    """The scorer's figures of the pooled track, its own interval among them."""
    declared = board["config"]["n_trials_declared"]
    for row in board["rows"][:3]:
        track, published = pool(row["per_seed_returns"]), row["pooled_composite"]
        assert mean(track) == published["raw_mean_return"]
        assert maximum_drawdown(track) == published["max_drawdown"]
        if published.get("deflation_error"):
            continue
        assert probabilistic_sharpe(kernel, track, 0.0) == published["psr"]
        assert deflated_sharpe(kernel, track, declared) == published["deflated_sharpe"]
        found = track_interval(kernel, track, declared)
        assert [found.lo, found.hi, found.deviation] == [
            published[name] for name in ("dsr_ci_low", "dsr_ci_high", "dsr_se")
        ]


@pytest.mark.parametrize("matched", [False, True], ids=["default trials", "matched trials"])
@pytest.mark.parametrize(("kernel", "board"), boards())
def test_board_pairs(kernel: Kernel, board: dict[str, Any], *, matched: bool) -> None:
    """Every two neighbours by score are compared, under 0 and under the board's trials."""
    which = "matched_n_trials" if matched else "default_n_trials_0"
    published = board[f"pairwise_significance_{which}"]["result"]
    rows = board["rows"]
    scores = [None if isinstance(s := r["deflated_sharpe"], str) else s for r in rows]
    trials = board["config"]["n_trials_declared"] if matched else 0
    found = []
    for a, b in neighbours(scores):
        pair = paired_difference(
            kernel,
            rows[a]["per_seed_returns"],
            rows[b]["per_seed_returns"],
            Bootstrap(trials=trials),
        )
        names = {"a": rows[a]["policy"], "b": rows[b]["policy"]}
        found.append(names | figures(pair, PAIR))
    assert found == published


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_printed_board(kernel: Kernel, board: dict[str, Any]) -> None:
    """Order, ranks and printed digits of the published Markdown."""
    rows = board["rows"]
    scores = [None if isinstance(s := r["deflated_sharpe"], str) else s for r in rows]
    placed = order(scores)
    ranks = rank_cells([scores[i] for i in placed], marks=kernel is KERNELS["0.28.0"])
    for rank, i, line in zip(
        ranks, placed, board["leaderboard_markdown"].splitlines()[2:], strict=False
    ):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[:2] == [rank, rows[i]["policy"]]
        assert cells[-1] == f"{rows[i]['mean_return']:.6f}"
        if scores[i] is not None:
            assert cells[2:4] == [f"{scores[i]:.4f}", f"{rows[i]['passed_k_rate']:.2f}"]


def settings_of(case: dict[str, Any]) -> Bootstrap | None:
    """Settings of a recorded call, None where no kernel should be asked."""
    args = case["args"]
    sensible = 0 < args["alpha"] < 1 and args["n_trials"] >= 0 and args["resample_seed"] >= 0
    return bootstrap(args) if sensible else None


@pytest.mark.parametrize(
    ("kernel", "case"),
    cases("bootstrap_cases.json", "deflated_sharpe_ci")
    + cases("degenerate.json", "deflated_sharpe_ci"),
)
def test_interval(kernel: Kernel, case: dict[str, Any]) -> None:
    """Published intervals, refusals with the kernel's own text, and what no board can hold."""
    band, settings = case["per_seed_returns"], settings_of(case)
    if settings is None:
        with pytest.raises(FormulaError, match=r"alpha|declared trials|resample seed"):
            interval(kernel, band, bootstrap(case["args"]))
        if "result" in case and is_finite(case["result"]):
            # No board may state such an alpha, but the old kernel computed with it.
            alpha, args = case["args"]["alpha"], replace(bootstrap(case["args"]), alpha=0.5)
            scores = locate_scores(kernel, band, args, deflation_bar(kernel, args.trials))
            exact = scores.values(np.arange(args.n_boot)).tolist()
            found = [quantile(exact, alpha / 2.0), quantile(exact, 1.0 - alpha / 2.0)]
            assert found == [case["result"]["lo"], case["result"]["hi"]]
    elif "error" in case and "contains" not in case["name"]:
        with pytest.raises(KernelRefusalError) as refusal:
            interval(kernel, band, settings)
        assert case["error"]["message"] == f"[INVALID_ARGUMENT] {refusal.value.reason}"
    elif "error" in case or not is_finite(case["result"]):
        with pytest.raises(FormulaError, match=r"seed \d+, bar \d+ is not finite"):
            interval(kernel, band, settings)
    else:
        assert figures(interval(kernel, band, settings), INTERVAL) == case["result"]


@pytest.mark.parametrize(
    ("kernel", "case"),
    cases("bootstrap_cases.json", "paired_dsr_diff") + cases("degenerate.json", "paired_dsr_diff"),
)
def test_paired_difference(kernel: Kernel, case: dict[str, Any]) -> None:
    """Published paired tests, refusals with the kernel's own text."""
    a, b = case["a_per_seed_returns"], case["b_per_seed_returns"]
    settings = bootstrap(case["args"])
    if "NaN" in case["name"]:
        with pytest.raises(FormulaError, match=r"b: seed \d+, bar \d+ is not finite: nan"):
            paired_difference(kernel, a, b, settings)
    elif "error" in case:
        with pytest.raises(KernelRefusalError) as refusal:
            paired_difference(kernel, a, b, settings)
        assert case["error"]["message"] == f"[INVALID_ARGUMENT] {refusal.value.reason}"
    else:
        assert figures(paired_difference(kernel, a, b, settings), PAIR) == case["result"]


@pytest.mark.parametrize(("kernel", "case"), cases("degenerate.json", "score_run"))
def test_degenerate_tracks(kernel: Kernel, case: dict[str, Any]) -> None:
    """One run of odd returns: score, PSR, mean, drawdown, or the typed errors."""
    track, published = case["returns"], case["result"]
    if case["name"] in ("nan", "inf"):
        with pytest.raises(FormulaError, match="seed 0, bar 5 is not finite"):
            score_row(kernel, [track])
        return
    assert kernel.track_error(track) == published.get("deflation_error")
    assert kernel.bootstrap_error(track) == published.get("bootstrap_error")
    if not published.get("deflation_error"):
        declared = case["args"]["n_trials"]
        assert deflated_sharpe(kernel, track, declared) == published["deflated_sharpe"]
        assert probabilistic_sharpe(kernel, track, 0.0) == published["psr"]
    assert mean(track) == published["raw_mean_return"]
    if published["max_drawdown"] is not None:
        assert maximum_drawdown(track) == published["max_drawdown"]


@pytest.mark.parametrize(
    ("kernel", "case"), cases("gaps.json") + cases("canonical_gap_calm_equal_weight.json")
)
def test_gaps(kernel: Kernel, case: dict[str, Any]) -> None:
    """Both sides and the difference of generalization and transfer gaps."""
    published = case["result"]
    first, second, prefix = (
        ("train", "test", "")
        if case["kind"] == "generalization_gap"
        else ("in_distribution", "out_of_distribution", "transfer_")
    )
    found = gap(
        kernel,
        case[f"{first}_per_seed_returns"],
        case[f"{second}_per_seed_returns"],
        case["config"]["n_trials_declared"],
    )
    for side, name in ((found.first, first), (found.second, second)):
        score = side.score.status if side.score.value is None else side.score.value
        assert published[name] == {
            "n_seeds": side.seeds,
            "deflated_sharpe": score,
            "passed_k_rate": side.pass_k_rate,
            "mean_return": side.mean_return,
        }
    difference = found.deflated_sharpe
    score = difference.status if difference.value is None else difference.value
    assert score == score_text(published[f"{prefix}gap_deflated_sharpe"])
    assert found.mean_return == published[f"{prefix}gap_mean_return"]


@pytest.mark.parametrize(("kernel", "case"), cases("canonical_gap_calm_equal_weight.json"))
def test_canonical_gap_interval(kernel: Kernel, case: dict[str, Any]) -> None:
    """The interval of 256 held-out seeds, saturated at 1."""
    published = case["test_band_deflated_sharpe_ci"]
    found = interval(kernel, case["test_per_seed_returns"], bootstrap(published["args"]))
    assert figures(found, INTERVAL) == published["result"]


@pytest.mark.parametrize("tier", ["calm", "hard", "extreme"])
def test_published_tables(tier: str) -> None:
    """The 18 published rows as printed (halves to even), and the full figures behind them."""
    tables = read("published_tables.json")
    published = {row["policy"]: row for row in tables["published_as_printed"][tier]}
    board = find(f"v0.9.0/board_{tier}.json")
    if not board.is_file():
        pytest.skip("no shared data")
    rows = read(f"v0.9.0/board_{tier}.json")["rows"]
    assert len(rows) == len(published) == 6
    scores: list[float | None] = []
    for row in rows:
        found = score_row(KERNELS["0.5.0"], row["per_seed_returns"], 6)
        assert found.score.value is not None
        assert found.pass_k_rate is not None
        scores.append(found.score.value)
        printed = published[row["policy"]]
        assert printed["deflated_sharpe"] == f"{found.score.value:.4f}"
        assert printed["passed_k_rate"] == f"{found.pass_k_rate:.2f}"
        assert printed["mean_return"] == f"{found.mean_return:.6f}"
    placed = order(scores)
    ranks = rank_cells([scores[i] for i in placed], marks=False)
    assert [(rank, rows[i]["policy"]) for rank, i in zip(ranks, placed, strict=True)] == [
        (str(row["rank"]), row["policy"]) for row in tables["published_as_printed"][tier]
    ]


@pytest.mark.parametrize("release", ["0.7.0", "0.8.0"])
@pytest.mark.parametrize("tier", ["calm", "hard", "extreme"])
def test_unit_bug(tier: str, release: str) -> None:
    """Before 0.9.0 the yearly prior was used a period: same series, every score near 0."""
    if not find(f"v0.9.0/board_{tier}.json").is_file():
        pytest.skip("no shared data")
    kernel = KERNELS["0.4"]
    assert prior_deviation(kernel) == 0.5
    series = {
        row["policy"]: row["per_seed_returns"] for row in read(f"v0.9.0/board_{tier}.json")["rows"]
    }
    for row in read("published_tables.json")["versions"][release]["rows"][tier]:
        band = series[row["policy"]]
        found = score_row(kernel, band, 6)
        assert found.score.value == row["deflated_sharpe"]
        assert found.pass_k_rate == row["passed_k_rate"]
        assert found.mean_return == row["mean_return"] == mean_return(pool(band))
        found_interval = interval(kernel, band, Bootstrap(trials=6))
        assert figures(found_interval, INTERVAL) == row["deflated_sharpe_ci"]
