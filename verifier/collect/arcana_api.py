"""
ARCANA's public endpoints, and how each is asked.

==========================================  ===================================
``v1/agents/:id/score/verification``        a sealed score: row, manifest, anchor
``v1/score-formulas/:version``              a formula, at the plain path, else with ``%2F``
``v1/anchors/leaves/:seal``                 a leaf, its proof and its anchor
``v1/anchors/:id``                          an anchor with all its leaves
``v1/anchors``                              the ids of all anchors, in pages
``v1/creators/:id/reputation``              a creator's reputation
``v1/leaderboard``                          a board, in pages
==========================================  ===================================

A status of 404 means that there is no such thing, and any other than 200 ends
the work. An answer that cannot be read is asked for once more. ``regime`` is no
category that can be asked for.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote, urlencode

from verifier.collect.arcana_answers import (
    BoardAnswer,
    read_anchor,
    read_anchor_ids,
    read_board,
    read_board_page,
    read_formula,
    read_leaf,
    read_reputation,
    read_score,
)
from verifier.collect.errors import CollectError, ExcessError
from verifier.collect.port import Request
from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from verifier.arcana.rows import Anchor, FormulaDocument, Reputation
    from verifier.collect.arcana_answers import LeafAnswer, ScoreAnswer
    from verifier.collect.port import Exchange
    from verifier.collect.store import Recorder
    from verifier.core.jsonread import JsonValue

__all__ = ["Platform", "ScoreKey"]

ScoreKey = tuple[str, str | None, str | None]
"""Agent, season and time; None leaves the choice to the platform."""

Read = TypeVar("Read")

_PAGE: Final = 500
_PAGES: Final = 10_000
_ANSWER_BYTES: Final = 64 << 20


class Platform:
    """
    The endpoints under one base URL.

    Every method gives None where the platform answers that there is no such
    thing.

    Args:
        http: Asks, and keeps what it is told.
        base: The URL, ending in a slash.
    """

    def __init__(self, http: Recorder, base: str) -> None:
        self._http = http
        self._base = base

    def score(self, key: ScoreKey) -> ScoreAnswer | None:
        """Ask for one sealed score."""
        agent, season, ts = key
        query = {
            name: value for name, value in (("season_id", season), ("ts", ts)) if value is not None
        }
        return self._ask(f"v1/agents/{_part(agent)}/score/verification", read_score, query)

    def formula(self, version: str) -> FormulaDocument | None:
        """Ask for a formula version, at both of its addresses."""
        plain = self._ask(f"v1/score-formulas/{quote(version, safe='/')}", read_formula)
        if plain is not None or "/" not in version:
            return plain
        return self._ask(f"v1/score-formulas/{_part(version)}", read_formula)

    def leaf(self, seal: str) -> LeafAnswer | None:
        """Ask where a seal is anchored."""
        return self._ask(f"v1/anchors/leaves/{_part(seal)}", read_leaf)

    def anchor(self, anchor_id: int) -> Anchor | None:
        """Ask for an anchor with all its leaves."""
        return self._ask(f"v1/anchors/{anchor_id}", read_anchor)

    def anchors(self) -> tuple[int, ...] | None:
        """Ask for the ids of all anchors."""
        ids: dict[int, None] = {}
        for number in range(1, _PAGES + 1):
            page = self._ask("v1/anchors", read_anchor_ids, {"page": str(number)})
            if page is None:
                return None
            found, more = page
            ids.update(dict.fromkeys(found))
            if not more:
                return tuple(ids)
            if not found:
                break
        raise ExcessError(f"{self._base}v1/anchors: its pages do not end", limit="pages")

    def reputation(self, creator_id: str) -> Reputation | None:
        """Ask for a creator's reputation."""
        return self._ask(f"v1/creators/{_part(creator_id)}/reputation", read_reputation)

    def board(self, category: str, season: str | None) -> BoardAnswer | None:
        """Ask for a board with its unranked agents, all pages."""
        rows: list[JsonValue] = []
        creators: dict[str, str] = {}
        latest = None
        query = {
            "category": category,
            "include_unranked": "true",
            "page_size": str(_PAGE),
            **({} if season is None else {"season_id": season}),
        }
        for number in range(1, _PAGES + 1):
            page = self._ask("v1/leaderboard", read_board_page, {**query, "page": str(number)})
            if page is None:
                return None
            # Without a season the newest is meant, which another page may see differently.
            query["season_id"] = page.season_id
            rows += page.rows
            creators.update(page.creators)
            latest = max((*page.times, *(() if latest is None else (latest,))), default=None)
            if not page.more:
                with _about(f"{self._base}v1/leaderboard"):
                    board = read_board(page.season_id, category, rows)
                return BoardAnswer(board=board, creators=creators, latest=latest)
            if not page.rows:
                break
        raise ExcessError(f"{self._base}v1/leaderboard: its pages do not end", limit="pages")

    def _ask(
        self,
        path: str,
        reader: Callable[[JsonValue], Read],
        query: Mapping[str, str] | None = None,
    ) -> Read | None:
        def read(exchange: Exchange) -> Read | None:
            if exchange.status == 404:
                return None
            if exchange.status != 200:
                raise CollectError(f"{url}: status {exchange.status}{_code(exchange.body)}")
            with _about(url):
                return reader(read_json(exchange.body, big_integers="keep"))

        url = self._base + path + (f"?{urlencode(query)}" if query else "")
        return self._http.read(Request("GET", url, limit=_ANSWER_BYTES), read)


@contextmanager
def _about(url: str) -> Iterator[None]:
    """Name the URL in whatever is wrong with its answer."""
    try:
        yield
    except EvidenceError as error:
        raise error.in_file(url) from None


def _code(body: bytes) -> str:
    """Give the platform's own word for a refusal, if there is one."""
    try:
        value = read_json(body[:4096])
    except EvidenceError:
        return ""
    inner = value.get("error", value) if isinstance(value, dict) else None
    code = inner.get("code") if isinstance(inner, dict) else None
    return f" {code[:40]}" if isinstance(code, str) else ""


def _part(text: str) -> str:
    return quote(text, safe="")
