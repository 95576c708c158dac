"""Charts: each a function from frozen dataclasses to a figure with an inline drawing."""

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

__all__ = [
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
