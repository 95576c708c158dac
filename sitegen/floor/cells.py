"""
Cells and lines of published values beside recomputed ones.

A value that holds is shown once. One that does not is shown twice, published
above recomputed, and what could not be recomputed says why in its title.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from formulas.floor.primitives import format_time, plain
from sitegen.components import Cell, checked, missing_cell
from sitegen.numbers import fixed, integer, points
from sitegen.text import shown
from verifier.dossier.floor_values import worst
from verifier.explanation import Line
from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from decimal import Decimal

    from verifier.dossier.floor import Entry
    from verifier.dossier.floor_values import Compared, Value

__all__ = [
    "DASH",
    "brier",
    "compared_cell",
    "line_of",
    "moment",
    "moment_cell",
    "name_cell",
    "outcome_cell",
    "probability",
    "readable",
    "reason_words",
    "said",
    "verdict_cell",
    "void_words",
]

DASH: Final = "—"
# Pages of one unit show the same moments and probabilities over and over.
_KEPT: Final = 4_096
_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)Z")


def said(value: Value) -> str:
    """Write a value as it stands in the evidence; null in words."""
    if value is None:
        return "null"
    return value if isinstance(value, str) else plain_number(value)


def plain_number(value: Decimal | int) -> str:
    """Write a number exactly, without an exponent."""
    return integer(value) if isinstance(value, int) else plain(value)


def brier(value: Decimal) -> str:
    """Write a Brier score with its six decimals."""
    return fixed(value, 6)


def compared_cell(
    each: Compared, show: Callable[[Decimal], str] = points, *, check: str | None = None
) -> Cell:
    """
    Show one value of a table.

    Args:
        each: The value.
        show: How its number is written.
        check: What ``verify.js`` calls it, if it recomputes it.
    """
    if each.published is None and each.verdict is not Verdict.FAIL:
        return missing_cell(each.note or "not published")
    published = _shown(each.published, show)
    sort = "" if each.published is None else said(each.published).replace(",", "")
    html = None if check is None else checked(published, check)
    if each.verdict is Verdict.FAIL:
        recomputed = _shown(each.recomputed, show)
        html = Markup('{} <small class="recomputed">recomputed {}</small>').format(
            html or published, recomputed
        )
    return Cell(published, sort=sort, title=each.note, html=html)


def _shown(value: Value, show: Callable[[Decimal], str]) -> str:
    if value is None:
        return DASH
    if isinstance(value, str):
        return value
    return integer(value) if isinstance(value, int) else show(value)


def verdict_cell(values: Iterable[Compared], what: str) -> Cell:
    """Sum up a line of a table: how many of its values are equal, or which are not."""
    listed = tuple(values)
    verdict = worst(each.verdict for each in listed)
    if verdict is Verdict.PASS:
        good = sum(each.verdict is Verdict.PASS for each in listed)
        return Cell(f"{good} of {good} {what}", verdict="pass")
    bad = [each for each in listed if each.verdict is verdict]
    names = ", ".join(each.what for each in bad)
    why = "; ".join(each.note for each in bad if each.note) or None
    return Cell(f"{verdict.value}: {names}", verdict=verdict.value, title=why)


def name_cell(name: str, agent: str, href: str | None) -> Cell:
    """Show an agent: its name, which it chose, and its id, which tells it from the others."""
    html = Markup("<bdi>{}</bdi> <small>{}</small>").format(shown(name), shown(agent))
    return Cell(name, href=href, html=html)


@lru_cache(maxsize=_KEPT)
def probability(value: Decimal) -> Cell:
    """Show a probability as percent, its exact value on hover."""
    exact = plain(value)
    # Digits need no escaping, and a table has many of them.
    html = Markup(f'<span title="{exact}">{fixed(value * 100, 2)}%</span>')  # noqa: S704
    return Cell(exact, sort=exact, html=html)


@lru_cache(maxsize=_KEPT)
def moment(at: int) -> str:
    """Write a moment as the evidence does."""
    return format_time(at)


@lru_cache(maxsize=_KEPT)
def moment_cell(at: int) -> Cell:
    """Show a moment, to the second."""
    return Cell(moment(at).replace("T", " ").replace("Z", " UTC"))


def outcome_cell(entry: Entry | None) -> Cell:
    """Show what became of a call: every outcome in the same type."""
    if entry is None:
        return Cell("open", title="no entry at the time of the audit")
    if entry.outcome == "void":
        return Cell(f"void: {reason_words(entry.reason)}", title=void_words(entry.reason))
    return Cell(entry.outcome)


def reason_words(reason: str | None) -> str:
    """Name the reason of a void as a reader would."""
    return "no reason given" if reason is None else reason.replace("_", " ")


def readable(words: str) -> str:
    """
    Write the times in a sentence as the rest of the page does.

    >>> readable("until 2026-11-02T11:00:00Z")
    'until 2026-11-02 11:00 UTC'
    """
    return _TIME.sub(_said_time, words)


def _said_time(found: re.Match[str]) -> str:
    seconds = "" if found[3] == ":00" else found[3]
    return f"{found[1]} {found[2]}{seconds} UTC"


def void_words(reason: str | None) -> str:
    """Say what the reason of a void means."""
    known = {
        "data_gap": "the source's record has a gap that the rules do not allow",
        "unconfirmed": "the second venue did not bear the source out",
        "gate_not_met": "the gate of the call was not met",
    }
    return known.get(reason or "", "a void has no points")


def line_of(each: Compared, step: str, show: Callable[[Decimal], str] = plain) -> Line:
    """Make a step of a compared value."""
    published = None if each.published is None else _shown(each.published, show)
    if each.recomputed is not None:
        recomputed = _shown(each.recomputed, show)
    elif each.published is None or each.verdict is Verdict.PASS:
        recomputed = "null"
    else:
        recomputed = each.note or "null"
    if each.verdict is Verdict.PASS and published is None:
        published = "null"
    return Line(
        step=step,
        name=each.what,
        published=published,
        recomputed=recomputed,
        note=each.note,
        differs=each.verdict is Verdict.FAIL,
        unproven=each.verdict is Verdict.UNPROVEN,
    )
