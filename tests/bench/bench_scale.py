"""
How an audit grows: seasons of the Floor up to a million calls, on every engine.

Run it with ``python tests/bench/bench_scale.py [OPTION…] [CALLS…]`` or ``make
bench-scale``; by default 10,000, 100,000 and 1,000,000 calls, each published for
the run, or once and for all in the folder that ``--seasons`` names. A size that is
not likely to be done in the seconds that are left (``--seconds``, 3,600 by default)
is skipped, and that is said. Publishing takes about 7 KB of memory a call.

Of every size it prints the throughput, the processor time and the peak memory of
each process: audited serially, in two processes, and on a Dask cluster of two
local workers if ``distributed`` is installed; then the ratio to the floor, which
is hashing all bytes and parsing all lines. At the end come the growth exponent and
the speed-ups. Two speed-ups are given: by the clock, which needs two idle
processors, and by processor time (all of it in this process, half of the
workers'), which does not. It fails if two engines give different reports.

Goals: 1,000,000 calls within 1 GiB for each process, an exponent of at most 1.05, a
speed-up of at least 1.7 in two processes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve()
SIZES: Final = (10_000, 100_000, 1_000_000)
SECONDS: Final = 3_600
MIB: Final = 1 << 20
Found = dict[str, Any]


def used(who: int) -> float:
    """Give the processor time of this process or of its children."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def peak_mib() -> float:
    """Give the most memory that this process ever held, without what its parent held."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if "VmHWM" in line)


def audited(folder: str, engine: str) -> Found:
    """Audit one bundle in this process, and say what that took."""
    from verifier.audit import audit  # noqa: PLC0415 - counted from here
    from verifier.engine import engine_for  # noqa: PLC0415
    from verifier.report import RENDERERS  # noqa: PLC0415

    began = time.perf_counter()
    if engine == "dask":
        cluster = import_module("distributed").LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        )
        with cluster:
            chosen = engine_for("dask", scheduler=cluster.scheduler_address)
            began = time.perf_counter()
            report = audit(folder, engine=chosen)
    else:
        jobs = 1 if engine == "serial" else 2
        report = audit(folder, engine=engine_for(None, jobs=jobs))
    return {
        "wall": time.perf_counter() - began,
        "here": used(resource.RUSAGE_SELF),
        "workers": used(resource.RUSAGE_CHILDREN),
        "peak": peak_mib(),
        "worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "verdict": report.verdict.value,
        "sha256": hashlib.sha256(RENDERERS["json"](report)).hexdigest(),
    }


def floor(folder: str) -> Found:
    """Hash all bytes and parse all lines, and nothing else."""
    loads = import_module("orjson").loads if find_spec("orjson") else json.loads
    began = used(resource.RUSAGE_SELF)
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            whole = hashlib.sha256()
            with path.open("rb") as file:
                for line in file:
                    whole.update(line)
                    if path.suffix == ".jsonl":
                        loads(line)
    return {"here": used(resource.RUSAGE_SELF) - began}


def alone(folder: str, engine: str) -> Found:
    """Measure in a process of its own."""
    done = subprocess.run(
        [sys.executable, str(HERE), "--one", folder, engine], check=True, stdout=subprocess.PIPE
    )
    found: Found = json.loads(done.stdout)
    return found


def published(place: Path, calls: int) -> Path:
    """Publish a season, unless it is there whole."""
    from floor_publisher import publish  # noqa: PLC0415 - from the folder of the tests

    folder = place / str(calls)
    if not (folder / "SHA256SUMS").exists():  # what is written last
        folder.mkdir(parents=True, exist_ok=True)
        publish(folder, calls)
    return folder


def measure(calls: int, engines: tuple[str, ...], seasons: Path | None) -> dict[str, Found]:
    """Publish a season and audit it on every engine."""
    with tempfile.TemporaryDirectory() as own:
        folder = published(seasons or Path(own), calls)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        least = alone(str(folder), "floor")["here"]
        found = {engine: alone(str(folder), engine) for engine in engines}
    print(f"{calls:,} calls, {size / MIB:,.0f} MiB; hashed and parsed in {least:.1f} s")
    for engine, one in found.items():
        cpu = one["here"] + one["workers"]
        print(
            f"  {engine:9} {one['verdict']:8} {calls / one['wall']:8,.0f} calls/s by the clock "
            f"{calls / cpu:8,.0f} a processor second  peak {one['peak']:5,.0f} MiB"
            + ("" if engine == "serial" else f", workers {one['worker']:5,.0f} MiB")
            + f"  {cpu / least:5.1f} times the floor",
            flush=True,
        )
    if len({one["sha256"] for one in found.values()}) != 1:
        raise SystemExit("the engines give different reports")
    return found


def conclude(results: dict[int, dict[str, Found]]) -> None:
    """Print how the time grows and how much faster two processes are."""
    sizes = sorted(results)
    for small, large in pairwise(sizes):
        one, other = (results[size]["serial"]["here"] for size in (small, large))
        exponent = math.log(other / one) / math.log(large / small)
        print(f"growth from {small:,} to {large:,} calls: exponent {exponent:.3f}")
    for size in sizes:
        serial = results[size]["serial"]
        for engine, one in results[size].items():
            if engine != "serial":
                by_cpu = serial["here"] / (one["here"] + one["workers"] / 2)
                by_clock = serial["wall"] / one["wall"]
                print(
                    f"speed-up of {engine} at {size:,} calls: {by_clock:.2f} by the clock, "
                    f"{by_cpu:.2f} by processor time"
                )


def main() -> None:
    """Measure the sizes that fit in the time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--seasons", type=Path, help="folder to publish in, or to find seasons in")
    parser.add_argument("calls", type=int, nargs="*", default=SIZES)
    asked = parser.parse_args()
    engines = ("serial", "processes", *(("dask",) if find_spec("distributed") else ()))
    sys.path.insert(0, str(HERE.parents[1]))
    until = time.perf_counter() + asked.seconds
    results: dict[int, dict[str, Found]] = {}
    rate = 0.0
    for calls in sorted(asked.calls):
        began = time.perf_counter()
        if began + calls * rate > until:
            print(f"{calls:,} calls: skipped, they would take about {calls * rate:,.0f} s")
            continue
        results[calls] = measure(calls, engines, asked.seasons)
        rate = (time.perf_counter() - began) / calls
    conclude(results)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(floor(sys.argv[2]) if sys.argv[3] == "floor" else audited(*sys.argv[2:])))
    else:
        main()
