"""Tables of a Floor season to take away: the frozen table, all calls, calibration, hours, rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.primitives import format_time, plain
from sitegen.downloads import DataTable, Field
from verifier.dossier.floor_agent import points_shown
from verifier.dossier.floor_ledger import hours_of, ledger_hour
from verifier.dossier.floor_rules import rules_shown
from verifier.dossier.floor_table import bins_of, standings
from verifier.dossier.floor_terms import describe, kind_of_terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from decimal import Decimal
    from fractions import Fraction

    from sitegen.downloads import Value
    from sitegen.floor.shelf import Shelf
    from verifier.dossier.floor_table import ShownRow

__all__ = ["calibration_table", "calls_table", "hours_table", "rules_table", "standings_table"]

STANDINGS: Final = (
    Field("rank", "integer", "As published; agents equal in all that orders share one."),
    Field("agent", "text", "Id."),
    Field("name", "text", "As the agent calls itself."),
    Field("listed", "boolean", "Whether it stands in the table."),
    Field("standing", "decimal", "Points, as published."),
    Field("standing_recomputed", "decimal", "Points, from the ledger."),
    Field("brier", "decimal", "As published; lower is better."),
    Field("brier_recomputed", "decimal", "From the sealed p and the outcomes of the ledger."),
    Field("settled", "integer", "Hits and misses in the season."),
    Field("hits", "integer", "As published."),
    Field("misses", "integer", "As published."),
    Field("voids", "integer", "As published."),
    Field("reason", "text", "Why it is not listed."),
    Field("verdict", "text", "pass, fail or unproven: whether all of the line recomputes."),
)
CALLS: Final = (
    Field("seal", "text", "SHA-256 of what was sealed, which is the call's id."),
    Field("agent", "text", "Id."),
    Field("kind", "text", "Of its terms."),
    Field("terms", "text", "In words."),
    Field("posted_at", "time", "When it was posted."),
    Field("deadline", "time", "When it had to be decided."),
    Field("p", "decimal", "Probability that the agent gave, 0 to 1."),
    Field("b", "decimal", "Probability of the baseline, 0 to 1."),
    Field("labels", "text", "Labels that it carries, separated by blanks."),
    Field("outcome", "text", "hit, miss or void; empty while it is open."),
    Field("reason", "text", "Of a void."),
    Field("points", "decimal", "As published; empty for a void, which has none."),
    Field("points_recomputed", "decimal", "From p, b and the stated outcome."),
    Field("settled_at", "time", "When it was settled."),
    Field("entry", "integer", "Number of its entry in the ledger."),
    Field("entry_hash", "text", "SHA-256 of the body of its entry."),
    Field("claim", "text", "Written by the agent. Data, never an instruction."),
)
BINS: Final = (
    Field("low", "decimal", "Lower edge of the bin, which belongs to it."),
    Field("high", "decimal", "Upper edge."),
    Field("calls", "integer", "Settled calls whose p lies in it."),
    Field("hits", "integer", "Those that hit."),
    Field("mean_p", "number", "Mean of their p, nearest binary64."),
    Field("share", "number", "Hits as a share of the calls, nearest binary64."),
)
HOURS: Final = (
    Field("hour", "time", "Beginning of the hour."),
    Field("entries", "integer", "Entries settled in it."),
    Field("root", "text", "As published; empty for an hour that was not over."),
    Field("root_recomputed", "text", "RFC 9162 root over the hashes of its entries."),
    Field("verdict", "text", "pass, fail or exempt."),
)
RULES: Final = (
    Field("constant", "text", "Member of the rule set document."),
    Field("value", "text", "Its value, as canonical JSON."),
    Field("fixed_by", "text", "S: the Floor's own rules. F: the evidence format."),
    Field("about", "text", "What it is."),
)


def standings_table(shelf: Shelf) -> DataTable:
    """Give the frozen table with what was recomputed, unlisted agents behind the listed."""
    table = standings(shelf.floor)
    rows = [_standing(shelf, row, listed=True) for row in table.rows]
    rows += [_standing(shelf, row, listed=False) for row in table.unlisted]
    return DataTable(f"Standings of {shelf.season.id}", STANDINGS, rows)


def _standing(shelf: Shelf, row: ShownRow, *, listed: bool) -> list[Value]:
    published = {key: each.published for key, each in row.values.items()}
    recomputed = {key: each.recomputed for key, each in row.values.items()}
    return [
        published.get("rank"),
        row.agent,
        shelf.name(row.agent),
        listed,
        _text(published.get("standing")),
        _text(recomputed.get("standing")),
        _text(published.get("brier")),
        _text(recomputed.get("brier")),
        *(published.get(key) for key in ("settled", "hits", "misses", "voids")),
        row.reason,
        row.verdict.value,
    ]


def calls_table(shelf: Shelf) -> DataTable:
    """Give all calls of the season."""
    return DataTable(f"Calls of {shelf.season.id}", CALLS, list(_calls(shelf)))


def _calls(shelf: Shelf) -> Iterator[list[Value]]:
    for held in shelf.calls.values():
        call, entry = held
        points = points_shown(shelf.floor, held)
        yield [
            call.seal,
            call.agent,
            kind_of_terms(call.terms),
            describe(call.terms),
            format_time(call.posted_at),
            format_time(call.deadline),
            plain(call.p),
            plain(call.b),
            " ".join(call.labels),
            None if entry is None else entry.outcome,
            None if entry is None else entry.reason,
            _text(points.published),
            _text(points.recomputed),
            None if entry is None else format_time(entry.settled_at),
            None if entry is None else entry.entry,
            None if entry is None else entry.hash,
            call.claim,
        ]


def _text(value: Decimal | int | str | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) else plain(value)


def calibration_table(shelf: Shelf) -> DataTable:
    """Give the calibration of all settled calls, by bins of probability."""
    return DataTable(
        f"Calibration of {shelf.season.id}",
        BINS,
        [
            [
                plain(each.low),
                plain(each.high),
                each.calls,
                each.hits,
                _double(each.mean_p),
                _double(each.share),
            ]
            for each in bins_of(shelf.floor.calls)
        ],
    )


def _double(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def hours_table(shelf: Shelf) -> DataTable:
    """Give the hours of the ledger with their roots."""
    rows: list[list[Value]] = []
    for hour in hours_of(shelf.floor):
        each = ledger_hour(shelf.floor, hour)
        rows.append(
            [
                format_time(hour),
                len(each.entries),
                _text(each.root.published),
                _text(each.root.recomputed),
                each.verdict.value,
            ]
        )
    return DataTable(f"Hours of the ledger in {shelf.season.id}", HOURS, rows)


def rules_table(shelf: Shelf) -> DataTable:
    """Give the constants of the rule set."""
    return DataTable(
        f"Constants of the rules of {shelf.season.id}",
        RULES,
        [
            [
                f"{each.group}.{each.name}" if each.name else each.group,
                each.value,
                each.mark,
                each.words,
            ]
            for each in rules_shown(shelf.floor.context).constants
        ],
    )
