"""
How fast intervals and paired tests are, as ratios to the public Rust package in one run.

Run ``python tests/bench/bench_sharpe.py`` where ``sharpearena`` is installed (group
``bench``); without it only our own times are printed. 2,000 resamples of 16 and of
256 seeds of 120 bars. Goals: the same doubles always, at most 0.15 of the Rust time
where resamples do not saturate at 0 or 1, and never more than 0.7. Peak memory is that
of the Python heap and NumPy's arrays during one of our calls, the returns not included.
"""

from __future__ import annotations

import random
import sys
import time
import tracemalloc
from functools import partial
from importlib import import_module, metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from formulas.sharpe.interval import interval
from formulas.sharpe.kernels import KERNEL_OF_RELEASE, KERNELS
from formulas.sharpe.paired import paired_difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from formulas.sharpe.series import Band

BARS: Final = 120
ROUNDS: Final = {16: 7, 256: 3}
DRIFTS: Final = {"does not saturate": 0.0007, "saturates at 1": 0.01, "saturates at 0": -0.01}


def best(call: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Shortest of some runs, and what the call gives."""
    found, seconds = None, float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        found = call()
        seconds = min(seconds, time.perf_counter() - start)
    return seconds, found


def peak(call: Callable[[], Any]) -> float:
    """Peak memory of one call, in MiB."""
    tracemalloc.start()
    call()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 2**20


def bands(seeds: int, drift: float) -> tuple[Band, Band]:
    """Two entries that share a part of their path."""
    source = random.Random(seeds)
    a = [[source.gauss(drift, 0.01) for _ in range(BARS)] for _ in range(seeds)]
    b = [[0.7 * x + source.gauss(0.3 * drift, 0.005) for x in series] for series in a]
    return a, b


def public_package() -> tuple[Any, str]:
    """The installed package and the kernel it has, or None and the newest kernel."""
    try:
        package = import_module("sharpearena")
    except ImportError:
        print("the public package sharpearena is not installed (group bench): no ratios")
        return None, "0.28.0"
    release = metadata.version("sharpearena")
    print(f"against sharpearena {release}")
    return package, KERNEL_OF_RELEASE[release]


def main() -> None:
    """Print what was measured."""
    package, name = public_package()
    kernel = KERNELS[name]
    for seeds, rounds in ROUNDS.items():
        for kind, drift in DRIFTS.items():
            a, b = bands(seeds, drift)
            calls: dict[str, tuple[Callable[..., Any], str, tuple[Band, ...]]] = {
                "interval": (interval, "deflated_sharpe_ci", (a,)),
                "paired test": (paired_difference, "paired_dsr_diff", (a, b)),
                "identical entries": (paired_difference, "paired_dsr_diff", (a, a)),
            }
            for label, (formula, published_name, entries) in calls.items():
                ours: Callable[[], Any] = partial(formula, kernel, *entries)
                seconds, found = best(ours, rounds)
                line = f"{seeds:4} x {BARS} {kind:18} {label:18} {seconds * 1e3:8.2f} ms"
                if package is not None:
                    theirs = partial(getattr(package, published_name), *entries)
                    reference, published = best(theirs, rounds)
                    assert published == {field: getattr(found, field) for field in published}
                    line += f", ratio {seconds / reference:.3f}"
                print(f"{line}, peak {peak(ours):.1f} MiB")


if __name__ == "__main__":
    main()
