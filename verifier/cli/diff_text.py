"""
A comparison as plain text for a terminal, 80 columns by default.

Rewrites stand first, extensions last, and the last line says what the whole is.
As in a report, every status is a symbol and a word, colour only repeats them,
and text from the bundles stands behind a bar.
"""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING, Final

from verifier.diff.model import Effect, Kind
from verifier.report.visible import visible, visible_pair
from verifier.report.words import place, plural
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.diff.model import Difference, Entry, Side

__all__ = ["render"]

_BOLD: Final = "1"
_SYMBOLS: Final = {Effect.REWRITE: "✗", Effect.UPDATE: "~", Effect.EXTENSION: "+"}
_COLORS: Final = {Effect.REWRITE: "31", Effect.UPDATE: "33", Effect.EXTENSION: "32"}
_LABEL: Final = 8


def render(
    difference: Difference, *, color: bool = False, width: int = 80, limit: int = 20
) -> bytes:
    """
    Render a comparison for reading.

    Args:
        difference: What to show.
        color: Add ANSI colours; nothing is said by colour alone.
        width: Columns to wrap at; digests may be longer.
        limit: Subjects listed for each class and file.
    """
    paint = _paint if color else _plain
    parts = [
        [
            paint(f"tallyproof {visible(VERSION)} · diff", _BOLD),
            *_side("A", difference.a),
            *_side("B", difference.b),
            _files(difference),
        ],
        *_groups(difference, paint, width, limit),
        _respelled(difference, width, limit),
        _conclusion(difference, paint, width),
    ]
    return ("\n\n".join("\n".join(part) for part in parts if part) + "\n").encode()


def _paint(text: str, *styles: str) -> str:
    return f"\x1b[{';'.join(styles)}m{text}\x1b[0m"


def _plain(text: str, *_styles: str) -> str:
    return text


def _side(name: str, side: Side) -> list[str]:
    lines = [f"{name:<{_LABEL}}{visible(side.sha256)}"]
    facts = [f"as of {side.as_of}" if side.as_of else "", side.title or ""]
    if any(facts):
        lines.append(" " * _LABEL + visible(" · ".join(fact for fact in facts if fact)))
    return lines


def _files(difference: Difference) -> str:
    files = difference.files
    counts = f"{files.added} added, {files.removed} removed, {files.changed} changed"
    return f"{'files':<{_LABEL}}{counts}"


def _groups(
    difference: Difference, paint: type[_plain] , width: int, limit: int
) -> Iterator[list[str]]:
    kept: dict[tuple[Effect, str], list[Entry]] = {}
    for entry in difference.entries:
        kept.setdefault((entry.effect, _heading(entry.where.file)), []).append(entry)
    for effect in Effect:
        for (of, heading), entries in kept.items():
            if of is effect:
                yield _group(effect, heading, entries, paint, width, limit)
