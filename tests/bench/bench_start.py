"""
How long ``tallyproof arcana score FILE`` takes from cold, against importing Typer.

Run ``python tests/bench/bench_start.py [ROUNDS]``. Each program is a fresh
process; turns are taken, so that what else the machine does falls on all of
them alike. Shown are medians of the time on the clock and of the time on the
processor (a start waits for nothing, so the second is the one to trust on a
busy machine), and the ratio to ``import typer``. Goal: at most 1.7 of it.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from statistics import median
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import at_most

ROOT: Final = Path(__file__).resolve().parents[2]
MANIFEST: Final = next(
    path
    for path in sorted((ROOT / "fixtures/arcana-demo/arcana/manifests").rglob("*.txt"))
    if path.read_bytes().startswith(b"arcana-score/v1\n")
)
GOAL: Final = 1.7

PYTHON: Final = sys.executable
SCORE: Final = ("arcana", "score", str(MANIFEST))
PROGRAMS: Final = {
    "empty program": (PYTHON, "-c", ""),
    "import typer": (PYTHON, "-c", "import typer"),
    "arcana score --quiet": (str(Path(PYTHON).parent / "tallyproof"), *SCORE, "--quiet"),
    "arcana score": (str(Path(PYTHON).parent / "tallyproof"), *SCORE),
    "python -m verifier": (PYTHON, "-m", "verifier", *SCORE),
}
JUDGED: Final = ("arcana score --quiet", "arcana score", "python -m verifier")


def run(program: tuple[str, ...]) -> tuple[float, float]:
    """Run a program to its end; give its seconds on the clock and on the processor."""
    start = time.perf_counter()
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(program[0], program, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit(f"{' '.join(program)} failed")
    return seconds, used.ru_utime + used.ru_stime


def main(rounds: int = 25) -> None:
    """Print what was measured, and whether the goal is met."""
    os.chdir(ROOT)
    for program in PROGRAMS.values():  # bytecode and the disk's cache are warm for all
        run(program)
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds):
        for name, program in PROGRAMS.items():
            measured[name].append(run(program))
    base_clock, base_processor = map(median, zip(*measured["import typer"], strict=True))
    print(f"medians of {rounds} starts; ratios to import typer")
    print(f"{'':22}{'clock':>9}{'ratio':>7}{'processor':>12}{'ratio':>7}")
    for name, times in measured.items():
        clock, processor = map(median, zip(*times, strict=True))
        ratio = processor / base_processor
        verdict = at_most(ratio, GOAL) if name in JUDGED else ""
        print(
            f"{name:22}{clock * 1e3:6.1f} ms{clock / base_clock:7.2f}"
            f"{processor * 1e3:9.1f} ms{ratio:7.2f}  {verdict}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
