"""The drawings of ARCANA's pages: a score as a waterfall, a NAV, a score's history."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from sitegen.arcana.words import milliseconds
from sitegen.charts import NavPoint, StandingPoint, Term, nav_curve, sparkline, standing_line
from sitegen.charts import waterfall as draw_waterfall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from verifier.dossier.arcana_agent import NavSample
    from verifier.dossier.arcana_rows import ScoreRow
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["history", "nav", "spark", "waterfall"]


def waterfall(score: ScoreDossier) -> Markup | None:
    """Draw a score from its terms; None when nothing can be computed, or not in finite numbers."""
    working = score.working
    if working is None or not score.terms:
        return None
    product = working.weighted_sum * working.strategy_multiplier
    numbers = [term.product for term in score.terms]
    if not all(map(math.isfinite, [*numbers, working.weighted_sum, product, working.arcana])):
        return None
    return draw_waterfall(
        "waterfall",
        [
            Term(term.name, term.weight, term.factor, term.product, constant=term.constant)
            for term in score.terms
        ],
        weighted_sum=working.weighted_sum,
        multiplier=working.strategy_multiplier,
        product=product,
        total=working.arcana,
        title="From the six terms to the score, recomputed"
        if score.ranked
        else "What the six terms come to, recomputed; unranked, so not a score",
    )


def nav(samples: Sequence[NavSample]) -> Markup | None:
    """Draw a NAV with its drawdown; None when there is nothing that can be drawn."""
    points: list[NavPoint] = []
    for sample in samples:
        at = milliseconds(sample.ts)
        # A time or a text that is no number is reported by the layout's check.
        if at is None or not math.isfinite(sample.value) or (points and points[-1].at > at):
            return None
        points.append(NavPoint(at, sample.value))
    return nav_curve("nav", points, title="Net asset value", unit="") if points else None


def history(rows: Iterable[ScoreRow]) -> Markup | None:
    """Draw an agent's ranked scores over time; None when there are fewer than two."""
    points = [
        StandingPoint(at, value)
        for row in rows
        if (at := milliseconds(row.ts)) is not None and (value := _score(row)) is not None
    ]
    if len(points) < 2:
        return None
    return standing_line("history", points, title="ARCANA score over time", places=2)


def spark(name: str, rows: Iterable[ScoreRow]) -> Markup | None:
    """Draw the same very small, for a row of a table."""
    values = [value for row in rows if (value := _score(row)) is not None]
    if len(values) < 2:
        return None
    return sparkline(name, values, title="ARCANA score")


def _score(row: ScoreRow) -> float | None:
    text = row.columns["arcana_score"]
    try:
        value = None if text is None else float(text)
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None
