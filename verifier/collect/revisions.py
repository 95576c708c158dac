"""
What stored and new answers of a venue say about the same minutes and hours.

A row is a candle or a funding print. It is compared where both sides cover its
start, by value: ``"1.50"`` and ``1.5`` are one price. A row that only one side
has, though the other covers its start, is a difference too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from formulas.floor.paths import CandlePath, FundingPath
from formulas.floor.primitives import HOUR_MS, MINUTE_MS, format_time
from verifier.venues.evidence import candle_paths, funding_paths
from verifier.venues.exchange import CandlePage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from decimal import Decimal

    from formulas.floor.paths import Span
    from verifier.core.jsonread import JsonValue
    from verifier.venues.exchange import Page

__all__ = ["Comparison", "Revision", "Stretch", "compare"]

_INTERVALS: Final = {MINUTE_MS: "1m", HOUR_MS: "1h"}

_Key = tuple[str, str]
_Row = dict[str, str]


@dataclass(frozen=True, slots=True)
class Revision:
    """
    One candle or print that a venue tells differently now.

    Args:
        source: ``venue:SYMBOL:measure``.
        interval: ``1m`` or ``1h``.
        at: Its start, ms.
        stored: What the stored answers say; None if they cover it and have none.
        now: What the new ones say; the same.
    """

    source: str
    interval: str
    at: int
    stored: Mapping[str, str] | None
    now: Mapping[str, str] | None

    def to_json(self) -> dict[str, JsonValue]:
        """Give its place in ``revisions.json``."""
        return {
            "at": format_time(self.at),
            "interval": self.interval,
            "kind": "venue/revised",
            "now": None if self.now is None else dict(self.now),
            "source": self.source,
            "stored": None if self.stored is None else dict(self.stored),
        }

    def __str__(self) -> str:
        """Say it in a line."""
        what = f"venue/revised: {self.source} {self.interval} at {format_time(self.at)}"
        if self.stored is None:
            return f"{what}: there was none, now there is {_said(self.now)}"
        if self.now is None:
            return f"{what}: there is none any more, stored is {_said(self.stored)}"
        stored, now = self.stored, self.now
        changed = [name for name in stored if stored[name] != now[name]]
        return f"{what}: " + ", ".join(
            f"{name} was {stored[name]}, now {now[name]}" for name in changed
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """
    Rows of one source and interval, from the first to the last.

    Args:
        source: ``venue:SYMBOL:measure``.
        interval: ``1m`` or ``1h``.
        first: Start of the first, ms.
        last: Start of the last, ms.
        rows: How many there are.
    """

    source: str
    interval: str
    first: int
    last: int
    rows: int

    def to_json(self) -> dict[str, JsonValue]:
        """Give its place in ``revisions.json``."""
        return {
            "from": format_time(self.first),
            "interval": self.interval,
            "rows": self.rows,
            "source": self.source,
            "to": format_time(self.last),
        }

    def __str__(self) -> str:
        """Say it in a few words."""
        span = f"{format_time(self.first)} to {format_time(self.last)}"
        return f"{self.source} {self.interval}: {self.rows} rows from {span}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    What came of comparing.

    Args:
        compared: What both sides cover.
        unseen: What was stored and asked for, and no new answer covers.
        revisions: The differences, by source and time.
    """

    compared: tuple[Stretch, ...]
    unseen: tuple[Stretch, ...]
    revisions: tuple[Revision, ...]


def compare(stored: Sequence[Page], new: Sequence[Page], asked: Sequence[Page]) -> Comparison:
    """
    Compare stored pages with new ones, row by row.

    Args:
        stored: Pages of the published responses, in any order.
        new: Pages of the new ones.
        asked: Pages without rows that cover what the new ones should.
    """
    before, after, wanted = _read(stored), _read(new), _read(asked)
    compared: list[Stretch] = []
    unseen: list[Stretch] = []
    revisions: list[Revision] = []
    for key in sorted({*before, *after}):
        old, old_spans = before.get(key, ({}, ()))
        now, new_spans = after.get(key, ({}, ()))
        old_covers = {*old, *_within(old_spans, now)}
        new_covers = {*now, *_within(new_spans, old)}
        both = sorted(old_covers & new_covers)
        gone = sorted(_within(wanted.get(key, ({}, ()))[1], old) - new_covers)
        compared += _stretch(key, both)
        unseen += _stretch(key, gone)
        revisions += [
            Revision(*key, at, old.get(at), now.get(at))
            for at in both
            if old.get(at) != now.get(at)
        ]
    return Comparison(tuple(compared), tuple(unseen), tuple(revisions))


def _read(pages: Sequence[Page]) -> dict[_Key, tuple[dict[int, _Row], tuple[Span, ...]]]:
    """Give the rows of pages, and the spans that they cover, by source and interval."""
    candles = [page for page in pages if isinstance(page, CandlePage)]
    paths: list[tuple[str, str, CandlePath | FundingPath]] = [
        (str(source), interval, path)
        for step, interval in _INTERVALS.items()
        for source, path in candle_paths(candles, step).items()
    ]
    paths += [(str(source), "1h", path) for source, path in funding_paths(pages).items()]
    return {
        (source, interval): (dict(_rows(path)), path.covered) for source, interval, path in paths
    }


def _rows(path: CandlePath | FundingPath) -> Iterator[tuple[int, _Row]]:
    if isinstance(path, FundingPath):
        for hour, rate in path.prints.items():
            yield hour, {"rate": _plain(rate)}
        return
    for start, *values in path.candles:
        names = ("open", "high", "low", "close", "volume")
        yield start, dict(zip(names, map(_plain, values), strict=True))


def _plain(value: Decimal) -> str:
    """Write a decimal so that equal values are equal texts."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _within(spans: Sequence[Span], starts: Iterable[int]) -> set[int]:
    return {at for at in starts if any(span.first <= at <= span.last for span in spans)}


def _stretch(key: _Key, starts: Sequence[int]) -> tuple[Stretch, ...]:
    return (Stretch(*key, starts[0], starts[-1], len(starts)),) if starts else ()


def _said(row: Mapping[str, str] | None) -> str:
    return ", ".join(f"{name} {value}" for name, value in (row or {}).items())
