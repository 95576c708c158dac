"""What the responses hold: the window of a call, and the candles around its deciding moment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from formulas.errors import FormulaDomainError
from formulas.floor.paths import CandlePath, FundingPath
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, SECOND_MS, plain
from formulas.floor.settlement import Unseen, attempt
from formulas.floor.terms import Conditional, Range, Touch
from verifier.explanation import Line, Section
from verifier.floor.resettle import tried
from verifier.floor.when import say_time
from verifier.venues.evidence import sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formulas.floor.settlement import Attempt, Market
    from formulas.floor.terms import Inner, Source
    from verifier.floor.context import Context
    from verifier.floor.resettle import Trial
    from verifier.floor.rows import Call, SettlementRow

__all__ = ["moment_section", "window_section"]

AROUND: Final = 3
"""Minutes shown before and after the deciding one."""

COLUMNS: Final = ("open", "high", "low", "close")


def window_section(context: Context, call: Call, row: SettlementRow) -> Section:
    """Count the minutes of the window, and those that the last attempt's responses hold."""
    trial = tried(context, call, row.attempts[-1], context.rules)
    terms = call.terms
    lines = [
        _window_line("first minute", -(-call.posted_at // MINUTE_MS) * MINUTE_MS),
        _window_line("last minute", terms.deadline // MINUTE_MS * MINUTE_MS - MINUTE_MS),
    ]
    if not isinstance(terms, Conditional):
        lines += _held(terms, call.posted_at, trial.markets[0])
        return _window(lines)
    gate = _settled(context, terms.gate, call.posted_at, trial)
    last = terms.gate.deadline // MINUTE_MS * MINUTE_MS - MINUTE_MS
    lines.append(_window_line("gate's last minute", last))
    lines += _held(terms.gate, call.posted_at, trial.markets[0], note="within the gate's window")
    if isinstance(gate, str):
        lines.append(Line(step="5", name="gate", recomputed=gate))
    elif gate.outcome == "hit" and gate.deciding is not None:
        met = gate.deciding.at
        lines.append(Line(step="5", name="gate", recomputed=f"met at {say_time(met)}"))
        # Close and relative keep the whole window.
        narrowed = isinstance(terms.inner, Touch | Range)
        after = met + MINUTE_MS if narrowed else call.posted_at
        note = "within the minutes after the gate was met" if narrowed else None
        lines += _held(terms.inner, after, trial.markets[0], note=note)
    else:
        text = "not met" if gate.outcome == "miss" else gate.result
        note = "so nothing behind the gate is looked at"
        lines.append(Line(step="5", name="gate", recomputed=text, note=note))
    return _window(lines)


def _window(lines: Sequence[Line]) -> Section:
    return Section("Window, and what the last attempt's responses hold of it", tuple(lines))


def _window_line(name: str, minute: int) -> Line:
    return Line(step="4", name=name, recomputed=say_time(minute))


def _settled(context: Context, gate: Touch, posted_at: int, trial: Trial) -> Attempt | str:
    """Settle the gate alone, or say why it cannot be."""
    source, confirm = trial.markets
    rules = context.rules.settlement
    try:
        found = attempt(gate, posted_at, source=source, confirm=confirm, rules=rules)
    except FormulaDomainError as problem:
        return str(problem)
    if isinstance(found, Unseen):
        return f"no response covers {found.source} at {say_time(found.start)}"
    return found


def _held(terms: Inner, after: int, market: Market, *, note: str | None = None) -> Iterator[Line]:
    for source in dict.fromkeys(sources(terms)):
        if source.measure == "funding":
            prints = market.funding.get(source, FundingPath()).prints
            text = f"{len(prints)} prints"
        else:
            window = market.minutes.get(source, CandlePath()).window(after, terms.deadline)
            unseen = "" if window.unseen is None else f", unseen from {say_time(window.unseen)}"
            text = f"{len(window.candles)} candles, longest run missing {window.longest}{unseen}"
        yield Line(step="4", name=str(source), recomputed=text, note=note)


def moment_section(context: Context, call: Call, row: SettlementRow) -> Section | None:
    """Show what both venues say around the deciding moment; None where nothing decided."""
    if row.deciding is None:
        return None
    source, confirm = tried(context, call, row.attempts[-1], context.rules).markets
    terms = call.terms
    if isinstance(terms, Conditional):
        # A void that was decided is one whose gate was not met.
        terms = terms.gate if row.outcome == "void" else terms.inner
    if terms.source.measure == "funding":
        path = source.funding.get(terms.source, FundingPath())
        first = terms.deadline - context.rules.settlement.funding_window_seconds * SECOND_MS
        lines = tuple(_prints(path, range(first, terms.deadline + HOUR_MS, HOUR_MS)))
        return Section("The prints up to the deciding moment", lines)
    # The value at a deadline is the close of the candle that ends there.
    minute = row.deciding.at // MINUTE_MS * MINUTE_MS
    after = min(minute + (AROUND + 1) * MINUTE_MS, terms.deadline)
    starts = range(minute - AROUND * MINUTE_MS, after, MINUTE_MS)
    lines = tuple(
        line
        for leg in dict.fromkeys(sources(terms))
        for venue, market in ((leg, source), (leg.second(), confirm))
        for line in _candles(venue, market.minutes.get(venue, CandlePath()), starts)
    )
    return Section("The candles around the deciding moment, on both venues", lines)


def _prints(path: FundingPath, hours: range) -> Iterator[Line]:
    for hour in hours:
        if hour in path.prints:
            text = plain(path.prints[hour])
        else:
            text = "no print" if path.unseen(hour, hour) is None else "not asked for"
        yield Line(step="5", name=say_time(hour), recomputed=text)


def _candles(source: Source, path: CandlePath, starts: range) -> Iterator[Line]:
    found = [path.at(start) for start in starts]
    rows = [COLUMNS, *(tuple(map(plain, each[1:5])) for each in found if each is not None)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    filled = iter(
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in rows
    )
    yield Line(step="5", name=str(source), recomputed=next(filled))
    for start, candle in zip(starts, found, strict=True):
        silent = "no trade" if path.covers(start) else "not asked for"
        text = silent if candle is None else next(filled)
        yield Line(step="5", name=say_time(start), recomputed=text)
