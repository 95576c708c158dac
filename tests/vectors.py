"""
Rows of the vector files: copied ones from ``fixtures``, the others from beside the checkout.

A row is copied only if its id says that it was authored or generated for this
project; a fresh clone runs those, and shows one skipped test in place of the rest.
"""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from shared import FIXTURES, SHARED

Row = dict[str, Any]

COPIED: Final = ("authored/", "generated/")


def read_rows(path: Path) -> list[Row]:
    """Every line of a file of vectors; none if there is no such file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.is_file() else []


def all_rows(area: str, name: str) -> list[Row]:
    """Rows of ``reference/crypto/<name>.jsonl`` that can be had, the copied ones first."""
    copied = read_rows(FIXTURES / "vectors" / area / f"{Path(name).name}.jsonl")
    others = read_rows(SHARED / "reference/crypto" / f"{name}.jsonl")
    return copied + [row for row in others if not row["id"].startswith(COPIED)]


def cases(area: str, name: str) -> list[Any]:
    """The same as parameters of a test, named by their ids."""
    found = [pytest.param(row, id=row["id"]) for row in all_rows(area, name)]
    if not SHARED.is_dir():
        found.append(pytest.param({}, id="others", marks=pytest.mark.skip("no shared data")))
    return found


def expected(row: Row) -> str:
    """What a strict verifier answers: ``strict_expect`` where the two differ."""
    verdict: str = row["strict_expect"] if "strict_expect" in row else row["expect"]
    return verdict
