"""
The picture that link previews show: the arena's name, and what was checked, in numbers.

1200 by 630. It is drawn as SVG and turned into PNG by resvg with one font of its own,
Source Serif Pro of the package ``font-source-serif-pro`` (SIL Open Font License), and
without the fonts of the machine, so that every machine makes the same bytes.

The font has Latin, Greek and Cyrillic letters. What it does not have would be an empty
box, and two names that differ would look alike: it is shown as its code point instead.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from markupsafe import escape

from sitegen.numbers import integer
from sitegen.text import shown
from verifier.errors import SiteError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Share", "og_png", "og_svg"]

_WIDTH: Final = 1200
_HEIGHT: Final = 630
_MARGIN: Final = 80
_INSTALL: Final = "pip install 'tallyproof[site]'"
_PACKAGE: Final = "font_source_serif_pro"
_FACES: Final = ("SourceSerifPro-Regular.ttf", "SourceSerifPro-Semibold.ttf")
_COLOURS: Final = {
    "anchored": "#1e6b43",
    "sealed": "#1f4e8c",
    "unsealed": "#a09c93",
    "missing": "#a3261d",
}
_DRAWN: Final[tuple[tuple[int, int], ...]] = (
    (0x20, 0x7E),
    (0xA1, 0xAC),
    (0xAE, 0x12B),
    (0x134, 0x149),
    (0x14C, 0x165),
    (0x168, 0x17F),
    (0x384, 0x38A),
    (0x38E, 0x3A1),
    (0x3A3, 0x3CE),
    (0x400, 0x45F),
    (0x1EA0, 0x1EF9),
    (0x2013, 0x2014),
    (0x2018, 0x201A),
    (0x201C, 0x201E),
    (0x2026, 0x2026),
)
# Shares of the size of the text that a letter takes, never less than it does.
_NARROW: Final = frozenset(" !'(),.:;I[]`fijlrt|")
_WIDE: Final = frozenset("%@MWmw&")


@dataclass(frozen=True, slots=True)
class Share:
    """
    A part of the bar at the foot of the picture.

    Args:
        label: In a word or two.
        count: How many.
        kind: How it is coloured.
    """

    label: str
    count: int
    kind: Literal["anchored", "sealed", "unsealed", "missing"]


def _drawable(text: str) -> str:
    visible = unicodedata.normalize("NFC", shown(text, limit=300))
    return "".join(
        letter
        if any(first <= ord(letter) <= last for first, last in _DRAWN)
        else f"<U+{ord(letter):04X}>"
        for letter in visible
    )


def _width(text: str) -> float:
    return sum(
        0.4
        if letter in _NARROW
        else 0.98
        if letter in _WIDE
        else 0.75
        if letter.isupper()
        else 0.58
        for letter in text
    )


def _wrapped(text: str, size: int, most: int) -> list[str]:
    """Break a text into lines that fit, and mark it when some of it does not."""
    room = (_WIDTH - 2 * _MARGIN) / size
    lines, left = [], _drawable(text).strip()
    while left:
        end = len(left)
        while _width(left[:end]) > room:
            space = left.rfind(" ", 1, end - 1)
            # A word that is wider than a line is broken where the line ends.
            end = space if space > 0 else end - 1
        lines.append(left[:end])
        left = left[end:].strip()
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while _width(f"{last}…") > room:
        last = last[:-1]
    return [*lines[: most - 1], f"{last.rstrip()}…"]


def _text(y: float, words: str, size: int, colour: str, weight: int = 400) -> str:
    return (
        f'<text x="{_MARGIN}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">'
        f"{escape(words)}</text>"
    )


def og_svg(title: str, sentence: str, shares: Sequence[Share] = ()) -> str:
    """
    Draw the picture as SVG.

    Args:
        title: Name of the arena; hostile text.
        sentence: What was found, with its numbers.
        shares: What is proved, for the bar; none draws no bar.

    Raises:
        SiteError: A count is negative.
    """
    if any(share.count < 0 for share in shares):
        raise SiteError("a part of the picture for previews has a negative count")
    size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="Source Serif Pro">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fbfaf7"/>',
        f'<rect x="{_MARGIN}" y="72" width="96" height="6" fill="#1f4e8c"/>',
    ]
    y = 168
    for line in _wrapped(title, 80, 2):
        drawn.append(_text(y, line, 80, "#1c1e21", 600))
        y += 92
    for line in _wrapped(sentence, 40, 3):
        drawn.append(_text(y, line, 40, "#5d6166"))
        y += 54
    drawn += _bar(shares)
    return "".join(drawn) + "</svg>"


def _bar(shares: Sequence[Share]) -> list[str]:
    total = sum(share.count for share in shares)
    if not total:
        return []
    room, left, drawn = _WIDTH - 2 * _MARGIN, float(_MARGIN), []
    for share in shares:
        width = room * share.count / total
        drawn.append(
            f'<rect x="{left:.2f}" y="510" width="{width:.2f}" height="18" '
            f'fill="{_COLOURS[share.kind]}"/>'
        )
        left += width
    words = ", ".join(f"{integer(share.count)} {share.label}" for share in shares)
    return [*drawn, _text(572, _wrapped(words, 30, 1)[0], 30, "#1c1e21")]


def _fonts() -> list[str]:
    found = find_spec(_PACKAGE)
    folder = Path(next(iter(found.submodule_search_locations or [""]))) if found else Path()
    files = [folder / "files" / name for name in _FACES]
    if found is None or not all(file.is_file() for file in files):
        raise SiteError(f"the picture for previews needs a font: {_INSTALL}")
    return [str(file) for file in files]


def og_png(title: str, sentence: str, shares: Sequence[Share] = ()) -> bytes:
    """
    Draw the picture as PNG; see :func:`og_svg`.

    Raises:
        SiteError: A count is negative, or what it needs is not installed.
    """
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SiteError(f"the picture for previews needs resvg: {_INSTALL}") from error
    return bytes(
        svg_to_bytes(
            svg_string=og_svg(title, sentence, shares),
            skip_system_fonts=True,
            font_files=_fonts(),
            font_family="Source Serif Pro",
            serif_family="Source Serif Pro",
        )
    )
