"""
The table of a season, by family: which evidence names the season, and what it says.

A table is a function of the bundle alone, so that whoever reads a frozen season
makes it again and compares the bytes.

* The Floor freezes its own tables. The table is the file itself, byte for byte.
* ARCANA publishes leaderboards. The table is the last overall one of the season;
  see :mod:`verifier.freeze.arcana`.
* SharpeArena has releases instead of seasons. Any id names the boards of the
  bundle, unless other evidence in it names the season.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.errors import UsageError
from verifier.freeze.arcana import arcana_table, names_season
from verifier.freeze.sharpe import boards_of, sharpe_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.bundle import Bundle

__all__ = ["FAMILIES", "family_of", "season_table"]

_FLOOR_SEASONS: Final = "floor/seasons/"


def family_of(bundle: Bundle, season: str, wanted: str | None = None) -> str:
    """
    Choose the family whose evidence names the season.

    Args:
        bundle: The evidence.
        season: Id of the season.
        wanted: The family that the caller names; None leaves it to the evidence.

    Raises:
        UsageError: No evidence names the season, that of several families does,
            or that of the family wanted does not.
    """
    named = [family for family in ("arcana", "floor") if _NAMES[family](bundle, season)]
    releases = ["sharpe"] if boards_of(bundle) else []
    if wanted is not None:
        if wanted not in FAMILIES:
            raise UsageError(f"{wanted!r} is no family, known are {', '.join(FAMILIES)}")
        if wanted not in named + releases:
            raise UsageError(f"the bundle's {wanted} evidence does not name the season {season!r}")
        return wanted
    if len(named) > 1:
        raise UsageError(
            f"evidence of {' and '.join(named)} names the season {season!r}: choose with --family"
        )
    found = named or releases
    if not found:
        known = [entry.id for entry in bundle.index.seasons]
        listed = f"; bundle.json lists {', '.join(known)}" if known else ""
        raise UsageError(f"no evidence in the bundle names the season {season!r}{listed}")
    return found[0]


def season_table(bundle: Bundle, family: str, season: str) -> bytes:
    """
    Write the table of a season.

    Args:
        bundle: The evidence; its audit is clean.
        family: A family whose evidence names the season.
        season: Id of the season.

    Raises:
        UsageError: The evidence does not name the season, or the season has no
            final table.
        EvidenceError: A file of the table cannot be read.
    """
    return FAMILIES[family](bundle, season)


def _floor_table(bundle: Bundle, season: str) -> bytes:
    if not _floor_names(bundle, season):
        raise UsageError(f"bundle.json lists no season {season!r} of the Floor")
    # Clarifications 26 and 28: no table is frozen before its season's end, nor after
    # as_of. The audit checked both, so a season that is still running has no table.
    return bundle.read(f"{_FLOOR_SEASONS}{season}.json")


def _floor_names(bundle: Bundle, season: str) -> bool:
    return any(
        entry.family == "floor" and entry.id == season for entry in bundle.index.seasons
    ) and bundle.has(f"{_FLOOR_SEASONS}{season}.json")


_NAMES: Final[Mapping[str, Callable[[Bundle, str], bool]]] = {
    "arcana": names_season,
    "floor": _floor_names,
}
FAMILIES: Final[Mapping[str, Callable[[Bundle, str], bytes]]] = {
    "arcana": arcana_table,
    "floor": _floor_table,
    "sharpe": sharpe_table,
}
