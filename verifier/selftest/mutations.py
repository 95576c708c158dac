"""
What a mutation is, and which there are for each family.

A mutation is one lie, told as well as its teller can: hashes, seals and rows
that depend on it are redone, so that what gives it away is the check that it
aims at. It is deterministic: of several records that would do, it takes the
first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from verifier.bundle import Bundle
    from verifier.policy import Policy

__all__ = ["SUITES", "Changes", "Mutation", "Rule", "Suite"]

Changes = dict[str, bytes | None]
"""New content by path, None for a file that is taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """
    A stricter rule than the caller's, under which a mutation is judged.

    Args:
        text: The rule, as a policy file states it.
        tighten: Puts the rule into a policy.
    """

    text: str
    tighten: Callable[[Policy], Policy]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """
    One way to damage a bundle.

    Args:
        name: Its name, unique within its suite.
        aims_at: Id of the check that has to report it.
        what: What is done, in one sentence.
        apply: Takes what the suite loaded and gives the changes, or None when
            the bundle has nothing of the kind to damage.
        relist: Rewrite ``SHA256SUMS``, so that the list does not give it away.
        rule: The rule that it breaks, where the caller's policy may waive it.
    """

    name: str
    aims_at: str
    what: str
    apply: Callable[[Any], Changes | None]
    relist: bool = True
    rule: Rule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """
    The mutations of one family.

    Args:
        load: Reads what they share.
        mutations: In the order of the checks that they aim at.
    """

    load: Callable[[Bundle, Policy], Any]
    mutations: tuple[Mutation, ...]


def _bundle() -> Suite:
    from verifier.selftest.layout import SUITE  # noqa: PLC0415 - only the suites of a bundle

    return SUITE


def _arcana() -> Suite:
    from verifier.selftest.arcana import SUITE  # noqa: PLC0415 - only with ARCANA evidence

    return SUITE


def _floor() -> Suite:
    from verifier.selftest.floor import SUITE  # noqa: PLC0415 - only with calls

    return SUITE


def _sharpe() -> Suite:
    from verifier.selftest.sharpe import SUITE  # noqa: PLC0415 - only with boards

    return SUITE


SUITES: Final[Mapping[str, Callable[[], Suite]]] = {
    "bundle": _bundle,
    "arcana": _arcana,
    "floor": _floor,
    "sharpe": _sharpe,
}
"""Suites by the first part of the check ids that they aim at."""
