"""Payloads of pages, as the families fill them, made from the demo bundles."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from shared import FIXTURES

from verifier.bundle import open_bundle
from verifier.core.merkle import inclusion_proof
from verifier.core.schemes import RFC9162
from verifier.core.steps import inclusion_steps
from verifier.freeze.arcana import arcana_table

if TYPE_CHECKING:
    from pathlib import Path

FLOOR: Final = FIXTURES / "floor-demo"
ARCANA: Final = FIXTURES / "arcana-demo"
SEALED: Final = ("agent", "baseline", "posted_at", "terms")

Payload = dict[str, Any]


@cache
def lines(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def calls(bundle: Path = FLOOR) -> dict[str, dict[str, Any]]:
    """List the calls by their seals."""
    return {call["seal"]: call for call in lines(bundle / "floor/calls.jsonl")}


def ledger(bundle: Path = FLOOR) -> list[dict[str, Any]]:
    """List the entries of the ledger."""
    return lines(bundle / "floor/ledger.jsonl")


def call_payload(seal: str, bundle: Path = FLOOR) -> Payload:
    """Make the payload of a call's page."""
    call = calls(bundle)[seal]
    entry = next((each for each in ledger(bundle) if each["body"]["call"] == seal), None)
    body = None if entry is None else entry["body"]
    return {
        "kind": "call",
        "call": {key: call[key] for key in SEALED},
        "seal": seal,
        "outcome": None if body is None else body["outcome"],
        "points": None if body is None else body["points"],
        "entry": entry,
        "proof": None if entry is None else hour_proof(entry, bundle),
        "shown": {"p": f"{call['terms']['p']:.1%}", "seal": seal},
    }


def hour_proof(entry: dict[str, Any], bundle: Path) -> Payload | None:
    """Prove an entry in its hour's tree; None without a root yet."""
    place = entry["body"]["entry"]
    for hour in lines(bundle / "floor/roots.jsonl"):
        if hour["entries"] and hour["first"] <= place <= hour["last"]:
            own = ledger(bundle)[hour["first"] : hour["last"] + 1]
            hashes = [RFC9162.leaf(bytes.fromhex(each["hash"])) for each in own]
            index = place - hour["first"]
            path = [item.hex() for item in inclusion_proof(hashes, index)]
            return {"index": index, "size": len(own), "path": path, "root": hour["root"]}
    return None


def settled(entry: dict[str, Any], bundle: Path = FLOOR) -> Payload:
    """Describe a settled call as the pages of seasons and agents do, with its entry."""
    body = entry["body"]
    call = calls(bundle)[body["call"]]
    return {
        "agent": call["agent"],
        "seal": body["call"],
        "outcome": body["outcome"],
        "p": call["terms"]["p"],
        "b": call["baseline"]["b"],
        "points": body["points"],
        "settled_at": body["settled_at"],
        "entry": body["entry"],
        "record": body["record"],
        "reason": body["reason"],
    }


def season_payload(season: str, bundle: Path = FLOOR) -> Payload:
    """Make the payload of a season's page."""
    text = (bundle / f"floor/seasons/{season}.json").read_text(encoding="utf-8")
    return {
        "kind": "season",
        "table": text,
        "sha256": sha256(text.encode()).hexdigest(),
        "calls": [settled(entry, bundle) for entry in ledger(bundle)],
        "ledger": {"first": 0, "prev": "0" * 64},
    }


def agent_payload(agent: str, season: str, bundle: Path = FLOOR) -> Payload:
    """Make the payload of a listed agent's page."""
    table = json.loads((bundle / f"floor/seasons/{season}.json").read_bytes())
    row = next(row for row in table["rows"] if row["agent"] == agent)
    own = [
        {**settled(each, bundle), "prev": each["body"]["prev"], "hash": each["hash"]}
        for each in ledger(bundle)
        if calls(bundle)[each["body"]["call"]]["agent"] == agent
    ]
    names = ("standing", "brier", "settled", "hits", "misses", "voids")
    return {
        "kind": "agent",
        "agent": agent,
        "season": {key: table["season"][key] for key in ("start", "end")},
        "calls": own,
        "published": {key: row[key] for key in names},
    }


def manifest_text(seal: str) -> str:
    """Read a manifest of the demo."""
    return (ARCANA / f"arcana/manifests/{seal[:2]}/{seal}.txt").read_text(encoding="utf-8")


def sealed_scores() -> list[dict[str, Any]]:
    """List the rows of scores that have a seal."""
    return [row for row in lines(ARCANA / "arcana/scores.jsonl") if row["seal"] is not None]


def score_payload(row: dict[str, Any]) -> Payload:
    """Make the payload of a score's page."""
    published = {key: value for key, value in row.items() if key.endswith("_score")}
    return {
        "kind": "score",
        "agent": row["agent_id"],
        "season": row["season_id"],
        "ts": row["ts"],
        "seal": row["seal"],
        "manifest": manifest_text(row["seal"]),
        "published": published,
        "proof": anchor_proof(row["seal"]),
    }


def anchor_proof(seal: str) -> Payload | None:
    """Prove a seal in its anchor's tree; None without a mined one."""
    for anchor in lines(ARCANA / "arcana/anchors.jsonl"):
        seals = [leaf["commitment"] for leaf in anchor["leaves"]]
        if anchor["status"] == "mined" and seal in seals:
            hashes = [RFC9162.leaf(bytes.fromhex(each)) for each in seals]
            index = seals.index(seal)
            return {
                "scheme": anchor["scheme"],
                "leaf_index": index,
                "leaf_count": len(seals),
                "path": [
                    {"sibling": step.sibling.hex(), "position": step.position}
                    for step in inclusion_steps(hashes, index)
                ],
                "root": anchor["root"],
                "tx_input": f"0x415243414e410001{anchor['root']}",
            }
    return None


def leaderboard_payload() -> Payload:
    """Make the payload of an ARCANA season's page."""
    with open_bundle(ARCANA) as bundle:
        season = lines(ARCANA / "arcana/leaderboards.jsonl")[0]["season_id"]
        table = arcana_table(bundle, season)
    return {
        "kind": "leaderboard",
        "table": table.decode(),
        "sha256": sha256(table).hexdigest(),
    }


def home_payload() -> Payload:
    """Make the payload of the home page of two families."""
    board, season = leaderboard_payload(), season_payload("season-1")
    return {
        "kind": "home",
        "seasons": [
            {"id": "s", "family": "arcana", "table": board["table"], "sha256": board["sha256"]},
            {"id": "f", "family": "floor", "table": season["table"], "sha256": season["sha256"]},
        ],
    }
