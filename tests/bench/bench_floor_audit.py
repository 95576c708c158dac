"""
How fast the Floor is audited, how much memory it takes, and how both grow with calls.

Run it with ``python tests/bench/bench_floor_audit.py [CALLS…]``; by default 5,000 and
20,000 calls, published for the run, that share their raw responses.
It asserts nothing. Goals: growth is linear; under 1 GiB at 200,000 calls; at
least 2,000 calls settled again a second on one core once responses are parsed.

Then a ledger of 1,000,000 entries is walked: each line read, hashed and linked.
Goal: no less than 0.5 of the rate of hashing the same bytes and parsing the same
lines with the fastest JSON parser there is (orjson if it is installed).
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve()
SIZES = (5_000, 20_000)
ENTRIES = 1_000_000
ROUNDS = 3


def measure(folder: str) -> dict[str, float]:
    """Audit one bundle in this process, step by step."""
    from verifier.bundle import open_bundle  # noqa: PLC0415 - counted from here
    from verifier.floor.checks.settlement import check_settlement  # noqa: PLC0415
    from verifier.floor.family import FLOOR  # noqa: PLC0415
    from verifier.policy import Policy  # noqa: PLC0415

    began = time.perf_counter()
    with open_bundle(folder) as bundle:
        context = FLOOR.load(bundle, Policy())
        loaded = time.perf_counter()
        outcomes = (FLOOR.check(context, item) for item in FLOOR.items(context))
        findings = sum(1 for outcome in outcomes for _ in outcome.findings)
        checked = time.perf_counter()
        rows = context.tables.settlements
        for row in rows:
            check_settlement(context, row, context.calls.get(row.call))
        settled = time.perf_counter() - checked
        return {
            "load": loaded - began,
            "check": checked - loaded,
            "settle": len(rows) / settled,
            "findings": findings,
            "peak": peak_mib(),
        }


def peak_mib() -> float:
    """Give the most memory that this process ever held, without what its parent held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line)


def audits(sizes: tuple[int, ...]) -> None:
    """Publish and audit bundles of several sizes, each audit in a process of its own."""
    sys.path.insert(0, str(HERE.parents[1]))
    from floor_publisher import publish  # noqa: PLC0415 - needs the line above

    print("   calls   load s  check s  calls/s  settled again/s  peak MiB")
    for calls in sizes:
        with tempfile.TemporaryDirectory() as folder:
            publish(Path(folder), calls)
            done = subprocess.run(
                [sys.executable, str(HERE), "--one", folder], check=True, capture_output=True
            )
        found = json.loads(done.stdout)
        rate = calls / (found["load"] + found["check"])
        print(
            f"{calls:8} {found['load']:8.2f} {found['check']:8.2f} {rate:8.0f} "
            f"{found['settle']:16.0f} {found['peak']:9.0f}"
        )


def ledger() -> list[bytes]:
    """Write the lines of a long ledger: twenty entries a second, in order of their calls."""
    lines: list[bytes] = []
    prev = "0" * 64
    for second in range(ENTRIES // 20):
        at = f"2026-{second // 2_419_200 + 1:02}-{second // 86_400 % 28 + 1:02}T"
        at += f"{second // 3600 % 24:02}:{second // 60 % 60:02}:{second % 60:02}Z"
        for call in sorted(hashlib.sha256(b"%d %d" % (second, n)).hexdigest() for n in range(20)):
            number = len(lines)
            body = (
                f'{{"call":"{call}","entry":{number},"final_at":"{at}","kind":"settle",'
                f'"outcome":"hit","points":{number % 9000 + 1}.5,"prev":"{prev}","reason":null,'
                f'"record":"{call}","settled_at":"{at}","unit":"standing"}}'
            ).encode()
            prev = hashlib.sha256(body).hexdigest()
            lines.append(b'{"body":%s,"hash":"%s"}' % (body, prev.encode()))
    return lines


def walk(lines: list[bytes]) -> None:
    """Read, hash and link every entry, as an audit does."""
    from verifier.floor.ledger import link_problem, read_entries  # noqa: PLC0415

    before = None
    for position, entry in enumerate(read_entries(enumerate(lines, start=1))):
        problem = link_problem(entry, before, position)
        if problem is not None:
            raise ValueError(problem)
        before = entry


def parse(lines: list[bytes], loads: Callable[[bytes], Any]) -> None:
    """Hash every body and parse every line, and nothing else."""
    for text in lines:
        hashlib.sha256(text[8:-75]).hexdigest()
        loads(text)


def walks() -> None:
    """Compare the walk with hashing and parsing the same lines, the fastest of some rounds."""
    try:
        from orjson import loads  # type: ignore[import-not-found]  # noqa: PLC0415

        name = "orjson"
    except ImportError:
        from json import loads  # noqa: PLC0415

        name = "json"
    lines = ledger()
    ours = theirs = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        walk(lines)
        walked = time.perf_counter()
        parse(lines, loads)
        ours = min(ours, walked - began)
        theirs = min(theirs, time.perf_counter() - walked)
    print(f"walk of {ENTRIES} entries       {ours:6.2f} s  {ENTRIES / ours:9.0f} entries/s")
    print(f"sha256 and {name:8}           {theirs:6.2f} s  ratio of rates {theirs / ours:.2f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measure(sys.argv[2])))
    else:
        audits(tuple(map(int, sys.argv[1:])) or SIZES)
        walks()
