"""
Numbers of a board in the cells of its tables.

A figure that passes is shown once, rounded as the protocol prints it, with the whole
double in its title. One that fails is shown twice, whole, with the distance between
the two: rounded, both could look the same. One that is unproven says so, and one that
the kernel refuses is a dash with the kernel's reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from sitegen.components import Cell, missing_cell
from sitegen.numbers import fixed, plain, small
from verifier.findings import Verdict

if TYPE_CHECKING:
    from verifier.dossier.sharpe_figures import Figure

__all__ = ["CONTEXT_ONLY", "SCORE_PLACES", "figure_cell", "interval_cell"]

SCORE_PLACES: Final = 4
CONTEXT_ONLY: Final = (
    "context only. A mean return is luck until it is deflated by the number of trials, "
    "so it orders nothing here and has no button."
)


def figure_cell(figure: Figure, places: int = SCORE_PLACES) -> Cell:
    """
    Show one figure.

    Args:
        figure: Published and recomputed.
        places: Decimals of the published value, where it is shown rounded.
    """
    if figure.verdict is Verdict.FAIL:
        html = Markup("<b>fail</b> <small>published</small> {}<br><small>recomputed</small> {}{}")
        return Cell(
            text=_whole(figure.published),
            sort=_sort(figure.published),
            html=html.format(
                _whole(figure.published), _whole(figure.recomputed), _distance(figure)
            ),
            verdict="fail",
            title=figure.note,
        )
    if figure.published is None:
        reason = figure.note or "not published"
        return missing_cell(reason)
    rounded = fixed(figure.published, places)
    if figure.verdict is Verdict.UNPROVEN:
        return Cell(
            text=rounded,
            sort=plain(figure.published),
            html=Markup("{} <small>unproven</small>").format(rounded),
            verdict="unproven",
            title=f"{plain(figure.published)}; not recomputed: {figure.note}",
        )
    return Cell(text=rounded, sort=plain(figure.published), title=plain(figure.published))


def interval_cell(low: Figure, high: Figure) -> Cell:
    """
    Show both ends of an interval, sorted by the low one.

    An end that is not 0 never prints as 0: on which side of 0 it lies decides a verdict.
    """
    if Verdict.FAIL in (low.verdict, high.verdict):
        html = Markup(
            "<b>fail</b> <small>published</small> [{},<br>{}]<br>"
            "<small>recomputed</small> [{},<br>{}]"
        )
        return Cell(
            text=_whole(low.published),
            sort=_sort(low.published),
            html=html.format(
                *(_whole(end) for end in (low.published, high.published)),
                *(_whole(end) for end in (low.recomputed, high.recomputed)),
            ),
            verdict="fail",
            title=low.note,
        )
    if low.published is None or high.published is None:
        return missing_cell(low.note or "no interval is published")
    text = f"[{small(low.published, SCORE_PLACES)}, {small(high.published, SCORE_PLACES)}]"
    title = f"from {plain(low.published)} to {plain(high.published)}"
    if low.verdict is Verdict.UNPROVEN:
        return Cell(
            text=text,
            sort=plain(low.published),
            html=Markup("{} <small>unproven</small>").format(text),
            verdict="unproven",
            title=f"{title}; not recomputed: {low.note}",
        )
    return Cell(text=text, sort=plain(low.published), title=title)


def _whole(value: float | None) -> str:
    return "none" if value is None else plain(value)


def _sort(value: float | None) -> str:
    return "" if value is None else plain(value)


def _distance(figure: Figure) -> str:
    steps = figure.distance
    if steps is None:
        return ""
    return " (1 unit in the last place)" if steps == 1 else f" ({steps:,} units in the last place)"
