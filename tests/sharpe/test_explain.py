"""Following one row of a board, and a board as a whole, to what was published."""

from __future__ import annotations

import math
import re
from struct import pack
from typing import TYPE_CHECKING, Any

import pytest
from sharpe_publisher import published, rehash, row_of, written
from small_bundle import write_tree

from verifier.bundle import Bundle, open_bundle, overlay
from verifier.errors import UsageError
from verifier.explain import explain
from verifier.explanation import render_json, render_text
from verifier.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.explanation import Explanation, Line


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bundle]:
    """Write and open the small arena once."""
    with open_bundle(write_tree(tmp_path_factory.mktemp("a") / "b", written(published()))) as found:
        yield found


def damaged(base: Bundle, damage: Callable[[dict[str, Any]], object]) -> Bundle:
    """The arena after a damage."""
    files = published()
    damage(files)
    changes: dict[str, bytes | None] = dict(written(files))
    del changes["SHA256SUMS"]
    return overlay(base, changes, relist=True)


def lines(explanation: Explanation) -> dict[str, Line]:
    """Lines of the arithmetic by their name."""
    section = next(s for s in explanation.sections if s.title.startswith("Arithmetic"))
    return {line.name: line for line in section.lines}


@pytest.mark.parametrize("name", ["new/mine", "old/mine", "sealed/momentum"])
def test_a_row(base: Bundle, name: str) -> None:
    """Moments, bar, z and probability lead to the published score, with the same bits."""
    found = explain(base, name, policy=Policy())
    assert found.first_difference is None
    assert not found.unproven
    arithmetic = lines(found)
    score = arithmetic["deflated_sharpe"]
    assert score.bits == score.published_bits == arithmetic["probability"].bits
    for step in ("mean", "sharpe_a_period", "skewness", "kurtosis", "bar", "variance", "z"):
        assert arithmetic[step].bits == pack(">d", float(arithmetic[step].recomputed)).hex()
    titles = " ".join(section.title for section in found.sections)
    for kernel in ("0.4", "0.5.0", "0.28.0"):
        assert f"sharpe-kernel/{kernel}" in titles


def test_a_refused_row(base: Bundle) -> None:
    """A row without a score shows why, and that nothing was published is as it should be."""
    found = explain(base, "new/flat", policy=Policy())
    assert found.first_difference is None
    assert lines(found)["deflated_sharpe"].recomputed == "unavailable"
    assert b"constant" in render_text(found)


def test_the_first_difference_is_marked(base: Bundle) -> None:
    """One unit in the last place stands out, with the bits of both."""

    def nudge(files: dict[str, Any]) -> None:
        row = row_of(files, "new", "mine")
        row["interval"]["lo"] = math.nextafter(row["interval"]["lo"], 1.0)

    found = explain(damaged(base, nudge), "new/mine", policy=Policy())
    assert found.first_difference is not None
    line = lines(found)["interval_lo"]
    assert line.differs
    assert line.bits != line.published_bits
    assert b"\xe2\x96\xb6" in render_text(found)


def test_missing_traces_are_unproven(base: Bundle) -> None:
    """Without traces the process gate is not judged, and the explanation is not complete."""

    def take_away(files: dict[str, Any]) -> None:
        del files["sharpe/traces/new/mine.json"]

    bundle = damaged(base, take_away)
    gone: dict[str, bytes | None] = {"sharpe/traces/new/mine.json": None}
    found = explain(overlay(bundle, gone, relist=True), "new/mine", policy=Policy())
    assert found.unproven
    gates = next(section for section in found.sections if section.title == "Gates")
    process = next(line for line in gates.lines if line.name == "process")
    assert process.recomputed == "not judged: no traces"


@pytest.mark.parametrize("name", ["new", "old: mine beats equal_weight_long"])
def test_a_board(base: Bundle, name: str) -> None:
    """A board is explained by its order and pairs; the subject of a claim leads there too."""
    claims = published()[f"sharpe/boards/{name.partition(':')[0]}.json"]["claims"]
    if ":" in name:
        name = f"old: {claims[0]['better']} beats {claims[0]['worse']}"
    found = explain(base, name, policy=Policy())
    assert found.first_difference is None
    text = render_text(found).decode()
    assert "Order, as published" in text
    assert "Neighbours, as published" in text
    assert max(map(len, text.splitlines())) <= 80


def test_transfers_lead_to_their_row(base: Bundle) -> None:
    """The subject of every finding on a row is understood."""
    found = explain(base, "new/mine transfers", policy=Policy())
    assert found.subject == "new/mine"


def test_nothing_of_that_name(base: Bundle) -> None:
    """What is no board and no row is refused."""
    for name in ("new/nobody", "newer", "new/", "/mine"):
        with pytest.raises(UsageError, match="nothing goes by"):
            explain(base, name, policy=Policy())


def test_no_number_that_is_none(base: Bundle) -> None:
    """Returns whose moments overflow are explained without a NaN."""

    def inflate(files: dict[str, Any]) -> None:
        returns = files["sharpe/returns/old/mine.json"]["returns"]
        for series in returns:
            series[0], series[1] = 1.5e308, -1.5e308
        rehash(files)

    for form in (render_text, render_json):
        shown = form(explain(damaged(base, inflate), "old/mine", policy=Policy())).lower()
        assert not re.search(rb"\b(nan|inf)\b", shown)


def test_text_of_a_publisher_gives_no_orders(base: Bundle) -> None:
    """However a name is wrapped, no line begins with two colons, in colour neither."""

    def rename(files: dict[str, Any]) -> None:
        for pair in files["sharpe/boards/new.json"]["pairs"]:
            pair["a"], pair["b"] = "x" * 46, "::error::hello"

    found = explain(damaged(base, rename), "new", policy=Policy())
    for color in (False, True):
        shown = re.sub(r"\x1b\[[0-9;]*m", "", render_text(found, color=color).decode())
        assert "<U+003A>:error::hello" in shown
        assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]
