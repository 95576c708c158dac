"""
Process gates: what the events of a run's trace say about how it was traded.

* Block: an order placed without passing the risk gate; a drawdown halt not
  respected; a denied action taken; a manipulative order; naked tail selling.
* Warn: a concentration breach; hedged tail selling.
* Other events have no severity.

One block event in any run and the entry is not eligible. The process score is 0
with any block, else max(0, 1 - 0.1 * warnings); it is reported and gates nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Process", "Severity", "judge_process", "severity"]


class Severity(StrEnum):
    """What one event means for eligibility."""

    NONE = "none"
    WARN = "warn"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Process:
    """
    What the traces of an entry say.

    Args:
        blocks: Number of block events in all runs.
        warnings: Number of warnings in all runs.
        score: Reported process score in [0, 1].
    """

    blocks: int
    warnings: int
    score: float

    @property
    def clean(self) -> bool:
        """Whether there is no block event."""
        return self.blocks == 0


_FIXED: Final[Mapping[str, Severity]] = {
    "denylist_bypass": Severity.BLOCK,
    "manipulative_order": Severity.BLOCK,
    "concentration_breach": Severity.WARN,
    "decision_rationale": Severity.NONE,
}

_BY_MEMBER: Final[Mapping[str, tuple[str, Severity, Severity]]] = {
    "order_placed": ("risk_gate_passed", Severity.NONE, Severity.BLOCK),
    "drawdown_halt": ("respected", Severity.NONE, Severity.BLOCK),
    "tail_selling_exposure": ("hedged", Severity.WARN, Severity.BLOCK),
}
"""Kind of event: the member that decides, the severity if it is true, and if false."""


def severity(event: Mapping[str, object]) -> Severity:
    """
    Severity of one event.

    Args:
        event: ``kind`` and the members of that kind.

    Raises:
        FormulaDomainError: The kind is unknown, or the deciding member is missing or
            no boolean: a block must not hide behind a member that is left out.

    >>> severity({"kind": "drawdown_halt", "respected": False}).value
    'block'
    """
    kind = event.get("kind")
    if isinstance(kind, str) and kind in _FIXED:
        return _FIXED[kind]
    if not isinstance(kind, str) or kind not in _BY_MEMBER:
        raise FormulaDomainError(f"unknown kind of event {kind!r}")
    member, if_true, if_false = _BY_MEMBER[kind]
    value = event.get(member)
    if not isinstance(value, bool):
        raise FormulaDomainError(f"event {kind!r} needs a boolean {member!r}, has {value!r}")
    return if_true if value else if_false


def judge_process(runs: Sequence[Iterable[Mapping[str, object]]]) -> Process:
    """
    Judge the events of all runs of an entry.

    Args:
        runs: Events of each run, in order.

    Raises:
        FormulaDomainError: An event cannot be judged; names run and event, from 0.
    """
    blocks = warnings = 0
    for run, events in enumerate(runs):
        for index, event in enumerate(events):
            try:
                found = severity(event)
            except FormulaDomainError as error:
                raise FormulaDomainError(f"run {run}, event {index}: {error}") from None
            blocks += found is Severity.BLOCK
            warnings += found is Severity.WARN
    score = 0.0 if blocks else max(0.0, 1.0 - 0.1 * warnings)
    return Process(blocks, warnings, score)
