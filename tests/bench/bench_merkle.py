"""
Root of a million leaves: ours against a plain loop over ``hashlib``, and merkly.

All are timed in one run, the best of a few rounds each. The loop is the least that
any implementation of RFC 9162 does in Python; ours should stay within a tenth of it,
while it also checks every length and holds no more than a chunk of leaves.
"""

import importlib.util
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goals import at_most

from verifier.core.merkle import StreamingRoot, root

SIZE: Final = 1_000_000
ROUNDS: Final = 5
GOAL: Final = 1.1
MERKLY_SIZE: Final = 20_000  # its tree is slow enough for a part to do


def plain(level: list[bytes]) -> bytes:
    """Pair the hashes level by level; an odd last one moves up."""
    while len(level) > 1:
        above = [
            sha256(b"\x01" + level[i] + level[i + 1]).digest() for i in range(0, len(level) - 1, 2)
        ]
        if len(level) % 2:
            above.append(level[-1])
        level = above
    return level[0]


def streamed(leaves: list[bytes]) -> bytes:
    """The same root, with a leaf arriving at a time."""
    tree = StreamingRoot()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root()


def best(call: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Seconds of the fastest of a few rounds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print seconds and ratios."""
    leaves = [i.to_bytes(32, "big") for i in range(SIZE)]
    assert plain(leaves) == root(leaves)
    # In turns, so that a busy machine slows both.
    pairs = [(best(lambda: plain(leaves), 1), best(lambda: root(leaves), 1)) for _ in range(ROUNDS)]
    loop, ours = (min(times) for times in zip(*pairs, strict=True))
    print(f"plain hashlib loop, {SIZE} leaves: {loop:.3f} s")
    print(
        f"merkle.root:                         {ours:.3f} s, {ours / loop:.2f} of the loop, "
        + at_most(ours / loop, GOAL)
    )
    one = best(lambda: streamed(leaves), 2)
    print(f"StreamingRoot, a leaf at a time:     {one:.3f} s, {one / loop:.2f} of the loop")
    if importlib.util.find_spec("merkly") is None:
        print("merkly is not installed")
        return
    from merkly.mtree import MerkleTree  # noqa: PLC0415 - a second opinion, not always there

    texts = [str(i) for i in range(MERKLY_SIZE)]

    def theirs() -> object:
        tree = MerkleTree(texts, lambda left, right: sha256(left + right).digest())
        return tree.root

    part = leaves[:MERKLY_SIZE]
    ratio = best(theirs) / best(lambda: root(part))
    print(f"merkly, {MERKLY_SIZE} leaves with SHA-256:  {ratio:.1f} times our time")


if __name__ == "__main__":
    main()
