"""A tiny ARCANA arena as a bundle's files: enough rows of every kind to compare, not to audit."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from shared import FIXTURES
from small_bundle import sums_of

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST: Final = (FIXTURES / "vectors/arcana/manifests/golden-fixture.txt").read_bytes()
SEAL: Final = sha256(MANIFEST).hexdigest()
FORGED: Final = MANIFEST.replace(b'"risk":80.4', b'"risk":80.5').replace(
    b'"nav":"100450.10"', b'"nav":"100451.10"'
)
FORGED_SEAL: Final = sha256(FORGED).hexdigest()
TX: Final = "0x" + "ab" * 32

Rows = dict[str, list[dict[str, Any]]]


def manifest_path(seal: str) -> str:
    """Where a bundle keeps the manifest of a seal."""
    return f"arcana/manifests/{seal[:2]}/{seal}.txt"


def rows() -> Rows:
    """All rows, free to be changed."""
    creator = {"creator_id": "c1", "creator_handle": "kelp", "strategy_type": "momentum"}
    score = {
        "season_id": "s1",
        "ts": "2026-09-19T23:30:00.000000Z",
        "arcana_score": "60.70",
        "performance_score": "59.00",
        "risk_score": "80.40",
        "strategy_score": "100.00",
        "regime_score": "50.00",
        "consistency_score": "58.42",
        "creator_score": "54.70",
        "longevity_score": "35.00",
    }
    board = [
        {"agent_id": "a1", "agent_name": "Ember", "rank": 1, "ranked": True, "score": 60.7},
        {"agent_id": "a2", "agent_name": "\u202eGale", "rank": 2, "ranked": True, "score": 50},
    ]
    anchor = {
        "id": "7",
        "scheme": "v2",
        "root": "9" * 64,
        "leaf_count": 1,
        "decisions": None,
        "chain_id": 4663,
        "sender": "0x" + "1" * 40,
        "tx_hash": TX,
        "explorer_url": None,
        "status": "signed",
        "block_number": None,
        "gas_cost_usd": None,
        "note": None,
        "created_at": "2026-09-20T00:00:00.000Z",
        "mined_at": None,
        "leaves": [
            {
                "leaf_index": 0,
                "kind": "score",
                "agent_id": "a1",
                "commitment": SEAL,
                "season_id": "s1",
                "ts": score["ts"],
            }
        ],
    }
    decision = {
        "id": "41",
        "agent_id": "a1",
        "season_id": "s1",
        "ts": "2026-09-19T00:00:09.000000Z",
        "action": "hold",
        "decider": "llm",
        "reason_code": None,
        "commitment": None,
        "counted": True,
    }
    return {
        "agents": [
            {"agent_id": "a1", "name": "Ember", "status": "active", "portfolio_id": "p1"} | creator,
            {"agent_id": "a2", "name": "\u202eGale", "status": "active", "portfolio_id": "p2"}
            | creator,
        ],
        "seasons": [
            {
                "season_id": "s1",
                "name": "Season One",
                "start": "2026-09-10T00:00:00.000000Z",
                "end": "2026-09-30T00:00:00.000000Z",
            }
        ],
        "snapshots": [
            {
                "portfolio_id": "p1",
                "season_id": "s1",
                "ts": "2026-09-19T00:00:45.000000Z",
                "nav": "10000.00",
                "cash": "9000.00",
                "holdings": {"A/B": 1.5},
                "seal": None,
            }
        ],
        "decisions": [decision, decision | {"id": "42", "ts": "2026-09-19T04:00:09.000000Z"}],
        "scores": [
            {"agent_id": "a1", "seal": SEAL} | score,
            {"agent_id": "a2", "seal": None} | score | {"arcana_score": "50.00"},
        ],
        "anchors": [anchor],
        "formulas": [{"version": "f/v1", "constants": {"w": 0.35}, "steps": [], "notes": "n"}],
        "reputations": [
            {"creator_id": "c1", "value": None, "status": "not_measured", "agents": []}
        ],
        "leaderboards": [{"season_id": "s1", "category": "overall", "rows": board}],
    }


def arena(
    tables: Rows | None = None,
    *,
    as_of: str = "2026-09-20T03:30:00Z",
    changes: Mapping[str, bytes | None] | None = None,
    **index: Any,
) -> dict[str, bytes]:
    """
    Write rows into the files of a bundle, with a list that holds.

    Args:
        tables: Rows by the name of their file.
        as_of: The time that the bundle speaks of.
        changes: Files to add, to exchange, or with None to take away.
        index: Other members of ``bundle.json``.
    """
    files: dict[str, bytes | None] = {
        "bundle.json": _json(
            {
                "arena": "tiny",
                "as_of": as_of,
                "families": ["arcana"],
                "format": "evidence-bundle/1",
                "seasons": [],
                "title": "a tiny arena",
            }
            | index
        ),
        manifest_path(SEAL): MANIFEST,
        f"arcana/chain/{TX}.json": _json(
            {"transaction": {"hash": TX}, "receipt": None, "block": None}
        ),
    }
    for name, lines in (rows() if tables is None else tables).items():
        files[f"arcana/{name}.jsonl"] = b"".join(_json(line) + b"\n" for line in lines)
    files |= changes or {}
    kept = {path: content for path, content in files.items() if content is not None}
    return kept | {"SHA256SUMS": sums_of(kept)}


def _json(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return text.encode()
