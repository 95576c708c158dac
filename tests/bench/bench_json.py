"""
How fast JSON is read and written here, as ratios within one run.

Run ``python tests/bench/bench_json.py``. Goals: the strict reader takes at most
1.5 times as long as ``json.loads``, and canonical form is written at least as fast
as by the packages ``rfc8785`` and ``jcs``.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import jcs
import rfc8785

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import at_most

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_canonical, read_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.core.jsonread import JsonValue

ROUNDS: Final = 9
MEGABYTE: Final = 1_000_000
READ_GOAL: Final = 1.5


def sha(*parts: object) -> str:
    """Make up a hash."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def ledger_entry(i: int, rng: random.Random) -> JsonValue:
    """Make up a ledger entry."""
    body: JsonValue = {
        "call": sha("call", i),
        "entry": i,
        "final_at": "2026-11-03T14:05:00Z",
        "kind": "settle",
        "outcome": rng.choice(["hit", "miss"]),
        "points": rng.choice([12.3456, -80.1234, 100]),
        "prev": sha("prev", i),
        "reason": None,
    }
    return {"body": body, "hash": sha("hash", i)}


def documents() -> dict[str, bytes]:
    """Make one document of about a megabyte of each kind, the same in every run."""
    rng = random.Random(1)
    makers: dict[str, Callable[[int], JsonValue]] = {
        "ledger entries": lambda i: ledger_entry(i, rng),
        "candles": lambda i: [1_793_000_000_000 + 60_000 * i, f"{rng.uniform(1, 9e4):.1f}", i],
        "doubles": lambda _: rng.random(),
        "small integers": lambda _: rng.randrange(10 ** rng.randrange(1, 9)),
        "big decimals as text": lambda _: {"nav": str(rng.getrandbits(90)), "ok": True},
        "small objects": lambda i: {"a": i, "b": {"c": i}},
        "prose": lambda i: {"id": i, "note": "words of a claim, one after another; " * 12},
        "names not in ASCII": lambda i: {"péché": i, "été": f"n° {i}"},
        "escapes": lambda i: f'line {i}\n"quoted"\t\\path',
    }
    made = {}
    for kind, make in makers.items():
        per_item = len(json.dumps([make(i) for i in range(100)])) / 100
        items = [make(i) for i in range(int(MEGABYTE / per_item))]
        made[kind] = json.dumps(items, ensure_ascii=False, separators=(",", ":")).encode()
    return made


def ratios(*jobs: Callable[[], object]) -> list[float]:
    """Time of each job over that of the first; turns are taken, and the best one counts."""
    best = [float("inf")] * len(jobs)
    for _ in range(ROUNDS):
        for i, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - start)
    return [each / best[0] for each in best[1:]]


def main() -> None:
    """Print a line for each kind of document."""
    print(f"{'':22}{'read':>8}{'':4}{'write: ours':>12}{'rfc8785':>9}{'jcs':>7}   (json.loads = 1)")
    for kind, data in documents().items():
        value = read_json(data)
        read, ours, theirs, other = ratios(
            partial(json.loads, data),
            partial(read_json, data),
            partial(canonical_bytes, value),
            partial(rfc8785.dumps, value),
            partial(jcs.canonicalize, value),
        )
        wrote = "met" if ours <= min(theirs, other) else "missed"
        print(
            f"{kind:22}{read:8.2f}{'':4}{ours:12.2f}{theirs:9.2f}{other:7.2f}   "
            f"read: {at_most(read, READ_GOAL)}; write: as fast as both, {wrote}"
        )
    lines = [canonical_bytes(ledger_entry(i, random.Random(i))) for i in range(2000)]
    strict, canonical, theirs = ratios(
        lambda: [json.loads(line) for line in lines],
        lambda: [read_json(line) for line in lines],
        lambda: [read_canonical(line) for line in lines],
        lambda: [rfc8785.dumps(json.loads(line)) == line for line in lines],
    )
    print(f"\nledger lines of {len(lines[0])} bytes, one by one (json.loads = 1)")
    print(f"read_json {strict:.2f}, {at_most(strict, READ_GOAL)}; read_canonical {canonical:.2f}")
    print(f"json.loads, rfc8785.dumps and a comparison {theirs:.2f}")


if __name__ == "__main__":
    main()
