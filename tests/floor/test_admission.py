"""Admission and flags on rows made for the purpose: caps, duplicates, words, operators."""

from __future__ import annotations

import random
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Final

import pytest
from floor_evidence import rules
from hypothesis import given
from hypothesis import strategies as st

from formulas.floor.primitives import HOUR_MS, SECOND_MS, parse_time
from formulas.floor.terms import Source, Touch
from verifier.floor.checks.flags import Board
from verifier.floor.columns import CallColumns, EntryColumns
from verifier.floor.crowd import Crowd, crowds
from verifier.floor.ledger import Entry
from verifier.floor.rows import Call
from verifier.floor.text import text_problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formulas.floor.rules import AdmissionRules

ADMISSION: Final[AdmissionRules] = rules().admission
START: Final = parse_time("2026-11-03T00:00:00Z")
BTC: Final = Source("hyperliquid", "BTC", "price")


def call(place: int, posted: int, *, agent: str = "a", symbol: str = "BTC", hours: int = 5) -> Call:
    """Make a touch call; *posted* in seconds from the start."""
    deadline = START + hours * HOUR_MS
    return Call(
        line=place + 1,
        agent=agent,
        b=Decimal("0.5"),
        version="",
        claim="x",
        deadline=deadline,
        envelope="0" * 64,
        history=(),
        labels=(),
        note=None,
        p=Decimal("0.6"),
        posted_at=START + posted * SECOND_MS,
        seal=f"{place:064}",
        sealed="",
        signed="",
        spot=(),
        terms=Touch(BTC._replace(symbol=symbol), "above", Decimal(1), deadline),
    )


def entry(of: Call, settled: int, outcome: str = "hit") -> Entry:
    """Make the entry that settles a call, *settled* seconds from the start."""
    return Entry(
        line=1,
        body_sha256="",
        call=of.seal,
        canonical=True,
        entry=0,
        final_at=0,
        hash=of.seal,
        kind="settle",
        outcome=outcome,  # type: ignore[arg-type]  # one of three
        points=None,
        prev="",
        reason=None,
        record="",
        settled_at=START + settled * SECOND_MS,
        unit="standing",
    )


def counted(calls: Sequence[Call], entries: Mapping[str, Entry]) -> list[Crowd]:
    """Count for calls with these entries."""
    rows, closed = CallColumns(), EntryColumns()
    for made in calls:
        rows.add(0, b"", made)
    closing = []
    for made in calls:
        known = entries.get(made.seal)
        closing.append(-1 if known is None else len(closed))
        if known is not None:
            closed.add(0, b"", known)
    return list(crowds(rows, closed, closing, ADMISSION))


postings = st.lists(
    st.tuples(
        st.integers(0, 200_000),
        st.sampled_from(["a", "b"]),
        st.sampled_from(["BTC", "ETH"]),
        st.integers(60, 66),
        st.none() | st.tuples(st.integers(0, 300_000), st.sampled_from(["hit", "miss", "void"])),
    ),
    max_size=25,
)


class TestCountsAreThoseOfTheRules:
    """Clarifications 29, 30 and 47, word by word, against the sweep that is fast."""

    @given(postings)
    def test_counts(self, drawn: list[tuple[int, str, str, int, tuple[int, str] | None]]) -> None:
        """Recent, open, settled and the duplicate of every posting."""
        drawn.sort(key=lambda each: each[0])
        calls, entries = [], {}
        for place, (posted, agent, symbol, hours, settled) in enumerate(drawn):
            made = call(place, posted, agent=agent, symbol=symbol, hours=hours)
            calls.append(made)
            if settled is not None:
                entries[made.seal] = entry(made, posted + settled[0], settled[1])
        for place, crowd in enumerate(counted(calls, entries)):
            own = calls[place]
            at = own.posted_at
            others = [each for each in calls if each.agent == own.agent]

            def is_open(each: Call, at: int = at) -> bool:
                known = entries.get(each.seal)
                return each.posted_at <= at and (known is None or at < known.settled_at)

            assert crowd.recent == sum(at - 24 * HOUR_MS < each.posted_at <= at for each in others)
            assert crowd.open == sum(map(is_open, others))
            assert crowd.settled == sum(
                each.outcome != "void" and each.settled_at <= at
                for each in (entries.get(other.seal) for other in others)
                if each is not None
            )
            twins = [
                each
                for each in others
                if each.line < own.line
                and is_open(each)
                and each.terms.deadline - HOUR_MS <= own.terms.deadline
                and own.terms.deadline <= each.terms.deadline + HOUR_MS
                and each.terms.source == own.terms.source  # type: ignore[union-attr]
            ]
            assert (crowd.twin is not None) == bool(twins)
            assert crowd.twin is None or calls[crowd.twin] in twins


def test_a_window_is_open_at_its_beginning() -> None:
    """A call of exactly 24 h ago does not count any more, one a second later does."""
    day = 24 * 3600
    calls = [call(0, 0), call(1, 1), call(2, day)]
    assert counted(calls, {})[2].recent == 2


def test_a_call_is_closed_when_its_entry_is_settled() -> None:
    """Open until the entry's settled_at, and no longer at that very second."""
    first = call(0, 0)
    later = [call(1, 99), call(2, 100)]
    found = counted([first, *later], {first.seal: entry(first, 100)})
    assert [each.open for each in found] == [1, 2, 2]


WORDS: Final = {
    "to buy now": True,
    "BUY": True,
    "\uff22\uff35\uff39": True,  # full width: NFKC makes it plain
    "buyer": False,
    "rebuy": False,
    "buy_it": False,
    "buy2": False,
    "buy!": True,
    "(long)": True,
    "longing": False,
    "take profit": True,
    "take-profit": True,
    "take  -  profit": True,
    "take\u00a0profit": True,  # NFKC makes it a space
    "takeprofit": False,
    "stop--loss": True,
    "entrylevel": False,
    "entry": True,
    "buy\u0335": True,  # a combining mark is no letter
    "buy\u0301": False,  # but NFKC makes y and acute one letter, and no word is left
    "\u0627buy": False,
    "best-seller of a short-lived": True,
    "shortened": False,
    "see www.example.org": True,
    "WWW.EXAMPLE": True,
    "mailto:x": True,
    "a://b": True,
    "a < b": True,
    "**bold**": True,
    "1 * 2 * 3": False,
    "back`tick": True,
    "[x](y)": True,
    "tab\there": True,
    "line\nbreak": True,
    "\u202eoverride": True,
    "\u200bzero width": False,
    "\ufeffmark": True,
    "": False,
}


@pytest.mark.parametrize("text", WORDS)
def test_words(text: str) -> None:
    """Instructions, addresses, markup and control characters are refused, parts of words not."""
    assert (text_problem(text, rules().text) is not None) is WORDS[text]


def test_no_refused_code_points() -> None:
    """A rule set may refuse none."""
    lenient = replace(rules().text, refused_code_points=())
    assert text_problem("tab\there", lenient) is None


class TestABoardKnowsTheBestOfTheOthers:
    """The flag of one operator asks for the best place of any other agent in the window."""

    @given(st.integers(0, 2**32), st.integers(1, 60))
    def test_against_a_list(self, seed: int, steps: int) -> None:
        """Places come and go in any order."""
        chance = random.Random(seed)
        board = Board()
        held: list[tuple[str, tuple[Decimal, int, int]]] = []
        for step in range(steps):
            if held and chance.random() < 0.4:
                agent, place = held.pop(chance.randrange(len(held)))
                board.remove(agent, place)
            else:
                agent = chance.choice("abc")
                place = Decimal(chance.randrange(4)), chance.randrange(3), step
                held.append((agent, place))
                board.add(agent, place)
            for asked in "abc":
                others = [place for agent, place in held if agent != asked]
                assert board.best_but(asked) == (min(others) if others else None)
