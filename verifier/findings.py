"""
A claim that was checked, and what came of it.

One published claim, recomputed, gives one :class:`Finding`. Checks yield
findings; reports count and show them. The words ``published`` and
``recomputed`` are used throughout, since "expected" and "actual" trade places
in an audit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Finding", "Verdict", "Where"]


class Verdict(StrEnum):
    """What the evidence says about one published claim."""

    PASS = "pass"  # noqa: S105 - recomputed, and equal
    FAIL = "fail"  # recomputed and different, or forbidden
    UNPROVEN = "unproven"  # the evidence needed is not there: never counted as a pass
    EXEMPT = "exempt"  # the rules ask for nothing here


@dataclass(frozen=True, slots=True)
class Where:
    """
    The place in the bundle that a finding is about.

    Args:
        file: Path in the bundle, with ``/`` between its parts.
        line: Line in the file, from 1.
        pointer: RFC 6901 JSON pointer into the file, or into that line.
    """

    file: str
    line: int | None = None
    pointer: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """
    The record of one check on one claim.

    Args:
        check: Check id, ``family/name``.
        step: Step of the family's published procedure; 0 for the layout.
        subject: What was checked, in words that are stable and sortable.
        verdict: What came of it.
        message: One sentence, starting in lower case, without a full stop.
        published: The claim, as text.
        recomputed: The same value as the evidence gives it, as text.
        where: The place of the claim.
    """

    check: str
    step: int
    subject: str
    verdict: Verdict
    message: str
    published: str | None = None
    recomputed: str | None = None
    where: Where | None = None
