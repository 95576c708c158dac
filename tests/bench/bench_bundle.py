"""
How fast a bundle is opened, against a plain loop of sha256 over the same files.

Run ``python tests/bench/bench_bundle.py``. Opening lists the files, checks paths
and sizes, hashes everything, reads ``bundle.json`` and compares ``SHA256SUMS``.
Goal: at least 0.8 of the loop's rate, for many small files and for few large ones,
in a directory or a tar; a zip is unpacked as well, so its rate is only shown.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import tracemalloc
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import at_least
from small_bundle import sound, tarred, write_tree, zipped

from verifier.bundle import open_bundle, overlay

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS: Final = 7
CHUNK: Final = 1 << 20
GOAL: Final = 0.8


def plain_loop(paths: list[str]) -> list[str]:
    """Hash files one after another, as briefly as it can be written."""
    digests = []
    for path in paths:
        with open(path, "rb") as file:  # noqa: PTH123  # the fastest way there is
            whole = sha256()
            while data := file.read(CHUNK):
                whole.update(data)
            digests.append(whole.hexdigest())
    return digests


def bundles() -> dict[str, dict[str, bytes]]:
    """Make up two bundles: a year of small manifests, and a few long logs."""
    chance = random.Random(1)
    small = {}
    for _ in range(20_000):
        name = chance.randbytes(32).hex()
        small[f"arcana/manifests/{name[:2]}/{name}.json"] = chance.randbytes(1000).hex().encode()
    large = {f"arcana/log{at}.jsonl": chance.randbytes(48 << 20) for at in range(4)}
    return {"20,000 files of 2 kB": sound(**small), "4 files of 48 MiB": sound(**large)}


def race(jobs: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Time each job in seconds; turns are taken, and the best one counts."""
    times = dict.fromkeys(jobs, float("inf"))
    for _ in range(rounds):
        for name, job in jobs.items():
            start = time.perf_counter()
            job()
            times[name] = min(times[name], time.perf_counter() - start)
    return times


def open_and_close(path: Path) -> None:
    """Open a bundle, and no more."""
    open_bundle(path).close()


def measure(kind: str, files: dict[str, bytes], folder: Path) -> None:
    """Print what is known of one bundle in all packings."""
    root = write_tree(folder / "bundle", files)
    (folder / "tar").write_bytes(tarred(files))
    (folder / "zip").write_bytes(zipped(files))
    total = sum(map(len, files.values()))
    jobs: dict[str, Callable[[], object]] = {
        "plain loop": partial(plain_loop, [str(root / path) for path in files]),
        "directory": partial(open_and_close, root),
        "tar": partial(open_and_close, folder / "tar"),
        "zip": partial(open_and_close, folder / "zip"),
    }
    print(f"{kind}, {total / 1e6:.0f} MB (rate of the plain loop = 1)")
    times = race(jobs, ROUNDS)
    for name, taken in times.items():
        rate = times["plain loop"] / taken
        verdict = at_least(rate, GOAL) if name in ("directory", "tar") else ""
        print(f"  {name:12}{rate:6.2f}{total / taken / 1e6:8.0f} MB/s  {verdict}")
    tracemalloc.start()
    with open_bundle(root) as bundle:
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"  memory kept {kept / 1e6:.1f} MB, at most {peak / 1e6:.1f} MB")
        taken = race({"": partial(overlay, bundle, {"arcana/new": b"x"})}, ROUNDS)[""]
        print(f"  an overlay takes {1000 * taken:.1f} ms")


def main() -> None:
    """Measure both bundles."""
    for kind, files in bundles().items():
        with tempfile.TemporaryDirectory() as folder:
            measure(kind, files, Path(folder))


if __name__ == "__main__":
    main()
