"""
The pages and files of one ARCANA season, unit by unit.

=================  ==========================================================
unit               what it makes
=================  ==========================================================
``boards``         leaderboards with their downloads, the list of anchors
``agents:<n>``     some agents, each with the pages of its scores
``creators:<n>``   some creators
``anchors:<n>``    some anchors, and the answers for their leaves
=================  ==========================================================

An agent's scores are made with its page, so that each is checked once. Only the
newest season of the family writes to ``v1/``.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from sitegen.api import agent_response, response
from sitegen.arcana.agent_page import agent_page, season_scores
from sitegen.arcana.anchor_page import anchor_page, anchors_page
from sitegen.arcana.api_anchor import (
    anchor_body,
    anchors_body,
    leaf_body,
    pending_body,
)
from sitegen.arcana.api_lists import board_body, formula_bodies, reputation_body
from sitegen.arcana.api_score import not_sealed_body, verification_body
from sitegen.arcana.board_page import board_pages
from sitegen.arcana.creator_page import creator_page
from sitegen.arcana.inputs_table import input_pages
from sitegen.arcana.score_page import score_page
from sitegen.arcana.shelf import SEAL, Shelf
from sitegen.arcana.tables import board_files
from sitegen.components import Download
from sitegen.downloads import file_download
from verifier.dossier.arcana import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sitegen.model import Artifact, Season
    from verifier.core.jsonread import JsonValue
    from verifier.dossier.arcana_anchor import AnchorDossier
    from verifier.dossier.arcana_rows import ScoreRow
    from verifier.dossier.arcana_score import ScoreDossier

__all__ = ["chapter"]

_AGENTS: Final = 4
_CREATORS: Final = 32
_ANCHORS: Final = 16
_VERSION: Final = re.compile(r"[a-z0-9-]{1,64}/v[0-9]{1,6}\Z")


def chapter(season: Season, *, newest: bool) -> ArcanaChapter:
    """
    Open a season's chapter.

    Args:
        season: The frozen season.
        newest: Whether it is the newest of the family, whose answers have the plain paths.
    """
    return ArcanaChapter(season, newest=newest)


class ArcanaChapter:
    """
    The chapter of one season; its evidence is read when it is first needed.

    Args:
        season: The frozen season.
        newest: Whether it writes to ``v1/``.
    """

    def __init__(self, season: Season, *, newest: bool) -> None:
        self._season = season
        self._newest = newest

    @cached_property
    def _shelf(self) -> Shelf:
        return Shelf(self._season)

    @cached_property
    def _homes(self) -> dict[str, tuple[int, int]]:
        """The anchor that answers for a seal, a mined one if there is one, and the leaf's place."""
        homes: dict[str, tuple[int, int]] = {}
        order = {"mined": 0, "broadcast": 1, "signed": 2}
        for anchor in sorted(
            self._shelf.arena.anchors, key=lambda each: (order.get(each.status, 3), each.anchor_id)
        ):
            for place, leaf in enumerate(anchor.leaves):
                homes.setdefault(leaf.commitment, (anchor.anchor_id, place))
        return homes

    def units(self) -> Sequence[str]:
        """Name the parts; see the module."""
        shelf = self._shelf
        return (
            "boards",
            *_chunks("agents", len(shelf.agents), _AGENTS),
            *_chunks("creators", len(shelf.creators), _CREATORS),
            *_chunks("anchors", len(shelf.anchors), _ANCHORS),
        )

    def artifacts(self, unit: str) -> Iterator[Artifact]:
        """Make one part."""
        kind, _, number = unit.partition(":")
        start = int(number or 0)
        if kind == "boards":
            yield from self._boards()
        elif kind == "agents":
            for agent_id in list(self._shelf.agents)[start : start + _AGENTS]:
                yield from self._agent(agent_id)
        elif kind == "creators":
            for creator_id in list(self._shelf.creators)[start : start + _CREATORS]:
                yield from self._creator(creator_id)
        else:
            for anchor_id in sorted(self._shelf.anchors)[start : start + _ANCHORS]:
                yield from self._anchor(anchor_id)

    def _boards(self) -> Iterator[Artifact]:
        shelf = self._shelf
        boards = [shelf.arena.board(shelf.shown, category) for category in CATEGORIES]
        for board in boards:
            files, downloads = board_files(shelf, board)
            yield from files
            if self._newest:
                answer = agent_response(_board_path(board.category), board_body(shelf, board))
                yield answer
                downloads = [*downloads, file_download("The evidence API's answer", answer)]
            yield from board_pages(shelf, board, boards, downloads)
        files_: list[Download] = []
        if self._newest:
            answer = response("v1/anchors.json", anchors_body(shelf))
            yield answer
            files_.append(file_download("The evidence API's answer", answer))
            for version, body in formula_bodies(shelf):
                if _VERSION.match(version):
                    yield response(f"v1/score-formulas/{version}.json", body)
        yield anchors_page(shelf, files_)

    def _agent(self, agent_id: str) -> Iterator[Artifact]:
        shelf = self._shelf
        agent = shelf.arena.agent(agent_id)
        scores = season_scores(shelf, agent)
        sealed = [score for score in scores if score.row.seal is not None]
        folder = f"v1/agents/{shelf.agents[agent_id]}/"
        downloads: list[Download] = []
        for place, score in enumerate(sealed):
            newest_first = [each.row for each in reversed(sealed) if each is not score]
            api = None
            if self._newest:
                body = self._verification(score, list(newest_first))
                if shelf.score_page(score.row.seal) is not None:
                    file = agent_response(f"{folder}scores/{score.row.seal}.json", body)
                    yield file
                    api = file_download("The evidence API's answer", file)
                if place == len(sealed) - 1:
                    latest = agent_response(f"{folder}score/verification.json", body)
                    yield latest
                    downloads.append(file_download("The latest score's verification", latest))
                if score.row.seal not in self._homes and shelf.score_page(score.row.seal):
                    seal = str(score.row.seal)
                    yield response(f"v1/anchors/leaves/{seal}.json", pending_body(seal))
            if shelf.score_page(score.row.seal) is not None:
                yield score_page(shelf, score, api)
                yield from input_pages(shelf, score)
        if self._newest and not sealed:
            body = not_sealed_body(agent_id, shelf.arena.name(agent_id))
            file = agent_response(f"{folder}score/verification.json", body)
            yield file
            downloads.append(file_download("The evidence API's answer", file))
        yield agent_page(shelf, agent, scores, downloads)

    def _verification(self, score: ScoreDossier, others: list[ScoreRow]) -> dict[str, JsonValue]:
        shelf = self._shelf
        home = self._homes.get(score.row.seal or "")
        anchor: JsonValue = None if score.row.seal is None else dict(pending_body(score.row.seal))
        if home is not None:
            anchor_id, place = home
            anchor = dict(leaf_body(shelf, shelf.arena.anchor(anchor_id), place))
        return verification_body(shelf, score, anchor, others)

    def _creator(self, creator_id: str) -> Iterator[Artifact]:
        shelf = self._shelf
        creator = shelf.arena.creator(creator_id)
        downloads = []
        if self._newest:
            path = f"v1/creators/{shelf.creators[creator_id]}/reputation.json"
            answer = agent_response(path, reputation_body(shelf, creator))
            yield answer
            downloads.append(file_download("The evidence API's answer", answer))
        yield creator_page(shelf, creator, downloads)

    def _anchor(self, anchor_id: int) -> Iterator[Artifact]:
        shelf = self._shelf
        dossier = shelf.arena.anchor(anchor_id)
        downloads = list(_chain_download(shelf, dossier))
        if self._newest:
            answer = response(f"v1/anchors/{anchor_id}.json", anchor_body(shelf, dossier))
            yield answer
            downloads.append(file_download("The evidence API's answer", answer))
            for place, leaf in enumerate(dossier.anchor.leaves):
                seal = leaf.commitment
                if self._homes[seal] == (anchor_id, place) and SEAL.match(seal):
                    body = leaf_body(shelf, dossier, place)
                    yield response(f"v1/anchors/leaves/{seal}.json", body)
        yield anchor_page(shelf, dossier, downloads)


def _chain_download(shelf: Shelf, dossier: AnchorDossier) -> Iterator[Download]:
    path = None if dossier.chain is None else dossier.chain.path
    published = None if path is None else shelf.evidence(path)
    if path is not None and published is not None:
        bundle = shelf.season.bundle
        yield Download(
            "The node's answers, as stored", published, bundle.digest(path), bundle.size(path)
        )


def _board_path(category: str) -> str:
    return "v1/leaderboard.json" if category == "overall" else f"v1/leaderboards/{category}.json"


def _chunks(kind: str, total: int, size: int) -> list[str]:
    return [f"{kind}:{start}" for start in range(0, total, size)]
