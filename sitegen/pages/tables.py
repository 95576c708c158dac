"""Tables of seasons and of what each check found in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sitegen.components import Cell, Column, Row, Table
from sitegen.names import look_alikes, safe_name
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


def season_rows(
    name: str, caption: str, seasons: Sequence[Season], known: Sequence[Season]
) -> Table:
    """
    List seasons with what their audits found.

    Args:
        name: Id of the table.
        caption: Its caption.
        seasons: What to list.
        known: All seasons of the site, since two of them may have one title.
    """
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
    titles = [season.title for season in known]
    alike = {title for title in titles if titles.count(title) > 1} | look_alikes(titles)
    rows = [_season(season, with_id=season.title in alike) for season in seasons]
    return Table(id=name, caption=caption, columns=columns, rows=rows)


def check_rows(check: str, counts: Sequence[tuple[Season, Mapping[str, int]]]) -> Table | None:
    """List what one check found in each season; None if it ran in none."""
    if not counts:
        return None
    columns = (Column("season", "season", kind="link"), *_VERDICT_COLUMNS)
    rows = [
        Row(
            id=f"season-{safe_name(season.id)}",
            cells=[_link(season, with_id=True), *(_count(found[verdict]) for verdict in VERDICTS)],
        )
        for season, found in counts
    ]
    caption = f"What {check} found in the seasons of this site"
    return Table(id="found", caption=caption, columns=columns, rows=rows)


def _season(season: Season, *, with_id: bool) -> Row:
    counted = tally(season)
    report = season.record["report"]
    assert isinstance(report, dict)  # read_season has checked it
    word = str(report["verdict"])
    cells = [
        _link(season, with_id=with_id),
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


def _link(season: Season, *, with_id: bool) -> Cell:
    text = f"{season.title} · {season.id}" if with_id else season.title
    return Cell(text, href=f"{season.root}index.html", title=season.id)


def _count(number: int) -> Cell:
    return Cell(integer(number), sort=str(number))
