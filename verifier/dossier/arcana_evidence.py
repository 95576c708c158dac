"""
How well one record of ARCANA is evidenced: its seal, and where that is anchored.

Each input of a score is in one of four states:

================  ==============================================================
anchored          its seal is a leaf of a mined anchor of the bundle
sealed            it has a seal, which is in no mined anchor
unsealed by rule  it has none, and was recorded before sealing began
missing           it has none, although it was recorded after that
================  ==============================================================

``mined`` is the platform's word for an anchor. Whether the chain bears it out
is told by the anchor's own dossier.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from verifier.findings import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.arcana.context import Anchorage, Context
    from verifier.findings import Finding

__all__ = ["Coverage", "Evidence", "State", "evidence_of", "worst"]

_GRAVEST_FIRST: Final = (Verdict.FAIL, Verdict.UNPROVEN, Verdict.PASS, Verdict.EXEMPT)


class State(StrEnum):
    """What is known of one input, from the most to the least."""

    ANCHORED = "anchored"
    SEALED = "sealed"
    BY_RULE = "unsealed by rule"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """
    The seal of one record, and what stands behind it.

    Args:
        seal: The seal or commitment; None when it has none.
        state: What that comes to.
        place: Its leaf in a mined anchor, if it has one.
        manifest: Whether the bundle holds the text that the seal names.
        recorded: Whether a row of the bundle says the same, value by value.
    """

    seal: str | None
    state: State
    place: Anchorage | None
    manifest: bool
    recorded: bool

    @property
    def anchor_id(self) -> int | None:
        """The mined anchor that holds the seal."""
        return None if self.place is None else self.place.anchor.anchor_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """
    How many inputs are in which state; the four add up to ``total``.

    >>> Coverage.of([State.ANCHORED, State.BY_RULE]).sealed_at_all
    1
    """

    anchored: int
    sealed: int
    by_rule: int
    missing: int

    @classmethod
    def of(cls, states: Iterable[State]) -> Coverage:
        """Count states."""
        counts = dict.fromkeys(State, 0)
        for state in states:
            counts[state] += 1
        return cls(
            anchored=counts[State.ANCHORED],
            sealed=counts[State.SEALED],
            by_rule=counts[State.BY_RULE],
            missing=counts[State.MISSING],
        )

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            anchored=self.anchored + other.anchored,
            sealed=self.sealed + other.sealed,
            by_rule=self.by_rule + other.by_rule,
            missing=self.missing + other.missing,
        )

    @property
    def total(self) -> int:
        """All inputs."""
        return self.anchored + self.sealed + self.by_rule + self.missing

    @property
    def sealed_at_all(self) -> int:
        """Inputs with a seal, anchored or not."""
        return self.anchored + self.sealed


def evidence_of(
    context: Context, seal: str | None, ts: str, *, since: str, recorded: bool
) -> Evidence:
    """
    Say what stands behind one record.

    Args:
        context: The bundle.
        seal: Its seal, as the score's manifest lists it.
        ts: Its time, with six digits.
        since: When records of its kind began to be sealed, to the second.
        recorded: Whether a row says the same.
    """
    # The function is asked for thousands of inputs: everything is a look-up.
    if seal is None:
        by_rule = ts < f"{since[:-1]}.000000Z"
        state = State.BY_RULE if by_rule else State.MISSING
        return Evidence(seal=None, state=state, place=None, manifest=False, recorded=recorded)
    place = context.mined.get(seal)
    return Evidence(
        seal=seal,
        state=State.SEALED if place is None else State.ANCHORED,
        place=place,
        manifest=context.bundle.has(f"arcana/manifests/{seal[:2]}/{seal}.txt"),
        recorded=recorded,
    )


def worst(findings: Iterable[Finding]) -> Verdict:
    """
    Sum up findings: one failure fails, nothing proved is nothing passed.

    Without a finding there is nothing that could have passed: exempt.
    """
    said = {finding.verdict for finding in findings}
    return next((verdict for verdict in _GRAVEST_FIRST if verdict in said), Verdict.EXEMPT)
