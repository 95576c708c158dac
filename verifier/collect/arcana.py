"""
ARCANA: what its endpoints say, and the bundle that it publishes beside them.

The bundle under the base URL, if there is one, is copied
(:mod:`verifier.collect.mirror`). Then the endpoints are asked, from the chosen
agents on, until nothing that an answer refers to is unasked:

1. The boards of the season, which name the agents, and their creators.
2. Each chosen agent's sealed scores: the latest, those that its answer lists, and
   those of the bundle. Each manifest names its formula, its predecessor and its
   peers, whose sealed scores are asked for too.
3. The formula of every manifest.
4. The anchor of every score, with its proof; then the anchors of the inputs, until
   each is among the leaves of an anchor, or in none.
5. The reputation of each creator whose agent was chosen or is a peer.

All answers are checked (:mod:`verifier.collect.arcana_check`).

No endpoint serves the rows of snapshots and decisions, the seasons' bounds, the
manifests of inputs, or what a node of the chain said. Without the bundle these
are therefore missing, and none is made up: a row that was read off the manifest
that it should prove would prove nothing. The score manifests are then written on
their own, to be verified one at a time.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from verifier.arcana.rows import CATEGORIES
from verifier.collect.arcana_api import Platform
from verifier.collect.arcana_check import (
    Beside,
    check_anchor_alone,
    check_leaf,
    check_score_alone,
)
from verifier.collect.bundle import BUNDLE, bundle_facts
from verifier.collect.errors import CollectError, ExcessError
from verifier.collect.mirror import base_url, mirror, url_of
from verifier.collect.outcome import Outcome, altered, missing
from verifier.collect.port import Request
from verifier.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from verifier.arcana.manifest import ScoreManifest
    from verifier.arcana.rows import Anchor
    from verifier.collect.arcana_answers import BoardAnswer, ScoreAnswer
    from verifier.collect.arcana_api import ScoreKey
    from verifier.collect.mirror import Mirrored
    from verifier.collect.store import Recorder, Store

    Progress = Callable[[str, int, int], None]

__all__ = ["fetch_arcana"]

MANIFESTS: Final = "manifests"
_SCORES: Final = 100_000
_NO_BUNDLE: Final = (
    "no bundle is published at this URL: the rows of snapshots, decisions and seasons, "
    "the manifests of inputs and the chain's answers come from no endpoint"
)


def fetch_arcana(  # noqa: PLR0913  the caller's choices, each of its own
    url: str,
    *,
    http: Recorder,
    store: Store,
    agents: Sequence[str] = (),
    season: str | None = None,
    everything: bool = False,
    progress: Progress | None = None,
) -> Outcome:
    """
    Collect what the platform says about agents, and its bundle.

    Args:
        url: Under which its endpoints lie, as ``<url>/v1/...``.
        http: Asks, and keeps what it is told.
        store: Where everything goes.
        agents: Ids of the agents to ask about.
        season: Ask about the scores of one season.
        everything: Ask about all agents of the boards, and all anchors.
        progress: Called with what is done, how much, and of how much.

    Raises:
        UsageError: No agent was chosen, or nobody has that id.
        CollectError: Something could not be asked for.
        EvidenceError: An answer is none of its endpoint.
    """
    if not agents and not everything:
        raise UsageError("name an agent with --agent, or ask for all with --all")
    base = base_url(url)
    mirrored = None
    if _publishes(http, base):
        mirrored = mirror(base, BUNDLE, http=http, store=store, progress=progress)
    walk = _Walk(Platform(http, base), season, progress)
    if mirrored is None or mirrored.altered or mirrored.missing:
        # A copy that does not hold is nothing to compare with.
        walk.run(agents, everything=everything, beside=None)
        compared = 0
    else:
        from verifier.arcana.layout import read_tables  # noqa: PLC0415 - only with a bundle
        from verifier.bundle import open_bundle  # noqa: PLC0415

        with open_bundle(store.folder / BUNDLE) as bundle:
            beside = Beside(bundle, read_tables(bundle))
            walk.run(agents, everything=everything, beside=beside)
            compared = beside.compared
    return _outcome(walk, mirrored, store, compared)


def _publishes(http: Recorder, base: str) -> bool:
    """Tell whether there is a bundle; many hosts answer 200 with a page for what they lack."""
    exchange = http.send(Request("GET", url_of(base, "bundle.json"), limit=1 << 20))
    if exchange.status not in {200, 404, 410}:
        raise CollectError(f"{exchange.request.url}: status {exchange.status}")
    return exchange.status == 200 and not exchange.body.lstrip().startswith(b"<")


class _Walk:
    """Follows references until there are none left."""

    def __init__(self, platform: Platform, season: str | None, progress: Progress | None) -> None:
        self._platform = platform
        self._season = season
        self._progress = progress
        self._beside: Beside | None = None
        self._queue: deque[ScoreKey] = deque()
        self._asked: set[ScoreKey] = set()
        self._creators: dict[str, str] = {}
        self.wrong: list[str] = []
        self.absent: list[str] = []
        self.manifests: dict[str, tuple[ScoreManifest, bytes]] = {}
        self.anchors: dict[int, Anchor] = {}
        self.pending = 0

    def run(self, agents: Sequence[str], *, everything: bool, beside: Beside | None) -> None:
        self._beside = beside
        boards = self._boards()
        listed = [row.agent_id for answer in boards[:1] for row in answer.board.rows]
        chosen = list(dict.fromkeys([*agents, *(listed if everything else ())]))
        for agent in chosen:
            self._ask(agent, self._season, None, named=agent in agents)
        if beside is not None:
            for row in beside.tables.scores:
                chosen_row = everything or row.agent_id in agents
                if row.seal is not None and chosen_row and self._is_wanted(row.season_id):
                    self._later(row.agent_id, row.season_id, row.ts)
        self._drain()
        self._previous()
        for version in sorted({manifest.formula for manifest, _ in self.manifests.values()}):
            self._formula(version)
        self._anchored(everything=everything)
        peers = {manifest.agent_id for manifest, _ in self.manifests.values()}
        creators = {self._creators[each] for each in {*chosen, *peers} if each in self._creators}
        for creator in sorted(creators):
            self._reputation(creator)

    def _boards(self) -> list[BoardAnswer]:
        boards = []
        for category in CATEGORIES:
            answer = self._platform.board(category, self._season)
            if answer is None:
                self.absent.append(f"leaderboard {category}: was not served")
                continue
            boards.append(answer)
            self._creators.update(answer.creators)
            if self._beside is not None:
                self.wrong += self._beside.board(answer)
        return boards

    def _later(self, agent: str, season: str, ts: str) -> None:
        key = agent, season, ts
        if key not in self._asked:
            self._asked.add(key)
            self._queue.append(key)
        if len(self._asked) > _SCORES:
            raise ExcessError(f"the scores refer to more than {_SCORES} others", limit="scores")

    def _drain(self) -> None:
        while self._queue:
            if self._progress is not None:
                done = len(self._asked) - len(self._queue)
                self._progress("asking for scores", done, len(self._asked))
            self._ask(*self._queue.popleft(), named=False)

    def _ask(self, agent: str, season: str | None, ts: str | None, *, named: bool) -> None:
        answer = self._platform.score((agent, season, ts))
        name = f"score of {agent}" + ("" if ts is None else f" at {ts}")
        if answer is None:
            if named:
                raise UsageError(f"the platform knows no agent {agent!r}")
            self.absent.append(f"{name}: was not served")
            return
        if answer.status == "not_sealed":
            # An agent without sealed scores is none that is missing, unless one was named.
            if ts is not None:
                self.absent.append(f"{name}: the platform says it is not sealed")
        else:
            self._take(name, answer, agent)
        for other_season, other_ts in answer.others:
            if self._is_wanted(other_season):
                self._later(agent, other_season, other_ts)

    def _is_wanted(self, season: str) -> bool:
        return self._season is None or season == self._season

    def _take(self, name: str, answer: ScoreAnswer, agent: str) -> None:
        manifest, wrong = check_score_alone(name, answer, agent)
        self.wrong += wrong
        if manifest is None or answer.seal is None or answer.manifest is None:
            return
        self._asked.add((agent, manifest.season_id, manifest.ts))
        if not wrong:
            self.manifests[answer.seal] = manifest, answer.manifest
        if self._beside is not None:
            self.wrong += self._beside.score(name, answer, manifest)
        # What a manifest refers to is asked for whatever its season is.
        for peer in manifest.peers:
            if peer.seal is not None:
                self._later(peer.agent_id, peer.season_id, peer.ts)
        before = None if self._beside is None else self._beside.row(manifest.previous_seal)
        if before is not None:
            self._later(before.agent_id, before.season_id, before.ts)

    def _previous(self) -> None:
        """Name the scores that only their seal is known of: an endpoint takes a time."""
        for manifest, _ in self.manifests.values():
            seal = manifest.previous_seal
            if seal is not None and seal not in self.manifests:
                self.absent.append(
                    f"score {seal}: precedes that of {manifest.agent_id} at {manifest.ts}, "
                    "and was not served"
                )

    def _formula(self, version: str) -> None:
        formula = self._platform.formula(version)
        if formula is None:
            self.absent.append(f"formula {version}: was not served")
        elif formula.version != version:
            self.wrong.append(f"formula {version}: the answer is about {formula.version[:80]}")
        elif self._beside is not None:
            self.wrong += self._beside.formula(formula)

    def _anchored(self, *, everything: bool) -> None:
        for seal in sorted(self.manifests):
            self._leaf(seal)
        if everything:
            listed = self._platform.anchors()
            if listed is None:
                self.absent.append("the list of anchors: was not served")
            for anchor_id in listed or ():
                self._anchor(anchor_id)
        inputs = sorted(
            {
                seal
                for manifest, _ in self.manifests.values()
                for seal in (
                    *(point.seal for point in manifest.nav_series),
                    *(decision.commitment for decision in manifest.decisions),
                )
                if seal is not None
            }
        )
        held = {leaf.commitment for anchor in self.anchors.values() for leaf in anchor.leaves}
        for done, seal in enumerate(inputs):
            if self._progress is not None:
                self._progress("looking for anchors", done, len(inputs))
            if seal not in held:
                anchor = self._leaf(seal)
                held |= {leaf.commitment for leaf in anchor.leaves} if anchor else set()

    def _leaf(self, seal: str) -> Anchor | None:
        answer = self._platform.leaf(seal)
        if answer is None:
            self.absent.append(f"leaf {seal}: was not served")
            return None
        if answer.anchor_id is None:
            self.pending += 1
            self.wrong += check_leaf(seal, answer, None)
            return None
        anchor = self._anchor(answer.anchor_id)
        self.wrong += check_leaf(seal, answer, anchor)
        return anchor

    def _anchor(self, anchor_id: int) -> Anchor | None:
        if anchor_id in self.anchors:
            return self.anchors[anchor_id]
        anchor = self._platform.anchor(anchor_id)
        if anchor is None:
            self.absent.append(f"anchor {anchor_id}: was not served")
            return None
        self.wrong += check_anchor_alone(anchor)
        if anchor.anchor_id != anchor_id:
            self.wrong.append(f"anchor {anchor_id}: the answer is about {anchor.anchor_id}")
        elif self._beside is not None:
            self.wrong += self._beside.anchor(anchor)
        self.anchors[anchor_id] = anchor
        return anchor

    def _reputation(self, creator: str) -> None:
        answer = self._platform.reputation(creator)
        if answer is None:
            self.absent.append(f"reputation of {creator}: was not served")
        elif answer.creator_id != creator:
            self.wrong.append(f"reputation of {creator}: the answer is about {answer.creator_id}")
        elif self._beside is not None:
            self.wrong += self._beside.reputation(answer)


def _outcome(walk: _Walk, mirrored: Mirrored | None, store: Store, compared: int) -> Outcome:
    facts = [
        ("scores", f"{len(walk.manifests)} sealed, each with its manifest"),
        ("anchors", f"{len(walk.anchors)}; {walk.pending} seals are in none yet"),
    ]
    if mirrored is not None:
        facts = [
            *bundle_facts(mirrored),
            *facts,
            ("compared", f"{compared} answers with the bundle"),
        ]
        return Outcome(
            facts=tuple(facts),
            contradictions=(*altered(mirrored), *walk.wrong),
            missing=(*missing(mirrored), *walk.absent),
            commands=(("tallyproof", "audit", str(store.folder / BUNDLE)),),
        )
    commands = []
    for seal, (_, body) in sorted(walk.manifests.items()):
        path = f"{MANIFESTS}/{seal[:2]}/{seal}.txt"
        store.place(path, body)
        commands.append(("tallyproof", "arcana", "score", str(store.folder / path)))
    return Outcome(
        facts=tuple(facts),
        contradictions=tuple(walk.wrong),
        missing=(_NO_BUNDLE, *walk.absent),
        commands=tuple(commands),
    )
