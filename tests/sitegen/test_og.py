"""The picture for link previews: the same everywhere, and no letter without a shape."""

import hashlib
import os
import struct
import subprocess
import sys
from typing import Final
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from resvg_py import svg_to_bytes
from shared import ROOT

from sitegen import og
from sitegen.og import Share, og_png, og_svg
from verifier.errors import SiteError

SVG: Final = "{http://www.w3.org/2000/svg}"
SHARES: Final = (
    Share("anchored", 1204, "anchored"),
    Share("sealed", 1788, "sealed"),
    Share("not sealed", 2916, "unsealed"),
)
HOSTILE: Final = '<script>alert(1)</script>\u202e\u05e9\u05dc &"<U+0041>'


def test_is_a_png_of_the_right_size() -> None:
    """1200 by 630, which link previews show whole."""
    png = og_png("Arena", "71 of 71 scores recompute.", SHARES)
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", png[16:24]) == (1200, 630)


def test_same_bytes_everywhere() -> None:
    """Hash seed, locale, time zone and home change no byte, and no font of the machine is read."""
    program = (
        "import hashlib, sys; sys.path.insert(0, sys.argv[1]);"
        "from sitegen.og import *;"
        "print(hashlib.sha256(og_png('Arena é', 'One.', [Share('a', 1, 'sealed')])).hexdigest())"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program, str(ROOT)],
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "HOME": "/nonexistent"},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    here = og_png("Arena é", "One.", [Share("a", 1, "sealed")])
    assert found == {hashlib.sha256(here).hexdigest()}


def words(svg: str) -> list[str]:
    """Give the texts of the picture."""
    return [each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}text")]


def test_hostile_titles_are_shown() -> None:
    """Markup is text, and what is hidden or not in the font is shown as its code point."""
    title = " ".join(words(og_svg(HOSTILE, "x"))[:2])
    assert "<script>alert(1)</script>" in title
    assert "<U+202E>" in title
    told = words(og_svg("x", HOSTILE))
    assert "<U+05E9>" in "".join(told)
    assert "<U+003C>U+0041>" in "".join(told)


@given(
    st.text(), st.text(), st.lists(st.builds(Share, st.text(), st.integers(0, 10**9)), max_size=4)
)
def test_keeps_to_its_picture(title: str, sentence: str, shares: list[Share]) -> None:
    """Whatever the texts, no line begins under the bar or is wider than the picture."""
    svg = og_svg(title, sentence, shares)
    for each in ET.fromstring(svg).iter(f"{SVG}text"):
        assert 0 < float(each.attrib["y"]) < 600
        size = float(each.attrib["font-size"])
        # The narrowest letter is a quarter of the size wide.
        assert len(each.text or "") * size / 4 < 1200
    rects = list(ET.fromstring(svg).iter(f"{SVG}rect"))[2:]
    if rects:
        last = rects[-1].attrib
        assert float(last["x"]) + float(last["width"]) == pytest.approx(1120, abs=0.1)


def drawn(letter: str) -> bytes:
    """Draw one letter, large."""
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
        '<text x="8" y="28" font-size="24" font-family="Source Serif Pro">'
        f"&#{ord(letter)};</text></svg>"
    )
    return bytes(svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=og._fonts()))  # noqa: SLF001 - the font itself


def test_the_font_has_what_is_drawn() -> None:
    """The first and last letter of every range that is not shown as a code point is in the font."""
    missing = {drawn(" "), drawn("\u05e9")}  # nothing, and the box for what is not there
    assert len(missing) == 2
    ends = {end for pair in og._DRAWN for end in pair} - {0x20}  # noqa: SLF001 - the ranges themselves
    assert [hex(end) for end in sorted(ends) if drawn(chr(end)) in missing] == []


def test_negative_counts_are_refused() -> None:
    """A share of less than nothing is an error."""
    with pytest.raises(SiteError):
        og_svg("a", "b", [Share("c", -1, "sealed")])
