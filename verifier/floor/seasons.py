"""
Frozen season tables: ``floor/seasons/<id>.json``.

::

    {"frozen_at":T,"ledger":{"entries":n,"head":H},
     "rows":[{"agent","brier","hits","misses","rank","settled","standing","voids"}…],
     "rules":"floor-rules/1","season":{"end":T,"id":"season-0","start":T},
     "unlisted":[{"agent","settled","standing"}…]}

Source:
    floor.md section 7; floor-clarifications.md 28, 49.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.floor.season import Row, Unlisted
from verifier.core.shape import Obj
from verifier.floor.fields import digest, number, time

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

__all__ = ["SEASONS", "SeasonFile", "read_season"]

SEASONS: Final = "floor/seasons/"
_ROW: Final = ("agent", "brier", "hits", "misses", "rank", "settled", "standing", "voids")


@dataclass(frozen=True, slots=True)
class SeasonFile:
    """
    A published table; times in ms.

    *name* is that of its file, *season_id* what the file says.
    """

    path: str
    name: str
    frozen_at: int
    entries: int
    head: str
    rows: tuple[Row, ...]
    rules: str
    start: int
    end: int
    season_id: str
    unlisted: tuple[Unlisted, ...]


def read_season(path: str, value: JsonValue) -> SeasonFile:
    """
    Read a season table.

    Raises:
        FormatError: A member is missing, unknown or malformed.
    """
    obj = Obj(value, ("frozen_at", "ledger", "rows", "rules", "season", "unlisted"))
    ledger = Obj(obj.value["ledger"], ("entries", "head"), pointer="/ledger")
    season = Obj(obj.value["season"], ("end", "id", "start"), pointer="/season")
    rows = [_row(Obj(item, _ROW, pointer=pointer)) for pointer, item in obj.items("rows")]
    unlisted = [
        _unlisted(Obj(item, ("agent", "settled", "standing"), pointer=pointer))
        for pointer, item in obj.items("unlisted")
    ]
    return SeasonFile(
        path=path,
        name=path.removeprefix(SEASONS).removesuffix(".json"),
        frozen_at=time(obj, "frozen_at"),
        entries=ledger.integer("entries"),
        head=digest(ledger, "head"),
        rows=tuple(rows),
        rules=obj.text("rules"),
        start=time(season, "start"),
        end=time(season, "end"),
        season_id=season.text("id"),
        unlisted=tuple(unlisted),
    )


def _row(obj: Obj) -> Row:
    return Row(
        agent=obj.text("agent"),
        brier=number(obj, "brier"),
        hits=obj.integer("hits"),
        misses=obj.integer("misses"),
        rank=obj.integer("rank"),
        settled=obj.integer("settled"),
        standing=number(obj, "standing"),
        voids=obj.integer("voids"),
    )


def _unlisted(obj: Obj) -> Unlisted:
    return Unlisted(obj.text("agent"), obj.integer("settled"), number(obj, "standing"))
