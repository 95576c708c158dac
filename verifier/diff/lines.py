"""
Lines that only one of two files has.

What the files share at their beginning is passed over without being kept, so
that a file that was only appended to costs no memory. Of the rest the digests
of A's lines are held, whatever the order of the lines, and then the lines
themselves that found no equal.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from verifier.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.diff.evidence import Evidence

__all__ = ["Line", "differing_lines"]

Line = tuple[int, bytes]
"""Number from 1, and the bytes without the newline."""


def differing_lines(a: Evidence, b: Evidence, path: str) -> tuple[list[Line], list[Line]]:
    """
    List the lines of A that B lacks, and the lines of B that A lacks.

    A line that stands more often in one of them is listed as often as it is too
    many. A file that is not there has no lines.

    Raises:
        LimitError: The lines to list are larger than ``read_bytes``.
        EvidenceError: As reading the lines would.
    """
    shared, surplus = _surplus(a, b, path)
    if not surplus:
        return [], []
    return _pick(a, path, shared, surplus, 1), _pick(b, path, shared, surplus, -1)


def _surplus(a: Evidence, b: Evidence, path: str) -> tuple[int, dict[bytes, int]]:
    """Count the lines shared at the start, then by digest how many more A has than B."""
    ours, theirs = a.lines(path), b.lines(path)
    shared = 0
    rest_a: Iterator[Line] = ours
    rest_b: Iterator[Line] = theirs
    for one, other in zip_longest(ours, theirs):
        if one != other:
            rest_a = chain([one] if one else [], ours)
            rest_b = chain([other] if other else [], theirs)
            break
        shared += 1
    surplus: dict[bytes, int] = {}
    for rest, step in ((rest_a, 1), (rest_b, -1)):
        for _, line in rest:
            digest = sha256(line).digest()
            count = surplus.get(digest, 0) + step
            if count:
                surplus[digest] = count
            else:
                del surplus[digest]
    return shared, surplus


def _pick(
    evidence: Evidence, path: str, shared: int, surplus: dict[bytes, int], step: int
) -> list[Line]:
    limit = evidence.bundle.limits.read_bytes
    picked: list[Line] = []
    held = 0
    for number, line in evidence.lines(path):
        if number <= shared:
            continue
        digest = sha256(line).digest()
        if surplus.get(digest, 0) * step <= 0:
            continue
        surplus[digest] -= step
        picked.append((number, line))
        held += len(line)
        if held > limit:
            raise LimitError(
                f"over {limit} bytes of lines that differ",
                limit="read_bytes",
                file=f"{evidence.name}: {path}",
            )
    return picked
