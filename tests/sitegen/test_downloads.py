"""Tables to take away: CSV by the shared cases, canonical JSON, Parquet, and pages."""

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
from decimal import Decimal
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from shared import FIXTURES, ROOT, SHARED

from sitegen.csvtext import csv_bytes, csv_field
from sitegen.downloads import (
    DataTable,
    Field,
    Value,
    paged,
    table_csv,
    table_files,
    table_json,
    table_parquet,
)
from verifier.core.jsonread import read_canonical
from verifier.errors import SiteError

VECTORS: Final = FIXTURES / "vectors/site"
CELLS: Final = json.loads((VECTORS / "csv-cells.json").read_bytes())["cases"]
BUILD: Final = json.loads((VECTORS / "site-build.json").read_bytes())["cases"]

FIELDS: Final = (
    Field("agent", "text", "Who."),
    Field("settled", "integer", "Calls that hit or missed."),
    Field("standing", "number", "Points."),
    Field("price", "decimal", "As the venue wrote it."),
    Field("listed", "boolean", "Whether it has a rank."),
    Field("posted_at", "time", "When."),
)
TABLE: Final = DataTable(
    "Standings",
    FIELDS,
    [
        ("=cmd|'/c calc'!A0", 40, -12.5, "64250.10", True, 1_793_714_400_000),
        ('b, "c"', 0, 1e-7, Decimal("-0.50"), False, "2026-11-03T14:00:00.25Z"),
        (None, None, None, None, None, None),
    ],
)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CELLS])
def test_csv_cells(case: dict[str, Any]) -> None:
    """Every shared case of a cell."""
    assert csv_field(case["input"]["cell"]) == case["expected"]["field"]


def test_the_copied_cases_are_the_shared_ones() -> None:
    """The copy in the repository has not drifted."""
    theirs = SHARED / "cases/csv-cells.json"
    if not theirs.is_file():
        pytest.skip("the shared cases are not beside this checkout")
    assert (VECTORS / "csv-cells.json").read_bytes() == theirs.read_bytes()


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2)))
def test_csv_reads_back(rows: list[list[str]]) -> None:
    """Python's reader gives the cells back, but for the apostrophe of a cell that was armed."""
    written = csv_bytes(["a", "b"], rows).decode()
    back = list(csv.reader(io.StringIO(written, newline=""), strict=True))
    assert back[0] == ["a", "b"]
    assert len(back) == len(rows) + 1
    for ours, theirs in zip(rows, back[1:], strict=True):
        for cell, read in zip(ours, theirs, strict=True):
            assert read in {cell, f"'{cell}"}
            assert not read.startswith(("=", "@", "\t", "\r", "\n"))


def test_csv_of_a_table() -> None:
    """Lines end in CR LF, what is not known is empty, and decimals keep their digits."""
    assert table_csv(TABLE).decode().split("\r\n") == [
        "agent,settled,standing,price,listed,posted_at",
        "'=cmd|'/c calc'!A0,40,-12.5,64250.10,true,2026-11-03T14:00:00Z",
        '"b, ""c""",0,0.0000001,-0.50,false,2026-11-03T14:00:00.250Z',
        ",,,,,",
        "",
    ]


def test_json_is_canonical_and_whole() -> None:
    """The document is in the one form that can be hashed, and holds what the CSV holds."""
    written = table_json(TABLE)
    assert written.endswith(b"}\n")
    document = read_canonical(written[:-1])
    assert isinstance(document, dict)
    rows: Any = document["rows"]
    assert rows[0]["agent"] == "=cmd|'/c calc'!A0"
    assert rows[0]["price"] == "64250.10"
    assert rows[2] == dict.fromkeys(rows[0])
    assert [column["name"] for column in document["columns"]] == [  # type: ignore[union-attr, index, call-overload]
        field.name for field in FIELDS
    ]


def test_parquet_holds_the_same() -> None:
    """Kinds become the types of Parquet, decimals stay text, nulls stay null."""
    read = parquet.read_table(io.BytesIO(table_parquet(TABLE)))
    kinds = [str(kind) for kind in read.schema.types]
    assert kinds == ["string", "int64", "double", "string", "bool", "string"]
    assert read.to_pylist() == json.loads(table_json(TABLE))["rows"]
    assert read.schema.metadata is None


def test_same_bytes_everywhere() -> None:
    """Hash seed, locale, time zone and number of threads change no byte of any format."""
    program = (
        "import hashlib, sys; sys.path[:0] = sys.argv[1:];"
        "from sitegen.downloads import *;"
        "t = DataTable('t', (Field('a', 'text'), Field('b', 'number')),"
        " [(f'r{i % 977}', i / 7) for i in range(70000)]);"
        "print(hashlib.sha256(table_parquet(t) + table_csv(t) + table_json(t)).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, str(ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": "C", "TZ": zone, **threads},
            check=True,
            capture_output=True,
        ).stdout
        for seed, zone, threads in (
            ("1", "UTC", {}),
            ("2", "Asia/Tokyo", {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}),
        )
    }
    assert len(digests) == 1


def test_files_have_their_hashes() -> None:
    """Each file has a line for the list of downloads, with its hash and size."""
    files, lines = table_files("seasons/s/downloads/standings", TABLE)
    assert [file.path.rpartition(".")[2] for file in files] == ["csv", "json", "parquet"]
    for file, line in zip(files, lines, strict=True):
        assert (line.path, line.size) == (file.path, len(file.content))
        assert line.sha256 == hashlib.sha256(file.content).hexdigest()
    assert len(table_files("a", TABLE, parquet=False)[0]) == 2


BAD: Final[tuple[tuple[str, Value], ...]] = (
    ("text", 1),
    ("integer", 1.0),
    ("integer", True),
    ("integer", 2**53),
    ("number", float("nan")),
    ("number", float("-inf")),
    ("number", "1"),
    ("number", 2**53),
    ("decimal", "1,5"),
    ("decimal", "NaN"),
    ("decimal", Decimal("Infinity")),
    ("decimal", 0.1),
    ("boolean", 1),
    ("time", "yesterday"),
    ("time", 1.5),
)


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_a_value_of_another_kind_is_refused(kind: Any, value: Value) -> None:
    """Nothing is converted in silence, and NaN is in no file."""
    table = DataTable("t", (Field("a", kind),), [(value,)])
    for write in (table_csv, table_json, table_parquet):
        with pytest.raises(SiteError):
            write(table)


def test_what_has_no_bytes_is_refused() -> None:
    """Half of a surrogate pair, rows of another length and columns of one name are errors."""
    text = Field("a", "text")
    for table in (
        DataTable("t", (text,), [("\ud800",)]),
        DataTable("t", (text,), [("a", "b")]),
        DataTable("t", (text, text), [("a", "b")]),
    ):
        for write in (table_csv, table_json):
            with pytest.raises(SiteError):
                write(table)


def test_very_large_table() -> None:
    """The shared case: every row on a page, in order, and all of them in the CSV."""
    case = next(case for case in BUILD if case["what"] == "very large table")
    total, size = case["input"]["rows"], case["input"]["page_size"]
    pages = list(paged(range(total), size))
    assert len(pages) == case["expected"]["pages"] == pages[0].pages
    assert sum(len(page.rows) for page in pages) == case["expected"]["rows_over_all_pages"]
    assert (pages[0].rows[0], pages[-1].rows[-1]) == (0, total - 1)
    assert {page.total for page in pages} == {total}
    table = DataTable("t", (Field("n", "integer"),), [(n,) for n in range(total)])
    assert table_csv(table).count(b"\r\n") - 1 == case["expected"]["complete_csv_rows"]


@given(st.integers(0, 300), st.integers(1, 50))
def test_pages_are_the_whole(total: int, size: int) -> None:
    """No row is lost or shown twice, and each page says which rows it shows."""
    pages = list(paged(range(total), size))
    assert [row for page in pages for row in page.rows] == list(range(total))
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    for page in pages:
        assert len(page.rows) == (page.last - page.first + 1 if page.rows else 0)
