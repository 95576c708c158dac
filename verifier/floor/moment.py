"""What the responses hold: the window of a call, and the candles around its deciding moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.floor.paths import CandlePath
from formulas.floor.primitives import MINUTE_MS, plain
from formulas.floor.terms import Conditional
from verifier.explanation import Line, Section
from verifier.floor.resettle import tried
from verifier.floor.when import say_time
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formulas.floor.settlement import Market
    from formulas.floor.terms import Source
    from verifier.floor.context import Context
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["moment_section", "window_section"]

AROUND: Final = 3
"""Minutes shown before and after the deciding one."""


def window_section(context: Context, call: Call, row: SettlementRow) -> Section:
    """Count the minutes of the window, and those that the last attempt's responses hold."""
    trial = tried(context, call, row.attempts[-1], context.rules)
    first = -(-call.posted_at // MINUTE_MS) * MINUTE_MS
    lines = [
        Line(step="4", name="first minute", recomputed=say_time(first)),
        Line(
            step="4",
            name="last minute",
            recomputed=say_time(call.terms.deadline // MINUTE_MS * MINUTE_MS - MINUTE_MS),
        ),
    ]
    if isinstance(call.terms, Conditional):
        gate = call.terms.gate
        lines.append(Line(step="4", name="gate until", recomputed=say_time(gate.deadline)))
    for source in dict.fromkeys(sources(call.terms)):
        text = _held(call, source, trial.markets[0])
        lines.append(Line(step="4", name=str(source), recomputed=text))
    return Section("Window, and what the last attempt's responses hold of it", tuple(lines))


def _held(call: Call, source: Source, market: Market) -> str:
    if source.measure == "funding":
        prints = market.funding[source].prints if source in market.funding else {}
        return f"{len(prints)} prints"
    path = market.minutes.get(source, CandlePath())
    window = path.window(call.posted_at, call.terms.deadline)
    unseen = "" if window.unseen is None else f", unseen from {say_time(window.unseen)}"
    return f"{len(window.candles)} candles, longest run missing {window.longest}{unseen}"


def moment_section(context: Context, call: Call, row: SettlementRow) -> Section | None:
    """Show the candles of both venues around what decided; None where nothing did."""
    if row.deciding is None:
        return None
    trial = tried(context, call, row.attempts[-1], context.rules)
    # The value at a deadline is the close of the candle that ends there.
    minute = row.deciding.at // MINUTE_MS * MINUTE_MS
    legs = [source for source in dict.fromkeys(sources(call.terms)) if source.measure == "price"]
    lines: list[Line] = []
    for leg in legs:
        for source, market in ((leg, trial.markets[0]), (leg.second(), trial.markets[1])):
            path = market.minutes.get(source, CandlePath())
            lines.append(Line(step="5", name=str(source), recomputed="open high low close"))
            lines += _candles(path, minute, call.terms.deadline)
    return Section("The candles around the deciding moment, on both venues", tuple(lines))


def _candles(path: CandlePath, minute: int, deadline: int) -> Iterator[Line]:
    after = min(minute + (AROUND + 1) * MINUTE_MS, deadline)
    for start in range(minute - AROUND * MINUTE_MS, after, MINUTE_MS):
        candle = path.at(start)
        if candle is not None:
            text = " ".join(plain(price) for price in candle[1:5])
        else:
            text = "no trade" if path.covers(start) else "not asked for"
        yield Line(step="5", name=say_time(start), recomputed=text)
