"""Which code computes: a hash over the files of this release that a verdict can depend on."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

__all__ = ["release_digest"]

_PACKAGES: Final = ("formulas", "verifier")
_ENDINGS: Final = frozenset((".py", ".json"))


@cache
def release_digest() -> str:
    """Hash the names and contents of all modules and tables of the packages that judge."""
    root = Path(__file__).parents[2]
    whole = sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in _ENDINGS:
                own = sha256(path.read_bytes()).hexdigest()
                whole.update(f"{own}  {path.relative_to(root).as_posix()}\n".encode())
    return whole.hexdigest()
