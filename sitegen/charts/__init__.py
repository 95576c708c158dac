"""Charts: each a function from frozen dataclasses to a figure with an inline drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sitegen.charts.coverage import Covered, coverage
from sitegen.charts.funnel import Stage, funnel
from sitegen.charts.ledger import Hour, ledger_strip
from sitegen.charts.nav import NavPoint, nav_curve
from sitegen.charts.price import Candle, Decided, PricePath, price_path
from sitegen.charts.reliability import Bin, reliability
from sitegen.charts.sparkline import sparkline
from sitegen.charts.standing import StandingPoint, standing_line
from sitegen.charts.waterfall import Term, waterfall
from sitegen.charts.whiskers import Whisker, whiskers

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "GLOBALS",
    "Bin",
    "Candle",
    "Covered",
    "Decided",
    "Hour",
    "NavPoint",
    "PricePath",
    "Stage",
    "StandingPoint",
    "Term",
    "Whisker",
    "coverage",
    "funnel",
    "ledger_strip",
    "nav_curve",
    "price_path",
    "reliability",
    "sparkline",
    "standing_line",
    "waterfall",
    "whiskers",
]

GLOBALS: Final[Mapping[str, object]] = {
    "coverage": coverage,
    "funnel": funnel,
    "ledger_strip": ledger_strip,
    "nav_curve": nav_curve,
    "price_path": price_path,
    "reliability": reliability,
    "sparkline": sparkline,
    "standing_line": standing_line,
    "waterfall": waterfall,
    "whiskers": whiskers,
}
"""What a template may call."""
