"""Step 8: gaps between bands and tiers."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add
from sharpe_publisher import DAYS, Files, row_of

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("fail", 8, "gap", "train", "test")
def gap_one_unit_off(files: Files, name: str) -> None:
    """Gap one unit off."""
    found = row_of(files, "new", "mine")["gap"]
    found[name] = math.nextafter(found[name], 0.5)


@case("fail", 8)
def gap_turned_round(files: Files) -> None:
    """Gap turned round."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"].reverse()


@case("unproven", 8)
def gap_left_out(files: Files) -> None:
    """Gap left out."""
    row_of(files, "new", "mine")["gap"] = None
    del files["sharpe/gaps/new/mine-generalization.json"]


@case("unproven", 8)
def gap_file_left_out(files: Files) -> None:
    """Gap file left out."""
    del files["sharpe/gaps/new/mine-generalization.json"]


@case("fail", 8)
def gap_on_a_part_of_the_band(files: Files) -> None:
    """Gap on a part of the band."""
    side = files["sharpe/gaps/new/mine-generalization.json"]["sides"][1]
    side["returns"].pop()
    side["seeds"].pop()


@case("fail", 8)
def gap_on_another_tier(files: Files) -> None:
    """Gap on another tier."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][1]["tier"] = "hard"


@case("fail", 8)
def gap_with_three_sides(files: Files) -> None:
    """Gap with three sides."""
    sides = files["sharpe/gaps/new/mine-generalization.json"]["sides"]
    sides.append(sides[0])


@case("fail", 3)
def gap_with_a_short_series(files: Files) -> None:
    """Gap with a short series."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][0]["returns"][2].pop()


@case("fail", 8, ("policy", "flat"), ("what", "transfer"), ("sides", {}))
def gap_file_of_something_else(files: Files, change: tuple[str, Any]) -> None:
    """Gap file of something else."""
    files["sharpe/gaps/new/mine-generalization.json"][change[0]] = change[1]


@case("fail", 8, None, "1")
def gap_return_that_is_no_number(files: Files, value: Any) -> None:
    """Gap return that is no number."""
    files["sharpe/gaps/new/mine-generalization.json"]["sides"][0]["returns"][1][DAYS - 1] = value


@case("fail", 8)
def refused_gap_with_a_number(files: Files) -> None:
    """Refused gap with a number."""
    row_of(files, "new", "flat")["gap"]["gap"] = 0


@case("fail", 8, "gap", "in", "out")
def transfer_one_unit_off(files: Files, name: str) -> None:
    """Transfer one unit off."""
    found = row_of(files, "new", "mine")["transfers"][1]
    found[name] = math.nextafter(found[name], 0.5)


@case("unproven", 8)
def transfer_file_left_out(files: Files) -> None:
    """Transfer file left out."""
    del files["sharpe/gaps/new/mine-transfer.json"]


@case("fail", 8)
def transfer_not_listed(files: Files) -> None:
    """Transfer not listed."""
    row_of(files, "new", "mine")["transfers"].pop()


@case("fail", 8)
def transfers_not_listed(files: Files) -> None:
    """Transfers not listed."""
    row_of(files, "new", "mine")["transfers"] = []


@case("fail", 8, "extreme", "nowhere")
def transfer_to_another_tier(files: Files, tier: str) -> None:
    """Transfer to another tier."""
    row_of(files, "new", "mine")["transfers"][1]["to"] = tier


@case("fail", 8)
def transfer_on_other_seeds(files: Files) -> None:
    """Transfer on other seeds."""
    files["sharpe/gaps/new/mine-transfer.json"]["sides"][2]["seeds"].reverse()


@case("fail", 8)
def transfer_outside_the_bands(files: Files) -> None:
    """Transfer outside the bands."""
    for side in files["sharpe/gaps/new/mine-transfer.json"]["sides"]:
        side["seeds"] = [5, 6, 7, 8]


@case("fail", 8)
def transfer_from_another_tier(files: Files) -> None:
    """Transfer from another tier."""
    files["sharpe/gaps/new/mine-transfer.json"]["sides"][0]["tier"] = "extreme"


@case("fail", 8)
def stateless_policy_with_a_gap_to_itself(files: Files) -> None:
    """Stateless policy with a gap to itself."""
    side = files["sharpe/gaps/new/equal_weight_long-transfer.json"]["sides"][1]
    side["returns"].reverse()
