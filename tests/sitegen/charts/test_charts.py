"""Every chart: well-formed, named, inside its drawing, the same bytes everywhere, and safe."""

import hashlib
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest
from chart_samples import HOSTILE, START, href, samples
from drawings import CHARTS, coordinates, outside
from markup import parsed
from shared import ROOT

from sitegen.charts import (
    Bin,
    Candle,
    Covered,
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
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Callable

SVG: Final = "svg"
DIGEST: Final = (
    "import hashlib; from chart_samples import samples;"
    "print(hashlib.sha256(''.join(samples().values()).encode()).hexdigest())"
)


@pytest.mark.parametrize("name", CHARTS)
def test_is_a_named_image(name: str) -> None:
    """Each drawing has a role, a title and a description, and its ids begin with its own."""
    figure = ET.fromstring(samples()[name])
    drawing = figure if figure.tag == SVG else figure.find(SVG)
    assert drawing is not None
    assert drawing.get("role") == ("group" if name == "ledger" else "img")
    ids = [each.get("id", "") for each in figure.iter() if each.get("id")]
    assert len(ids) == len(set(ids))
    assert all(each == name or each.startswith(f"{name}-") for each in ids)
    named = (drawing.get("aria-labelledby") or "").split()
    assert named
    assert set(named) <= set(ids)
    texts = [drawing.findtext(f"*[@id='{each}']") for each in named]
    assert all(text and text.strip() for text in texts)


@pytest.mark.parametrize("name", [name for name in CHARTS if name != "spark"])
def test_has_its_data_and_a_caption(name: str) -> None:
    """A figure has a caption, and its numbers as a table whose rows are as long as its head."""
    figure = ET.fromstring(samples()[name])
    assert figure.tag == "figure"
    assert "".join(figure.find("figcaption").itertext())  # type: ignore[union-attr]
    table = figure.find("details/table")
    assert table is not None
    columns = len(table.findall("thead/tr/th"))
    rows = table.findall("tbody/tr")
    assert rows
    assert all(len(row) == columns for row in rows)
    assert all(row[0].tag == "th" and row[0].get("scope") == "row" for row in rows)


@pytest.mark.parametrize("name", CHARTS)
def test_nothing_that_the_policy_of_the_page_forbids(name: str) -> None:
    """No style, no handler, no address outside, and never the text of a value that is none."""
    written = samples()[name]
    figure = ET.fromstring(written)
    for each in figure.iter():
        assert each.tag not in {"script", "style", "image", "use", "foreignObject"}
        assert not [key for key in each.attrib if key == "style" or key.startswith("on")]
    assert not re.search(r"(?<![\w-])(?:nan|inf|infinity|-0)(?![\w.])", written, re.IGNORECASE)
    assert "http" not in written


@pytest.mark.parametrize("name", CHARTS)
def test_is_valid_in_a_page(name: str) -> None:
    """What is well-formed XML is also HTML that nothing has to be forgiven in."""
    assert len(parsed(samples()[name])) == 1


@pytest.mark.parametrize("name", CHARTS)
def test_is_inside_its_drawing(name: str) -> None:
    """No shape begins or ends outside of the viewBox."""
    assert coordinates(samples()[name])
    assert outside(samples()[name]) == []


def test_hostile_names_are_text() -> None:
    """A name that holds markup, a bidi control and the end of a CDATA section is shown as such."""
    drawn = whiskers("w", [Whisker(HOSTILE, 0.5, note=HOSTILE)])
    drawn += funnel("f", Stage(HOSTILE, 2, parts=(Stage(HOSTILE, 1),)), title=HOSTILE)
    drawn += waterfall(
        "t", [Term(HOSTILE, 1, 1, 1)], weighted_sum=1, multiplier=1, product=1, total=1
    )
    drawn += coverage("c", [Covered(HOSTILE, 1, "sealed")], title=HOSTILE)
    drawn += price_path("p", PricePath(venue=HOSTILE, minutes=[Candle(START, 1, 2)]), title=HOSTILE)
    drawn += standing_line("s", [StandingPoint(START, 1, HOSTILE)], title=HOSTILE)
    for figure in ET.fromstring(f"<all>{drawn}</all>"):
        assert not figure.findall(".//script")
    assert "<script" not in drawn
    assert "\u202e" not in drawn
    assert "&lt;script&gt;" in drawn
    assert "&lt;U+202E&gt;" in drawn
    assert "U+003C" not in drawn  # shown once, not twice


def test_same_bytes_everywhere() -> None:
    """Hash seed, locale and time zone change no byte."""
    mine = hashlib.sha256("".join(samples().values()).encode()).hexdigest()
    others = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            env={
                **os.environ,
                "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}",
                "PYTHONHASHSEED": seed,
                "LC_ALL": locale,
                "TZ": zone,
            },
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed, locale, zone in (("1", "C", "UTC"), ("7", "de_DE.UTF-8", "America/New_York"))
    }
    assert others == {mine}


BAD: Final = (float("nan"), float("inf"), -float("inf"), 10**400)


@pytest.mark.parametrize("value", BAD, ids=repr)
def test_no_chart_draws_what_is_no_number(value: float) -> None:
    """NaN, infinity and what no double holds are refused by every chart."""
    attempts: tuple[Callable[[], object], ...] = (
        lambda: sparkline("a", [1, value]),
        lambda: standing_line("a", [StandingPoint(START, value)]),
        lambda: reliability("a", [Bin(0, 1, 1, 1, mean=value)]),
        lambda: waterfall(
            "a", [Term("a", 1, 1, value)], weighted_sum=1, multiplier=1, product=1, total=1
        ),
        lambda: waterfall(
            "a", [Term("a", 1, 1, 1)], weighted_sum=value, multiplier=1, product=1, total=1
        ),
        lambda: nav_curve("a", [NavPoint(START, value)]),
        lambda: price_path("a", PricePath(venue="v", minutes=[Candle(START, 1, value)])),
        lambda: price_path(
            "a", PricePath(venue="v", minutes=[Candle(START, 1, 2)], levels=(value,))
        ),
        lambda: whiskers("a", [Whisker("a", value)]),
        lambda: whiskers("a", [Whisker("a", 0.5, 0.1, value)]),
    )
    for attempt in attempts:
        with pytest.raises(SiteError):
            attempt()


def test_nothing_to_draw_is_a_sentence() -> None:
    """Without data there is no empty chart, but a reason."""
    for drawn in (
        standing_line("a", []),
        reliability("a", [Bin(0, 0.1, 0, 0)]),
        funnel("a", Stage("posted", 0)),
        waterfall("a", [], weighted_sum=0, multiplier=1, product=0, total=0),
        nav_curve("a", []),
        price_path("a", PricePath(venue="Hyperliquid", minutes=[])),
        coverage("a", [Covered("sealed", 0, "sealed")]),
        whiskers("a", []),
        ledger_strip("a", [], href=href),
    ):
        figure = ET.fromstring(drawn)
        assert figure.find("svg") is None
        assert "".join(figure.itertext()).strip().endswith(".")
    assert "svg" not in sparkline("a", [])


def test_contradictions_are_refused() -> None:
    """What cannot be true of the data is an error, not a drawing."""
    minutes = [Candle(START, 1, 2), Candle(START, 1, 2)]
    attempts: tuple[Callable[[], object], ...] = (
        lambda: funnel("a", Stage("posted", 1, parts=(Stage("hit", 1), Stage("miss", 1)))),
        lambda: reliability("a", [Bin(0, 0.1, 1, 2)]),
        lambda: reliability("a", [Bin(0.2, 0.1, 1, 1)]),
        lambda: coverage("a", [Covered("sealed", -1, "sealed")]),
        lambda: nav_curve("a", [NavPoint(START, 1), NavPoint(START - 1, 1)]),
        lambda: price_path("a", PricePath(venue="v", minutes=minutes)),
        lambda: price_path("a", PricePath(venue="v", minutes=[Candle(START, 2, 1)])),
        lambda: whiskers("a", [Whisker("a", 0.5, 0.6, 0.4)]),
        lambda: whiskers("a", [Whisker("a", 0.5)], ties=[(0, 1)]),
        lambda: ledger_strip("a", [Hour(START + 1, 1)], href=href),
        lambda: ledger_strip("a", [Hour(START, 1), Hour(START, 1)], href=href),
        lambda: sparkline("1a", [1]),
        lambda: standing_line('a"', []),
    )
    for attempt in attempts:
        with pytest.raises(SiteError):
            attempt()


def test_a_price_path_lists_what_it_draws() -> None:
    """Minutes that are told apart have a row each, and strokes that minutes share have theirs."""
    for name, most in (("price", 200), ("price-long", 400)):
        rows = len(list(parsed(samples()[name]).iter("tbody").__next__()))
        assert 80 < rows < most, name


def test_values_have_the_decimals_that_were_published() -> None:
    """Points of the Floor have four, and scores of ARCANA two."""
    points = [StandingPoint(START, 74.1), StandingPoint(START + 1000, 75.0)]
    for drawn, said in (
        (standing_line("a", points), "The last is 75.0000, the least 74.1000"),
        (standing_line("a", points, places=2), "The last is 75.00, the least 74.10"),
    ):
        assert said in drawn
        last = said.split()[3].rstrip(",")
        # At the line, twice as last and greatest in both descriptions, and in the table.
        assert drawn.count(last) == 6
