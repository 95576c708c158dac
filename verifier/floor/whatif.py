"""
A season under other rules: what its table would have been. Never the published one.

Every call is priced and settled again from the responses that it was published
with, under the other rule set; outcomes, points and the table follow. The
attempts stay those that were made, whatever the other rules say about their
times: the first that settles counts, else the last one's reason voids the call.
Where the evidence does not reach (other rules may need minutes that nobody
asked for) the published baseline or outcome is kept, and counted as kept. Flags
that the other rules switch on are applied.

Nothing sealed under one rule set is ever judged by another: this shows what a
rule weighs, and changes no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from formulas.floor.season import Entry as SeasonEntry
from formulas.floor.season import Table, season_table
from verifier.floor.checks.flags import copied, outscored
from verifier.floor.checks.points import points_of
from verifier.floor.resettle import Lack, priced, tried

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.rules import Rules
    from formulas.floor.settlement import Outcome
    from verifier.floor.context import Context
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call
    from verifier.floor.seasons import SeasonFile

__all__ = ["Rescored", "WhatIf", "what_if"]


@dataclass(frozen=True, slots=True)
class Rescored:
    """
    One entry under the other rules.

    *kept* names what could not be recomputed and stays as published.
    """

    entry: Entry
    call: Call
    b: Decimal
    outcome: Outcome
    points: Decimal | None
    kept: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether outcome, baseline or points are not as published."""
        return (self.outcome, self.points, self.b) != (
            self.entry.outcome,
            self.entry.points,
            self.call.b,
        )


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A season's table as published, and as it would be."""

    season: SeasonFile
    table: Table
    entries: tuple[Rescored, ...]


def what_if(context: Context, season: SeasonFile, rules: Rules) -> WhatIf:
    """
    Recompute one season under another rule set.

    Args:
        context: The bundle.
        season: The published table.
        rules: The other rules.

    Raises:
        FormulaDomainError: A number that the other rules cannot score.
    """
    rescored = [
        _rescore(context, call, entry, rules)
        for entry in context.tables.entries
        if season.start <= entry.settled_at < season.end
        and (call := context.calls.get(entry.call)) is not None
    ]
    points = {each.call.seal: each.points for each in rescored if each.points is not None}
    flags = rules.flags
    seals = context.columns.calls.seals

    def by_place(place: int) -> Decimal | None:
        return points.get(seals.hex(place))

    lost = outscored(context, rules, by_place) if flags.one_operator.on else ()
    dropped = {seals.hex(place) for place in lost}
    again = copied(context, rules) if flags.copy.on else ()
    copies = frozenset(seals.hex(place) for place in again)
    table = season_table(
        (
            SeasonEntry(
                each.call.agent,
                each.outcome,
                each.call.p,
                _weighed(each, copies, rules),
                each.entry.settled_at,
            )
            for each in rescored
            if each.call.seal not in dropped
        ),
        start=season.start,
        end=season.end,
        rules=rules,
    )
    return WhatIf(season, table, tuple(rescored))


def _rescore(context: Context, call: Call, entry: Entry, rules: Rules) -> Rescored:
    found = priced(context, call, rules).result
    outcome = _outcome(context, call, rules)
    kept = []
    if isinstance(found, Lack):
        kept.append("b")
    if outcome is None:
        kept.append("outcome")
    again = call if isinstance(found, Lack) else replace(call, b=found.b)
    known = entry.outcome if outcome is None else outcome
    return Rescored(entry, call, again.b, known, points_of(again, known, rules), tuple(kept))


def _weighed(each: Rescored, copies: frozenset[str], rules: Rules) -> Decimal | None:
    if each.points is None or each.call.seal not in copies:
        return each.points
    # A few digits each, so the product is exact.
    return each.points * rules.flags.copy.weight


def _outcome(context: Context, call: Call, rules: Rules) -> Outcome | None:
    row = context.settlements.get(call.seal)
    if row is None:
        return None
    for each in row.attempts:
        result = tried(context, call, each, rules).result
        if isinstance(result, Lack):
            return None
        if result.outcome is not None:
            return result.outcome
    return "void"
