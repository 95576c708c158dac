"""
An honest publisher of Floor bundles, for tests that need many calls, or few.

Agents post four calls each (touch, close, range, relative) in rounds a minute
apart; all calls of a deadline share the responses that settle them, and all of a
round the responses that price them. Prices are random walks of one seed. The
numbers are computed with the formulas that the verifier uses: that they are
right is shown elsewhere, on bundles of publishers who never saw them.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from coincurve import PrivateKey
from floor_market import DOCUMENT, OPENING, RULES, START, Market, sha256

from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS, format_time, plain
from formulas.floor.proved import decimal
from formulas.floor.score import points
from formulas.floor.season import Entry, season_table
from formulas.floor.terms import Close, Range, Relative, Source, Terms, Touch
from verifier.core.canon import canonical_bytes
from verifier.core.keccak import keccak256
from verifier.core.merkle import root
from verifier.core.schemes import scheme
from verifier.ethereum.personal_sign import personal_sign_digest

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from verifier.core.jsonread import JsonValue

__all__ = ["publish"]

ROUNDS: Final = 40
DEADLINES: Final = 6
VARIANTS: Final = 8
KINDS: Final = ("touch", "close", "range", "relative")
TREE: Final = scheme("rfc9162-sha256")


@dataclass(frozen=True, slots=True)
class Agent:
    """Who posts, in which round, with which levels."""

    number: int

    @property
    def name(self) -> str:
        """Its id."""
        return f"a-{self.number:06}"

    @property
    def key(self) -> PrivateKey:
        """Its key, which anybody can derive."""
        return PrivateKey(hashlib.sha256(b"agent %d" % self.number).digest())

    @property
    def wallet(self) -> str:
        """The address of its key."""
        public = self.key.public_key.format(compressed=False)
        return "0x" + keccak256(public[1:])[-20:].hex()

    @property
    def round(self) -> int:
        """The round in which it posts."""
        return self.number % ROUNDS

    @property
    def variant(self) -> int:
        """How far from the spot it calls, and until when."""
        return self.number // ROUNDS % VARIANTS


def _terms(kind: str, variant: int, deadline: int, spot: dict[str, Decimal]) -> Terms:
    btc, eth = (Source("hyperliquid", symbol, "price") for symbol in ("BTC", "ETH"))
    away = Decimal(variant + 1) / 400
    if kind == "touch":
        return Touch(btc, "above", round(spot["BTC"] * (1 + away), 1), deadline)
    if kind == "close":
        return Close(eth, "below", round(spot["ETH"] * (1 + away / 4), 1), deadline)
    if kind == "range":
        low, high = round(spot["BTC"] * (1 - 2 * away), 1), round(spot["BTC"] * (1 + 2 * away), 1)
        return Range(btc, low, high, deadline)
    return Relative(btc, eth, Decimal(0), deadline)


def _sealed(terms: Terms, p: Decimal) -> JsonValue:
    value: dict[str, JsonValue] = {
        "deadline": format_time(terms.deadline),
        "kind": type(terms).__name__.lower(),
        "p": float(p),
    }
    if isinstance(terms, Touch | Close):
        value |= {"direction": terms.direction, "level": plain(terms.level)}
        value["source"] = str(terms.source)
    elif isinstance(terms, Range):
        value |= {"high": plain(terms.high), "low": plain(terms.low), "source": str(terms.source)}
    else:
        assert isinstance(terms, Relative)
        value |= {"margin": "0", "other": str(terms.other), "source": str(terms.source)}
    return value


def _symbols(terms: Terms) -> tuple[str, ...]:
    if isinstance(terms, Relative):
        return terms.source.symbol, terms.other.symbol
    assert not hasattr(terms, "gate")
    return (terms.source.symbol,)


def publish(folder: Path, calls: int) -> None:
    """
    Write a bundle.

    Args:
        folder: Where; made if it is not there.
        calls: How many calls it holds.
    """
    shared = Market()
    agents: list[JsonValue] = []
    posted, entries = [], []
    for number in range(-(-calls // len(KINDS))):
        who = Agent(number)
        agents.append(
            {
                "agent": who.name,
                "name": f"Agent {number}",
                "operator": who.name,
                "wallet": who.wallet,
            }
        )
        _, spot = shared.spots(who.round)
        for kind in KINDS[: calls - len(KINDS) * number]:
            deadline = OPENING + (2 + (who.variant + len(kind)) % DEADLINES) * HOUR_MS
            terms = _terms(kind, who.variant, deadline, spot)
            p = Decimal((number * 7 + len(kind)) % 90 + 5) / 100
            posted.append((*_call(shared, who, terms, p), terms, who.round))
    posted.sort(key=lambda each: (each[0]["posted_at"], each[0]["seal"]))
    for call, _, terms, at_round in posted:
        found = shared.settled(terms, at_round)
        entries.append((terms.deadline + 122 * SECOND_MS, call["seal"], call, terms, found))
    entries.sort(key=lambda each: each[:2])
    content = {
        "floor/rules.json": DOCUMENT,
        "floor/agents.json": canonical_bytes(agents),
        "floor/calls.jsonl": _jsonl(canonical_bytes(call) for call, *_ in posted),
        "floor/envelopes.jsonl": _jsonl(envelope for _, envelope, *_ in posted),
        **_ledger(shared, entries),
    }
    raw = shared.raw
    content |= {f"raw/{name[:2]}/{name}": body for name, body in raw.bodies.items()}
    content["raw/index.jsonl"] = _jsonl(line for *_, line in sorted(raw.index))
    as_of = (entries[-1][0] // HOUR_MS + 2) * HOUR_MS
    table = content["floor/seasons/season-0.json"]
    content["bundle.json"] = canonical_bytes(
        {
            "arena": "floor",
            "as_of": format_time(as_of),
            "families": ["floor"],
            "format": "evidence-bundle/1",
            "seasons": [{"family": "floor", "id": "season-0", "sha256": sha256(table)}],
            "title": f"Published by a test: {calls} calls",
        }
    )
    sums = sorted((path.encode(), sha256(data)) for path, data in content.items())
    content["SHA256SUMS"] = b"".join(b"%s  %s\n" % (own.encode(), path) for path, own in sums)
    for path, data in content.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)


def _jsonl(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _call(
    shared: Market, who: Agent, terms: Terms, p: Decimal
) -> tuple[dict[str, JsonValue], bytes]:
    """Write a call and the envelope that it names."""
    relative = isinstance(terms, Relative)
    (symbol, *_) = _symbols(terms)
    names, _ = shared.spots(who.round)
    b = shared.priced(terms, who.round)
    posted_at = format_time(OPENING + who.round * MINUTE_MS + 5 * SECOND_MS)
    sealed: dict[str, JsonValue] = {
        "agent": who.name,
        "baseline": {"b": float(b), "version": RULES.baseline.version},
        "posted_at": posted_at,
        "terms": _sealed(terms, p),
    }
    history: list[JsonValue] = [] if relative else [*shared.past[symbol]]
    spot: list[JsonValue] = [] if relative else [*names[symbol]]
    text: dict[str, JsonValue] = {
        "claim": f"{who.name} calls {symbol}",
        "note": None,
        "terms": sealed["terms"],
    }
    seal = sha256(canonical_bytes(sealed))
    message = "\n".join(
        (
            RULES.envelope.version,
            RULES.envelope.path,
            posted_at,
            seal[:32],
            sha256(canonical_bytes(text)),
        )
    )
    signed = who.key.sign_recoverable(personal_sign_digest(message.encode()), hasher=None)
    signature = f"0x{signed[:64].hex()}{signed[64] + 27:02x}"
    envelope = canonical_bytes({"address": who.wallet, "message": message, "signature": signature})
    hugging = abs(p - b) <= RULES.admission.hugging
    call: dict[str, JsonValue] = {
        **sealed,
        **text,
        "envelope": sha256(envelope),
        "evidence": {"history": history, "spot": spot},
        "labels": [RULES.admission.hugging_label] if hugging else [],
        "seal": seal,
    }
    return call, envelope


def _ledger(shared: Market, entries: list[Any]) -> dict[str, bytes]:
    """Write settlements, ledger, roots and the season table."""
    records, lines, hashes = [], [], []
    by_hour: dict[int, list[int]] = defaultdict(list)
    counted = []
    prev = "0" * 64
    for number, (at, seal, call, terms, found) in enumerate(entries):
        source, confirm = shared.evidence(terms.deadline)
        legs = _symbols(terms)
        record = canonical_bytes(
            {
                "attempts": [
                    {
                        "at": format_time(at),
                        "confirm": [*sorted(name for leg in legs for name in confirm[leg])],
                        "result": found.result,
                        "source": [*sorted(name for leg in legs for name in source[leg])],
                    }
                ],
                "call": seal,
                "deciding": {
                    "at": format_time(found.deciding.at),
                    "confirm": found.deciding.confirm,
                    "source": found.deciding.source,
                },
                "outcome": found.outcome,
            }
        )
        p, b = Decimal(repr(call["terms"]["p"])), Decimal(repr(call["baseline"]["b"]))
        real = points(p, b, hit=found.outcome == "hit", rules=RULES.score)
        gained = decimal(real, RULES.decimals.points)
        body = canonical_bytes(
            {
                "call": seal,
                "entry": number,
                "final_at": format_time(at + RULES.ledger.dispute_seconds * SECOND_MS),
                "kind": RULES.ledger.kind,
                "outcome": found.outcome,
                "points": float(gained),
                "prev": prev,
                "reason": None,
                "record": sha256(record),
                "settled_at": format_time(at),
                "unit": RULES.ledger.unit,
            }
        )
        prev = sha256(body)
        records.append(record)
        lines.append(b'{"body":%s,"hash":"%s"}' % (body, prev.encode()))
        hashes.append(prev)
        by_hour[at // HOUR_MS * HOUR_MS].append(number)
        counted.append(Entry(call["agent"], found.outcome, p, gained, at))
    last = (entries[-1][0] // HOUR_MS + 2) * HOUR_MS
    roots = []
    for hour in range(min(by_hour), last, HOUR_MS):
        own = by_hour.get(hour, [])
        tree = root((TREE.leaf(bytes.fromhex(hashes[each])) for each in own), TREE)
        roots.append(
            canonical_bytes(
                {
                    "entries": len(own),
                    "first": own[0] if own else None,
                    "hour": format_time(hour),
                    "last": own[-1] if own else None,
                    "root": tree.hex(),
                }
            )
        )
    return {
        "floor/settlements.jsonl": _jsonl(records),
        "floor/ledger.jsonl": _jsonl(lines),
        "floor/roots.jsonl": _jsonl(roots),
        "floor/seasons/season-0.json": _season(counted, len(entries), prev, last),
    }


def _season(counted: list[Entry], entries: int, head: str, end: int) -> bytes:
    table = season_table(counted, start=START, end=end, rules=RULES)
    return canonical_bytes(
        {
            "frozen_at": format_time(end),
            "ledger": {"entries": entries, "head": head},
            "rows": [],
            "rules": RULES.id,
            "season": {"end": format_time(end), "id": "season-0", "start": format_time(START)},
            "unlisted": [
                {"agent": row.agent, "settled": row.settled, "standing": float(row.standing)}
                for row in table.unlisted
            ],
        }
    )
