"""Step 7: paired differences, and the claims that rest on them."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import Files, rehash

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("fail", 7, "point_diff", "lo", "hi", "p_value")
def pair_one_unit_off(files: Files, name: str) -> None:
    """Pair one unit off."""
    pair = board(files)["pairs"][0]
    pair[name] = math.nextafter(pair[name], 0.5)


@case("fail", 7)
def pair_of_the_boards_trials(files: Files) -> None:
    """Pair of the boards trials."""
    board(files)["pairs_trials"] = 3


@case("fail", 7)
def significance_flipped(files: Files) -> None:
    """Significance flipped."""
    board(files)["pairs"][2] |= {"significant": True, "verdict": "a_better"}


@case("fail", 7, 0, 1, 2)
def pair_left_out(files: Files, index: int) -> None:
    """Pair left out."""
    del board(files)["pairs"][index]


@case("fail", 7)
def pair_twice(files: Files) -> None:
    """Pair twice."""
    board(files)["pairs"].append(board(files)["pairs"][0])


@case("fail", 7)
def pair_turned_round(files: Files) -> None:
    """Pair turned round."""
    pair = board(files)["pairs"][0]
    pair["a"], pair["b"] = pair["b"], pair["a"]


@case("fail", 7)
def pair_with_series_that_cannot_be_read(files: Files) -> None:
    """Pair with series that cannot be read."""
    files["sharpe/returns/old/max_sharpe.json"]["returns"][0][0] = None
    rehash(files)


@case("unproven", 7)
def pair_with_series_that_are_not_there(files: Files) -> None:
    """Pair with series that are not there: nothing shows it, and nothing refutes it."""
    del files["sharpe/returns/old/max_sharpe.json"]


@case("fail", 7)
def pairs_of_a_release_that_gives_none(files: Files) -> None:
    """Pairs of a release that gives none."""
    # One seed: the paired call refuses, and with it the whole table.
    for path, value in files.items():
        if path.startswith("sharpe/returns/new/"):
            del value["returns"][1:], value["seeds"][1:]
    del board(files)["seeds"]["list"][1:]
    rehash(files)


@case(
    "fail",
    7,
    ("mine", "equal_weight_long"),
    ("momentum", "max_sharpe"),
    ("equal_weight_long", "momentum"),
    ("mine", "mine"),
    ("mine", "flat"),
    ("me", "you"),
)
def claim_without_a_verdict(files: Files, entries: tuple[str, str]) -> None:
    """Claim without a verdict."""
    board(files)["claims"].append({"better": entries[0], "worse": entries[1]})
