"""Small values of ARCANA's pages: column texts, times, names, verdicts and counts in words."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.components import Cell, Segment, checked, missing_cell, time
from sitegen.text import shown
from verifier.errors import FormatError

if TYPE_CHECKING:
    from sitegen.arcana.shelf import Shelf
    from verifier.dossier.arcana import Coverage
    from verifier.dossier.arcana_evidence import Evidence

__all__ = [
    "LABELS",
    "agent_cell",
    "column_cell",
    "milliseconds",
    "moment",
    "moment_cell",
    "number_text",
    "segments",
    "state_cell",
    "value_cell",
    "value_text",
]

LABELS: Final = {
    "arcana_score": "ARCANA",
    "performance_score": "Performance",
    "risk_score": "Risk",
    "consistency_score": "Consistency",
    "creator_score": "Creator",
    "longevity_score": "Longevity",
    "strategy_score": "Strategy",
    "regime_score": "Regime",
}

Value = float | bool | None

_DECIMAL: Final = re.compile(r"-?[0-9]{1,18}(?:\.[0-9]{1,18})?\Z")
_STATES: Final = {
    "anchored": "pass",
    "sealed": "unproven",
    "unsealed by rule": "exempt",
    "missing": "unproven",
}


def moment(ts: str) -> Markup | str:
    """Show a time of the record, or its text as it is when it is none."""
    try:
        return time(ts)
    except FormatError:
        return shown(ts)


def milliseconds(ts: str) -> int | None:
    """Count the milliseconds from 1970 to a time of the record; None when it is no time."""
    try:
        when = datetime.fromisoformat(ts)
    except ValueError:
        return None
    return int(when.replace(tzinfo=when.tzinfo or UTC).timestamp() * 1000)


def moment_cell(ts: str) -> Cell:
    """Show a time in a table."""
    said = moment(ts)
    return Cell(ts, html=said) if isinstance(said, Markup) else Cell(said)


def column_cell(text: str | None, reason: str, key: str | None = None) -> Cell:
    """
    Show a stored column as published.

    Args:
        text: The column; None when it is null.
        reason: Why it is null.
        key: What ``verify.js`` calls the value, so that it compares what is shown.
    """
    if text is None:
        return missing_cell(reason)
    # The layout's check reports a column that is no number; here it must not sort as one.
    return Cell(text, sort=text if _DECIMAL.match(text) else "", html=_watched(text, key))


def _watched(text: str, key: str | None) -> Markup | None:
    if key is None:
        return None
    return checked(text, key)


def number_text(value: float) -> str:
    """
    Write a double as the platform's JSON does: the shortest text that reads back the same.

    >>> number_text(75.0), number_text(0.1)
    ('75', '0.1')
    """
    text = repr(float(value))
    return text.removesuffix(".0")


def value_text(value: Value) -> str | None:
    """Write an output; None when there is no number to write."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number_text(value) if math.isfinite(value) else None


def value_cell(value: Value, reason: str, key: str | None = None) -> Cell:
    """Show an output whole, or a dash with the reason; see :func:`column_cell`."""
    text = value_text(value)
    if text is None:
        why = reason if value is None else "the value is no number that JSON can hold"
        return missing_cell(why)
    sort = text if _DECIMAL.match(text) else None
    # A word such as yes is for readers; the script compares numbers.
    return Cell(text, sort=sort, html=None if isinstance(value, bool) else _watched(text, key))


def agent_cell(shelf: Shelf, agent_id: str, name: str | None = None) -> Cell:
    """Show an agent's name with a link to its page; the id is behind it."""
    text = shelf.name(agent_id) if name is None else name
    html = None
    if text in shelf.ambiguous:
        # Another agent's name looks the same, so what tells them apart stands beside it.
        html = Markup("<bdi>{}</bdi> <small>{}</small>").format(shown(text), shown(agent_id[:8]))
    return Cell(text, href=shelf.agent_page(agent_id), title=f"agent {agent_id}", html=html)


def segments(coverage: Coverage) -> tuple[Segment, ...]:
    """Cut a coverage bar."""
    return (
        Segment("anchored", "anchored", coverage.anchored),
        Segment("sealed", "sealed, not anchored", coverage.sealed),
        Segment("exempt", "unsealed by rule", coverage.by_rule),
        Segment("missing", "missing a seal", coverage.missing),
    )


def state_cell(shelf: Shelf, evidence: Evidence) -> Cell:
    """Show what stands behind an input, with a link to the anchor that holds it."""
    if not evidence.recorded:
        return Cell("not the recorded row", verdict="fail")
    anchor = evidence.anchor_id
    if anchor is None:
        return Cell(evidence.state.value, verdict=_STATES[evidence.state.value])
    verdict = shelf.arena.anchor_verdict(anchor)
    return Cell(f"anchor {anchor}", href=shelf.anchor_page(anchor), verdict=verdict.value)
