"""Cells that the tables of every family have: nothing to show, a verdict, a checked text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from sitegen.components.table import Cell
from sitegen.numbers import dash
from sitegen.text import shown

if TYPE_CHECKING:
    from verifier.findings import Verdict

__all__ = ["checked", "missing_cell", "verdict_cell"]


def checked(text: str, name: str) -> Markup:
    """
    Mark a text as one that ``verify.js`` compares with what it recomputes.

    Args:
        text: As shown; hostile text is allowed.
        name: What ``verify.js`` calls the value.

    >>> checked("12.5", "standing")
    Markup('<span data-verify="standing">12.5</span>')
    """
    return Markup('<span data-verify="{}">{}</span>').format(shown(name), shown(text))


def missing_cell(reason: str) -> Cell:
    """
    Show a dash with the reason why there is nothing; it sorts last.

    Args:
        reason: Hostile text is allowed.

    Raises:
        SiteError: There is no reason.

    >>> missing_cell("not measured").sort
    ''
    """
    return Cell("—", sort="", html=dash(shown(reason)), title=reason)


def verdict_cell(verdict: Verdict, text: str | None = None, *, title: str | None = None) -> Cell:
    """
    Show a verdict in a column of verdicts.

    Args:
        verdict: Which one.
        text: What is said instead of its word.
        title: More about it, hostile text allowed.
    """
    return Cell(text or verdict.value, verdict=verdict.value, title=title)
