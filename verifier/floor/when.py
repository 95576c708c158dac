"""Showing moments: also those that no calendar has, which a hostile row can lead to."""

from __future__ import annotations

from formulas.errors import FormulaDomainError
from formulas.floor.primitives import format_time

__all__ = ["say_time"]


def say_time(at: int) -> str:
    """
    Show a moment for reading.

    Args:
        at: Milliseconds since 1970, of any size.

    >>> say_time(60_000), say_time(10**15)
    ('1970-01-01T00:01:00Z', '1000000000000000 ms after 1970')
    """
    try:
        return format_time(at)
    except (FormulaDomainError, ValueError, OverflowError, OSError):
        return f"{at} ms after 1970"
