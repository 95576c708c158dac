"""
What can go wrong while collecting.

::

    TallyproofError
        CollectError           nothing came back, or nothing usable
            AddressError       the address is none that may be asked
            ExcessError        more than a stated limit; names the limit

All of them mean that the work could not be done: one line and exit code 2.
"""

from __future__ import annotations

from typing import Self

from verifier.errors import TallyproofError

__all__ = ["AddressError", "CollectError", "ExcessError"]


class CollectError(TallyproofError):
    """Nothing came back, or nothing usable."""

    def of(self, url: str) -> Self:
        """Name the URL that was asked, in front of the reason."""
        self.args = (f"{url}: {self}",)
        return self


class AddressError(CollectError):
    """The address is none that may be asked."""


class ExcessError(CollectError):
    """
    More than a stated limit.

    Args:
        reason: What is too much, starting in lower case, without a full stop.
        limit: Name of the limit.
    """

    def __init__(self, reason: str, *, limit: str) -> None:
        super().__init__(f"{reason} (limit {limit})")
        self.limit = limit
