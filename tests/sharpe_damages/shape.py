"""Step 9: members of the files, and their canonical bytes."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import Files, published, row_of, written

CASES: Final[list[Any]] = []
case = partial(add, CASES)


BOARD_MEMBERS: Final = sorted(published()["sharpe/boards/new.json"])
ROW_MEMBERS: Final = sorted(published()["sharpe/boards/new.json"]["rows"][0])


@case("fail", 9, *BOARD_MEMBERS)
def board_without_a_member(files: Files, name: str) -> None:
    """Board without a member."""
    del board(files)[name]


@case("fail", 9, *ROW_MEMBERS)
def row_without_a_member(files: Files, name: str) -> None:
    """Row without a member."""
    del board(files)["rows"][0][name]


@case("fail", 9, *sorted(published()["sharpe/boards/new.json"]["settings"]))
def setting_left_out(files: Files, name: str) -> None:
    """Setting left out."""
    del board(files)["settings"][name]


@case("fail", 9)
def member_too_many(files: Files) -> None:
    """Member too many."""
    board(files)["note"] = "hello"


@case(
    "fail",
    9,
    ("trials", -1),
    ("trials", 1.5),
    ("trials", "6"),
    ("n_boot", -1),
    ("resample_seed", -1),
    ("resample_seed", "7"),
    ("resample_seed", str(2**64)),
    ("resample_seed", "0" + str(2**60)),
    ("alpha", "0.05"),
    ("alpha", None),
)
def scoring_of_another_type(files: Files, change: tuple[str, Any]) -> None:
    """Scoring of another type."""
    board(files)["scoring"][change[0]] = change[1]


@case(
    "fail",
    9,
    ("seeds", {"kind": "secret"}),
    ("seeds", {"kind": "public", "list": ["0"]}),
    ("seeds", {"kind": "public", "list": [-1]}),
    ("seeds", {"kind": "sealed", "list": []}),
    ("rows", {}),
    ("rows", [[]]),
    ("pairs", [{}]),
    ("claims", [{"better": "x"}]),
    ("costs", {}),
    ("leakage", "none"),
)
def member_of_another_shape(files: Files, change: tuple[str, Any]) -> None:
    """Member of another shape."""
    board(files)[change[0]] = change[1]


@case(
    "fail",
    9,
    "boards/new",
    "returns/new/mine",
    "traces/new/mine",
    "gaps/new/mine-transfer",
    "seeds",
)
def not_canonical(files: Files, name: str) -> None:
    """Not canonical."""
    path = f"sharpe/{name}.json"
    files[path] = written({path: files[path]})[path] + b"\n"
    if name.startswith("returns"):
        row_of(files, "new", "mine")["returns"] = sha256(files[path]).hexdigest()
