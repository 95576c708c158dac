"""
A value as it was published beside the same value as the evidence gives it.

What a page says of a value comes from here and from nowhere else: *pass* if both
are there and equal, *fail* if they differ or the evidence itself is wrong,
*unproven* if it cannot be recomputed, *exempt* if the rules ask for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.floor.resettle import Lack

__all__ = ["Compared", "Value", "compared", "lacking", "worst"]

Value: TypeAlias = Decimal | int | str | None


@dataclass(frozen=True, slots=True)
class Compared:
    """
    One published value and what came of recomputing it.

    Args:
        what: Its name.
        published: As published; None where nothing was, or null was.
        recomputed: As the evidence gives it; None where it gives nothing, or null.
        verdict: What follows.
        note: Why, unless both are there.
    """

    what: str
    published: Value
    recomputed: Value
    verdict: Verdict
    note: str | None = None


def compared(what: str, published: Value, recomputed: Value, note: str | None = None) -> Compared:
    """Compare two values, null being a value too."""
    verdict = Verdict.PASS if published == recomputed else Verdict.FAIL
    return Compared(what, published, recomputed, verdict, note)


def lacking(what: str, published: Value, lack: Lack) -> Compared:
    """Say of a published value why it was not recomputed."""
    verdict = Verdict.FAIL if lack.wrong else Verdict.UNPROVEN
    return Compared(what, published, None, verdict, lack.message)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """
    Sum up: one failure fails, one gap leaves unproven, one pass passes, else exempt.

    >>> worst([Verdict.PASS, Verdict.UNPROVEN]).value, worst([]).value
    ('unproven', 'exempt')
    """
    found = set(verdicts)
    for verdict in (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS):
        if verdict in found:
            return verdict
    return Verdict.EXEMPT
