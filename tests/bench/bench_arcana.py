"""
How fast score manifests are verified: ``python tests/bench/bench_arcana.py [MANIFESTS [TICKS]]``.

Manifests are made first, each with its own numbers, and written to a temporary
folder. Then each is read, written again and compared, recomputed, and its ten
outputs compared bit for bit. Beside the time on the clock stands that on the
processor, which other work on the machine hardly changes, and its ratio to
``json.loads`` of the same lines, which is the least that reading them takes.
The peak of memory is that of the whole process. There is no goal: the figures
are for comparison from release to release.
"""

import json
import random
import resource
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

sys.path.insert(0, str(Path(__file__).parents[1]))

from arcana_manifests import made_manifest

from formulas.arcana_score import v1
from verifier.arcana.manifest import ScoreManifest, emit_manifest, parse_manifest
from verifier.arcana.recompute import differences, recompute

# What the operating system counts in: kibibytes, but bytes on macOS.
KIB: Final = 1024 if sys.platform != "darwin" else 1024**2


def verify(data: bytes) -> None:
    """Read one manifest, and demand that its outputs follow from it."""
    manifest = parse_manifest(data)
    assert isinstance(manifest, ScoreManifest)
    assert isinstance(manifest.outputs, dict)
    assert v1.same_constants(manifest.constants, v1.CONSTANTS)
    assert not list(differences(manifest.outputs, recompute(manifest).outputs))


def read_only(data: bytes) -> None:
    """Read the JSON of each line, and do nothing with it."""
    for line in data.splitlines()[1:]:
        json.loads(line.partition(b": ")[2])


def main(manifests: int = 2_000, ticks: int = 500) -> None:
    """Print what was measured."""
    chance = random.Random(20260914)
    clock = processor = least = 0.0
    size = 0
    with TemporaryDirectory() as folder:
        for number in range(manifests):
            text = emit_manifest(made_manifest(chance, ticks=ticks))
            (Path(folder) / str(number)).write_bytes(text)
        for number in range(manifests):
            start, start_processor = time.perf_counter(), time.process_time()
            text = (Path(folder) / str(number)).read_bytes()
            verify(text)
            middle = time.process_time()
            clock += time.perf_counter() - start
            read_only(text)
            processor += middle - start_processor
            least += time.process_time() - middle
            size += len(text)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB
    print(f"{manifests} score manifests of {ticks} ticks, {size / 1e6:.0f} MB, one process")
    print(
        f"on the clock     {manifests / clock:.0f} a second, {size / clock / 1e6:.0f} MB a second"
    )
    print(
        f"on the processor {manifests / processor:.0f} a second, "
        f"{processor / manifests * 1e3:.2f} ms each, {processor / least:.1f} times json.loads"
    )
    print(f"peak memory      {peak:.0f} MiB")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
