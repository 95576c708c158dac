"""``tallyproof sharpe`` against a hostile caller: the fault named in one line, nothing written."""

from __future__ import annotations

import json
import subprocess
import sys
from time import process_time
from typing import TYPE_CHECKING, Any, Final

import pytest
from shared import ROOT
from sharpe_publisher import published, rehash, written
from small_bundle import write_tree

from formulas.sharpe.ranking import rank_cells
from verifier.bundle import open_bundle
from verifier.cli.sharpe_text import board
from verifier.policy import Policy
from verifier.sharpe.single import audit_board

if TYPE_CHECKING:
    from pathlib import Path

    from verifier.sharpe.single import BoardAudit

ROWS: Final[list[dict[str, Any]]] = [
    {
        "policy": name,
        "deflated_sharpe": score,
        "passed_k_rate": 0.5,
        "mean_return": 0.01,
        "per_seed_returns": [[0.01, -0.02, 0.03], [0.02, 0.01, -0.01]],
    }
    for name, score in (("one", 0.2), ("other", 0.1))
]
PAIR: Final[dict[str, Any]] = {
    "a": "one",
    "b": "other",
    "point_diff": 0,
    "lo": 0,
    "hi": 0,
    "p_value": 1,
    "significant": False,
    "verdict": "tied",
}


def run_import(folder: Path, *more: str) -> str:
    """Import the rows and pairs of a folder; what is said about why that cannot be."""
    command = [sys.executable, "-m", "verifier", "sharpe", "import", "rows.json", "-o", "made"]
    done = subprocess.run(
        [*command, "--name", "x", "--release", "0.31.0", "--seeds", "0,1", *more],
        capture_output=True,
        check=False,
        cwd=folder,
        encoding="utf-8",
        env={"PYTHONPATH": str(ROOT)},
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert not (folder / "made").exists()
    return done.stderr


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--alpha", "nan", "alpha must be in (0, 1), was nan"),
        ("--alpha", "1", "alpha must be in (0, 1), was 1.0"),
        ("--trials", "9007199254740992", "trials must be at most 2^53 - 1"),
        ("--symbols", "9007199254740992", "symbols must be at most 2^53 - 1"),
        ("--n-boot", "9007199254740992", "n_boot must be at most 2^53 - 1"),
        ("--resample-seed", "18446744073709551616", "resample seed must be in [0, 2^64)"),
        ("--as-of", "2026-11-20T00:00:00+00:00", "as_of must be a time"),
    ],
)
def test_an_option_is_not_a_fault_of_the_rows(
    tmp_path: Path, option: str, value: str, said: str
) -> None:
    """What the caller says wrong is said of the option, also where it is never computed with."""
    (tmp_path / "rows.json").write_text(json.dumps(ROWS[:1]))
    error = run_import(tmp_path, option, value)
    assert error.startswith(f"tallyproof: {said}")


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"a": 1}, "pairs.json (at /1/a): must be a text"),
        ({"p_value": "small"}, "pairs.json (at /1/p_value): must be a number"),
        ({"significant": None}, "pairs.json (at /1/significant)"),
    ],
)
def test_a_pair_is_named_by_its_own_file(
    tmp_path: Path, change: dict[str, Any], place: str
) -> None:
    """And by its place in it."""
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    (tmp_path / "pairs.json").write_text(json.dumps([PAIR, PAIR | change]))
    assert run_import(tmp_path, "--pairs", "pairs.json").startswith(f"tallyproof: {place}")


def test_an_interval_is_named_by_its_place_in_the_rows(tmp_path: Path) -> None:
    """Not by the place that it would have had on the board."""
    bounds = {"confidence": 1, "hi": 2, "lo": "\x1b[2J", "n_boot": 4, "point": 1, "width": 1}
    rows = [ROWS[1], ROWS[0] | {"deflated_sharpe_ci": bounds}]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    error = run_import(tmp_path)
    assert error.startswith("tallyproof: rows.json (at /1/deflated_sharpe_ci/lo): must be a number")


def audited(folder: Path, files: dict[str, Any]) -> BoardAudit:
    """Judge one board of an arena."""
    with open_bundle(write_tree(folder / "bundle", written(files))) as bundle:
        return audit_board(bundle, "new", policy=Policy(), keep="all")


@pytest.mark.parametrize("alpha", [-1e308, 0, 1, 1e308])
def test_the_level_of_no_interval(tmp_path: Path, alpha: float) -> None:
    """An alpha that has no level is not shown as one."""
    files = published()
    files["sharpe/boards/new.json"]["scoring"]["alpha"] = alpha
    shown = board(audited(tmp_path, files))
    assert b"interval" in shown
    assert b"inf" not in shown
    assert b"% interval" not in shown


def test_a_policy_many_times(tmp_path: Path) -> None:
    """Each time is said, but its returns are read and resampled once."""
    files = published()
    found = files["sharpe/boards/new.json"]
    row = found["rows"][0]
    found["rows"] += [row] * 2_000
    rehash(files)
    begun = process_time()
    report = audited(tmp_path, files).report
    assert process_time() - begun < 5
    messages = [finding.message for finding in report.findings]
    assert messages.count("a policy stands twice") == 2_000
    figures = [each for each in report.findings if each.check == "sharpe/figures"]
    assert len(figures) == len({each["policy"] for each in found["rows"]})


def test_ties_without_end() -> None:
    """A group of ties takes as long as its rows."""
    begun = process_time()
    assert set(rank_cells([0.5] * 50_000, marks=True)) == {"1="}
    assert process_time() - begun < 5
