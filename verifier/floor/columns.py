"""
The columns of the Floor's long files: what checks of one row ask of others.

A row is read when it is judged. What else is asked of it, who posted when and
what an entry says of its call, stands here in flat arrays: some hundred bytes a
row, whatever is written in it. Columns of the segments of one file are put
together in their order.
"""

from __future__ import annotations

from array import array
from decimal import Decimal
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from formulas.floor.terms import Conditional, Range, Relative
from verifier.floor.crowd import leading_source
from verifier.floor.digests import Digests
from verifier.floor.terms import kind_of_terms
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from formulas.floor.terms import Source, Terms
    from verifier.floor.ledger import Entry
    from verifier.floor.rows import Call, Envelope, SettlementRow

__all__ = [
    "NO_NONCE",
    "CallColumns",
    "Columns",
    "EntryColumns",
    "EnvelopeColumns",
    "SettlementColumns",
    "Shape",
    "nonce_of",
]

NONCE_LINE: Final = 3
NO_NONCE: Final = bytes(32)
"""What stands for a message without a line for a nonce."""
_NULL: Final = 127
_MOST_DIGITS: Final = 18

Value = TypeVar("Value")


class Shape(NamedTuple):
    """
    What calls have in common that are told apart by nothing else in a crowd.

    *side* is what a copy is told by: None for a range. *aged* says that a leg is
    on Hyperliquid, *gated* that a range stands behind a gate.
    """

    source: Source
    kind: str
    side: Hashable
    aged: bool
    gated: bool


class Values(Generic[Value]):
    """A column of values of which there are few: each is held once."""

    __slots__ = ("_at", "_known", "codes")

    def __init__(self) -> None:
        self._known: list[Value] = []
        self._at: dict[Value, int] = {}
        self.codes = array("I")

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: int) -> Value:
        return self._known[self.codes[place]]

    @property
    def distinct(self) -> Sequence[Value]:
        """Every value once, in the order in which they came."""
        return self._known

    def append(self, value: Value) -> None:
        """Add a value."""
        self.codes.append(self._code(value))

    def extend(self, other: Values[Value]) -> None:
        """Add the values of another column."""
        codes = [self._code(value) for value in other._known]
        self.codes.extend(codes[code] for code in other.codes)

    def _code(self, value: Value) -> int:
        code = self._at.setdefault(value, len(self._known))
        if code == len(self._known):
            self._known.append(value)
        return code


class Decimals:
    """A column of exact decimals or None, with the digits that were written."""

    __slots__ = ("_exponents", "_long", "_whole")

    def __init__(self) -> None:
        self._whole = array("q")
        self._exponents = array("b")
        self._long: dict[int, Decimal] = {}

    def __getitem__(self, place: int) -> Decimal | None:
        long = self._long.get(place) if self._long else None
        if long is not None:
            return long
        return _decimal(self._whole[place], self._exponents[place])

    def number(self, place: int) -> Decimal:
        """Give a value in a column that has no None."""
        value = self[place]
        assert value is not None
        return value

    def append(self, value: Decimal | None) -> None:
        """Add a value."""
        parts = _parts(None if value is None else str(value))
        if parts is None:
            assert value is not None
            self._long[len(self._whole)] = value
            parts = 0, 0
        self._whole.append(parts[0])
        self._exponents.append(parts[1])

    def extend(self, other: Decimals) -> None:
        """Add the values of another column."""
        start = len(self._whole)
        self._whole.extend(other._whole)
        self._exponents.extend(other._exponents)
        self._long |= {start + place: value for place, value in other._long.items()}


@lru_cache(maxsize=65_536)
def _parts(written: str | None) -> tuple[int, int] | None:
    """
    Write a decimal as a whole number and an exponent; None if it is too long.

    A text is asked for, since equal decimals may have other digits: a sentence that
    shows one must not depend on which of them this process saw first.
    """
    if written is None:
        return 0, _NULL
    sign, digits, exponent = Decimal(written).as_tuple()
    if len(digits) > _MOST_DIGITS or not isinstance(exponent, int) or not -100 < exponent < 100:
        return None
    whole = int("".join(map(str, digits)))
    if sign and not whole:
        return None
    return (-whole if sign else whole), exponent


@lru_cache(maxsize=65_536)
def _decimal(whole: int, exponent: int) -> Decimal | None:
    return None if exponent == _NULL else Decimal(whole).scaleb(exponent)


class Columns:
    """
    What every file of lines has.

    Attributes:
        ends: Of every line the offset after its newline.
        lines: The sha256 of every line, without its newline.
        problems: What is wrong with a line itself: its place and a sentence.
    """

    _DIGESTS: tuple[str, ...] = ("lines",)
    _ARRAYS: tuple[str, ...] = ("ends",)
    _VALUES: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.ends = array("Q")
        self.lines = Digests(bytearray())
        self.problems: list[tuple[int, str]] = []

    def __len__(self) -> int:
        return len(self.ends)

    def add(self, end: int, text: bytes, row: Any) -> None:  # noqa: ANN401 - a row of the file
        """
        Add what is kept of a row.

        Args:
            end: Offset after the newline of its line.
            text: The line.
            row: What was read in it.
        """
        self.ends.append(end)
        self.lines.append(sha256(text).digest())
        self._add(row)

    def _add(self, row: Any) -> None:  # noqa: ANN401 - as above
        raise NotImplementedError

    def extend(self, other: Columns) -> None:
        """Add the rows of the segment that follows."""
        start = len(self)
        self.problems += ((start + place, message) for place, message in other.problems)
        for name in (*self._DIGESTS, *self._ARRAYS, *self._VALUES):
            getattr(self, name).extend(getattr(other, name))


class CallColumns(Columns):
    """Columns of ``calls.jsonl``; *wrong* are places of seals that do not hold."""

    _DIGESTS = ("lines", "seals", "envelopes")
    _ARRAYS = ("ends", "posted", "deadlines")
    _VALUES = ("agents", "shapes", "p", "b")

    def __init__(self) -> None:
        super().__init__()
        self.seals = Digests(bytearray())
        self.envelopes = Digests(bytearray())
        self.posted = array("q")
        self.deadlines = array("q")
        self.agents: Values[str] = Values()
        self.shapes: Values[Shape] = Values()
        self.p = Decimals()
        self.b = Decimals()
        self.wrong: list[int] = []

    def _add(self, row: Call) -> None:
        if row.seal != row.sealed:
            self.wrong.append(len(self) - 1)
        self.seals.append(bytes.fromhex(row.seal))
        self.envelopes.append(bytes.fromhex(row.envelope))
        self.posted.append(row.posted_at)
        self.deadlines.append(row.terms.deadline)
        self.agents.append(row.agent)
        self.shapes.append(_shape(row.terms))
        self.p.append(row.p)
        self.b.append(row.b)

    def extend(self, other: Columns) -> None:
        """Add the rows of the segment that follows."""
        assert isinstance(other, CallColumns)
        start = len(self)
        super().extend(other)
        self.wrong += (start + place for place in other.wrong)


def _shape(terms: Terms) -> Shape:
    inner = terms.inner if isinstance(terms, Conditional) else terms
    side: Hashable = None
    if isinstance(inner, Relative):
        side = inner.source, inner.other
    elif not isinstance(inner, Range):
        side = inner.source, inner.direction
    return Shape(
        leading_source(terms),
        kind_of_terms(terms),
        side,
        any(each.venue == "hyperliquid" for each in sources(terms)),
        isinstance(terms, Conditional) and isinstance(inner, Range),
    )


class EnvelopeColumns(Columns):
    """Columns of ``envelopes.jsonl``; *nonces* are hashes of the address with its nonce."""

    _DIGESTS = ("lines", "nonces")

    def __init__(self) -> None:
        super().__init__()
        self.nonces = Digests(bytearray())

    def _add(self, row: Envelope) -> None:
        parts = row.message.split("\n")
        used = NO_NONCE if len(parts) <= NONCE_LINE else nonce_of(row.address, parts[NONCE_LINE])
        self.nonces.append(used)


def nonce_of(address: str, nonce: str) -> bytes:
    """Hash an address with a nonce: by this it is found whether both were used before."""
    return sha256(f"{address}\n{nonce}".encode("utf-8", "surrogatepass")).digest()


class SettlementColumns(Columns):
    """Columns of ``settlements.jsonl``; *last* is the time and *results* the result at the end."""

    _DIGESTS = ("lines", "calls")
    _ARRAYS = ("ends", "last", "attempts")
    _VALUES = ("outcomes", "results")

    def __init__(self) -> None:
        super().__init__()
        self.calls = Digests(bytearray())
        self.last = array("q")
        self.attempts = array("I")
        self.outcomes: Values[str] = Values()
        self.results: Values[str] = Values()

    def _add(self, row: SettlementRow) -> None:
        self.calls.append(bytes.fromhex(row.call))
        self.last.append(row.attempts[-1].at)
        self.attempts.append(len(row.attempts))
        self.outcomes.append(row.outcome)
        self.results.append(row.attempts[-1].result)


class EntryColumns(Columns):
    """Columns of ``ledger.jsonl``."""

    _DIGESTS = ("lines", "calls", "hashes")
    _ARRAYS = ("ends", "settled", "final")
    _VALUES = ("outcomes", "reasons", "points")

    def __init__(self) -> None:
        super().__init__()
        self.calls = Digests(bytearray())
        self.hashes = Digests(bytearray())
        self.settled = array("q")
        self.final = array("q")
        self.outcomes: Values[str] = Values()
        self.reasons: Values[str | None] = Values()
        self.points = Decimals()

    def _add(self, row: Entry) -> None:
        self.calls.append(bytes.fromhex(row.call))
        self.hashes.append(bytes.fromhex(row.hash))
        self.settled.append(row.settled_at)
        self.final.append(row.final_at)
        self.outcomes.append(row.outcome)
        self.reasons.append(row.reason)
        self.points.append(row.points)
