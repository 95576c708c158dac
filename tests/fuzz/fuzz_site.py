"""
Texts of others on their way into a page, a table to download and a formula, and prose.

No text makes markup of its own or a formula of a spreadsheet, and nothing but an
error of ours stops the build.
"""

import csv
import re
from contextlib import suppress
from io import StringIO
from typing import Final, NoReturn

from markupsafe import escape

from sitegen.csvtext import csv_bytes
from sitegen.links import allowed
from sitegen.markdown import render_markdown
from sitegen.mathml import mathml
from sitegen.names import safe_name, unique_names
from sitegen.text import cleaned, shown
from verifier.errors import SiteError

# Prose and formulas are the maintainer's, who does not attack himself with a megabyte.
LONGEST: Final = 4_096
MARKUP: Final = re.compile(
    r"<(?:script|iframe|object|embed|form|style|img src=\"(?!file))", re.IGNORECASE
)
ARMED: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def one_input(data: bytes) -> None:
    """Bring a text through every stage."""
    text = data.decode("utf-8", "replace")
    assert "<" not in escape(shown(text))
    assert "\x00" not in cleaned(text)
    allowed(text)
    names = unique_names([text, text.lower(), safe_name(text)])
    assert len(set(names.values())) == len(names)
    assert not any("/" in name or name.startswith(".") for name in names.values())
    # The reader of the standard library stops at 128 KiB a cell.
    cut = text[: 1 << 16]
    rows = list(csv.reader(StringIO(csv_bytes(["a", "b"], [[cut, "1"]]).decode(), newline="")))
    assert len(rows) == 2
    cell, other = rows[1]
    assert other == "1"
    assert not cell.startswith(ARMED) or NUMBER.fullmatch(cell)
    with suppress(SiteError):
        mathml(text[:LONGEST])
    with suppress(SiteError):
        prose = render_markdown(
            text[:LONGEST], file="a.md", page="a/index.html", target=_nowhere, title="T"
        )
        assert not MARKUP.search(prose.html)
        assert 'href="javascript:' not in prose.html.lower()


def _nowhere(path: str) -> NoReturn:
    message = f"{path}: not there"
    raise SiteError(message)
