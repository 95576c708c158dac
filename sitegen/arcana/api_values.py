"""Values that the answers of ARCANA's evidence API share: checks, ids and stored columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue

__all__ = ["Body", "check", "column_number", "finite", "safe_id"]

Body = dict[str, "JsonValue"]

_EXACT = 1 << 53


def check(name: str, ok: bool | None, detail: str | None = None) -> Body:  # noqa: FBT001 - written down
    """
    Write one check as the platform does.

    Args:
        name: What is claimed.
        ok: Whether it holds; None when it could not be made.
        detail: More about a check that does not hold.
    """
    body: Body = {"name": name, "ok": ok}
    if ok is not True and detail is not None:
        body["detail"] = detail
    return body


def safe_id(value: int) -> JsonValue:
    """
    Write an id of 64 bits: a number while every reader gets it exactly, else a text.

    >>> safe_id(9840), safe_id(1 << 60)
    (9840, '1152921504606846976')
    """
    return value if abs(value) < _EXACT else str(value)


def finite(value: float | None) -> float | None:
    """Keep a number or a truth value that JSON can hold; None for any other."""
    return value if value is None or math.isfinite(value) else None


def column_number(text: str | None) -> float | None:
    """
    Read a stored column, in points; None also where it is no number, which the layout reports.

    >>> column_number("60.70"), column_number("none"), column_number("1e999")
    (60.7, None, None)
    """
    try:
        return None if text is None else finite(float(text))
    except ValueError:
        return None
