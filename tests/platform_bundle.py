"""
The reference's one-agent bundles, laid out as an evidence bundle.

``reference/arcana/bundles/*.json`` hold what the platform's engine made of one
agent: bodies, rows and anchors. Its peers' own inputs are not in them, so
what can be verified is each score with all that it names, not the whole.
"""

from __future__ import annotations

import hashlib
from typing import Any

from small_bundle import sums_of

from verifier.core.canon import canonical_bytes

AGENT_MEMBERS = ("creator_id", "creator_handle", "name", "status")


def evidence_files(value: dict[str, Any]) -> dict[str, bytes]:
    """Write the files of an evidence bundle that holds what a reference bundle says."""
    files: dict[str, bytes] = {}

    def keep(body: str | None) -> None:
        if body:
            seal = hashlib.sha256(body.encode()).hexdigest()
            files[f"arcana/manifests/{seal[:2]}/{seal}.txt"] = body.encode()

    for kind in ("snapshots", "decisions", "peer_scores", "scores"):
        for record in value[kind]:
            keep(record.get("body"))
    tables = {
        "agents": _agents(value),
        "seasons": _seasons(value),
        "snapshots": [_snapshot(value, item["record"]) for item in value["snapshots"]],
        "decisions": [_decision(value, item["record"]) for item in value["decisions"]],
        "scores": _scores(value),
        "anchors": [_anchor(item) for item in value["anchors"]],
        "formulas": [],
    }
    for name, rows in tables.items():
        files[f"arcana/{name}.jsonl"] = b"".join(canonical_bytes(row) + b"\n" for row in rows)
    for anchor in value["anchors"]:
        record = {key: anchor[key] for key in ("transaction", "receipt")} | {"block": None}
        files[f"arcana/chain/{anchor['tx_hash']}.json"] = canonical_bytes(record)
    files["bundle.json"] = canonical_bytes(
        {
            "arena": "arcana",
            "as_of": "2026-09-30T00:00:00Z",
            "families": ["arcana"],
            "format": "evidence-bundle/1",
            "seasons": [],
            "title": value["id"],
        }
    )
    return files | {"SHA256SUMS": sums_of(files)}


def _agents(value: dict[str, Any]) -> list[dict[str, Any]]:
    peers = {peer["agent_id"] for peer in value["peer_scores"]}
    return [
        {
            "agent_id": agent_id,
            "name": "an agent",
            "status": "active",
            "creator_id": "c-1",
            "creator_handle": "c",
            "strategy_type": value["strategy_type"] if agent_id == value["agent_id"] else None,
            "portfolio_id": value["portfolio_id"] if agent_id == value["agent_id"] else None,
        }
        for agent_id in sorted({value["agent_id"], *peers})
    ]


def _seasons(value: dict[str, Any]) -> list[dict[str, Any]]:
    ids = {value["season_id"], *(peer["season_id"] for peer in value["peer_scores"])}
    return [
        {
            "season_id": season,
            "name": season,
            "start": "2026-09-01T00:00:00.000000Z",
            "end": "2026-10-01T00:00:00.000000Z",
        }
        for season in sorted(ids)
    ]


def _snapshot(value: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    members = ("portfolio_id", "ts", "nav", "cash", "holdings", "seal")
    return {key: record[key] for key in members} | {"season_id": value["season_id"]}


def _decision(value: dict[str, Any], record: dict[str, Any]) -> dict[str, Any]:
    members = ("ts", "season_id", "action", "decider", "reason_code", "commitment")
    return {key: record[key] for key in members} | {
        "id": str(record["id"]),
        "agent_id": value["agent_id"],
        "counted": True,
    }


def _scores(value: dict[str, Any]) -> list[dict[str, Any]]:
    columns = (
        "arcana_score",
        "performance_score",
        "risk_score",
        "strategy_score",
        "regime_score",
        "consistency_score",
        "creator_score",
        "longevity_score",
    )
    own = [
        {key: item["row"][key] for key in ("agent_id", "season_id", "ts", "seal", *columns)}
        for item in value["scores"]
    ]
    # Of a peer's row only the performance is known; nothing compares the other columns here.
    peers = [
        {key: peer[key] for key in ("agent_id", "season_id", "ts", "seal")}
        | dict.fromkeys(columns, "50.00")
        | {"performance_score": peer["performance_score"]}
        for peer in value["peer_scores"]
    ]
    return sorted(own + peers, key=lambda row: (row["ts"], row["agent_id"], row["season_id"]))


def _anchor(item: dict[str, Any]) -> dict[str, Any]:
    members = (
        "scheme", "root", "leaf_count", "chain_id", "sender", "nonce", "tx_hash", "status",
        "block_number", "created_at", "mined_at", "raw_tx",
    )  # fmt: skip
    span = item["decisions"]
    return {key: item[key] for key in members} | {
        "id": str(item["id"]),
        "explorer_url": None,
        "gas_cost_usd": None,
        "note": None,
        "decisions": span and span | {key: str(span[key]) for key in ("first_id", "last_id")},
        "leaves": [
            leaf | ({"decision_id": str(leaf["decision_id"])} if "decision_id" in leaf else {})
            for leaf in item["leaves"]
        ],
    }
