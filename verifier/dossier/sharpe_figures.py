"""
A number as published and as recomputed, and what comparing the two says.

Equal means the same double. A figure that the kernel refuses is None on both sides,
and that is a pass too: the refusal is the published outcome. What could not be
recomputed is unproven, and never counted as equal.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.findings import Finding

__all__ = ["Evidence", "Figure", "compared", "ulps", "unjudged", "worst"]

_SEVERITY = (Verdict.PASS, Verdict.EXEMPT, Verdict.UNPROVEN, Verdict.FAIL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """
    One number of a board.

    Args:
        name: What it is, as the board's format calls it.
        published: As published; None for null.
        recomputed: As the evidence gives it; None where there is none.
        verdict: What came of comparing them.
        note: Why there is no number, or what to know about the difference.
    """

    name: str
    published: float | None
    recomputed: float | None
    verdict: Verdict
    note: str | None = None

    @property
    def distance(self) -> int | None:
        """How many doubles lie between the two, the second one counted; None without both."""
        if self.published is None or self.recomputed is None:
            return None
        return ulps(self.published, self.recomputed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    A file behind a figure.

    Args:
        role: What it holds, in words.
        path: Where it lies in the bundle.
        sha256: Its digest, None where the bundle has no such file.
        size: Its length in bytes.
    """

    role: str
    path: str
    sha256: str | None
    size: int | None


def compared(
    name: str, published: float | None, recomputed: float | None, note: str | None = None
) -> Figure:
    """Compare a figure that could be recomputed."""
    verdict = Verdict.PASS if published == recomputed else Verdict.FAIL
    return Figure(name=name, published=published, recomputed=recomputed, verdict=verdict, note=note)


def unjudged(name: str, published: float | None, why: str) -> Figure:
    """Show a figure that could not be recomputed."""
    return Figure(
        name=name, published=published, recomputed=None, verdict=Verdict.UNPROVEN, note=why
    )


def ulps(a: float, b: float) -> int:
    """
    Distance of two finite doubles, in steps from one double to the next.

    >>> ulps(1.0, 1.0000000000000002), ulps(-5e-324, 5e-324)
    (1, 2)
    """
    return abs(_ordinal(a) - _ordinal(b))


def _ordinal(value: float) -> int:
    bits: int = struct.unpack("<q", struct.pack("<d", value))[0]
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def worst(findings: Iterable[Finding]) -> Verdict | None:
    """Worst verdict of some findings; None where there is no finding at all."""
    return max((found.verdict for found in findings), key=_SEVERITY.index, default=None)
