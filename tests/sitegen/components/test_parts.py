"""The parts of a page besides tables."""

import os
import re
import time as clock
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markup import parsed
from markupsafe import Markup

from sitegen.components import (
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
    step_table,
    time,
    verdict,
)
from sitegen.components.inline import HEX
from verifier.errors import FormatError
from verifier.explanation import Explanation, Line, Section

HOSTILE: Final = '<img src=x onerror="alert(1)">\u202e'


def text_of(markup: str) -> str:
    """Read what a reader reads."""
    return "".join(parsed(markup).itertext())


MAKERS: Final[dict[str, Callable[[str], Markup]]] = {
    "verdict": lambda words: verdict("pass", words),
    "label": lambda words: label(words, words),
    "hash_chip": lambda words: hash_chip(words, None, words),
    "coverage_bar": lambda words: coverage_bar([Segment("sealed", words, 1)], words),
    "downloads": lambda words: downloads([Download(words, "x", words, 1, words)], str),
    "big_number": lambda words: big_number(words, words, words),
    "facts": lambda words: facts([(words, words)]),
    "json_block": lambda words: json_block(words, words),
    "agent_words": lambda words: agent_words(words, words),
    "step_table": lambda words: step_table([Line(step=words, name=words, recomputed=words)]),
}


# What looks like a hash is shown as one, which has elements of its own.
@pytest.mark.parametrize("part", MAKERS)
@given(text=st.text(min_size=1).filter(lambda text: HEX.fullmatch(text) is None))
def test_no_part_lets_a_text_become_an_element(part: str, text: str) -> None:
    """A text in any part adds no element and no attribute."""
    make = MAKERS[part]
    assert shape(parsed(make(text))) == shape(parsed(make("honest")))


def shape(tree: Any) -> list[tuple[str, tuple[str, ...]]]:
    """Elements with the names of their attributes; how a hash is folded does not matter."""
    return [
        (str(element.tag), tuple(sorted(element.attrib)))
        for element in tree.iter()
        if element.tag != "span" or element.attrib.get("class") not in {"hash", "mid"}
    ]


@pytest.mark.parametrize("word", ["pass", "fail", "unproven", "exempt"])
def test_a_verdict_says_its_word(word: str) -> None:
    """The word is in the text, so that colour and shape only repeat it."""
    assert text_of(verdict(word, "17 of 17")) == f"{word} · 17 of 17"
    assert text_of(verdict(word)) == word


def test_a_coverage_bar_says_every_count() -> None:
    """A part of nothing is not drawn and is named all the same; parts fill the whole."""
    markup = coverage_bar(
        [
            Segment("anchored", "anchored", 1),
            Segment("sealed", "sealed", 0),
            Segment("missing", "missing", 2),
        ]
    )
    assert "Of 3 inputs: 1 anchored, 0 sealed, 2 missing." in markup
    assert re.findall(r'x="([^"]+)" y="0" width="([^"]+)"', markup) == [
        ("0.0000%", "33.3333%"),
        ("33.3333%", "66.6667%"),
    ]
    assert "0 sealed" in text_of(markup)


def test_a_coverage_bar_of_nothing_is_empty() -> None:
    """Nothing to cover is no division by zero."""
    assert "of 0 inputs" in text_of(coverage_bar([Segment("sealed", "sealed", 0)]))


@pytest.mark.parametrize(
    ("moment", "datetime", "words"),
    [
        (0, "1970-01-01T00:00Z", "1970-01-01 00:00 UTC"),
        (1_700_000_000_123, "2023-11-14T22:13:20.123Z", "2023-11-14 22:13:20.123 UTC"),
        ("2026-11-29T23:00:05Z", "2026-11-29T23:00:05Z", "2026-11-29 23:00:05 UTC"),
        ("2026-11-29T23:00:00+01:00", "2026-11-29T22:00Z", "2026-11-29 22:00 UTC"),
        ("2026-11-29T23:00:00", "2026-11-29T23:00Z", "2026-11-29 23:00 UTC"),
        ("0999-02-03T04:05:06Z", "0999-02-03T04:05:06Z", "0999-02-03 04:05:06 UTC"),
    ],
)
def test_a_time_is_in_utc(
    moment: int | str, datetime: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The zone of the machine has no say, not even about a time without a zone."""
    monkeypatch.setitem(os.environ, "TZ", "Asia/Kathmandu")
    clock.tzset()
    try:
        assert time(moment) == f'<time datetime="{datetime}">{words}</time>'
    finally:
        monkeypatch.undo()
        clock.tzset()


@pytest.mark.parametrize("moment", ["yesterday", 10**20, "", "0001-01-01T00:00:00+02:00"])
def test_what_is_no_time_is_an_error(moment: int | str) -> None:
    """An impossible moment is never shown as another."""
    with pytest.raises(FormatError, match="no time"):
        time(moment)


def test_json_is_shown_whole_with_its_lines() -> None:
    """A long text is not cut, and its lines stay lines."""
    long = '{"note":"' + "x" * 5000 + '"}'
    assert text_of(json_block(f"{long}\n{HOSTILE}")) == (
        f'{long}\n<img src=x onerror="alert(1)"><U+202E>'
    )


def test_an_agents_words_are_called_data() -> None:
    """The quote keeps its lines, and says who wrote it and what it is not."""
    markup = agent_words("One.\nTwo <U+000A>.", "alpha")
    assert "One.\nTwo <U+003C>U+000A>." in text_of(markup)
    assert "Written by alpha. Data, never an instruction." in text_of(markup)


LINES: Final = (
    Line(step="1", name="mean", recomputed="0.5", bits="3fe0000000000000"),
    Line(step="2", name="score", recomputed="50.00", published="50.00"),
    Line(step="3", name="total", recomputed="1.1", published="1.2", differs=True, note="1 ulp"),
    Line(step="4", name="rank", recomputed="2", published="3", differs=True),
    Line(step="5", name="root", recomputed="ab", unproven=True),
)


def test_a_step_says_what_came_of_it() -> None:
    """Equal, differs, unproven or merely a step: from the verifier's line, never assumed."""
    rows = list(next(parsed(step_table(LINES)).iter("tbody")))
    assert ["".join(row[4].itertext()) for row in rows] == [
        "step",
        "equal",
        "differs",
        "differs",
        "unproven",
    ]
    assert [row.attrib.get("class") for row in rows] == [None, None, "differs", "differs", None]


def test_the_first_difference_is_marked_once() -> None:
    """The eye stops where the values part."""
    markup = step_table(LINES)
    assert markup.count("first difference") == 1
    assert markup.index("first difference") < markup.index("total")


def test_the_same_line_again_is_counted() -> None:
    """Lines that are equal in all they say are one line, and the page says how many."""
    rows = list(next(parsed(step_table([LINES[0]] * 1200 + [LINES[1]])).iter("tbody")))
    assert ["".join(row[1].itertext()) for row in rows] == ["mean 1,200 times", "score"]


def test_what_is_not_published_is_not_compared() -> None:
    """A table of mere steps has no column of results, and one difference brings it back."""
    heads = [head.text for head in next(parsed(step_table(LINES[:1])).iter("thead")).iter("th")]
    assert heads == ["step", "value", "recomputed"]
    for line in LINES[1:]:
        assert "result" in step_table([LINES[0], line])


def test_an_explanation_is_a_table_a_section() -> None:
    """Each section has its title as caption; a formula stands at the first line of its step."""
    explanation = Explanation("x", (), (Section("One", LINES[:2]), Section("Two", LINES[2:])))
    markup = step_table(explanation, formulas={"2": Markup("<math><mi>s</mi></math>")})
    captions = [caption.text for caption in parsed(markup).iter("caption")]
    assert captions == ["One", "Two"]
    assert markup.count("<math>") == 1
