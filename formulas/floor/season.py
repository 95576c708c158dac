"""
Season table: membership, standing, Brier, order and ties.

A call belongs to the season in which it was settled: ``start <= settled_at <
end``. Standing is taken at ``end`` over the season's calls only. Listed are
agents with enough hits and misses in it; the others with an entry, voids
included, are *unlisted*. Order: standing descending, Brier ascending, settled
descending, all on the published (rounded) numbers. Equal in all three share a
rank, the next rank is skipped, and they stand in agent-id order.

Source:
    floor.md section 7; floor-clarifications.md 28, 36, 49.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import round_half_away
from formulas.floor.proved import decimal
from formulas.floor.score import brier
from formulas.floor.standing import standing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from formulas.floor.settlement import Outcome

__all__ = ["Entry", "Row", "Table", "Unlisted", "in_season", "order", "season_table"]


class Entry(NamedTuple):
    """A ledger entry as the season counts it: *points* None for a void, times in ms."""

    agent: str
    outcome: Outcome
    p: Decimal
    points: Decimal | None
    settled_at: int


class Row(NamedTuple):
    """A listed agent, in the order of the published members."""

    agent: str
    brier: Decimal
    hits: int
    misses: int
    rank: int
    settled: int
    standing: Decimal
    voids: int


class Unlisted(NamedTuple):
    """An agent with an entry in the season but too few settled calls."""

    agent: str
    settled: int
    standing: Decimal


class Table(NamedTuple):
    """A season's rows in rank order, and the unlisted in agent-id order."""

    rows: tuple[Row, ...]
    unlisted: tuple[Unlisted, ...]


def in_season(settled_at: int, *, start: int, end: int) -> bool:
    """
    Tell whether an instant belongs to a season; its end does not.

    Source:
        floor.md section 7.

    >>> in_season(10, start=0, end=10)
    False
    """
    return start <= settled_at < end


def season_table(entries: Iterable[Entry], *, start: int, end: int, rules: Rules) -> Table:
    """
    Compute a season's table from the ledger.

    Args:
        entries: Entries of the ledger, of any time and in any order.
        start: First instant of the season, ms.
        end: First instant after it, ms.
        rules: Constants and decimals.

    Returns:
        The table as it is published, without its frame.

    Raises:
        FormulaDomainError: A hit or a miss without points, or a void with them.

    Source:
        floor.md section 7; floor-clarifications.md 28, 49.
    """
    by_agent: dict[str, list[Entry]] = {}
    for entry in entries:
        if (entry.points is None) != (entry.outcome == "void"):
            raise FormulaDomainError(f"a {entry.outcome} with points {entry.points}")
        if in_season(entry.settled_at, start=start, end=end):
            by_agent.setdefault(entry.agent, []).append(entry)

    rows, unlisted = [], []
    for agent, own in sorted(by_agent.items()):
        hits = sum(entry.outcome == "hit" for entry in own)
        misses = sum(entry.outcome == "miss" for entry in own)
        scored = [(entry.points, entry.settled_at) for entry in own if entry.points is not None]
        now = decimal(standing(scored, at=end, rules=rules.score), rules.decimals.standing)
        mean = brier((entry.p, entry.outcome == "hit") for entry in own if entry.outcome != "void")
        settled = hits + misses
        if mean is None or settled < rules.season.min_settled:
            unlisted.append(Unlisted(agent, settled, now))
            continue
        rounded = round_half_away(mean, rules.decimals.brier)
        voids = len(own) - settled
        rows.append(Row(agent, rounded, hits, misses, 0, settled, now, voids))
    return Table(order(rows), tuple(unlisted))


def order(rows: Sequence[Row]) -> tuple[Row, ...]:
    """
    Put rows in the order of the table and give them their ranks.

    Args:
        rows: In any order, whatever their rank.

    Returns:
        The same rows, ranked from 1; equals share a rank and the next is skipped.

    Source:
        floor.md section 7, "Order"; floor-clarifications.md 28.
    """
    ranked: list[Row] = []
    for place, row in enumerate(sorted(rows, key=lambda row: (*_key(row), row.agent)), start=1):
        equal = ranked and _key(ranked[-1]) == _key(row)
        ranked.append(row._replace(rank=ranked[-1].rank if equal else place))
    return tuple(ranked)


def _key(row: Row) -> tuple[Decimal, Decimal, int]:
    # copy_negate is exact, while unary minus would round to 28 digits.
    return row.standing.copy_negate(), row.brier, -row.settled
