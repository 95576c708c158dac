"""How a fetch ended, for its last lines, its exit code and ``fetch.json``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.collect.mirror import Mirrored
    from verifier.core.jsonread import JsonValue

__all__ = ["Outcome", "altered", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """
    How a fetch ended.

    Args:
        facts: Label and text of what was fetched.
        contradictions: Where what was served contradicts itself, a sentence each.
        missing: What is referred to and was not served, a sentence each.
        commands: What to run next, as arguments.
    """

    facts: tuple[tuple[str, str], ...]
    contradictions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()

    @property
    def code(self) -> int:
        """Exit code: 0 closed, 1 contradicts itself, 3 something was not served."""
        if self.contradictions:
            return 1
        return 3 if self.missing else 0

    def to_json(self) -> dict[str, JsonValue]:
        """Give what ``fetch.json`` says of it; no path of this machine is in it."""
        return {
            "code": self.code,
            "contradictions": list(self.contradictions),
            "facts": dict(self.facts),
            "missing": list(self.missing),
        }


def altered(mirrored: Mirrored) -> Iterable[str]:
    """Name the files that were served with other bytes than listed."""
    return (f"{path}: {reason}" for path, reason in mirrored.altered)


def missing(mirrored: Mirrored) -> Iterable[str]:
    """Name the files that are listed and were not served."""
    return (f"{path}: is listed in SHA256SUMS and was not served" for path in mirrored.missing)
