"""
ARCANA's public endpoints: how each is asked, and how its answer is read.

==========================================  ===================================
``v1/agents/:id/score/verification``        a sealed score: row, manifest, anchor
``v1/score-formulas/:version``              a formula, at the plain path, else with ``%2F``
``v1/anchors/leaves/:seal``                 a leaf, its proof and its anchor
``v1/anchors/:id``                          an anchor with all its leaves
``v1/anchors``                              the ids of all anchors, in pages
``v1/creators/:id/reputation``              a creator's reputation
``v1/leaderboard``                          a board, in pages
==========================================  ===================================

Answers become the rows that a bundle holds (:mod:`verifier.arcana.rows`), so
that both can be compared. What an answer has on top is left alone. A status of
404 means that there is no such thing; any other than 200 ends the work.

Source:
    The platform's endpoints as its source has them, sections 9 and 10 of the
    reference; ``regime`` is no category that can be asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlencode

from verifier.arcana import rowread
from verifier.arcana.rows import SCORE_COLUMNS, Board
from verifier.collect.errors import CollectError
from verifier.collect.port import Request
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, FormatError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from verifier.arcana.rows import Anchor, FormulaDocument, Reputation
    from verifier.collect.port import Exchange
    from verifier.collect.store import Recorder
    from verifier.core.jsonread import JsonValue

__all__ = ["BoardAnswer", "LeafAnswer", "Platform", "ScoreAnswer", "ScoreKey"]

ScoreKey = tuple[str, str | None, str | None]
"""Agent, season and time; None leaves the choice to the platform."""

_PAGE: Final = 500
_PAGES: Final = 10_000
_ANSWER_BYTES: Final = 64 << 20
_LEAF_IDS: Final = ("decision_id",)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreAnswer:
    """
    One sealed score, as the platform verifies it.

    Args:
        status: ``verified``, ``mismatch``, ``broken`` or ``not_sealed``.
        seal: The seal it states; None when nothing is sealed.
        season_id: Season it states.
        ts: Time it states.
        columns: Stored columns by their names.
        manifest: Exact bytes of the manifest; None where none was sent.
        manifest_sha256: Their hash as stated.
        formula: Version it states.
        anchor_status: Of its seal.
        others: Other sealed scores of the agent: season and time.
    """

    status: str
    seal: str | None = None
    season_id: str | None = None
    ts: str | None = None
    columns: Mapping[str, float | None]
    manifest: bytes | None = None
    manifest_sha256: str | None = None
    formula: str | None = None
    anchor_status: str | None = None
    others: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafAnswer:
    """
    Where a seal is anchored.

    Args:
        seal: As stated.
        status: ``anchored``, ``mismatch``, ``anchoring`` or ``pending``.
        anchor_id: Its anchor; None while it is in none.
        root: Root of that anchor.
        index: Of the leaf.
        count: Leaves of the anchor.
        proof: Siblings from the leaf to the root, each with its side.
    """

    seal: str
    status: str
    anchor_id: int | None = None
    root: str | None = None
    index: int | None = None
    count: int | None = None
    proof: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAnswer:
    """
    A board, all its pages.

    Args:
        board: Its rows.
        creators: Creator of each agent that has one.
        latest: The latest ``as_of`` of a row; None without rows.
    """

    board: Board
    creators: Mapping[str, str]
    latest: str | None


class Platform:
    """
    The endpoints under one base URL.

    Args:
        http: Asks.
        base: The URL, ending in a slash.
    """

    def __init__(self, http: Recorder, base: str) -> None:
        self._http = http
        self._base = base

    def score(self, key: ScoreKey) -> ScoreAnswer | None:
        """Ask for one sealed score; None if the platform knows no such agent."""
        agent, season, ts = key
        query = {
            name: value for name, value in (("season_id", season), ("ts", ts)) if value is not None
        }
        url, value = self._ask(f"v1/agents/{_part(agent)}/score/verification", query)
        if value is None:
            return None
        with _about(url):
            answer = Obj(value, ("status",), open_ended=True)
            return _score(answer)

    def formula(self, version: str) -> FormulaDocument | None:
        """Ask for a formula version, at both of its addresses."""
        for path in (quote(version, safe="/"), quote(version, safe="")):
            url, value = self._ask(f"v1/score-formulas/{path}")
            if value is not None:
                with _about(url):
                    answer = Obj(value, ("version", "constants"), open_ended=True)
                    return rowread.read_formula(
                        0,
                        {
                            "version": answer.text("version"),
                            "constants": answer.mapping("constants"),
                            "steps": [],
                            "notes": [],
                        },
                    )
        return None

    def leaf(self, seal: str) -> LeafAnswer | None:
        """Ask where a seal is anchored."""
        url, value = self._ask(f"v1/anchors/leaves/{_part(seal)}")
        if value is None:
            return None
        with _about(url):
            answer = Obj(value, ("seal", "status", "anchor"), open_ended=True)
            if answer.value["anchor"] is None:
                return LeafAnswer(seal=answer.text("seal"), status=answer.text("status"))
            anchor = Obj(answer.value["anchor"], ("id", "root"), pointer="/anchor", open_ended=True)
            steps = (
                Obj(item, ("sibling", "position"), pointer=pointer, open_ended=True)
                for pointer, item in answer.items("proof")
            )
            return LeafAnswer(
                seal=answer.text("seal"),
                status=answer.text("status"),
                anchor_id=_id(anchor, "id"),
                root=anchor.text("root"),
                index=answer.integer("leaf_index"),
                count=answer.integer("leaf_count"),
                proof=tuple((step.text("sibling"), step.text("position")) for step in steps),
            )

    def anchor(self, anchor_id: int) -> Anchor | None:
        """Ask for an anchor with all its leaves."""
        url, value = self._ask(f"v1/anchors/{anchor_id}")
        if value is None:
            return None
        with _about(url):
            answer = Obj(value, ("anchor", "leaves"), open_ended=True)
            return rowread.read_anchor(0, _anchor_row(answer))

    def anchors(self) -> tuple[int, ...]:
        """Ask for the ids of all anchors."""
        ids: dict[int, None] = {}
        for number in range(1, _PAGES + 1):
            url, value = self._ask("v1/anchors", {"page": str(number)})
            if value is None:
                break
            with _about(url):
                answer = Obj(value, ("items", "has_more"), open_ended=True)
                found = [
                    _id(Obj(item, ("id",), pointer=pointer, open_ended=True), "id")
                    for pointer, item in answer.items("items")
                ]
                more = answer.boolean("has_more")
            ids.update(dict.fromkeys(found))
            if not more:
                return tuple(ids)
            if not found:
                break
        raise CollectError(f"{self._base}v1/anchors: its pages do not end")

    def reputation(self, creator_id: str) -> Reputation | None:
        """Ask for a creator's reputation."""
        url, value = self._ask(f"v1/creators/{_part(creator_id)}/reputation")
        if value is None:
            return None
        with _about(url):
            answer = Obj(value, ("creator", "value", "status", "agents"), open_ended=True)
            creator = Obj(answer.value["creator"], ("id",), pointer="/creator", open_ended=True)
            names = (
                *("agent_id", "name", "score_ts", "season_id"),
                *("performance_score", "seal", "anchored"),
            )
            return rowread.read_reputation(
                0,
                {
                    "creator_id": creator.text("id"),
                    "value": answer.value["value"],
                    "status": answer.value["status"],
                    "agents": [
                        _only(Obj(item, names, pointer=pointer, open_ended=True), names)
                        for pointer, item in answer.items("agents")
                    ],
                },
            )

    def board(self, category: str, season: str | None) -> BoardAnswer | None:
        """Ask for a board with its unranked agents, all pages; None where no season has scores."""
        rows: list[JsonValue] = []
        creators: dict[str, str] = {}
        times = []
        for number in range(1, _PAGES + 1):
            query = {
                "category": category,
                "include_unranked": "true",
                "page": str(number),
                "page_size": str(_PAGE),
            }
            if season is not None:
                query["season_id"] = season
            url, value = self._ask("v1/leaderboard", query)
            if value is None:
                return None
            names = ("rank", "agent_id", "agent_name", "score", "ranked")
            with _about(url):
                answer = Obj(value, ("items", "has_more", "season"), open_ended=True)
                found = Obj(answer.value["season"], ("id",), pointer="/season", open_ended=True)
                # The default season may change between two pages; the first one's is kept.
                season = found.text("id") if season is None else season
                items = [
                    Obj(item, (*names, "as_of"), pointer=pointer, open_ended=True)
                    for pointer, item in answer.items("items")
                ]
                more = answer.boolean("has_more")
                for item in items:
                    rows.append(_only(item, names))
                    times.append(item.text("as_of"))
                    creator = item.value.get("creator")
                    if isinstance(creator, dict) and isinstance(creator.get("id"), str):
                        creators[item.text("agent_id")] = str(creator["id"])
            if not more:
                with _about(url):
                    board = rowread.read_board(
                        0, {"season_id": season, "category": category, "rows": rows}
                    )
                return BoardAnswer(board=board, creators=creators, latest=max(times, default=None))
            if not items:
                break
        raise CollectError(f"{self._base}v1/leaderboard: its pages do not end")

    def _ask(self, path: str, query: Mapping[str, str] | None = None) -> tuple[str, JsonValue]:
        url = self._base + path + (f"?{urlencode(query)}" if query else "")
        return url, self._http.read(Request("GET", url, limit=_ANSWER_BYTES), _answer)


def _answer(exchange: Exchange) -> JsonValue:
    """Read an answer; None if there is no such thing."""
    if exchange.status == 404:
        return None
    url = exchange.request.url
    if exchange.status != 200:
        raise CollectError(f"{url}: status {exchange.status}{_code(exchange.body)}")
    with _about(url):
        value = read_json(exchange.body, big_integers="keep")
        if value is None:
            raise FormatError("is null")
        return value


class _About:
    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        if isinstance(error, EvidenceError):
            error.in_file(self._url)


def _about(url: str) -> _About:
    """Name the URL in whatever is wrong with its answer."""
    return _About(url)


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


def _only(item: Obj, names: tuple[str, ...]) -> JsonValue:
    return {name: item.value[name] for name in names}


def _id(item: Obj, name: str) -> int:
    """Read an id, which the platform writes as a number, and others as a text."""
    return item.decimal_id(name) if isinstance(item.value.get(name), str) else item.integer(name)


def _with_text_ids(item: Obj, names: tuple[str, ...]) -> dict[str, JsonValue]:
    return {
        **item.value,
        **{name: str(_id(item, name)) for name in names if item.value.get(name) is not None},
    }


def _anchor_row(answer: Obj) -> JsonValue:
    """Shape an answer about an anchor as the row of a bundle."""
    anchor = Obj(answer.value["anchor"], ("id",), pointer="/anchor", open_ended=True)
    row = _with_text_ids(anchor, ("id",))
    span = row.get("decisions")
    if span is not None:
        row["decisions"] = _with_text_ids(
            Obj(span, (), pointer="/anchor/decisions", open_ended=True), ("first_id", "last_id")
        )
    row["leaves"] = [
        _with_text_ids(Obj(item, (), pointer=pointer, open_ended=True), _LEAF_IDS)
        for pointer, item in answer.items("leaves")
    ]
    row.pop("verified", None)
    return row


def _score(answer: Obj) -> ScoreAnswer:
    others = tuple(
        (other.text("season_id"), other.text("ts"))
        for other in (
            Obj(item, ("season_id", "ts"), pointer=pointer, open_ended=True)
            for pointer, item in (
                answer.items("other_sealed_scores") if "other_sealed_scores" in answer.value else ()
            )
        )
    )
    status = answer.text("status")
    if status not in {"verified", "mismatch"}:
        return ScoreAnswer(
            status=status, seal=answer.text_or_null("seal"), columns={}, others=others
        )
    score = _inner(answer, "score", ("season_id", "ts", "seal", "stored"))
    stored = Obj(
        score.value["stored"], tuple(SCORE_COLUMNS), pointer="/score/stored", open_ended=True
    )
    manifest = _inner(answer, "manifest", ("sha256", "bytes", "body"))
    body = manifest.text("body").encode()
    anchor = answer.value.get("anchor")
    return ScoreAnswer(
        status=status,
        seal=score.text("seal"),
        season_id=score.text("season_id"),
        ts=score.text("ts"),
        columns={name: stored.number_or_null(name) for name in SCORE_COLUMNS},
        manifest=body,
        manifest_sha256=manifest.text("sha256"),
        formula=_inner(answer, "formula", ("version",)).text("version"),
        anchor_status=None
        if anchor is None
        else Obj(anchor, ("status",), pointer="/anchor", open_ended=True).text("status"),
        others=others,
    )


def _inner(answer: Obj, name: str, required: tuple[str, ...]) -> Obj:
    return Obj(answer.value.get(name), required, pointer=f"/{name}", open_ended=True)
