"""
The dossier of one creator: the published reputation, and every score that it averages.

A creator without a sealed score is not measured, which is not the same as 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from formulas.arith import sum_in_order
from verifier.arcana.checks.public import averaged_agents, check_reputation
from verifier.dossier.arcana_evidence import worst
from verifier.findings import Verdict

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import Agent, Reputation, ReputationAgent
    from verifier.findings import Finding

__all__ = ["Averaged", "CreatorDossier", "Excluded", "read_creator"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaged:
    """One score of the average: as the reputation lists it, and as the rows give it."""

    agent_id: str
    published: ReputationAgent | None
    recomputed: ReputationAgent | None

    @property
    def shown(self) -> ReputationAgent:
        """The score as the rows give it, or as published where they give none."""
        row = self.recomputed or self.published
        assert row is not None  # one of the two it was made from
        return row

    @property
    def equal(self) -> bool:
        """Whether every member is the same."""
        return self.published == self.recomputed


@dataclass(frozen=True, slots=True)
class Excluded:
    """An agent of the creator that is not averaged, and why."""

    agent_id: str
    name: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CreatorDossier:
    """
    One creator.

    Args:
        creator_id: Its id.
        handle: As the agents' rows state it, hostile text; None when they state none.
        published: The published line; None when the bundle holds none.
        value: The mean as recomputed, in points; None when not measured.
        averaged: Every score of the mean, in the order of the agents' ids.
        excluded: The creator's other agents.
        findings: What an audit says of the line.
        verdict: The gravest of these, unproven when nothing is published.
    """

    creator_id: str
    handle: str | None
    published: Reputation | None
    value: float | None
    averaged: tuple[Averaged, ...]
    excluded: tuple[Excluded, ...]
    findings: tuple[Finding, ...]
    verdict: Verdict

    @property
    def measured(self) -> bool:
        """Whether there is anything to average."""
        return self.value is not None


def read_creator(
    context: Context,
    creator_id: str,
    *,
    handle: str | None,
    agents: tuple[Agent, ...],
    published: Reputation | None,
) -> CreatorDossier:
    """
    Lay a reputation beside the one that the score rows give.

    Args:
        context: The bundle.
        creator_id: Whose.
        handle: The creator's handle, if one is known.
        agents: The creator's agents, by id.
        published: The published line, if there is one.
    """
    own = {item.agent_id: item for item in averaged_agents(context, creator_id)}
    listed = () if published is None else published.agents
    stated = {item.agent_id: item for item in listed}
    findings = () if published is None else tuple(check_reputation(context, published))
    scores = [item.performance_score for item in own.values()]
    return CreatorDossier(
        creator_id=creator_id,
        handle=handle,
        published=published,
        value=sum_in_order(scores) / len(scores) if scores else None,
        averaged=tuple(
            Averaged(
                agent_id=agent_id, published=stated.get(agent_id), recomputed=own.get(agent_id)
            )
            for agent_id in sorted(own.keys() | stated.keys())
        ),
        excluded=tuple(
            Excluded(agent.agent_id, agent.name, agent.status, _reason(agent))
            for agent in agents
            if agent.agent_id not in own
        ),
        findings=findings,
        verdict=worst(findings) if findings else Verdict.UNPROVEN,
    )


def _reason(agent: Agent) -> str:
    if agent.status != "active":
        return f"its status is {agent.status}, and only active agents are averaged"
    return "it has no sealed score"
