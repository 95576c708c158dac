"""
Parts that the pages are put together from, each a function that gives markup.

Every function escapes what it is given; only ``Markup`` passes unchanged. Two
rules hold for links. A dataclass holds a path from the root of the site, and
the function that shows it takes ``href``, the page's own function from such a
path (and an anchor) to a relative link. A function of plain arguments takes a
link that has been made already.
"""

from __future__ import annotations

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

__all__ = [
    "Cell",
    "Column",
    "Download",
    "Row",
    "Segment",
    "Table",
    "agent_words",
    "big_number",
    "coverage_bar",
    "downloads",
    "facts",
    "hash_chip",
    "json_block",
    "label",
    "math",
    "render_table",
    "step_table",
    "time",
    "verdict",
]
