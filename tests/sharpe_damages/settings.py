"""Step 1: what a board says of its release, its settings and its scoring."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from sharpe_damages.cases import add, board

if TYPE_CHECKING:
    from sharpe_publisher import Files

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("unproven", 1)
def unknown_release(files: Files) -> None:
    """Unknown release."""
    board(files)["protocol"] = "sharpearena/0.25.0"


@case("unproven", 1)
def another_protocol(files: Files) -> None:
    """Another protocol."""
    board(files)["protocol"] = "otherarena/0.31.0"


@case("fail", 1, "0.28.0", "0.27.0")
def kernel_of_another_release(files: Files, name: str) -> None:
    """Kernel of another release."""
    board(files, "old")["kernel"] = name


@case("fail", 1, ("tier", "hard"), ("tier", "easy"), ("env_id", "SharpeArena/Calm-v2"))
def tier_and_environment(files: Files, change: tuple[str, str]) -> None:
    """Tier and environment."""
    board(files)[change[0]] = change[1]


@case("fail", 1, ("violations", 1), ("mode", "lax"))
def leakage(files: Files, change: tuple[str, Any]) -> None:
    """Leakage."""
    board(files)["leakage"][change[0]] = change[1]


@case("fail", 1, ("vol_clustering", 0.5), ("impact_exponent", 0.5))
def setting_before_its_time(files: Files, change: tuple[str, Any]) -> None:
    """Setting before its time."""
    board(files, "old")["settings"][change[0]] = change[1]


@case("fail", 1, 0, -1)
def impact_not_positive(files: Files, value: float) -> None:
    """Impact not positive."""
    board(files)["settings"]["impact_exponent"] = value


@case("fail", 1)
def sealed_before_its_time(files: Files) -> None:
    """Sealed before its time."""
    board(files, "sealed")["protocol"] = "sharpearena/0.11.1"
    board(files, "sealed")["kernel"] = "0.5.0"


@case("fail", 1, 0, 1, 1.5, -0.1)
def alpha_out_of_range(files: Files, value: float) -> None:
    """Alpha out of range."""
    board(files)["scoring"]["alpha"] = value


@case("fail", 1)
def too_many_trials(files: Files) -> None:
    """Too many trials."""
    board(files)["scoring"]["trials"] = 2**32
