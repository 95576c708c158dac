"""Responses that were fetched again: which of them are read, and that it changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_bundle import sound, write_tree

from formulas.floor.paths import Span, join_spans
from verifier.bundle import open_bundle
from verifier.errors import LimitError
from verifier.floor.raw import APART_MS, Responses, body_path, telling
from verifier.floor.rows import RawLine
from verifier.venues.evidence import evidence_page
from verifier.venues.exchange import BODY_BYTES, Ask, CandlePage, Exchange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

MINUTE: Final = 60_000
START: Final = 1_760_000_000_000 // MINUTE * MINUTE
CONTENT: Final = b"[]"
LINE: Final = RawLine(
    line=1,
    key=b"",
    size=len(CONTENT),
    fetched_at=START,
    body={
        "type": "candleSnapshot",
        "req": {
            "coin": "BTC",
            "interval": "1m",
            "startTime": START,
            "endTime": START + 9_000 * MINUTE,
        },
    },
    method="POST",
    url="https://api.hyperliquid.xyz/info",
    sha256="4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945",
    status=200,
    venue="hyperliquid",
)


def covered(lines: Sequence[RawLine]) -> tuple[Span, ...]:
    """Return what the answers of some lines cover together."""
    spans: list[Span] = []
    for line in lines:
        exchange = Exchange(
            line.venue,
            Ask(line.method, line.url, line.body),
            line.status,
            line.fetched_at,
            line.sha256,
            CONTENT,
        )
        page = evidence_page(exchange)
        assert isinstance(page, CandlePage)
        spans += page.path.covered
    return tuple(join_spans(sorted(spans), MINUTE))


@given(st.lists(st.integers(0, 30_000), min_size=1, max_size=40))
def test_what_is_left_out_covers_nothing_more(minutes: list[int]) -> None:
    """The lines that are read cover exactly what all of them cover, the last one included."""
    lines = [replace(LINE, fetched_at=START + minute * MINUTE) for minute in minutes]
    kept = telling(lines)
    assert covered(kept) == covered(lines)
    assert max(line.fetched_at for line in kept) == max(line.fetched_at for line in lines)


def test_many_fetches_of_one_body_cost_few_reads() -> None:
    """A thousand lines within the reach of two answers are two answers."""
    lines = [replace(LINE, fetched_at=START + second * 1_000) for second in range(1_000)]
    assert [line.fetched_at for line in telling(lines)] == [START, START + 999_000]


def test_every_request_is_kept() -> None:
    """One body may answer several requests, and each says what it covers."""
    lines = [
        replace(LINE, fetched_at=START + second * 1_000, status=status)
        for second in range(10)
        for status in (200, 429)
    ]
    assert {(line.status, line.fetched_at) for line in telling(lines)} == {
        (status, START + second * 1_000) for status in (200, 429) for second in (0, 9)
    }


def test_a_request_that_was_made_once_is_kept() -> None:
    """One line of another request beside many of the same breaks nothing, and is read."""
    lines = [replace(LINE, fetched_at=START + second * 1_000) for second in range(4)]
    other = replace(LINE, status=429)
    assert {(line.status, line.fetched_at) for line in telling([*lines, other])} == {
        (200, START),
        (200, START + 3_000),
        (429, START),
    }


def test_the_reach_is_less_than_an_answers() -> None:
    """Neighbours that are kept overlap in what they cover, a minute at the least."""
    assert APART_MS < 5_000 * MINUTE


def test_a_body_has_a_limit(tmp_path: Path) -> None:
    """What would take gigabytes as JSON is not read at all, and the error names the limit."""
    content = b" " * (BODY_BYTES + 1)
    path = body_path(LINE.sha256)
    with (
        open_bundle(write_tree(tmp_path / "bundle", sound(**{path: content}))) as bundle,
        pytest.raises(LimitError, match=rf"{path}.*\(limit body_bytes\)"),
    ):
        Responses(bundle, {}).page(LINE)
