"""Terms of a call in words, as a reader would say them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formulas.floor.primitives import plain
from formulas.floor.terms import Close, Conditional, Range, Relative, Touch
from verifier.floor.when import say_time

if TYPE_CHECKING:
    from formulas.floor.terms import Inner, Source, Terms

__all__ = ["describe", "describe_source"]


def describe(terms: Terms) -> str:
    """
    Say what was called.

    >>> from decimal import Decimal
    >>> from formulas.floor.terms import Source
    >>> source = Source("hyperliquid", "SOL", "price")
    >>> describe(Touch(source, "below", Decimal("204"), 60_000))
    'SOL on hyperliquid touches 204 or lower before 1970-01-01T00:01:00Z'
    """
    if isinstance(terms, Conditional):
        return f"if {_inner(terms.gate)}, then {_inner(terms.inner)}; void otherwise"
    return _inner(terms)


def describe_source(source: Source) -> str:
    """Name a source in words."""
    funding = "the funding of " if source.measure == "funding" else ""
    return f"{funding}{source.symbol} on {source.venue}"


def _inner(terms: Inner) -> str:
    what, until = describe_source(terms.source), say_time(terms.deadline)
    if isinstance(terms, Touch):
        side = "higher" if terms.direction == "above" else "lower"
        return f"{what} touches {plain(terms.level)} or {side} before {until}"
    if isinstance(terms, Close):
        return f"{what} stands strictly {terms.direction} {plain(terms.level)} at {until}"
    if isinstance(terms, Range):
        low, high = plain(terms.low), plain(terms.high)
        return f"{what} stays strictly between {low} and {high} until {until}"
    return _relative(terms, what, until)


def _relative(terms: Relative, what: str, until: str) -> str:
    margin = f" by at least {plain(terms.margin)}" if terms.margin else ""
    return f"{what} returns more than {describe_source(terms.other)}{margin} until {until}"
