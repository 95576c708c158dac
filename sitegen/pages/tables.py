"""Tables of seasons and of what each check found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.components import Cell, Column, Row, Table
from sitegen.names import safe_name
from sitegen.numbers import integer, utc
from sitegen.pages.tallies import VERDICTS, tally

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sitegen.model import Season

__all__ = ["FAMILY_NAMES", "audit_command", "check_rows", "season_rows"]

FAMILY_NAMES = {"arcana": "ARCANA", "floor": "Floor", "sharpe": "SharpeArena"}

_VERDICT_COLUMNS = tuple(Column(verdict, verdict, kind="number") for verdict in VERDICTS)


def audit_command(season: Season) -> str:
    """Write the command that audits a season's evidence again, once both files are downloaded."""
    return f"tallyproof audit {season.evidence.split('/')[1]}.zip --policy policy.toml"


def season_rows(name: str, caption: str, seasons: Sequence[Season]) -> Table:
    """List seasons with what their audits found."""
    columns = (
        Column("season", "season", kind="link"),
        Column("family", "kind"),
        Column("as_of", "audited as of", kind="time"),
        Column("verdict", "verdict", kind="verdict"),
        *_VERDICT_COLUMNS,
        Column("inputs", "inputs", kind="number"),
        Column("sealed", "sealed", kind="number"),
        Column("anchored", "anchored", kind="number"),
    )
    return Table(id=name, caption=caption, columns=columns, rows=[_season(s) for s in seasons])


def check_rows(check: str, counts: Sequence[tuple[Season, Mapping[str, int]]]) -> Table | None:
    """List what one check found in each season; None if it ran in none."""
    if not counts:
        return None
    columns = (Column("season", "season", kind="link"), *_VERDICT_COLUMNS)
    rows = [
        Row(
            id=f"season-{safe_name(season.id)}",
            cells=[_link(season), *(_count(found[verdict]) for verdict in VERDICTS)],
        )
        for season, found in counts
    ]
    caption = f"What {check} found in the seasons of this site"
    return Table(id="found", caption=caption, columns=columns, rows=rows)


def _season(season: Season) -> Row:
    counted = tally(season)
    report = season.record["report"]
    assert isinstance(report, dict)  # read_season has checked it
    word = str(report["verdict"])
    cells = [
        _link(season),
        Cell(FAMILY_NAMES.get(season.family, season.family)),
        Cell(utc(season.as_of), sort=season.as_of),
        Cell(word, verdict=word),
        *(_count(counted.verdicts[verdict]) for verdict in VERDICTS),
    ]
    if counted.inputs:
        cells += map(_count, (counted.inputs, counted.sealed, counted.anchored))
    else:
        reason = "this kind of season seals no inputs one by one"
        cells += [Cell("—", sort="", title=reason)] * 3
    return Row(id=f"season-{safe_name(season.id)}", cells=cells)


def _link(season: Season) -> Cell:
    return Cell(season.title, href=f"{season.root}index.html", title=season.id)


def _count(number: int) -> Cell:
    return Cell(integer(number), sort=str(number))
