"""One honest sample of every chart, for the tests and for looking at them."""

from __future__ import annotations

import math
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

from sitegen.charts import (
    Bin,
    Candle,
    Covered,
    Decided,
    Hour,
    NavPoint,
    PricePath,
    Stage,
    StandingPoint,
    Term,
    Whisker,
    coverage,
    funnel,
    ledger_strip,
    nav_curve,
    price_path,
    reliability,
    sparkline,
    standing_line,
    waterfall,
    whiskers,
)

if TYPE_CHECKING:
    from markupsafe import Markup

START: Final = 1_793_714_400_000
MINUTE: Final = 60_000
HOUR: Final = 3_600_000

HOSTILE: Final = '<script>alert("x")</script>\u202e]]>&amp;'


def prices(count: int, *, step: int = 1, missing: range = range(0)) -> list[Candle]:
    """Minutes that wander without chance."""
    made = []
    for index in range(0, count, step):
        if index in missing:
            continue
        middle = 64_000 + 400 * math.sin(index / 97) + 150 * math.sin(index / 11)
        made.append(
            Candle(
                START + index * MINUTE,
                Decimal(f"{middle - 22:.1f}"),
                Decimal(f"{middle + 31:.1f}"),
            )
        )
    return made


def path_of(count: int) -> PricePath:
    """A touch call over so many minutes, decided at two thirds of them."""
    minutes = prices(count, missing=range(count // 5, count // 5 + count // 12))
    deciding = minutes[len(minutes) * 2 // 3]
    return PricePath(
        venue="Hyperliquid",
        minutes=minutes,
        levels=(Decimal("64250.0"),),
        window=(START + count // 10 * MINUTE, START + count * MINUTE),
        posted=START + count // 20 * MINUTE,
        deadline=START + count * MINUTE,
        decided=Decided(deciding.at, deciding.high, "touched"),
        second_venue="Coinbase",
        second=[Candle(each.at, each.low - 40, each.high - 40) for each in minutes],
    )


def href(target: str) -> str:
    """Lead from a page in the root."""
    return target


@cache
def samples() -> dict[str, Markup]:
    """Every chart, by its id."""
    points = [
        StandingPoint(START + index * 7 * HOUR, 40 * math.sin(index / 6) + index / 3 - 12)
        for index in range(70)
    ]
    navs = [
        NavPoint(
            START + index * HOUR, 10_000 + 900 * math.sin(index / 40) + 90 * math.sin(index / 3)
        )
        for index in range(900)
    ]
    voids = Stage(
        "void",
        11,
        "void",
        (
            Stage("venue outage", 6, "void"),
            Stage("sources disagree", 4, "void"),
            Stage("flagged by the referee", 1, "void"),
        ),
    )
    settled = Stage("settled", 71, parts=(Stage("hit", 38, "pass"), Stage("miss", 33, "fail")))
    counts = (4, 9, 0, 18, 30, 44, 21, 12, 6, 1)
    names = ("alpha-momentum", "buy-and-hold", "a name that is far too long for its row", HOSTILE)
    return {
        "standing": standing_line("standing", points),
        "reliability": reliability(
            "reliability",
            [
                Bin(
                    index / 10,
                    (index + 1) / 10,
                    count,
                    count * (index + 1) // 12,
                    index / 10 + 0.06,
                )
                for index, count in enumerate(counts)
            ],
        ),
        "funnel": funnel("funnel", Stage("posted", 84, parts=(settled, voids))),
        "waterfall": waterfall(
            "waterfall",
            [
                Term("performance", 0.35, 61.2, 21.42),
                Term("risk", 0.2, 80.25, 16.05),
                Term("consistency", 0.15, 44.0, 6.6),
                Term("regime", 0.15, 50.0, 7.5, constant=True),
                Term("creator", 0.1, 50.0, 5.0),
                Term("longevity", 0.05, 12.5, 0.625),
            ],
            weighted_sum=57.195,
            multiplier=0.85,
            product=48.61575,
            total=48.6,
        ),
        "nav": nav_curve("nav", navs),
        "price": price_path("price", path_of(90)),
        "price-long": price_path("price-long", path_of(5000)),
        "coverage": coverage(
            "coverage",
            [
                Covered("anchored on a chain", 1204, "anchored"),
                Covered("sealed, not anchored", 1788, "sealed"),
                Covered("not sealed, by rule", 2915, "unsealed"),
                Covered("missing", 1, "missing"),
            ],
        ),
        "whiskers": whiskers(
            "whiskers",
            [
                Whisker(names[0], 1.0, 1.0, 1.0, saturated=True),
                Whisker(names[1], 0.93, 0.71, 0.991, path="boards/b/index.html"),
                Whisker(names[2], 0.8123, 0.4, 0.97),
                Whisker(names[3], None, note="too few seeds"),
            ],
            ties=[(1, 2)],
            interval="bootstrap 95% interval",
            href=href,
        ),
        "ledger": ledger_strip(
            "ledger",
            [
                Hour(START + index * HOUR, (index * 7 % 13) if index % 5 else 0, f"h{index}.html")
                for index in range(180)
            ],
            href=href,
        ),
        "spark": sparkline("spark", [point.value for point in points]),
    }
