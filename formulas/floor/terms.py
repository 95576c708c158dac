"""
The terms of a call: what was called, on which source, until when.

Times are milliseconds since 1970, levels exact decimals. The probability is no
part of these values, since nothing that settles a call depends on it.

Source:
    floor.md section 2; floor-clarifications.md 19, 30, 39.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from decimal import Decimal

    from formulas.floor.baseline import Direction

__all__ = [
    "Close",
    "Conditional",
    "Inner",
    "Measure",
    "Range",
    "Relative",
    "Source",
    "Terms",
    "Touch",
    "Venue",
]

Venue = Literal["hyperliquid", "coinbase"]
Measure = Literal["price", "funding"]


class Source(NamedTuple):
    """
    Where a value comes from: ``venue:SYMBOL:measure``.

    The symbol is bare on both venues; on Coinbase it means the product ``SYM-USD``.
    """

    venue: Venue
    symbol: str
    measure: Measure

    def second(self) -> Source:
        """Name the source on the other venue, which confirms this one."""
        other: Venue = "coinbase" if self.venue == "hyperliquid" else "hyperliquid"
        return self._replace(venue=other)

    def __str__(self) -> str:
        return ":".join(self)


@dataclass(frozen=True, slots=True)
class Touch:
    """The price reaches the level before the deadline."""

    source: Source
    direction: Direction
    level: Decimal
    deadline: int


@dataclass(frozen=True, slots=True)
class Close:
    """The value at the deadline lies strictly on the called side of the level."""

    source: Source
    direction: Direction
    level: Decimal
    deadline: int


@dataclass(frozen=True, slots=True)
class Range:
    """Every print before the deadline lies strictly between the edges."""

    source: Source
    low: Decimal
    high: Decimal
    deadline: int


@dataclass(frozen=True, slots=True)
class Relative:
    """The source's return beats the other's by at least the margin."""

    source: Source
    other: Source
    margin: Decimal
    deadline: int


Inner = Touch | Close | Range | Relative


@dataclass(frozen=True, slots=True)
class Conditional:
    """The inner call counts only if the gate is touched by its own deadline."""

    gate: Touch
    inner: Inner

    @property
    def deadline(self) -> int:
        """Deadline of the whole call, which is the inner one's."""
        return self.inner.deadline


Terms = Inner | Conditional
