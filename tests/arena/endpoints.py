"""
ARCANA's endpoints, answered from a bundle: what a running platform would say.

A second writing of the platform's side, for tests and demonstrations alone: it
reads the rows as JSON, shares no code with what is tested but the hashing of
trees, and shapes its answers as the platform's source does. Ids are numbers
here and texts in a bundle; a stored column is a number here and a text there.
"""

import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from verifier.core.merkle import inclusion_proof
from verifier.core.schemes import RFC9162

CATEGORIES: Final = {
    "overall": "arcana_score",
    "performance": "performance_score",
    "risk": "risk_score",
    "consistency": "consistency_score",
    "strategy": "strategy_score",
    "longevity": "longevity_score",
    "creator": "creator_score",
}
COLUMNS: Final = (*CATEGORIES.values(), "regime_score")

Body = dict[str, Any]


class NotServedError(Exception):
    """The platform has no such thing."""


class Platform:
    """The endpoints over the bundle in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.agents = {row["agent_id"]: row for row in self._rows("agents")}
        self.scores = self._rows("scores")
        self.anchors = {int(row["id"]): row for row in self._rows("anchors")}
        self.leaves = {
            leaf["commitment"]: (anchor, leaf)
            for anchor in self.anchors.values()
            for leaf in anchor["leaves"]
        }
        self.season = max(self.scores, key=lambda row: row["ts"])["season_id"]

    def answer(self, target: str) -> tuple[int, Body]:
        """Answer a request target: path and query."""
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        match [unquote(part) for part in parts.path.strip("/").split("/")]:
            case ["v1", "agents", agent, "score", "verification"]:
                handler: Callable[[], Body] = lambda: self.score(agent, query)  # noqa: E731
            case ["v1", "score-formulas", *version]:
                handler = lambda: self.formula("/".join(version))  # noqa: E731
            case ["v1", "anchors", "leaves", seal]:
                handler = lambda: self.leaf(seal)  # noqa: E731
            case ["v1", "anchors", number]:
                handler = lambda: self.anchor(int(number))  # noqa: E731
            case ["v1", "anchors"]:
                handler = lambda: self.anchor_list(query)  # noqa: E731
            case ["v1", "creators", creator, "reputation"]:
                handler = lambda: self.reputation(creator)  # noqa: E731
            case ["v1", "leaderboard"]:
                handler = lambda: self.board(query)  # noqa: E731
            case _:
                return 404, {"message": "Cannot GET", "error": "Not Found", "statusCode": 404}
        try:
            return 200, handler()
        except NotServedError as error:
            return 404, {"code": str(error), "message": "there is no such thing"}

    def score(self, agent: str, query: Mapping[str, str]) -> Body:
        """Pick the latest sealed score that matches, and say what it holds."""
        if agent not in self.agents:
            raise NotServedError("unknown_agent")
        own = [row for row in self.scores if row["agent_id"] == agent and row["seal"]]
        chosen = [
            row
            for row in own
            if query.get("season_id", row["season_id"]) == row["season_id"]
            and query.get("ts", row["ts"]) == row["ts"]
        ]
        head = {"id": agent, "name": self.agents[agent]["name"]}
        others = sorted(own, key=lambda row: row["ts"], reverse=True)
        if not chosen:
            return {
                "agent": head,
                "status": "not_sealed",
                "note": "nothing is sealed",
                "other_sealed_scores": [_other(row) for row in others[:10]],
            }
        row = max(chosen, key=lambda row: row["ts"])
        seal = row["seal"]
        path = self.folder / "arcana" / "manifests" / seal[:2] / f"{seal}.txt"
        body = path.read_bytes().decode()
        version = json.loads(body.split("\n")[1].removeprefix("formula: "))
        return {
            "agent": head,
            "status": "verified",
            "summary": "27 of 27 checks pass",
            "score": {
                "season_id": row["season_id"],
                "ts": row["ts"],
                "seal": seal,
                "seal_scheme": "arcana-score/v1",
                "stored": {column: _number(row[column]) for column in COLUMNS},
            },
            "formula": {"version": version, "url": f"/v1/score-formulas/{version}"},
            "checks": [{"name": "manifest stored", "ok": True}],
            "anchor": self.leaf(seal),
            "manifest": {
                "sha256": sha256(body.encode()).hexdigest(),
                "bytes": len(body.encode()),
                "body": body,
            },
            "other_sealed_scores": [_other(each) for each in others if each is not row][:10],
        }

    def formula(self, version: str) -> Body:
        """Give a formula as it is published."""
        for row in self._rows("formulas"):
            if row["version"] == version:
                return {"source": "engine", "how_to_recompute": [], **row}
        raise NotServedError("unknown_formula_version")

    def leaf(self, seal: str) -> Body:
        """Say where a seal is anchored; any seal is at least pending."""
        if seal not in self.leaves:
            return {"seal": seal, "kind": None, "status": "pending", "anchor": None, "checks": []}
        anchor, leaf = self.leaves[seal]
        hashes = [RFC9162.leaf(bytes.fromhex(each["commitment"])) for each in anchor["leaves"]]
        index, size = leaf["leaf_index"], len(hashes)
        return {
            "seal": seal,
            "kind": leaf["kind"],
            "status": "anchored" if anchor["status"] == "mined" else "anchoring",
            "anchor": _anchor(anchor),
            "leaf_index": index,
            "leaf_count": anchor["leaf_count"],
            "proof": [
                {"sibling": sibling.hex(), "position": side}
                for sibling, side in zip(
                    inclusion_proof(hashes, index), _sides(index, size), strict=True
                )
            ],
            "checks": [],
        }

    def anchor(self, number: int) -> Body:
        """Give an anchor with its leaves."""
        if number not in self.anchors:
            raise NotServedError("unknown_anchor")
        row = self.anchors[number]
        leaves = [
            {**leaf, "decision_id": int(leaf["decision_id"])} if "decision_id" in leaf else leaf
            for leaf in row["leaves"]
        ]
        return {"anchor": _anchor(row), "leaves": leaves, "checks": [], "verified": True}

    def anchor_list(self, query: Mapping[str, str], size: int = 20) -> Body:
        """Give a page of all anchors."""
        page = int(query.get("page", "1"))
        rows = [self.anchors[number] for number in sorted(self.anchors)]
        return {
            "scheme": "arcana-anchor/v1",
            "items": [_anchor(row) for row in rows[(page - 1) * size : page * size]],
            "page": page,
            "page_size": size,
            "total": len(rows),
            "has_more": page * size < len(rows),
        }

    def reputation(self, creator: str) -> Body:
        """Give a creator's reputation."""
        for row in self._rows("reputations"):
            if row["creator_id"] == creator:
                rest = {name: value for name, value in row.items() if name != "creator_id"}
                return {"creator": {"id": creator, "handle": "h"}, "excluded": [], **rest}
        raise NotServedError("unknown_creator")

    def board(self, query: Mapping[str, str]) -> Body:
        """Give a page of a board."""
        season = query.get("season_id", self.season)
        page, size = int(query.get("page", "1")), int(query.get("page_size", "100"))
        for row in self._rows("leaderboards"):
            if (row["season_id"], row["category"]) == (season, query.get("category", "overall")):
                rows = row["rows"]
                return {
                    "items": [
                        self._board_item(item, season)
                        for item in rows[(page - 1) * size : page * size]
                    ],
                    "page": page,
                    "page_size": size,
                    "total": len(rows),
                    "has_more": page * size < len(rows),
                    "season": {"id": season, "name": "Season", "status": "running"},
                    "category": row["category"],
                }
        raise NotServedError("no_scored_season")

    def _board_item(self, item: Body, season: str) -> Body:
        agent = self.agents[item["agent_id"]]
        times = [
            row["ts"]
            for row in self.scores
            if (row["agent_id"], row["season_id"]) == (item["agent_id"], season)
        ]
        return {
            **item,
            "status": agent["status"],
            "creator": {"id": agent["creator_id"], "handle": agent["creator_handle"]},
            "as_of": max(times)[:23] + "Z",
        }

    def _rows(self, name: str) -> list[Body]:
        text = (self.folder / "arcana" / f"{name}.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.split("\n")[:-1]]


def _number(text: str | None) -> float | int | None:
    if text is None:
        return None
    value = float(text)
    return int(value) if value.is_integer() else value


def _other(row: Body) -> Body:
    return {name: row[name] for name in ("season_id", "ts", "arcana_score")}


def _anchor(row: Body) -> Body:
    span = row["decisions"]
    anchor = {name: value for name, value in row.items() if name != "leaves"}
    anchor["id"] = int(row["id"])
    if span is not None:
        ids = {name: int(span[name]) for name in ("first_id", "last_id")}
        anchor["decisions"] = {**span, **ids}
    return anchor


def _sides(index: int, size: int) -> list[str]:
    """Say of each step of a proof on which side its sibling stands."""
    sides = []
    last = size - 1
    while last:
        if index % 2:
            sides.append("left")
        elif index < last:
            sides.append("right")
        index, last = index // 2, last // 2
    return sides
