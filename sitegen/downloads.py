r"""
Tables to take away: each as CSV, as canonical JSON, and as Parquet.

The three hold the same rows in the same order. A column has one kind:

=========  ===========================  =====================  ============
kind       CSV                          JSON                   Parquet
=========  ===========================  =====================  ============
text       as it is, see ``csvtext``    string                 string
integer    digits                       number                 int64
number     shortest plain decimal       number                 float64
decimal    digits as published          string                 string
boolean    ``true`` or ``false``        true or false          bool
time       RFC 3339 in UTC              string                 string
=========  ===========================  =====================  ============

A decimal stays text everywhere, since no binary number is equal to it. A value that
is not known is an empty cell, and null. NaN and infinity are refused.

The JSON is ``{"columns":[{"about","kind","name"}],"format":"tallyproof-table/1",
"rows":[{<name>: <value>}],"title"}`` in the form of RFC 8785, with a newline at its end.

Parquet is written without compression and without the schema of Arrow, in groups of
65,536 rows, so that nothing but the data and the release of the writer is in its
bytes: a footer of Parquet names the release, which ``stamp.json`` of the site does too.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import TYPE_CHECKING, Final, Generic, Literal, TypeAlias, TypeVar

from sitegen.components.parts import Download
from sitegen.csvtext import csv_bytes
from sitegen.model import File
from sitegen.numbers import checked, iso, plain
from verifier.core.canon import canonical_bytes
from verifier.errors import JsonError, SiteError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from verifier.core.jsonread import JsonValue

__all__ = [
    "DataTable",
    "Field",
    "Paged",
    "Value",
    "file_download",
    "paged",
    "table_csv",
    "table_files",
    "table_json",
    "table_parquet",
]

Value: TypeAlias = str | int | float | bool | Decimal | None
Row = TypeVar("Row")

_FORMAT: Final = "tallyproof-table/1"
_GROUP: Final = 65_536
_SAFE: Final = 2**53 - 1
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Field:
    """
    A column of a table to take away.

    Args:
        name: Of the column, in lower case with underscores.
        kind: See the table at the top of this module.
        about: What it holds and its unit, in a sentence.
    """

    name: str
    kind: Literal["text", "integer", "number", "decimal", "boolean", "time"]
    about: str = ""


@dataclass(frozen=True, slots=True)
class DataTable:
    """
    A table to take away.

    Args:
        title: What it holds.
        fields: Its columns.
        rows: Values in the order of the fields; None is a value that is not known.
    """

    title: str
    fields: tuple[Field, ...]
    rows: Sequence[Sequence[Value]]


def _plain_value(field: Field, value: Value) -> JsonValue:
    """Check a value against its column, and give what JSON and Parquet hold."""
    held: JsonValue
    match field.kind, value:
        case _, None:
            held = None
        case "boolean", bool(held):
            pass
        case "text", str(held):
            pass
        case "time", int(moment) | str(moment):
            held = iso(moment)
        case "decimal", str() | Decimal() if _DECIMAL.fullmatch(str(value)):
            held = str(value)
        # A truth value is an int to Python; beyond 2^53 - 1, readers of JSON round integers.
        case "integer", int(held) if not isinstance(value, bool) and abs(value) <= _SAFE:
            pass
        case "number", float(held):
            checked(held, f"column {field.name!r}")
        case "number", int(whole) if not isinstance(whole, bool) and abs(whole) <= _SAFE:
            held = float(whole)
        case _:
            raise SiteError(f"column {field.name!r} of kind {field.kind} holds {value!r:.60}")
    return held


def _checked_rows(table: DataTable) -> list[list[JsonValue]]:
    names = [field.name for field in table.fields]
    if len(set(names)) < len(names) or not names:
        raise SiteError(f"the columns of {table.title[:60]!r} do not have names of their own")
    try:
        return [
            [_plain_value(*pair) for pair in zip(table.fields, row, strict=True)]
            for row in table.rows
        ]
    except ValueError as error:
        raise SiteError(f"a row of {table.title[:60]!r} is not as long as its columns") from error


def _cell(value: JsonValue) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return plain(value) if isinstance(value, (int, float)) else str(value)


def table_csv(table: DataTable) -> bytes:
    """
    Write a table as CSV.

    Raises:
        SiteError: A value is not of the kind of its column, or is not finite.
    """
    names = [field.name for field in table.fields]
    return csv_bytes(names, ([_cell(value) for value in row] for row in _checked_rows(table)))


def table_json(table: DataTable) -> bytes:
    """
    Write a table as canonical JSON.

    Raises:
        SiteError: A value is not of the kind of its column, or has no canonical form.
    """
    names = [field.name for field in table.fields]
    document: JsonValue = {
        "columns": [
            {"about": field.about, "kind": field.kind, "name": field.name} for field in table.fields
        ],
        "format": _FORMAT,
        "rows": [dict(zip(names, row, strict=True)) for row in _checked_rows(table)],
        "title": table.title,
    }
    try:
        return canonical_bytes(document) + b"\n"
    except JsonError as error:
        raise SiteError(f"the table {table.title[:60]!r} has {error}") from error


def table_parquet(table: DataTable) -> bytes:
    """
    Write a table as Parquet.

    Raises:
        SiteError: A value is not of the kind of its column, or pyarrow is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra, and slow to load
        from pyarrow import parquet  # noqa: PLC0415 - the same
    except ImportError as error:
        raise SiteError(
            "downloads as Parquet need pyarrow: pip install 'tallyproof[parquet]', "
            "or parquet = false in site.toml"
        ) from error
    types = {
        "boolean": pa.bool_(),
        "integer": pa.int64(),
        "number": pa.float64(),
    }
    rows = _checked_rows(table)
    columns = [
        pa.array([row[index] for row in rows], types.get(field.kind, pa.string()))
        for index, field in enumerate(table.fields)
    ]
    sink = io.BytesIO()
    parquet.write_table(
        pa.table(columns, names=[field.name for field in table.fields]),
        sink,
        row_group_size=_GROUP,
        version="2.6",
        data_page_version="1.0",
        compression="none",
        use_dictionary=True,
        write_statistics=True,
        store_schema=False,
    )
    return sink.getvalue()


def file_download(label: str, file: File, note: str | None = None) -> Download:
    """Describe a file to take away, with its hash and size."""
    return Download(
        label=label,
        path=file.path,
        sha256=sha256(file.content).hexdigest(),
        size=len(file.content),
        note=note,
    )


def table_files(
    base: str, table: DataTable, *, parquet: bool = True
) -> tuple[list[File], list[Download]]:
    """
    Write a table in every format.

    Args:
        base: Path from the root of the site, without an ending.
        table: What to write.
        parquet: Whether to write Parquet too.

    Returns:
        The files, and their lines for the list of downloads, in the same order.

    Raises:
        SiteError: A value is not of the kind of its column, or cannot be written.
    """
    files = [File(f"{base}.csv", table_csv(table)), File(f"{base}.json", table_json(table))]
    labels = ["CSV", "JSON"]
    if parquet:
        files.append(File(f"{base}.parquet", table_parquet(table)))
        labels.append("Parquet")
    return files, [
        file_download(f"{table.title}, {label}", file)
        for label, file in zip(labels, files, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Paged(Generic[Row]):
    """
    One page of a long table.

    Args:
        number: Of the page, from 1.
        pages: How many there are.
        first: Number of its first row among all, from 1; 0 when there are none.
        last: Number of its last row.
        total: Rows over all pages.
        rows: Its own.
    """

    number: int
    pages: int
    first: int
    last: int
    total: int
    rows: Sequence[Row]


def paged(rows: Sequence[Row], size: int = 1000) -> Iterator[Paged[Row]]:
    """
    Cut a long table into pages, none of its rows left out.

    Args:
        rows: All rows; without any there is one empty page.
        size: Rows of a page, at least 1.

    >>> [(page.number, page.first, page.last) for page in paged(range(5), 2)]
    [(1, 1, 2), (2, 3, 4), (3, 5, 5)]
    """
    pages = max(1, -(-len(rows) // size))
    for number in range(1, pages + 1):
        start = (number - 1) * size
        part = rows[start : start + size]
        yield Paged(
            number=number,
            pages=pages,
            first=start + 1 if part else 0,
            last=start + len(part),
            total=len(rows),
            rows=part,
        )
