"""Step 4: scores, intervals and statuses of rows."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import Files, rehash, row_of

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("fail", 4, "deflated_sharpe", "pass_k_rate", "mean_return")
def one_unit_in_the_last_place(files: Files, name: str) -> None:
    """One unit in the last place."""
    row = row_of(files, "new", "mine")
    row[name] = math.nextafter(row[name], 0.5)


@case("fail", 4, "point", "lo", "hi", "width", "confidence")
def interval_one_unit_off(files: Files, name: str) -> None:
    """Interval one unit off."""
    found = row_of(files, "old", "mine")["interval"]
    found[name] = math.nextafter(found[name], 0.5)


@case("fail", 4)
def interval_of_other_resamples(files: Files) -> None:
    """Interval of other resamples."""
    board(files)["scoring"]["resample_seed"] = str(2**63 + 7)


@case("fail", 4)
def interval_of_another_alpha(files: Files) -> None:
    """Interval of another alpha."""
    board(files)["scoring"]["alpha"] = 0.05


@case("fail", 4)
def interval_of_fewer_resamples(files: Files) -> None:
    """Interval of fewer resamples."""
    row_of(files, "new", "mine")["interval"]["n_boot"] = 59


@case("fail", 4)
def trials_not_declared(files: Files) -> None:
    """Trials not declared."""
    board(files)["scoring"]["trials"] = 0


@case("fail", 4)
def interval_left_out(files: Files) -> None:
    """Interval left out."""
    row_of(files, "new", "mine")["interval"] = None


@case("fail", 4)
def interval_of_a_refused_row(files: Files) -> None:
    """Interval of a refused row."""
    row_of(files, "new", "flat")["interval"] = row_of(files, "new", "mine")["interval"]


@case("fail", 4)
def refused_row_with_a_score(files: Files) -> None:
    """Refused row with a score."""
    row_of(files, "new", "flat")["deflated_sharpe"] = 0


@case("fail", 4, "scored", "unavailable", "")
def another_status(files: Files, text: str) -> None:
    """Another status."""
    row_of(files, "new", "flat")["status"] = text


@case("fail", 4)
def score_of_a_good_row_withheld(files: Files) -> None:
    """Score of a good row withheld."""
    row_of(files, "new", "mine")["deflated_sharpe"] = None


@case("fail", 4)
def series_exchanged(files: Files) -> None:
    """Series exchanged."""
    returns = files["sharpe/returns/new/mine.json"]["returns"]
    returns[0], returns[1] = returns[1], returns[0]
    rehash(files)


@case("unproven", 4)
def more_resamples_than_any_machine_has(files: Files) -> None:
    """More resamples than any machine has."""
    board(files)["scoring"]["n_boot"] = 2**50
