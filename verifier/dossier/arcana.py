"""
Everything that a bundle says about ARCANA, and what follows from it: a notebook's way in.

::

    with open_bundle("bundle") as bundle:
        arena = open_arcana(bundle, policy)
        board = arena.board(arena.season, "overall")
        score = arena.score(board.seats[0].row)
        for output in score.outputs:
            print(output.name, output.published, output.recomputed, output.equal)

Nothing is held but the rows and their indexes: each dossier is made when it is
asked for. Names, handles and strategies are agents' words and may be hostile.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from verifier.arcana.checks.chain import check_order, check_senders
from verifier.arcana.context import load_context
from verifier.arcana.rows import CATEGORIES
from verifier.core.jsonread import read_json
from verifier.dossier.arcana_agent import AgentDossier, coverage_of, nav_curve
from verifier.dossier.arcana_anchor import AnchorDossier, read_anchor
from verifier.dossier.arcana_board import BoardDossier, read_board
from verifier.dossier.arcana_creator import CreatorDossier, read_creator
from verifier.dossier.arcana_evidence import Coverage
from verifier.dossier.arcana_score import ScoreDossier, read_score
from verifier.errors import UsageError

if TYPE_CHECKING:
    from verifier.arcana.context import Context
    from verifier.arcana.rows import Agent, Anchor, Reputation, ScoreRow, Season
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue
    from verifier.findings import Finding, Verdict
    from verifier.policy import Policy

__all__ = ["CATEGORIES", "Arcana", "Coverage", "coverage_of", "open_arcana"]

# Members of an anchor that no check reads, and that the platform publishes all the same.
_ANCHOR_EXTRAS: Final = ("explorer_url", "gas_cost_usd", "note")
_RECENT: Final = 32
"""Anchors that are kept, with their trees."""


class Arcana:
    """
    One bundle's ARCANA evidence.

    Args:
        context: Its rows and indexes.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self._scores: dict[str, list[ScoreRow]] = defaultdict(list)
        self._by_seal: dict[str, ScoreRow] = {}
        for row in context.tables.scores:
            self._scores[row.agent_id].append(row)
            if row.seal is not None:
                self._by_seal.setdefault(row.seal, row)
        self._created: dict[str, list[Agent]] = defaultdict(list)
        for agent in sorted(context.tables.agents, key=lambda agent: agent.agent_id):
            if agent.creator_id is not None:
                self._created[agent.creator_id].append(agent)
        self._reputations = {line.creator_id: line for line in context.tables.reputations}
        self._handles = _handles(context.bundle)
        self._extras = _extras(context.bundle)
        self._anchors = {anchor.anchor_id: anchor for anchor in context.tables.anchors}
        self._verdicts: dict[int, Verdict] = {}
        self._recent: dict[int, AnchorDossier] = {}

    @property
    def seasons(self) -> tuple[Season, ...]:
        """All seasons, by their start."""
        return self.context.tables.seasons

    @property
    def season(self) -> Season | None:
        """The season that the platform shows by default: the one with the newest score."""
        newest = max(self.context.tables.scores, key=lambda row: row.ts, default=None)
        if newest is None:
            return self.seasons[-1] if self.seasons else None
        return next((s for s in self.seasons if s.season_id == newest.season_id), None)

    def board(self, season: Season, category: str = "overall") -> BoardDossier:
        """
        Lay a leaderboard beside the recomputed one.

        Raises:
            UsageError: The category cannot be ranked on, as ``regime`` cannot.
        """
        if category not in CATEGORIES:
            raise UsageError(f"{category} cannot be ranked on; {', '.join(CATEGORIES)} can")
        return read_board(self.context, season, category)

    @property
    def agents(self) -> tuple[str, ...]:
        """Ids of all agents with a row of their own or a score, sorted."""
        return tuple(sorted(self.context.agents.keys() | self._scores.keys()))

    def agent(self, agent_id: str) -> AgentDossier:
        """
        Collect what there is about an agent.

        Raises:
            UsageError: The bundle knows no such agent.
        """
        agent = self.context.agents.get(agent_id) or self._unlisted(agent_id)
        return AgentDossier(
            agent=agent,
            scores=self.scores_of(agent_id),
            navs=tuple(
                (season.season_id, nav_curve(self.context, agent_id, season.season_id))
                for season in self.seasons
                if (agent_id, season.season_id) in self.context.snapshots
            ),
        )

    def scores_of(self, agent_id: str) -> tuple[ScoreRow, ...]:
        """Return an agent's score rows of every season, oldest first; none if it has none."""
        return tuple(self._scores.get(agent_id, ()))

    def listed(self, agent_id: str) -> bool:
        """Tell whether an agent has a row of its own."""
        return agent_id in self.context.agents

    def name(self, agent_id: str) -> str | None:
        """Return an agent's name, hostile text; None when it is not listed."""
        agent = self.context.agents.get(agent_id)
        return None if agent is None else agent.name

    def score(self, row: ScoreRow) -> ScoreDossier:
        """Check a score and lay out what it was checked with."""
        return read_score(self.context, row)

    def score_row(self, seal: str) -> ScoreRow | None:
        """Find the score row with a seal."""
        return self._by_seal.get(seal)

    @property
    def sealed_scores(self) -> tuple[ScoreRow, ...]:
        """The sealed score rows, in file order, each seal once."""
        return tuple(self._by_seal.values())

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """All anchors, by id."""
        return tuple(self._anchors[anchor_id] for anchor_id in sorted(self._anchors))

    def anchor(self, anchor_id: int) -> AnchorDossier:
        """
        Check an anchor and lay out what it was checked with.

        Raises:
            UsageError: The bundle knows no such anchor.
        """
        anchor = self._anchors.get(anchor_id)
        if anchor is None:
            raise UsageError(f"no anchor of the bundle has the id {anchor_id}")
        dossier = self._recent.get(anchor_id)
        if dossier is None:
            dossier = read_anchor(self.context, anchor)
            # The scores of one night stand in few anchors; a season's would fill the memory.
            if len(self._recent) >= _RECENT:
                self._recent.clear()
            self._recent[anchor_id] = dossier
            self._verdicts[anchor_id] = dossier.verdict
        return dossier

    def anchor_verdict(self, anchor_id: int) -> Verdict:
        """Tell what an audit says of an anchor; asked for each of its leaves, computed once."""
        if anchor_id not in self._verdicts:
            self.anchor(anchor_id)
        return self._verdicts[anchor_id]

    def anchor_extras(self, anchor_id: int) -> dict[str, JsonValue]:
        """Return an anchor's ``explorer_url``, ``gas_cost_usd`` and ``note``, as published."""
        return dict(self._extras.get(anchor_id, dict.fromkeys(_ANCHOR_EXTRAS)))

    @property
    def chain_findings(self) -> tuple[Finding, ...]:
        """What an audit says of all mined anchors together: their order, and who signed them."""
        return (*check_order(self.context), *check_senders(self.context))

    @property
    def creators(self) -> tuple[str, ...]:
        """Ids of all creators with an agent or a reputation, sorted."""
        return tuple(sorted(self._created.keys() | self._reputations.keys()))

    def creator(self, creator_id: str) -> CreatorDossier:
        """Lay a creator's reputation beside the recomputed one."""
        return read_creator(
            self.context,
            creator_id,
            handle=self._handles.get(creator_id),
            agents=tuple(self._created.get(creator_id, ())),
            published=self._reputation(creator_id),
        )

    def handle(self, creator_id: str) -> str | None:
        """Return a creator's handle, hostile text; None when no row states one."""
        return self._handles.get(creator_id)

    def _reputation(self, creator_id: str) -> Reputation | None:
        return self._reputations.get(creator_id)

    def _unlisted(self, agent_id: str) -> Agent:
        """Stand in for an agent that has scores and no row: what can be said of it is its id."""
        from verifier.arcana.rows import Agent  # noqa: PLC0415 - the one place that makes a row

        if agent_id not in self._scores:
            raise UsageError(f"no agent of the bundle has the id {agent_id}")
        return Agent(0, agent_id, agent_id, "not listed", None, None, None)


def open_arcana(bundle: Bundle, policy: Policy) -> Arcana:
    """
    Read the ARCANA evidence of a bundle.

    Raises:
        EvidenceError: A row file or a chain file cannot be read.
    """
    return Arcana(load_context(bundle, policy))


def _handles(bundle: Bundle) -> dict[str, str]:
    """Read the creators' handles, which no check compares with anything."""
    found: dict[str, str] = {}
    for value in _objects(bundle, "arcana/agents.jsonl"):
        creator, handle = value.get("creator_id"), value.get("creator_handle")
        if isinstance(creator, str) and isinstance(handle, str):
            found.setdefault(creator, handle)
    return found


def _extras(bundle: Bundle) -> dict[int, dict[str, JsonValue]]:
    found: dict[int, dict[str, JsonValue]] = {}
    for value in _objects(bundle, "arcana/anchors.jsonl"):
        found[int(str(value["id"]))] = {name: value.get(name) for name in _ANCHOR_EXTRAS}
    return found


def _objects(bundle: Bundle, path: str) -> list[dict[str, JsonValue]]:
    # The context has read the same lines before, so they are objects.
    if not bundle.has(path):
        return []
    values = [read_json(line) for _, line in bundle.lines(path)]
    return [value for value in values if isinstance(value, dict)]
