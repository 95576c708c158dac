"""
How fast score manifests are verified: ``python tests/bench/bench_arcana.py [MANIFESTS [TICKS]]``.

Manifests are made first, each with its own numbers. Then each is read, written
again and compared, recomputed, and its ten outputs compared bit for bit. The
peak of memory is that of the whole process, the made manifests included.
"""

import random
import resource
import sys
import time
from pathlib import Path
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


def main(manifests: int = 2_000, ticks: int = 500) -> None:
    """Print what was measured."""
    chance = random.Random(20260914)
    texts = [emit_manifest(made_manifest(chance, ticks=ticks)) for _ in range(manifests)]
    size = sum(map(len, texts))
    start = time.perf_counter()
    for text in texts:
        verify(text)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB
    print(f"{manifests} score manifests of {ticks} ticks, {size / 1e6:.0f} MB")
    print(f"verified in {seconds:.2f} s: {manifests / seconds:.0f} manifests a second")
    print(f"{seconds / manifests * 1e3:.2f} ms each, {size / seconds / 1e6:.0f} MB a second")
    print(f"peak memory {peak:.0f} MiB, of which the texts are {size / 2**20:.0f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
