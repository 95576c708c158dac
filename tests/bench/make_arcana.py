"""
Make a large, honest ARCANA bundle: ``python tests/bench/make_arcana.py FOLDER [AGENTS [DAYS]]``.

It has the demo's structure at the size that is asked for: a season of *agents*
over *days*, six ticks a day with a snapshot each and a decision at two of five,
a score every night, and everything sealed from its first day. What a tick
recorded is one anchor; the scores of a night are one anchor for each place
within a creator, since a score has to be anchored after its peers'. A
throwaway key signs the transactions, and the chain records hold no blocks. What
was made is printed as JSON: counts, and the sender that a policy has to trust.

The numbers are drawn from a fixed seed: the same arguments give the same bytes.
"""

import json
import random
import sys
import uuid
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from arcana_manifests import published_constants
from coincurve import PrivateKey
from small_bundle import sums_of

from formulas.arcana_score import v1
from formulas.registry import formula, read_document
from verifier.arcana.checks.chain import PAYLOAD
from verifier.arcana.checks.score import stored_text
from verifier.arcana.context import manifest_path
from verifier.arcana.manifest import (
    CommitmentManifest,
    DecisionRef,
    Manifest,
    NavPoint,
    PeerRef,
    ScoreManifest,
    SnapshotManifest,
    emit_manifest,
)
from verifier.arcana.recompute import recompute
from verifier.arcana.rows import CATEGORIES, SCORE_COLUMNS
from verifier.core.canon import canonical_bytes
from verifier.core.keccak import keccak256
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.ethereum.transaction import Transaction

START: Final = datetime(2026, 9, 15, tzinfo=UTC)
TICK: Final = timedelta(hours=4)
TICKS_A_DAY: Final = 6
AGENTS_A_CREATOR: Final = 3
SEASON: Final = "00000000-0000-4000-8000-000000000001"
KEY: Final = PrivateKey(sha256(b"a throwaway key of a benchmark").digest())
SENDER: Final = "0x" + keccak256(KEY.public_key.format(compressed=False)[1:])[12:].hex()
CHAIN_ID: Final = 4663
ACTIONS: Final = ("buy", "sell", "hold", "rebalance")
SYMBOLS: Final = ("AMZN", "BTC/USD", "NVDA", "SPY")
Row = dict[str, Any]


@dataclass(slots=True)
class _Agent:
    """One agent, and what it has recorded so far."""

    id: str
    portfolio: str
    creator: str
    strategy: str
    nav: float
    points: list[NavPoint]
    decisions: list[DecisionRef]
    last_snapshot: str | None = None
    last_decision: str | None = None
    last_score: str | None = None


class Arena:
    """Records a season tick by tick; :attr:`files` is the bundle, without its hash list."""

    def __init__(self, agents: int, days: int) -> None:
        self.chance = random.Random(20260914)
        self.files: dict[str, bytes] = {}
        self.rows: dict[str, list[Row]] = defaultdict(list)
        self.leaves: list[Row] = []
        self.peers: dict[str, list[tuple[str, PeerRef]]] = defaultdict(list)
        self.agents = sorted(self._new_agents(agents), key=lambda agent: agent.id)
        for tick in range(days * TICKS_A_DAY):
            self._tick(START + tick * TICK)
            if tick % TICKS_A_DAY == TICKS_A_DAY - 1:
                self._night(START + (tick // TICKS_A_DAY) * timedelta(days=1))
        self._publish(START + timedelta(days=days))

    def _new_agents(self, count: int) -> Iterable[_Agent]:
        for number in range(count):
            if number % AGENTS_A_CREATOR == 0:
                creator = self._uuid()
            strategy = self.chance.choice(("momentum", "mean_reversion", "buy_and_hold", ""))
            yield _Agent(self._uuid(), self._uuid(), creator, strategy, 10_000.0, [], [])

    def _tick(self, now: datetime) -> None:
        for number, agent in enumerate(self.agents):
            if self.chance.random() < 0.4:
                self._decide(agent, now + timedelta(microseconds=1_000 * number))
        for number, agent in enumerate(self.agents):
            self._snapshot(agent, now + timedelta(minutes=30, microseconds=1_000 * number))
        self._anchor(now + timedelta(hours=1))

    def _decide(self, agent: _Agent, now: datetime) -> None:
        number = 10_000 + len(self.rows["decisions"])
        action = self.chance.choice(ACTIONS)
        manifest = CommitmentManifest(
            agent_id=agent.id,
            season_id=SEASON,
            ts=_time(now),
            market_snapshot_ref=f"tick-{number}",
            action=action,
            symbol=self.chance.choice(SYMBOLS),
            quantity=f"{self.chance.random() * 100:.8f}",
            rationale="Waiting for the open.",
            decider="llm",
            reason_code=None,
            provider="example-models",
            model="sage-2",
            model_version="sage-2-2026-08-01",
            params={"max_tokens": 400, "temperature": 0.8, "top_p": 0.95},
            thesis={"conviction": round(self.chance.random(), 3), "horizon_ticks": 5},
            system_prompt_sha256=self._digest(),
            prompt_sha256=self._digest(),
            response_sha256=self._digest(),
            previous_commitment=agent.last_decision,
            salt=self._digest(),
        )
        agent.last_decision = self._seal(manifest)
        agent.decisions.append(DecisionRef(number, _time(now), action, agent.last_decision))
        named = {"id": str(number), "agent_id": agent.id, "ts": _time(now)}
        self.rows["decisions"].append(
            named
            | {"season_id": SEASON, "action": action, "decider": "llm", "reason_code": None}
            | {"commitment": agent.last_decision, "counted": True}
        )
        self._leaf("decision", agent, agent.last_decision, decision_id=str(number), ts=_time(now))

    def _snapshot(self, agent: _Agent, now: datetime) -> None:
        agent.nav *= 1 + self.chance.gauss(0, 0.004)
        nav, cash = f"{agent.nav:.2f}", f"{agent.nav * self.chance.random():.2f}"
        holdings = {symbol: round(self.chance.random() * 99 + 0.001, 8) for symbol in SYMBOLS}
        row = {"portfolio_id": agent.portfolio, "season_id": SEASON, "ts": _time(now)}
        row |= {"nav": nav, "cash": cash}
        manifest = SnapshotManifest(
            **row, agent_id=agent.id, holdings=holdings, previous_seal=agent.last_snapshot
        )
        agent.last_snapshot = self._seal(manifest)
        agent.points.append(NavPoint(_time(now), nav, cash, agent.last_snapshot))
        self.rows["snapshots"].append(row | {"holdings": holdings, "seal": agent.last_snapshot})
        identity = {"portfolio_id": agent.portfolio, "season_id": SEASON, "ts": _time(now)}
        self._leaf("portfolio_snapshot", agent, agent.last_snapshot, **identity)

    def _night(self, day: datetime) -> None:
        scored: dict[str, int] = defaultdict(int)
        rounds: dict[int, list[_Agent]] = defaultdict(list)
        for agent in self.agents:
            rounds[scored[agent.creator]].append(agent)
            scored[agent.creator] += 1
        for number, agents in sorted(rounds.items()):
            now = day + timedelta(hours=23, minutes=30, seconds=number)
            for agent in agents:
                self._score(agent, now)
            self._anchor(now + timedelta(minutes=5))

    def _score(self, agent: _Agent, now: datetime) -> None:
        known = [(who, peer) for who, peer in self.peers[agent.creator] if who != agent.id]
        known.sort(key=lambda listed: (listed[1].agent_id, listed[1].season_id))
        known.sort(key=lambda listed: listed[1].ts, reverse=True)
        unscored = ScoreManifest(
            formula=v1.ID,
            agent_id=agent.id,
            season_id=SEASON,
            ts=_time(now),
            constants=published_constants(),
            strategy_type=agent.strategy,
            nav_series=tuple(agent.points),
            decisions=tuple(agent.decisions),
            peers=tuple(peer for _, peer in known),
            outputs={},
            previous_seal=agent.last_score,
        )
        outputs = recompute(unscored).outputs
        agent.last_score = self._seal(replace(unscored, outputs=outputs))
        row: Row = {"agent_id": agent.id, "season_id": SEASON, "ts": _time(now)}
        for column, output in SCORE_COLUMNS.items():
            value = outputs[output]
            row[column] = None if value is None else stored_text(value)
        self.rows["scores"].append(row | {"seal": agent.last_score})
        performance = float(row["performance_score"])
        peer = PeerRef(agent.id, SEASON, _time(now), performance, agent.last_score)
        self.peers[agent.creator].append((agent.id, peer))
        self._leaf("score", agent, agent.last_score, season_id=SEASON, ts=_time(now))

    def _leaf(self, kind: str, agent: _Agent, seal: str, **identity: str) -> None:
        if kind == "decision":
            identity["decision_ts"] = identity.pop("ts")
        common = {"leaf_index": len(self.leaves), "kind": kind, "agent_id": agent.id}
        self.leaves.append(common | {"commitment": seal} | identity)

    def _anchor(self, now: datetime) -> None:
        leaves, self.leaves = self.leaves, []
        tree = scheme("rfc9162-sha256")
        top = root([tree.leaf(bytes.fromhex(leaf["commitment"])) for leaf in leaves]).hex()
        nonce = len(self.rows["anchors"])
        block = 900_000 + 10 * nonce
        hashed = self._transact(top, nonce, block)
        decisions = [leaf for leaf in leaves if leaf["kind"] == "decision"]
        span = None
        if decisions:
            first, last = decisions[0], decisions[-1]
            span = {"first_id": first["decision_id"], "first_ts": first["decision_ts"]}
            span |= {"last_id": last["decision_id"], "last_ts": last["decision_ts"]}
        self.rows["anchors"].append(
            {"id": str(100 + nonce), "scheme": "arcana-anchor/v2", "root": top}
            | {"leaf_count": len(leaves), "leaves": leaves, "decisions": span}
            | {"chain_id": CHAIN_ID, "sender": SENDER, "tx_hash": hashed, "explorer_url": None}
            | {"status": "mined", "block_number": block, "gas_cost_usd": None, "note": None}
            | {"created_at": _milliseconds(now)}
            | {"mined_at": _milliseconds(now + timedelta(seconds=9))}
        )

    def _transact(self, top: str, nonce: int, block: int) -> str:
        unsigned = Transaction(
            type=2,
            chain_id=CHAIN_ID,
            nonce=nonce,
            fees=(3_000_000, 60_000_000),
            gas=31_448,
            to=bytes.fromhex(SENDER[2:]),
            value=0,
            input=bytes.fromhex(PAYLOAD + top),
            access_list=(),
            v=0,
            r=0,
            s=0,
        )
        signed = KEY.sign_recoverable(unsigned.signing_hash, hasher=None)
        r, s = int.from_bytes(signed[:32], "big"), int.from_bytes(signed[32:64], "big")
        transaction = replace(unsigned, v=signed[64], r=r, s=s)
        hashed = f"0x{transaction.hash.hex()}"
        place = {"blockHash": f"0x{self._digest()}", "blockNumber": hex(block)}
        place |= {"transactionIndex": "0x1", "from": SENDER, "to": SENDER}
        answer = {
            "hash": hashed,
            "type": "0x2",
            "chainId": hex(CHAIN_ID),
            "nonce": hex(nonce),
            "maxPriorityFeePerGas": hex(unsigned.fees[0]),
            "maxFeePerGas": hex(unsigned.fees[1]),
            "gas": hex(unsigned.gas),
            "value": "0x0",
            "input": f"0x{unsigned.input.hex()}",
            "accessList": [],
            "yParity": hex(transaction.v),
            "v": hex(transaction.v),
            "r": hex(r),
            "s": hex(s),
        }
        receipt = {"transactionHash": hashed, "status": "0x1", "logs": []}
        record: Any = {"transaction": place | answer, "receipt": place | receipt, "block": None}
        self.files[f"arcana/chain/{hashed}.json"] = canonical_bytes(record)
        return hashed

    def _publish(self, end: datetime) -> None:
        self.rows["agents"] = [
            {"agent_id": agent.id, "name": f"agent {agent.id[:8]}", "status": "active"}
            | {"creator_id": agent.creator, "creator_handle": None}
            | {"portfolio_id": agent.portfolio, "strategy_type": agent.strategy or None}
            for agent in self.agents
        ]
        season = {"season_id": SEASON, "name": "One", "start": _time(START), "end": _time(end)}
        self.rows["seasons"] = [season]
        document = read_document(formula(v1.ID))
        self.rows["formulas"] = [
            {"version": v1.ID, "constants": document["constants"], "steps": [], "notes": []}
        ]
        latest = {row["agent_id"]: row for row in self.rows["scores"]}
        self.rows["leaderboards"] = [
            {"season_id": SEASON, "category": category, "rows": _board(latest, column)}
            for category, column in CATEGORIES.items()
        ]
        for name, lines in self.rows.items():
            self.files[f"arcana/{name}.jsonl"] = b"".join(
                canonical_bytes(line) + b"\n" for line in lines
            )
        index: Any = {"format": "evidence-bundle/1", "arena": "arcana", "families": ["arcana"]}
        index |= {"seasons": [], "title": f"{len(self.agents)} agents, made for a benchmark"}
        index |= {"as_of": end.strftime("%Y-%m-%dT%H:%M:%SZ")}
        self.files["bundle.json"] = canonical_bytes(index)

    def _seal(self, manifest: Manifest) -> str:
        data = emit_manifest(manifest)
        seal = sha256(data).hexdigest()
        self.files[manifest_path(seal)] = data
        return seal

    def _digest(self) -> str:
        return self.chance.randbytes(32).hex()

    def _uuid(self) -> str:
        return str(uuid.UUID(bytes=self.chance.randbytes(16), version=4))


def _board(latest: dict[str, Row], column: str) -> list[Row]:
    """Rank the agents' latest scores: ranked first, falling, equal ones share a rank."""
    entries = []
    for agent, row in latest.items():
        score = None if row[column] is None else float(row[column])
        ranked = score is not None and row["arcana_score"] is not None
        entries.append((not ranked, score is None, -(score or 0.0), f"agent {agent[:8]}", agent))
    entries.sort()
    rows: list[Row] = []
    ranks: dict[float, int] = {}
    for number, (unranked, absent, falling, name, agent) in enumerate(entries, start=1):
        rank = None if unranked else ranks.setdefault(falling, number)
        rows.append(
            {"rank": rank, "agent_id": agent, "agent_name": name}
            | {"score": None if absent else -falling, "ranked": not unranked}
        )
    return rows


def _time(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _milliseconds(moment: datetime) -> str:
    return f"{_time(moment)[:23]}Z"


def make_bundle(folder: Path, agents: int = 500, days: int = 17) -> dict[str, int]:
    """
    Write a bundle of a season into a new folder.

    Returns:
        How many rows of each kind, and how many files and bytes it has.
    """
    arena = Arena(agents, days)
    files = arena.files | {"SHA256SUMS": sums_of(arena.files)}
    for path, data in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    counts = {name: len(arena.rows[name]) for name in ("snapshots", "decisions", "scores")}
    counts["anchors"] = len(arena.rows["anchors"])
    return counts | {"files": len(files), "bytes": sum(map(len, files.values()))}


if __name__ == "__main__":
    made = make_bundle(Path(sys.argv[1]), *map(int, sys.argv[2:]))
    print(json.dumps({**made, "sender": SENDER}))
