"""Step 2: seeds, and the commitments of sealed ones."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from sharpe_damages.cases import add, board
from sharpe_publisher import PUBLIC, SALT, Files, rehash

CASES: Final[list[Any]] = []
case = partial(add, CASES)


@case("fail", 2)
def seed_twice(files: Files) -> None:
    """Seed twice."""
    board(files)["seeds"]["list"][1] = 0


@case("fail", 2)
def seeds_of_both_bands(files: Files) -> None:
    """Seeds of both bands."""
    board(files)["seeds"]["list"][3] = PUBLIC.test[0]


@case("fail", 2)
def seeds_between_the_bands(files: Files) -> None:
    """Seeds between the bands."""
    board(files)["seeds"]["list"][3] = PUBLIC.train.stop


@case("fail", 2)
def seed_dropped(files: Files) -> None:
    """Seed dropped."""
    del board(files)["seeds"]["list"][3]


@case("fail", 2)
def seeds_in_another_order(files: Files) -> None:
    """Seeds in another order."""
    board(files)["seeds"]["list"].reverse()


@case("fail", 2)
def public_seeds_as_texts(files: Files) -> None:
    """Public seeds as texts."""
    found = files["sharpe/returns/new/mine.json"]
    found["seeds"] = [str(seed) for seed in found["seeds"]]
    rehash(files)


def commitment_of(files: Files) -> Any:
    """The one commitment."""
    return files["sharpe/seeds.json"]["commitments"][0]


@case(
    "fail", 2, "2026-11-09T12:00:00Z", "2026-11-10T00:00:00Z", "2026-11-02", "2026-11-31T00:00:00Z"
)
def published_too_late_or_never(files: Files, when: str) -> None:
    """Published too late or never."""
    commitment_of(files)["published_at"] = when


@case("fail", 2)
def closes_after_the_evidence(files: Files) -> None:
    """Closes after the evidence."""
    commitment_of(files)["closed_at"] = "2026-11-20T00:00:01Z"


@case("unproven", 2)
def salt_withheld(files: Files) -> None:
    """Salt withheld."""
    commitment_of(files)["salt"] = None


@case("fail", 2, "00" * 24, "zz" * 16, SALT.hex().upper(), "00" * 15, "0" * 33, "")
def another_salt(files: Files, salt: str) -> None:
    """Another salt."""
    commitment_of(files)["salt"] = salt


@case("fail", 2, "ab" * 32, "AB" * 32, "ab")
def another_commitment(files: Files, text: str) -> None:
    """Another commitment."""
    commitment_of(files)["commitment"] = text


@case("fail", 2)
def another_count(files: Files) -> None:
    """Another count."""
    commitment_of(files)["count"] = 5


@case("fail", 2)
def enormous_count(files: Files) -> None:
    """Enormous count."""
    commitment_of(files)["count"] = board(files, "sealed")["seeds"]["count"] = 2**50


@case("fail", 2, "sealed", "new", "nobody")
def further_commitment(files: Files, name: str) -> None:
    """Further commitment."""
    files["sharpe/seeds.json"]["commitments"].append(
        commitment_of(files) | {"board": name, "commitment": "cd" * 32}
    )


@case("fail", 2)
def commitment_twice(files: Files) -> None:
    """Commitment twice."""
    files["sharpe/seeds.json"]["commitments"].append(dict(commitment_of(files)))


@case("unproven", 2)
def no_commitment(files: Files) -> None:
    """No commitment."""
    files["sharpe/seeds.json"]["commitments"] = []


@case("unproven", 2)
def no_seeds_file(files: Files) -> None:
    """No seeds file."""
    del files["sharpe/seeds.json"]


@case("fail", 2, "bands", "commitments")
def seeds_file_without_a_member(files: Files, name: str) -> None:
    """Seeds file without a member."""
    del files["sharpe/seeds.json"][name]


@case("fail", 2)
def sealed_seeds_from_the_public_band(files: Files) -> None:
    """Sealed seeds from the public band."""
    for path, value in files.items():
        if path.startswith("sharpe/returns/sealed/"):
            value["seeds"] = ["0", "1", "2", "3"]
    rehash(files)


@case("fail", 2)
def sealed_seeds_of_another_salt(files: Files) -> None:
    """Sealed seeds of another salt."""
    for path, value in files.items():
        if path.startswith("sharpe/returns/sealed/"):
            value["seeds"] = [str(int(seed) + 1) for seed in value["seeds"]]
    rehash(files)
