"""Published figures of SharpeArena, which ``verify.js`` gives under Node to the bit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

import pytest
from board_node import bits, settings, values
from programs import needs_node
from sharpe_vectors import VERSIONS, boards, cases, read

from formulas.sharpe.deflated import expected_maximum_sharpe
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.paired import paired_difference

if TYPE_CHECKING:
    from formulas.sharpe.kernel import Kernel

pytestmark = needs_node

INTERVAL: Final = ("point", "lo", "hi", "width", "confidence", "n_boot")

PAIR: Final = ("point_diff", "lo", "hi", "p_value", "significant", "verdict")


@pytest.mark.parametrize("folder", VERSIONS)
def test_primitives(folder: str) -> None:
    """Published moments, probabilities and expected maxima."""
    kernel = VERSIONS[folder].name
    found = read(f"{folder}/primitives.json")
    questions: list[tuple[Any, ...]] = []
    for case in found["psr_cases"]:
        questions += [
            ("moments", kernel, case["returns"]),
            ("psr", kernel, case["returns"], case["sr_benchmark"]),
        ]
    answers = values(questions)
    for case, m, psr in zip(found["psr_cases"], answers[::2], answers[1::2], strict=True):
        published = case["moments"]["result"]
        assert m["sharpe"] == case["sharpe_ratio"]["result"]
        assert [m["count"], m["mean"], m["deviation"], m["skewness"], m["kurtosis"]] == [
            published[name] for name in ("n_obs", "mean", "std_dev", "skew", "kurtosis")
        ]
        assert psr == case["psr"]["result"]
    maxima = [case for case in found["expected_max_sharpe"] if case["trials_sr_std"] >= 0]
    pairs = [[bits(case["trials_sr_std"]), case["n_trials"]] for case in maxima]
    [expected] = values([("expected", pairs)])
    assert expected == [bits(case["result"]) for case in maxima]
    assert [bits(expected_maximum_sharpe(c["trials_sr_std"], c["n_trials"])) for c in maxima] == (
        expected
    )


@pytest.mark.parametrize(("kernel", "board"), boards())
def test_reference_boards(kernel: Kernel, board: dict[str, Any]) -> None:
    """Rows, intervals and pairs of the published tables."""
    declared = board["config"]["n_trials_declared"]
    scored = [row for row in board["rows"] if not isinstance(row["deflated_sharpe"], str)]
    bands = {row["policy"]: row["per_seed_returns"] for row in board["rows"]}
    pairs = board["pairwise_significance_default_n_trials_0"]["result"]
    answers = values(
        [("row", kernel.name, row["per_seed_returns"], declared) for row in board["rows"]]
        + [("interval", kernel.name, bands[row["policy"]], settings(), declared) for row in scored]
        + [
            ("pair", kernel.name, bands[pair["a"]], bands[pair["b"]], settings(), 0)
            for pair in pairs
        ]
    )
    rows, rest = answers[: len(bands)], answers[len(bands) :]
    for row, found in zip(board["rows"], rows, strict=True):
        if row in scored:
            assert found["score"] == row["deflated_sharpe"]
            assert found["rate"] == row["passed_k_rate"]
        else:
            assert found["score"] is found["rate"] is None
            assert found["status"] == row["deflated_sharpe"]
        assert found["mean"] == row["mean_return"]
    for row, found in zip(scored, rest[: len(scored)], strict=True):
        published = row["deflated_sharpe_ci"]
        assert {name: found[name] for name in ("point", "lo", "hi", "width")} == {
            name: published[name] for name in ("point", "lo", "hi", "width")
        }
    for pair, found in zip(pairs, rest[len(scored) :], strict=True):
        assert {name: found[name] for name in PAIR} == {name: pair[name] for name in PAIR}


def recorded(file: str, kind: str) -> list[tuple[Kernel, dict[str, Any]]]:
    """Recorded calls that a board could have been made with."""
    found = []
    for parameter in cases(file, kind):
        kernel, case = parameter.values
        if not case:
            continue
        series = [case.get("per_seed_returns"), case.get("a_per_seed_returns")]
        series.append(case.get("b_per_seed_returns"))
        numbers = [x for band in series if band for values_ in band for x in values_]
        args = case["args"]
        sensible = 0 < args["alpha"] < 1 and args["n_trials"] >= 0 and args["resample_seed"] >= 0
        if sensible and args["n_boot"] >= 0 and all(math.isfinite(x) for x in numbers):
            found.append((kernel, case))
    return found


def of_args(args: dict[str, Any]) -> tuple[dict[str, Any], Bootstrap]:
    """Settings of a recorded call, for the driver and for Python."""
    kept = {name: args[name] for name in ("alpha", "n_boot", "resample_seed")}
    return (
        settings(args["alpha"], args["n_boot"], args["resample_seed"]),
        Bootstrap(trials=args["n_trials"], **kept),
    )


@pytest.mark.parametrize("file", ["bootstrap_cases.json", "degenerate.json"])
def test_recorded_intervals(file: str) -> None:
    """Intervals and refusals under other settings, of odd bands too."""
    found = [
        (kernel, case)
        for kernel, case in recorded(file, "deflated_sharpe_ci")
        if case["args"].get("periods_per_year", 252) == 252
    ]
    assert len(found) > 10
    questions = [
        (
            "interval",
            kernel.name,
            case["per_seed_returns"],
            of_args(case["args"])[0],
            case["args"]["n_trials"],
        )
        for kernel, case in found
        if case["args"]["n_trials"] <= 26_000
    ]
    taken = [(k, c) for k, c in found if c["args"]["n_trials"] <= 26_000]
    for (kernel, case), answer in zip(taken, values(questions), strict=True):
        try:
            expected = interval(kernel, case["per_seed_returns"], of_args(case["args"])[1])
        except KernelRefusalError:
            assert answer is None
        else:
            assert answer == {name: getattr(expected, name) for name in INTERVAL}


@pytest.mark.parametrize("file", ["bootstrap_cases.json", "degenerate.json"])
def test_recorded_pairs(file: str) -> None:
    """Paired tests and refusals under other settings, of odd bands too."""
    found = [
        (kernel, case)
        for kernel, case in recorded(file, "paired_dsr_diff")
        if case["args"].get("periods_per_year", 252) == 252
    ]
    assert found
    questions = [
        (
            "pair",
            kernel.name,
            case["a_per_seed_returns"],
            case["b_per_seed_returns"],
            of_args(case["args"])[0],
            case["args"]["n_trials"],
        )
        for kernel, case in found
    ]
    for (kernel, case), answer in zip(found, values(questions), strict=True):
        bands = (case["a_per_seed_returns"], case["b_per_seed_returns"])
        try:
            expected = paired_difference(kernel, *bands, of_args(case["args"])[1])
        except KernelRefusalError:
            assert answer is None
        else:
            assert answer == {name: getattr(expected, name) for name in PAIR}
