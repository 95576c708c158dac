"""
What a family of evidence is to an audit: a record of functions, no base class.

A family loads a context once, lists the items to check, and checks an item.
An item is small and independent of every other, so the order in which items
are checked, and the process that checks them, cannot matter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from verifier.bundle import Bundle
    from verifier.findings import Finding
    from verifier.policy import Policy
    from verifier.report.model import CheckInfo

__all__ = ["Engine", "Family", "Item", "Outcome", "Unchecked"]

Shared = TypeVar("Shared")
Thing = TypeVar("Thing")
Result = TypeVar("Result")

Item = tuple[str, int, int]
"""Kind of subject, and the first and one past the last of a run of them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """
    What checking one item gave.

    Args:
        findings: One for each claim that is not counted in *passed*; perhaps to be read once,
            as they are made.
        coverage: Counts to add to the report's.
        passed: How many claims of each check passed, where nobody asks for their findings.
    """

    findings: Iterable[Finding]
    coverage: Mapping[str, int] = field(default_factory=dict)
    passed: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unchecked:
    """
    What stands in place of a result that no process could give.

    Args:
        reason: Why not, in words that are the same on every machine.
    """

    reason: str


class Engine(Protocol):
    """An ordered map: the same results in the same order, whoever computes them."""

    def map(
        self, work: Callable[[Shared, Thing], Result], shared: Shared, items: Sequence[Thing]
    ) -> Iterator[Result | Unchecked]:
        """
        Yield ``work(shared, item)`` for every item, in the order of the items.

        Args:
            work: A function of a module, so that another process finds it.
            shared: What all items need; handed to a process once.
            items: Small values that can be sent.

        Raises:
            TallyproofError: As *work* does.
            UsageError: The engine cannot be used.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """
    One family of evidence.

    Args:
        name: Its folder in a bundle, and the first part of its check ids.
        checks: Its checks, in the order of the published procedure.
        load: Reads what all items share; may raise ``EvidenceError``.
        items: Lists what there is to check.
        check: Checks one item.
        notes: Sentences for the end of the report.
        knows: Whether a path of the bundle is a file of its format.
        load_with: Reads the same as *load* with an engine, where that may be long work.
    """

    name: str
    checks: Sequence[CheckInfo]
    load: Callable[[Bundle, Policy], Any]
    items: Callable[[Any], Sequence[Item]]
    check: Callable[[Any, Item], Outcome]
    notes: Callable[[Any], Sequence[str]]
    knows: Callable[[str], bool]
    load_with: Callable[[Bundle, Policy, Engine], Any] | None = None
