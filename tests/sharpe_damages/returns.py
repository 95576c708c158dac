"""Step 3: the return series that a board rests on."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import Files, rehash, row_of

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("fail", 3)
def returns_of_another_policy(files: Files) -> None:
    """Returns of another policy."""
    files["sharpe/returns/new/mine.json"] = files["sharpe/returns/new/equal_weight_long.json"]
    rehash(files)


@case("fail", 3)
def another_hash(files: Files) -> None:
    """Another hash."""
    row_of(files, "new", "mine")["returns"] = "00" * 32


@case("unproven", 3)
def returns_left_out(files: Files) -> None:
    """Returns left out."""
    # The row has no score, so no pair rests on it.
    del files["sharpe/returns/new/flat.json"]


@case("fail", 3, None, "0.1", True, [0.1])
def a_return_that_is_no_number(files: Files, value: Any) -> None:
    """A return that is no number."""
    files["sharpe/returns/new/mine.json"]["returns"][2][3] = value
    rehash(files)


@case("fail", 3)
def a_bar_too_few(files: Files) -> None:
    """A bar too few."""
    files["sharpe/returns/new/mine.json"]["returns"][1].pop()
    rehash(files)


@case("fail", 3)
def a_series_too_few(files: Files) -> None:
    """A series too few."""
    files["sharpe/returns/new/mine.json"]["returns"].pop()
    rehash(files)


@case("fail", 3)
def a_seed_and_its_series_too_few(files: Files) -> None:
    """A seed and its series too few."""
    files["sharpe/returns/new/mine.json"]["returns"].pop()
    files["sharpe/returns/new/mine.json"]["seeds"].pop()
    rehash(files)


@case("fail", 3)
def board_of_another_name(files: Files) -> None:
    """Board of another name."""
    board(files)["board"] = "newer"


@case("fail", 3)
def policy_twice(files: Files) -> None:
    """Policy twice."""
    board(files)["rows"].append(board(files)["rows"][-1])


@case("fail", 9, "returns/new/nobody", "traces/new/nobody", "gaps/new/mine", "gaps/none/x-transfer")
def file_of_no_row(files: Files, path: str) -> None:
    """File of no row."""
    files[f"sharpe/{path}.json"] = {}


@case("fail", 3)
def reference_policy_differs_between_boards(files: Files) -> None:
    """Reference policy differs between boards."""
    # A second board of the same release in the same world, with one bar changed.
    files["sharpe/returns/sealed/momentum.json"]["seeds"][0] = "0"
    files["sharpe/returns/sealed/momentum.json"]["returns"][0][0] = 0.5
    rehash(files)


@case("fail", 3)
def stateless_policy_differs_in_its_gap(files: Files) -> None:
    """Stateless policy differs in its gap."""
    side = files["sharpe/gaps/new/equal_weight_long-generalization.json"]["sides"][0]
    side["returns"][0][0] += 0.001
