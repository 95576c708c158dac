"""
When attempts may be made, and what a row of attempts comes to.

An attempt starts no earlier than ``deadline + grace`` and no later than
``deadline + grace + retry``; times strictly increase. Only the last may settle.
A void for want of data needs a last attempt in the final stretch of the hour
of retries; a gate that was not met needs none.

Source:
    floor.md section 5; floor-clarifications.md 15, 19, 21.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import SECOND_MS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formulas.floor.rules import SettlementRules
    from formulas.floor.settlement import Attempt, Deciding, Outcome, Reason

__all__ = ["Schedule", "Settlement", "schedule", "settlement", "timing_problems"]


class Schedule(NamedTuple):
    """Times of a call's attempts, ms, all included."""

    first: int
    void_from: int
    last: int


class Settlement(NamedTuple):
    """How a call was settled."""

    outcome: Outcome
    reason: Reason | None
    deciding: Deciding | None


def schedule(deadline: int, rules: SettlementRules) -> Schedule:
    """
    Give the times between which a call may be attempted.

    Args:
        deadline: The call's deadline, ms.
        rules: Grace, hour of retries and its final stretch.

    Source:
        floor-clarifications.md 15.
    """
    first = deadline + rules.grace_seconds * SECOND_MS
    last = first + rules.retry_seconds * SECOND_MS
    return Schedule(first, last - rules.final_seconds * SECOND_MS, last)


def timing_problems(
    times: Sequence[int], *, data_void: bool, deadline: int, rules: SettlementRules
) -> tuple[str, ...]:
    """
    Tell what is wrong with the times of a call's attempts.

    Args:
        times: Start of each attempt, ms, in the order of the record.
        data_void: The call was voided for a gap or for want of confirmation.
        deadline: The call's deadline, ms.
        rules: As for :func:`schedule`.

    Returns:
        A sentence for each problem; empty if there is none.

    Source:
        floor-clarifications.md 15.
    """
    if not times:
        return ("there is no attempt",)
    allowed = schedule(deadline, rules)
    problems = []
    if any(after <= before for before, after in pairwise(times)):
        problems.append("the times of the attempts do not strictly increase")
    if min(times) < allowed.first:
        problems.append("an attempt starts before the grace is over")
    if max(times) > allowed.last:
        problems.append("an attempt starts after the hour of retries")
    if data_void and times[-1] < allowed.void_from:
        problems.append("voided before the final stretch of the hour of retries")
    return tuple(problems)


def settlement(attempts: Sequence[Attempt]) -> Settlement:
    """
    Take the settlement from the results of a call's attempts.

    Args:
        attempts: In the order in which they were made.

    Returns:
        The last attempt's outcome, or a void with its result as the reason.

    Raises:
        FormulaDomainError: There is no attempt, or one after a settled one.

    Source:
        floor.md section 5; floor-clarifications.md 15, 21.
    """
    if not attempts:
        raise FormulaDomainError("a settlement needs an attempt")
    if any(each.result == "settled" for each in attempts[:-1]):
        raise FormulaDomainError("an attempt follows one that settled the call")
    last = attempts[-1]
    if last.result == "settled" and last.outcome is not None:
        return Settlement(last.outcome, last.reason, last.deciding)
    reason: Reason = "data_gap" if last.result == "data_gap" else "unconfirmed"
    return Settlement("void", reason, None)
