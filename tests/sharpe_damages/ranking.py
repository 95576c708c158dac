"""Steps 5 and 6: order and ranks, and who is eligible for them."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import Files, row_of

CASES: Final[list[Any]] = []
case = partial(add, CASES)


# Step 5


@case("fail", 5)
def ranks_swapped(files: Files) -> None:
    """Ranks swapped."""
    rows = board(files)["rows"]
    rows[0]["rank"], rows[1]["rank"] = rows[1]["rank"], rows[0]["rank"]


@case("fail", 5)
def tie_mark_dropped(files: Files) -> None:
    """Tie mark dropped."""
    row_of(files, "new", "momentum")["rank"] = "3"


@case("fail", 5)
def tie_mark_before_its_time(files: Files) -> None:
    """Tie mark before its time."""
    row_of(files, "old", "momentum")["rank"] = "4="


@case("fail", 5)
def rows_in_another_order(files: Files) -> None:
    """Rows in another order."""
    rows = board(files)["rows"]
    rows[0], rows[1] = rows[1], rows[0]
    rows[0]["rank"], rows[1]["rank"] = "1", "2"


@case("fail", 5)
def tied_policies_in_another_order(files: Files) -> None:
    """Tied policies in another order."""
    rows = board(files)["rows"]
    rows[2], rows[3] = rows[3], rows[2]


@case("fail", 5)
def unscored_row_first(files: Files) -> None:
    """Unscored row first."""
    rows = board(files)["rows"]
    rows.insert(0, rows.pop())


# Step 6


@case("fail", 6)
def eligible_after_all(files: Files) -> None:
    """Eligible after all."""
    row = row_of(files, "new", "mine")
    row["eligible"], row["reasons"] = True, []


@case("fail", 6)
def not_eligible_after_all(files: Files) -> None:
    """Not eligible after all."""
    row_of(files, "new", "equal_weight_long")["eligible"] = False


@case("fail", 6, [], ["pass_k"], ["process", "pass_k"], ["pass_k", "process", "drawdown"])
def other_reasons(files: Files, reasons: list[str]) -> None:
    """Other reasons."""
    row_of(files, "new", "mine")["reasons"] = reasons


@case("unproven", 6)
def not_judged(files: Files) -> None:
    """Not judged."""
    row = row_of(files, "new", "mine")
    row["eligible"], row["reasons"] = None, []


@case("fail", 6)
def not_judged_with_reasons(files: Files) -> None:
    """Not judged with reasons."""
    row_of(files, "new", "mine")["eligible"] = None


@case("unproven", 6, "mine", "equal_weight_long", "flat")
def traces_left_out(files: Files, policy: str) -> None:
    """Traces left out."""
    del files[f"sharpe/traces/new/{policy}.json"]


@case("fail", 6, ["process"], [])
def reasons_without_traces(files: Files, reasons: list[str]) -> None:
    """Reasons without traces."""
    del files["sharpe/traces/new/mine.json"]
    row_of(files, "new", "mine")["reasons"] = reasons


@case("fail", 6)
def eligible_without_traces(files: Files) -> None:
    """Eligible without traces."""
    del files["sharpe/traces/new/mine.json"]
    row_of(files, "new", "mine")["eligible"] = True


@case("fail", 6)
def refused_without_reason_nor_traces(files: Files) -> None:
    """Refused without reason nor traces."""
    del files["sharpe/traces/new/equal_weight_long.json"]
    row_of(files, "new", "equal_weight_long")["eligible"] = False


@case("fail", 6, "equal_weight_long")
def block_left_out(files: Files, policy: str) -> None:
    """Block left out."""
    files[f"sharpe/traces/new/{policy}.json"]["events"][0] = [{"kind": "denylist_bypass"}]


@case(
    "fail",
    6,
    {"kind": "order_placed"},
    {"kind": "drawdown_halt", "respected": "no"},
    {"kind": "unheard_of"},
    {},
    "event",
)
def event_that_cannot_be_judged(files: Files, event: Any) -> None:
    """Event that cannot be judged."""
    files["sharpe/traces/new/flat.json"]["events"][0] = [event]


@case("fail", 6)
def traces_of_fewer_runs(files: Files) -> None:
    """Traces of fewer runs."""
    files["sharpe/traces/new/flat.json"]["events"].pop()


@case("fail", 6)
def traces_of_another_policy(files: Files) -> None:
    """Traces of another policy."""
    files["sharpe/traces/new/flat.json"]["policy"] = "mine"


@case("fail", 6)
def traces_that_are_no_list(files: Files) -> None:
    """Traces that are no list."""
    files["sharpe/traces/new/flat.json"]["events"][0] = {}
