"""
How answers of ARCANA's endpoints are read.

Each becomes what a bundle holds of the same thing (:mod:`verifier.arcana.rows`),
so that both can be compared. An id is a number in an answer and a text in a
bundle. What an answer has on top of what is read here is left alone: a platform
may add to its answers at any time.

Source:
    The platform's endpoints as its source has them, sections 9 and 10 of the
    reference.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.arcana import rowread
from verifier.arcana.rows import SCORE_COLUMNS
from verifier.core.shape import Obj

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from verifier.arcana.rows import Anchor, Board, FormulaDocument, Reputation
    from verifier.core.jsonread import JsonValue

__all__ = [
    "BoardAnswer",
    "BoardPage",
    "LeafAnswer",
    "ScoreAnswer",
    "read_anchor",
    "read_anchor_ids",
    "read_board",
    "read_board_page",
    "read_formula",
    "read_leaf",
    "read_reputation",
    "read_score",
]

_ANCHOR: Final = (
    *("id", "scheme", "root", "leaf_count", "decisions", "chain_id", "sender", "tx_hash"),
    *("explorer_url", "status", "block_number", "gas_cost_usd", "note", "created_at", "mined_at"),
)
_ANCHOR_MAY: Final = ("nonce", "raw_tx")
_SPAN: Final = ("first_id", "last_id", "first_ts", "last_ts")
_LEAF: Final = (
    *("leaf_index", "kind", "agent_id", "commitment", "decision_id", "decision_ts"),
    *("portfolio_id", "season_id", "ts"),
)
_AGENT: Final = (
    *("agent_id", "name", "score_ts", "season_id", "performance_score", "seal", "anchored"),
)
_ROW: Final = ("rank", "agent_id", "agent_name", "score", "ranked")


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
        proof: Siblings from the leaf to the root, in hex.
    """

    seal: str
    status: str
    anchor_id: int | None = None
    root: str = ""
    index: int = 0
    count: int = 0
    proof: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPage:
    """
    One page of a board.

    Args:
        season_id: The season it states.
        rows: As a bundle holds them.
        creators: Creator of each agent that has one.
        times: When the score of each row was made.
        more: Whether another page follows.
    """

    season_id: str
    rows: Sequence[JsonValue]
    creators: Mapping[str, str]
    times: Sequence[str]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardAnswer:
    """
    A board, all its pages.

    Args:
        board: Its rows.
        creators: Creator of each agent that has one.
        latest: Time of its newest score; None without rows.
    """

    board: Board
    creators: Mapping[str, str]
    latest: str | None


def read_score(value: JsonValue) -> ScoreAnswer:
    """Read ``v1/agents/:id/score/verification``."""
    answer = _open(value, ("status",))
    others = tuple(
        (other.text("season_id"), other.text("ts"))
        for other in (_items(answer, "other_sealed_scores", ("season_id", "ts")))
    )
    status = answer.text("status")
    if status not in {"verified", "mismatch"}:
        return ScoreAnswer(
            status=status, seal=answer.text_or_null("seal"), columns={}, others=others
        )
    score = _inner(answer, "score", ("season_id", "ts", "seal", "stored"))
    stored = _inner(score, "stored", tuple(SCORE_COLUMNS))
    manifest = _inner(answer, "manifest", ("sha256", "bytes", "body"))
    return ScoreAnswer(
        status=status,
        seal=score.text("seal"),
        season_id=score.text("season_id"),
        ts=score.text("ts"),
        columns={name: stored.number_or_null(name) for name in SCORE_COLUMNS},
        manifest=manifest.text("body").encode(),
        manifest_sha256=manifest.text("sha256"),
        formula=_inner(answer, "formula", ("version",)).text("version"),
        others=others,
    )


def read_formula(value: JsonValue) -> FormulaDocument:
    """Read ``v1/score-formulas/:version``; its prose is not compared."""
    answer = _open(value, ("version", "constants"))
    return rowread.read_formula(0, {**_only(answer, ("version", "constants")), **_PROSE})


def read_leaf(value: JsonValue) -> LeafAnswer:
    """Read ``v1/anchors/leaves/:seal``."""
    answer = _open(value, ("seal", "status", "anchor"))
    if answer.value["anchor"] is None:
        return LeafAnswer(seal=answer.text("seal"), status=answer.text("status"))
    anchor = _inner(answer, "anchor", ("id", "root"))
    return LeafAnswer(
        seal=answer.text("seal"),
        status=answer.text("status"),
        anchor_id=_id(anchor, "id"),
        root=anchor.text("root"),
        index=answer.integer("leaf_index"),
        count=answer.integer("leaf_count"),
        proof=tuple(step.text("sibling") for step in _items(answer, "proof", ("sibling",))),
    )


def read_anchor(value: JsonValue) -> Anchor:
    """Read ``v1/anchors/:id``."""
    answer = _open(value, ("anchor", "leaves"))
    anchor = _inner(answer, "anchor", _ANCHOR)
    row = _with_ids(anchor, (*_ANCHOR, *_ANCHOR_MAY), ("id",))
    if row["decisions"] is not None:
        span = _inner(anchor, "decisions", _SPAN)
        row["decisions"] = _with_ids(span, _SPAN, ("first_id", "last_id"))
    row["leaves"] = [
        _with_ids(leaf, _LEAF, ("decision_id",)) for leaf in _items(answer, "leaves", ("kind",))
    ]
    return rowread.read_anchor(0, row)


def read_anchor_ids(value: JsonValue) -> tuple[tuple[int, ...], bool]:
    """Read a page of ``v1/anchors``: its ids, and whether another page follows."""
    answer = _open(value, ("items", "has_more"))
    ids = tuple(_id(item, "id") for item in _items(answer, "items", ("id",)))
    return ids, answer.boolean("has_more")


def read_reputation(value: JsonValue) -> Reputation:
    """Read ``v1/creators/:id/reputation``."""
    answer = _open(value, ("creator", "value", "status", "agents"))
    row: dict[str, JsonValue] = {
        **_only(answer, ("value", "status")),
        "agents": [_only(item, _AGENT) for item in _items(answer, "agents", _AGENT)],
        "creator_id": _inner(answer, "creator", ("id",)).text("id"),
    }
    return rowread.read_reputation(0, row)


def read_board_page(value: JsonValue) -> BoardPage:
    """Read a page of ``v1/leaderboard``."""
    answer = _open(value, ("items", "has_more", "season"))
    items = list(_items(answer, "items", (*_ROW, "as_of")))
    creators = {}
    for item in items:
        creator = item.value.get("creator")
        if creator is not None:
            found = _inner(item, "creator", ("id",))
            creators[item.text("agent_id")] = found.text("id")
    return BoardPage(
        season_id=_inner(answer, "season", ("id",)).text("id"),
        rows=[_only(item, _ROW) for item in items],
        creators={agent: creator for agent, creator in creators.items() if creator},
        times=[item.text("as_of") for item in items],
        more=answer.boolean("has_more"),
    )


def read_board(season_id: str, category: str, rows: Sequence[JsonValue]) -> Board:
    """Read the rows of all pages of a board."""
    return rowread.read_board(0, {"season_id": season_id, "category": category, "rows": list(rows)})


_PROSE: Final[dict[str, JsonValue]] = {"steps": [], "notes": []}


def _open(value: JsonValue, required: tuple[str, ...]) -> Obj:
    return Obj(value, required, open_ended=True)


def _inner(outer: Obj, name: str, required: tuple[str, ...]) -> Obj:
    pointer = f"{outer.pointer}/{name}"
    return Obj(outer.value.get(name), required, pointer=pointer, open_ended=True)


def _items(outer: Obj, name: str, required: tuple[str, ...]) -> tuple[Obj, ...]:
    """Take a list of objects; a list that is absent is empty."""
    if name not in outer.value:
        return ()
    return tuple(
        Obj(item, required, pointer=pointer, open_ended=True) for pointer, item in outer.items(name)
    )


def _only(item: Obj, names: tuple[str, ...]) -> dict[str, JsonValue]:
    return {name: item.value[name] for name in names if name in item.value}


def _id(item: Obj, name: str) -> int:
    """Read an id, which the platform writes as a number, and a careful one as a text."""
    return item.decimal_id(name) if isinstance(item.value.get(name), str) else item.integer(name)


def _with_ids(item: Obj, names: tuple[str, ...], ids: tuple[str, ...]) -> dict[str, JsonValue]:
    """Take some members, with ids as a bundle writes them."""
    found = _only(item, names)
    found.update((name, str(_id(item, name))) for name in ids if found.get(name) is not None)
    return found
