"""The report for reading."""

from __future__ import annotations

import re

import pytest
from report.samples import SAMPLES, failures, finding, passes, report, unproven

from verifier.findings import Verdict, Where
from verifier.report.text import render

_SGR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_fits_a_terminal(name: str) -> None:
    """No line is longer than 80 columns."""
    assert max(map(len, render(SAMPLES[name]).decode().split("\n"))) <= 80


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_colour_says_nothing(name: str) -> None:
    """Without its colours, a coloured report is the plain one."""
    colored = render(SAMPLES[name], color=True).decode()
    assert _SGR.search(colored)
    assert _SGR.sub("", colored).encode() == render(SAMPLES[name])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("pass", "VERDICT: PASS — every number recomputed and equal"),
        ("fail", "VERDICT: FAIL — 3 claims are wrong, and 25 could not be proved"),
        ("all", "VERDICT: FAIL — 3 claims are wrong"),
        ("unproven", "VERDICT: UNPROVEN — nothing is wrong, but 25 claims could not be proved"),
        ("nothing", "VERDICT: UNPROVEN — nothing was checked"),
    ],
)
def test_verdict_is_the_last_line(name: str, line: str) -> None:
    """The verdict ends the report, in words."""
    assert render(SAMPLES[name]).decode().endswith(f"\n{line}\n")


def test_list_is_cut_and_counted() -> None:
    """At most *limit* findings of a check and verdict are listed."""
    shown = render(report(unproven()), limit=3).decode()
    assert shown.count("at          arcana/anchors.jsonl") == 3
    assert "… and 22 more: use --findings all or --format json\n" in shown


def test_all_findings_are_listed_when_all_are_kept() -> None:
    """A report that keeps everything shows everything."""
    shown = render(report([*passes(), *unproven()], keep="all"), limit=3).decode()
    assert shown.count("at          arcana/anchors.jsonl") == 25
    assert "✓ PASS  floor/points, step 6: 12 claims" in shown
    assert "more: use" not in shown


def test_values_stand_one_above_the_other() -> None:
    """A caret marks the first character in which they differ."""
    lines = render(report(failures())).decode().split("\n")
    at = lines.index("│ published   71.394")
    assert lines[at + 1] == "│ recomputed  71.393"
    assert lines[at + 2].index("^") == lines[at].index("4")


def test_hostile_text_begins_no_line() -> None:
    """What build servers read as an order stands behind a bar."""
    order = "::add-mask::x " * 20
    shown = render(
        report(
            [
                finding(
                    "floor/points",
                    Verdict.FAIL,
                    order,
                    order,
                    published=order,
                    recomputed=order + "\n::error::y",
                    where=Where(order, 1, order),
                )
            ],
            title=order,
        )
    ).decode()
    assert "::add-mask::" in shown
    assert not [line for line in shown.split("\n") if line.lstrip().startswith("::")]


def test_blank_texts_are_named() -> None:
    """An empty subject or value still has something to point at."""
    blank = finding(
        "floor/points", Verdict.FAIL, " ", published="", recomputed="1", where=Where("")
    )
    shown = render(report([blank])).decode()
    assert "│ (no name)\n" in shown
    assert "│ published   (empty)\n" in shown
