"""The colours of site.css can be read, in the light and in the dark."""

import re
from pathlib import Path
from typing import Final

import pytest

import sitegen

CSS: Final = (Path(sitegen.__file__).parent / "static" / "site.css").read_text()
TEXT: Final = ("ink", "muted", "accent", "pass", "fail", "unproven", "exempt")
GRAPHICS: Final = ("line",)
_BLOCK: Final = re.compile(r":root \{(.*?)\}", re.DOTALL)
_TOKEN: Final = re.compile(r"--([a-z]+): (#[0-9a-f]{6});")


def themes() -> dict[str, dict[str, str]]:
    """Read the colours of both themes."""
    light, dark = (dict(_TOKEN.findall(block)) for block in _BLOCK.findall(CSS)[:2])
    return {"light": light, "dark": light | dark}


def luminance(colour: str) -> float:
    """WCAG 2.2, relative luminance."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """WCAG 2.2, contrast ratio."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_the_measure_is_the_standards() -> None:
    """Black on white is 21, the greatest there is."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("background", ["paper", "tint"])
@pytest.mark.parametrize("token", TEXT)
def test_text_has_four_and_a_half_to_one(theme: str, background: str, token: str) -> None:
    """Every colour that text has, on every ground that text stands on."""
    colours = themes()[theme]
    assert contrast(colours[token], colours[background]) >= 4.5


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("token", [*TEXT, *GRAPHICS])
def test_graphics_have_three_to_one(theme: str, token: str) -> None:
    """Every colour that a mark has."""
    colours = themes()[theme]
    assert contrast(colours[token], colours["paper"]) >= 3


def test_dark_changes_every_colour() -> None:
    """No colour of the light theme is left over in the dark."""
    light, dark = themes()["light"], themes()["dark"]
    assert light.keys() == dark.keys()
    assert all(light[token] != dark[token] for token in light)


def test_colours_are_tokens() -> None:
    """Outside the tokens and the print style no colour is written."""
    after = CSS[CSS.index("/* Page */") : CSS.index("@media print")]
    assert not re.search(r"#[0-9a-fA-F]{3,8}\b(?![^{]*\{)|rgba?\(|hsla?\(", after)


def test_nothing_is_fetched() -> None:
    """No import, no font, no image from anywhere."""
    assert not re.search(r"url\(|@import|@font-face", CSS)
