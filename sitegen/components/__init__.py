"""
Parts that the pages are put together from, each a function that gives markup.

Every function escapes what it is given; only ``Markup`` passes unchanged. Two
rules hold for links. A dataclass holds a path from the root of the site, and
the function that shows it takes ``href``, the page's own function from such a
path to a relative link. A function of plain arguments takes a link that has
been made already.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.components.cells import checked, missing_cell, verdict_cell
from sitegen.components.parts import (
    Download,
    Segment,
    agent_words,
    big_number,
    coverage_bar,
    downloads,
    facts,
    hash_chip,
    json_block,
    label,
    math,
    time,
    verdict,
)
from sitegen.components.steps import step_table
from sitegen.components.table import Cell, Column, Row, Table, render_table

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "GLOBALS",
    "Cell",
    "Column",
    "Download",
    "Row",
    "Segment",
    "Table",
    "agent_words",
    "big_number",
    "checked",
    "coverage_bar",
    "downloads",
    "facts",
    "hash_chip",
    "json_block",
    "label",
    "math",
    "missing_cell",
    "render_table",
    "step_table",
    "time",
    "verdict",
    "verdict_cell",
]

GLOBALS: Final[Mapping[str, object]] = {
    "Download": Download,
    "Segment": Segment,
    "agent_words": agent_words,
    "big_number": big_number,
    "coverage_bar": coverage_bar,
    "downloads": downloads,
    "facts": facts,
    "hash_chip": hash_chip,
    "json_block": json_block,
    "label": label,
    "math": math,
    "render_table": render_table,
    "step_table": step_table,
    "time": time,
    "verdict": verdict,
}
"""What a template may call."""
