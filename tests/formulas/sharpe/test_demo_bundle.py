"""Every figure that the demo bundle publishes follows from its returns, to the last bit."""

import json
from functools import cache
from typing import Any, Final

import pytest
from shared import FIXTURES

from formulas.sharpe.eligibility import judge_eligibility
from formulas.sharpe.gaps import gap
from formulas.sharpe.interval import Bootstrap, interval
from formulas.sharpe.kernel import KernelRefusalError
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, kernel
from formulas.sharpe.paired import paired_difference
from formulas.sharpe.process import judge_process
from formulas.sharpe.ranking import has_marks, neighbours, order, rank_cells
from formulas.sharpe.row import score_row
from formulas.sharpe.seeds import bands, commitment, sealed_seeds

DEMO: Final = FIXTURES / "sharpe-demo" / "sharpe"
BOARDS: Final = sorted(path.stem for path in DEMO.glob("boards/*.json"))

every_board = pytest.mark.parametrize("name", BOARDS)


@cache
def read(path: str) -> Any:
    """A file of the bundle, decoded."""
    return json.loads((DEMO / path).read_bytes())


def returns(name: str, row: dict[str, Any]) -> list[list[float]]:
    """Per-seed returns of a row."""
    found: list[list[float]] = read(f"returns/{name}/{row['policy']}.json")["returns"]
    return found


def settings(board: dict[str, Any], trials: int) -> Bootstrap:
    """Bootstrap settings of a board."""
    scoring = board["scoring"]
    return Bootstrap(
        trials=trials,
        n_boot=scoring["n_boot"],
        resample_seed=int(scoring["resample_seed"]),
        alpha=scoring["alpha"],
    )


@every_board
def test_rows_and_intervals(name: str) -> None:
    """Scores, rates, means, statuses and intervals of each row."""
    board = read(f"boards/{name}.json")
    assert KERNEL_OF_RELEASE[board["protocol"].removeprefix("sharpearena/")] == board["kernel"]
    released, trials = kernel(board["kernel"]), board["scoring"]["trials"]
    for row in board["rows"]:
        band = returns(name, row)
        found = score_row(released, band, trials)
        assert [found.score.value, found.score.status, found.pass_k_rate, found.mean_return] == [
            row["deflated_sharpe"],
            row["status"],
            row["pass_k_rate"],
            row["mean_return"],
        ]
        if row["interval"] is None:
            with pytest.raises(KernelRefusalError):
                interval(released, band, settings(board, trials))
        else:
            bounds = interval(released, band, settings(board, trials))
            assert {field: getattr(bounds, field) for field in row["interval"]} == row["interval"]


@every_board
def test_order_and_ranks(name: str) -> None:
    """Rows are in order, with the ranks that the release prints."""
    board = read(f"boards/{name}.json")
    column = [row["deflated_sharpe"] for row in board["rows"]]
    assert order(column) == list(range(len(column)))
    marks = has_marks(board["protocol"].removeprefix("sharpearena/"))
    assert rank_cells(column, marks=marks) == [row["rank"] for row in board["rows"]]


@every_board
def test_eligibility(name: str) -> None:
    """Every gate, from the returns and the traces, with its reasons in order."""
    board = read(f"boards/{name}.json")
    for row in board["rows"]:
        process = judge_process(read(f"traces/{name}/{row['policy']}.json")["events"])
        found = judge_eligibility(
            kernel(board["kernel"]), returns(name, row), process, board["scoring"]["trials"]
        )
        assert (found.eligible, list(found.failed)) == (row["eligible"], row["reasons"])


@every_board
def test_pairs(name: str) -> None:
    """Every two neighbours among the scored rows, and no other pair."""
    board = read(f"boards/{name}.json")
    rows = board["rows"]
    pairs = []
    for a, b in neighbours([row["deflated_sharpe"] for row in rows]):
        found = paired_difference(
            kernel(board["kernel"]),
            returns(name, rows[a]),
            returns(name, rows[b]),
            settings(board, board["pairs_trials"]),
        )
        fields = ("point_diff", "lo", "hi", "p_value", "significant", "verdict")
        pair = {field: getattr(found, field) for field in fields}
        pairs.append({"a": rows[a]["policy"], "b": rows[b]["policy"], **pair})
    assert pairs == board["pairs"]


@every_board
def test_gaps_and_transfers(name: str) -> None:
    """Both sides of each gap under no declared trials, and their differences."""
    board = read(f"boards/{name}.json")
    released = kernel(board["kernel"])
    for row in board["rows"]:
        train, test = read(f"gaps/{name}/{row['policy']}-generalization.json")["sides"]
        found = gap(released, train["returns"], test["returns"])
        assert row["gap"] == {
            "gap": found.deflated_sharpe.value,
            "test": found.second.score.value,
            "train": found.first.score.value,
        }
        if not row["transfers"]:
            continue
        inside, *outside = read(f"gaps/{name}/{row['policy']}-transfer.json")["sides"]
        for transfer, side in zip(row["transfers"], outside, strict=True):
            found = gap(released, inside["returns"], side["returns"])
            assert transfer == {
                "gap": found.deflated_sharpe.value,
                "in": found.first.score.value,
                "out": found.second.score.value,
                "to": side["tier"],
            }


def test_seeds() -> None:
    """Public lists lie in one band; sealed seeds are those of the revealed salt."""
    stated = read("seeds.json")
    sizes = stated["bands"]
    public = bands(sizes["n_train"], sizes["n_test"], sizes["start"], sizes["gap"])
    sealed = {entry["board"]: entry for entry in stated["commitments"]}
    for name in BOARDS:
        board = read(f"boards/{name}.json")
        used = [read(f"returns/{name}/{row['policy']}.json")["seeds"] for row in board["rows"]]
        if board["seeds"]["kind"] == "public":
            assert set(board["seeds"]["list"]) <= set(public.train)
            assert used == [board["seeds"]["list"]] * len(used)
        else:
            salt = bytes.fromhex(sealed[name]["salt"])
            assert commitment(salt) == sealed[name]["commitment"]
            seeds = sealed_seeds(salt, sealed[name]["count"])
            assert used == [[str(seed) for seed in seeds]] * len(used)
