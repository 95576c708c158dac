"""Where the shapes of a drawing are, read back from its text."""

from __future__ import annotations

import re
from typing import Final
from xml.etree import ElementTree as ET

CHARTS: Final = (
    *("coverage", "funnel", "ledger", "nav", "price", "price-long", "reliability"),
    *("spark", "standing", "waterfall", "whiskers"),
)

_ENDS: Final = {
    "circle": (("cx", "cy"),),
    "line": (("x1", "y1"), ("x2", "y2")),
    "text": (("x", "y"),),
}
_STEP: Final = re.compile(r"([MLHVZhvlm])|(-?\d+(?:\.\d+)?)")


def _path(commands: str) -> list[tuple[float, float]]:
    """Follow a path, as the charts write it."""
    places: list[tuple[float, float]] = []
    x = y = 0.0
    command = ""
    numbers: list[float] = []
    for letter, digits in _STEP.findall(commands):
        if letter:
            command, numbers = letter, []
            continue
        numbers.append(float(digits))
        if command in "HVhv":
            step = numbers.pop()
            x = step if command == "H" else x + step if command == "h" else x
            y = step if command == "V" else y + step if command == "v" else y
        elif len(numbers) == 2:
            across, down = numbers
            numbers = []
            x, y = (across, down) if command in "ML" else (x + across, y + down)
        else:
            continue
        places.append((x, y))
    return places


def _places(shape: ET.Element) -> list[tuple[float, float]]:
    def at(name: str) -> float:
        return float(shape.attrib[name])

    if shape.tag == "polyline":
        pairs = [pair.split(",") for pair in shape.attrib["points"].split()]
        return [(float(x), float(y)) for x, y in pairs]
    if shape.tag == "path":
        return _path(shape.attrib["d"])
    if shape.tag == "rect":
        return [(at("x"), at("y")), (at("x") + at("width"), at("y") + at("height"))]
    ends = _ENDS.get(shape.tag, ())
    return [(at(x), at(y)) for x, y in ends]


def _drawings(markup: str) -> list[ET.Element]:
    found = ET.fromstring(f"<all>{markup}</all>")
    return list(found.iter("svg"))


def coordinates(markup: str) -> list[tuple[float, float]]:
    """Give every place that a shape or a text begins or ends at."""
    places = []
    for drawing in _drawings(markup):
        definitions = {each for group in drawing.iter("defs") for each in group.iter()}
        for shape in drawing.iter():
            if shape not in definitions:
                places += _places(shape)
    return places


def outside(markup: str) -> list[tuple[float, float]]:
    """Give the places outside of the viewBox of the one drawing there is."""
    _, _, width, height = (float(n) for n in _drawings(markup)[0].attrib["viewBox"].split())
    # Corners of rectangles are sums of two numbers with two decimals each.
    slack = 0.011
    return [
        (x, y)
        for x, y in coordinates(markup)
        if not (-slack <= x <= width + slack and -slack <= y <= height + slack)
    ]
