"""
A comparison as plain text for a terminal, 80 columns by default.

Rewrites stand first, extensions last, and the last line says what the whole is.
As in a report, every status is a symbol and a word, colour only repeats them,
and text from the bundles stands behind a bar.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from verifier.diff.model import Effect, Kind
from verifier.report.visible import visible, visible_pair
from verifier.report.words import place, plural
from verifier.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
    difference: Difference, paint: Callable[..., str], width: int, limit: int
) -> Iterator[list[str]]:
    kept: dict[tuple[Effect, str], list[Entry]] = {}
    for entry in difference.entries:
        kept.setdefault((entry.effect, _heading(entry.where.file)), []).append(entry)
    for effect in Effect:
        for (of, heading), entries in kept.items():
            if of is effect:
                yield _group(effect, heading, entries, paint, width, limit)


def _heading(file: str) -> str:
    """Gather manifests and chain records, which have a file each, under their folder."""
    parts = file.split("/")
    return "/".join(parts[:2]) + "/" if len(parts) > 2 else file


def _group(
    effect: Effect,
    heading: str,
    entries: list[Entry],
    paint: Callable[..., str],
    width: int,
    limit: int,
) -> list[str]:
    style = _COLORS[effect]
    status = paint(f"{_SYMBOLS[effect]} {effect.upper()}", _BOLD, style)
    lines = [status + paint(f"  {visible(heading)}: {plural(len(entries), 'change')}", _BOLD)]
    bar = paint("│", style)
    subjects = [list(found) for _, found in groupby(entries, key=lambda entry: entry.subject)]
    listing = effect is Effect.EXTENSION
    for index, found in enumerate(subjects[:limit]):
        lines += [bar] * (index > 0 and not listing)
        lines += [f"{bar} {text}" for text in _subject(found, width - 2, limit)]
    if (hidden := len(subjects) - limit) > 0:
        lines.append(f"… and {hidden} more: use --format json")
    return lines


def _subject(entries: list[Entry], width: int, limit: int) -> list[str]:
    first = entries[0]
    whole = first.member is None and first.kind is not Kind.CHANGED
    title = visible(first.subject) + (f": {first.kind}" if whole else "")
    lines = textwrap.wrap(title, width, subsequent_indent="  ", break_on_hyphens=False)
    if first.effect is Effect.EXTENSION and whole:
        return lines
    shown = None
    for entry in entries[:limit]:
        where = replace(entry.where, pointer=None)
        if where != shown:
            lines += _labelled("at", place(where), width)
            shown = where
        if entry.message:
            lines += _cut(f"  {visible(entry.message)}", width)
        lines += _values(entry, width)
    if len(entries) > limit:
        lines.append(f"… and {len(entries) - limit} more of it: use --format json")
    return lines


def _values(entry: Entry, width: int) -> list[str]:
    member = f"{visible(entry.member)}  " if entry.member else ""
    named = _cut(f"  {member.rstrip()}", width) if member else []
    if entry.before is not None and entry.after is not None:
        before, after = visible_pair(entry.before, entry.after)
        short = f"  {member}{before} → {after}"
        if len(short) <= width:
            return [short]
        return [*named, *_labelled("before", before, width), *_labelled("after", after, width)]
    label, value = ("before", entry.before) if entry.after is None else ("after", entry.after)
    if member:
        named = _cut(f"  {member}{entry.kind}", width)
    return [*named, *_labelled(label, visible(value or ""), width)]


def _cut(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="    ", break_on_hyphens=False)


def _labelled(label: str, text: str, width: int) -> list[str]:
    room = max(width - _LABEL - 2, 1)
    pieces = [text[at : at + room] for at in range(0, len(text), room)] or [""]
    head = f"  {label:<{_LABEL}}"
    return [head + pieces[0], *(" " * len(head) + piece for piece in pieces[1:])]


def _respelled(difference: Difference, width: int, limit: int) -> list[str]:
    if not difference.respelled:
        return []
    lines = [f"Other bytes, same meaning: {plural(len(difference.respelled), 'file')}"]
    for path in difference.respelled[:limit]:
        lines += textwrap.wrap(visible(path), width, initial_indent="│ ", subsequent_indent="│ ")
    if len(difference.respelled) > limit:
        lines.append(f"… and {len(difference.respelled) - limit} more: use --format json")
    return lines


def _conclusion(difference: Difference, paint: Callable[..., str], width: int) -> list[str]:
    sentences = {
        "same": "no difference in meaning",
        "extension": "B goes on from A, and keeps everything that A had",
        "update": "nothing was added, and only what may move has moved",
        "rewrite": "something that existed in A was changed or removed",
    }
    relation = difference.relation
    counts = ", ".join(
        plural(difference.count(effect), effect.value)
        for effect in Effect
        if difference.count(effect)
    )
    style = _COLORS[Effect(relation)] if difference.entries else "32"
    lines = [paint("═" * width, style)]
    lines += [counts] * bool(counts)
    return [*lines, paint(f"{relation.upper()} — {sentences[relation]}", _BOLD, style)]
