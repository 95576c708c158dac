"""Eligibility gates and process events against the published scorer."""

from typing import Any

import pytest
from sharpe_vectors import VERSIONS, cases, find, read

from formulas.errors import FormulaError
from formulas.sharpe.eligibility import Scorer, judge_eligibility
from formulas.sharpe.kernel import Kernel
from formulas.sharpe.kernels import KERNELS
from formulas.sharpe.process import Process, judge_process, severity
from formulas.sharpe.series import pool
from formulas.sharpe.track_interval import track_interval

CLEAN = Process(blocks=0, warnings=0, score=1.0)
GOOD = [[0.01, 0.012, 0.008, 0.011] * 10, [0.009, 0.013, 0.01, 0.012] * 10]


def scorer(overrides: dict[str, Any]) -> Scorer:
    """Settings of a recorded call."""
    settings = dict(overrides)
    mode = settings.pop("pass_mode", "all")
    required = {"all": None, "any": 1}[mode] if isinstance(mode, str) else mode["at_least"]
    mandate = settings.pop("mandate", {})
    return Scorer(required_passes=required, **mandate, **settings)


def runs_of(kernel: Kernel, case: dict[str, Any]) -> list[list[float]]:
    """Runs of a case, which may stand in a board instead."""
    runs: Any = case["runs"]
    if isinstance(runs, dict):
        folder = next(name for name, of in VERSIONS.items() if of is kernel)
        rows = read(f"{folder}/{runs['see_board']}")["rows"]
        runs = next(r["per_seed_returns"] for r in rows if r["policy"] == runs["policy"])
    found: list[list[float]] = runs
    return found


@pytest.mark.parametrize(("kernel", "case"), cases("gates.json"))
def test_published_gates(kernel: Kernel, case: dict[str, Any]) -> None:
    """Every gate of every published submission, and the errors of the new kernel."""
    runs, published = runs_of(kernel, case), case["result"]
    events: list[list[dict[str, Any]]] = [[] for _ in runs]
    for run, recorded in case["traces"].items():
        events[int(run)] = [event | {"kind": event["event"]} for event in recorded]
    process = judge_process(events)
    settings = scorer(case["config_overrides"])
    found = judge_eligibility(kernel, runs, process, case["in_sample_trials"], settings)
    assert {
        "deflated_sharpe": found.deflated_sharpe,
        "passed_k": found.passed_k,
        "process_ok": process.clean,
        "process_score": process.score,
        "process_warnings": process.warnings,
        "bootstrap_p": found.bootstrap_p,
        "max_drawdown": found.max_drawdown,
        "worst_run_drawdown": found.worst_run_drawdown,
        "mandate_ok": "drawdown" not in found.failed,
        "rank_eligible": found.eligible,
    } == {
        name: published[name]
        for name in (
            "deflated_sharpe",
            "passed_k",
            "process_ok",
            "process_score",
            "process_warnings",
            "bootstrap_p",
            "max_drawdown",
            "worst_run_drawdown",
            "mandate_ok",
            "rank_eligible",
        )
    }
    assert found.deflation_error == published.get("deflation_error")
    assert found.bootstrap_error == published.get("bootstrap_error")


@pytest.mark.parametrize("name", ["clean and weak: several gates fail", "noisy short"])
@pytest.mark.parametrize("folder", VERSIONS)
def test_published_track_interval(folder: str, name: str) -> None:
    """The scorer's own interval is a block bootstrap of the returns, not of the seeds."""
    case = next(c for c in read(f"{folder}/gates.json")["cases"] if c["name"] == name)
    found = track_interval(VERSIONS[folder], pool(case["runs"]), case["in_sample_trials"])
    published = case["result"]
    assert [found.lo, found.hi, found.deviation] == [
        published[field] for field in ("dsr_ci_low", "dsr_ci_high", "dsr_se")
    ]


def test_defaults_are_the_published_ones() -> None:
    """The settings used are the scorer's published defaults."""
    for folder in VERSIONS:
        published = read(f"{folder}/gates.json")["default_config"]
        assert find(f"{folder}/gates.json").is_file()
        settings = Scorer()
        assert settings.dsr_bar == published["dsr_bar"]
        assert settings.per_run_psr_bar == published["per_run_psr_bar"]
        assert settings.alpha == published["alpha"]
        assert settings.n_boot == published["n_boot"]
        assert settings.block_prob == published["block_prob"]
        assert settings.bootstrap_seed == published["bootstrap_seed"]
        assert published["mandate"] == {
            "max_drawdown": settings.max_drawdown,
            "max_run_drawdown": settings.max_run_drawdown,
        }


def test_reasons_are_in_the_published_order() -> None:
    """A refused entry with a block fails all gates but drawdown, in the order of the gates."""
    blocked = judge_process([[{"kind": "denylist_bypass"}], []])
    flat = [[0.0] * 5, [0.0] * 5]
    found = judge_eligibility(KERNELS["0.28.0"], flat, blocked)
    assert found.failed == ("deflated_sharpe", "pass_k", "process", "bootstrap_p", "kernel")
    assert found.eligible is False
    ruined = judge_eligibility(KERNELS["0.28.0"], [[-1.5, 0.5], [0.1, -0.2]], CLEAN)
    assert "drawdown" in ruined.failed


def test_traces_decide() -> None:
    """Without traces an otherwise eligible entry is neither eligible nor not."""
    kernel = KERNELS["0.28.0"]
    assert judge_eligibility(kernel, GOOD, None).eligible is None
    assert judge_eligibility(kernel, GOOD, CLEAN).eligible is True
    blocked = judge_process([[], [{"kind": "manipulative_order"}]])
    assert judge_eligibility(kernel, GOOD, blocked).failed == ("process",)


def test_twelve_warnings_gate_nothing() -> None:
    """The process score falls to 0 and the entry stays clean."""
    found = judge_process([[{"kind": "concentration_breach"}] * 12])
    assert (found.score, found.warnings, found.clean) == (0.0, 12, True)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ({}, "unknown kind of event None"),
        ({"kind": "order"}, "unknown kind of event 'order'"),
        ({"kind": ["order_placed"]}, "unknown kind"),
        ({"kind": "order_placed"}, "needs a boolean 'risk_gate_passed', has None"),
        ({"kind": "drawdown_halt", "respected": 1}, "needs a boolean 'respected', has 1"),
        ({"kind": "tail_selling_exposure", "hedged": "true"}, "needs a boolean 'hedged'"),
    ],
)
def test_events_that_cannot_be_judged(event: dict[str, Any], message: str) -> None:
    """A block does not hide behind a member that is left out."""
    with pytest.raises(FormulaError, match=message):
        severity(event)
    with pytest.raises(FormulaError, match="run 1, event 0: "):
        judge_process([[], [event]])
