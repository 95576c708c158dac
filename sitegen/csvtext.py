"""
CSV that a spreadsheet cannot be tricked with.

A cell that is a plain number (optional sign, digits, optional fraction and
exponent) is written as it is. Any other cell whose first character is ``=``,
``+``, ``-``, ``@``, tab, CR or LF, or a fullwidth form of the first four, gets one
apostrophe in front, so that no program takes it for a formula. Then RFC 4180:
a cell that holds a comma, a quote, CR or LF is quoted, and quotes are doubled.

A file is UTF-8 without a mark, its lines end in CR LF as RFC 4180 has them, the
first one names the columns, and an empty cell is a value that is not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["csv_bytes", "csv_field"]

_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# The last four are the fullwidth forms, which spreadsheets of East Asia read as formulas too.
_ARMED: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_QUOTED: Final = re.compile(r'[,"\r\n]')


def csv_field(cell: str) -> str:
    """
    Write one cell.

    >>> csv_field("-81.2"), csv_field("=1+1"), csv_field("a,b")
    ('-81.2', "'=1+1", '"a,b"')
    """
    if cell.startswith(_ARMED) and not _NUMBER.fullmatch(cell):
        cell = f"'{cell}"
    if _QUOTED.search(cell):
        doubled = cell.replace('"', '""')
        return f'"{doubled}"'
    return cell


def csv_bytes(names: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """
    Write a file.

    Args:
        names: Of the columns.
        rows: Cells as text, in the order of the names.

    Raises:
        SiteError: A cell holds half of a surrogate pair, which UTF-8 has no form for.
    """
    lines = [",".join(map(csv_field, names))]
    lines += [",".join(map(csv_field, row)) for row in rows]
    try:
        return "".join(f"{line}\r\n" for line in lines).encode()
    except UnicodeEncodeError as error:
        raise SiteError("a cell of a download holds half of a surrogate pair") from error
