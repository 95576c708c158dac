"""
How long the audit of a whole season takes: ``python tests/bench/bench_audit.py [AGENTS [DAYS]]``.

Two bundles are made, one of half and one of all the agents, and each is
audited with one job and with two, in a process of its own. What is printed:
seconds by the clock and of the processor, records a second, the memory of the
largest process, and how both grow from the half to the whole. Time that grows
with more than the first power of the records would show as a growth over 1.
"""

import json
import math
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

MAKER: Final = Path(__file__).with_name("make_arcana.py")
# What the operating system counts in: kibibytes, but bytes on macOS.
KIB: Final = 1024 if sys.platform != "darwin" else 1024**2


@dataclass(frozen=True, slots=True)
class Measured:
    """What one audit took: seconds, and MiB of its largest process."""

    clock: float
    processor: float
    peak: float


def audit(bundle: Path, policy: Path, jobs: int) -> Measured:
    """Audit a bundle in a process of its own, and demand that everything passes."""
    start = time.perf_counter()
    options = ("--quiet", "--policy", str(policy), "--jobs", str(jobs))
    process = subprocess.Popen([sys.executable, "-m", "verifier", "audit", str(bundle), *options])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return Measured(
        time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / KIB
    )


def main(agents: int = 120, days: int = 17) -> None:
    """Print what was measured."""
    sizes: list[int] = []
    taken: list[dict[int, Measured]] = []
    with TemporaryDirectory() as folder:
        policy = Path(folder) / "policy.toml"
        for count in (agents // 2, agents):
            bundle = Path(folder) / str(count)
            # In another process: one that has grown hands its peak of memory down to its children.
            command = (sys.executable, str(MAKER), str(bundle), str(count), str(days))
            made = json.loads(subprocess.check_output(command))
            policy.write_text(f'[arcana]\nsenders = ["{made["sender"]}"]\n')
            records = made["snapshots"] + made["decisions"] + made["scores"]
            print(
                f"{count} agents: {made['snapshots']} snapshots, {made['decisions']} decisions, "
                f"{made['scores']} scores, {made['anchors']} anchors; "
                f"{made['files']} files, {made['bytes'] / 1e6:.0f} MB"
            )
            found = {jobs: audit(bundle, policy, jobs) for jobs in (1, 2)}
            for jobs, one in found.items():
                print(
                    f"  --jobs {jobs}: {one.clock:.1f} s, {one.processor:.1f} s of processor, "
                    f"{records / one.clock:.0f} records a second, {one.peak:.0f} MiB"
                )
            sizes.append(records)
            taken.append(found)
    grown = math.log(sizes[1] / sizes[0])
    for jobs in (1, 2):
        half, whole = taken[0][jobs], taken[1][jobs]
        power = math.log(whole.processor / half.processor) / grown
        print(
            f"growth with --jobs {jobs}: processor time by the power {power:.2f} of the records, "
            f"{(whole.peak - half.peak) * 2**20 / (sizes[1] - sizes[0]):.0f} bytes a record"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
