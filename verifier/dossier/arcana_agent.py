"""The dossier of one ARCANA agent: its scores in order, its NAV, and what it was scored on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.arith import parse_float
from verifier.dossier.arcana_evidence import Coverage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from verifier.arcana.context import Context
    from verifier.arcana.rows import Agent, ScoreRow
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["AgentDossier", "NavSample", "nav_curve"]


@dataclass(frozen=True, slots=True)
class NavSample:
    """
    One portfolio snapshot.

    Args:
        ts: Its time.
        nav: As stored, column text.
        value: The same as a double.
        drawdown: Fall below the running peak, as a fraction of the peak; None without a peak
            above 0.
        seal: Its seal, if it has one.
    """

    ts: str
    nav: str
    value: float
    drawdown: float | None
    seal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDossier:
    """
    One agent.

    Args:
        agent: As listed; hostile text in its name and strategy.
        scores: Its score rows of every season, oldest first.
        navs: NAV by season id, oldest first.
    """

    agent: Agent
    scores: tuple[ScoreRow, ...]
    navs: tuple[tuple[str, tuple[NavSample, ...]], ...]

    def nav(self, season_id: str) -> tuple[NavSample, ...]:
        """The NAV of one season; empty when there is none."""
        return dict(self.navs).get(season_id, ())


def nav_curve(context: Context, agent_id: str, season_id: str) -> tuple[NavSample, ...]:
    """Read an agent's snapshots of a season, with the drawdown as the formula measures it."""
    samples = []
    peak: float | None = None
    for row in context.snapshots.get((agent_id, season_id), ()):
        value = parse_float(row.nav)
        if peak is None or value > peak:
            peak = value
        drawdown = (peak - value) / peak if peak > 0 else None
        samples.append(NavSample(row.ts, row.nav, value, drawdown, row.seal))
    return tuple(samples)


def coverage_of(scores: Sequence[ScoreDossier]) -> Coverage:
    """Count the inputs of several scores, as often as they are listed."""
    return sum(
        (score.inputs.coverage for score in scores if score.inputs is not None),
        start=Coverage.of(()),
    )
