"""
One stored exchange with a venue, and what reading it comes to.

An answer is read whole or not at all. Either it is a well-formed answer to its
own request, and becomes a :class:`CandlePage` or :class:`FundingPage`; or it is
:class:`Refused` by name and contributes nothing: no rows, no coverage. An error
body is therefore never "zero candles", and a refused answer never a gap.

=============  ============================================================
refused as     because
=============  ============================================================
rate-limited   status 429: says nothing about the market
status         any other status than 200
request        not a request of this endpoint, or not to its address
json           not strict JSON: cut off, a duplicate member, NaN, too deep
shape          JSON of another shape: an error object, ``null``, a short row
identity       the answer is for another coin or interval than was asked
time           an open time off the interval's grid or outside 2001 to 2286
price          a price that is no positive decimal, or low/high contradict it
conflict       the same minute or hour twice with different values
=============  ============================================================

Source:
    floor-clarifications.md 10-12, 38-42; venues/README.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formulas.floor.paths import CandlePath, FundingPath
    from formulas.floor.terms import Venue

__all__ = [
    "BODY_BYTES",
    "Ask",
    "CandlePage",
    "Endpoint",
    "Exchange",
    "FundingPage",
    "Page",
    "Refusal",
    "Refused",
    "RefusedError",
]

BODY_BYTES: Final = 16 << 20
"""Most bytes of one body; an honest one of 5,000 rows has less than one million."""

Endpoint = Literal["candleSnapshot", "fundingHistory", "exchange-candles", "advanced-candles"]
Refusal = Literal[
    "rate-limited",
    "status",
    "request",
    "json",
    "shape",
    "identity",
    "time",
    "price",
    "conflict",
]


class Ask(NamedTuple):
    """A request: *body* is the parsed JSON of a POST, None for a GET."""

    method: str
    url: str
    body: Mapping[str, object] | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    A request and the bytes that came back.

    Attributes:
        venue: As the index states it.
        ask: What was asked.
        status: HTTP status of the answer.
        fetched_at: When it was stored, ms.
        sha256: Hash of *content*, 64 lower-case hex digits.
        content: The body as received.
    """

    venue: str
    ask: Ask
    status: int
    fetched_at: int
    sha256: str
    content: bytes


class Refused(NamedTuple):
    """An answer that contributes nothing, and why."""

    code: Refusal
    reason: str


class RefusedError(Exception):
    """Carries a refusal out of a parser; never leaves :mod:`verifier.venues`."""

    def __init__(self, code: Refusal, reason: str) -> None:
        super().__init__(reason)
        self.refused = Refused(code, reason)


# Pages are told apart by identity, so that merged paths can be kept by page.
@dataclass(frozen=True, slots=True, eq=False)
class CandlePage:
    """
    Candles of one answer.

    Attributes:
        endpoint: Where it came from.
        venue: The venue asked.
        symbol: The bare symbol, or the product if it is not quoted in dollars.
        path: Closed candles with trades, and the starts the answer covers.
        fetched_at: When it was stored, ms.
        sha256: Hash of its body.
    """

    endpoint: Endpoint
    venue: Venue
    symbol: str
    path: CandlePath
    fetched_at: int
    sha256: str


@dataclass(frozen=True, slots=True, eq=False)
class FundingPage:
    """
    Funding prints of one answer.

    Attributes:
        symbol: The coin.
        path: Rates by hour (of two prints of one hour the later stamped), and
            the hours the answer covers.
        fetched_at: When it was stored, ms.
        sha256: Hash of its body.
    """

    symbol: str
    path: FundingPath
    fetched_at: int
    sha256: str


Page = CandlePage | FundingPage
