"""
An explanation: every step from the evidence to one published number.

An explanation is data; the renderers make it text or JSON. A line states a
value as recomputed, and as published where something was published. The
first line on which the two differ is marked, so that the eye stops there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.core.jsonread import JsonValue

__all__ = ["Explanation", "Line", "Section", "render_json", "render_text"]

WIDTH: Final = 80
LABEL_WIDTH: Final = 10
NAME_WIDTH: Final = 24
VALUE_WIDTH: Final = 24
_INDENT: Final = " " * 8
_ORDER: Final = re.compile(r"^((?:\x1b\[[0-9;]*m)? *):(?=:)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """
    One value on the way.

    Args:
        step: Step of the published procedure, as it is numbered there.
        name: What the value is.
        recomputed: The value as the evidence gives it.
        bits: Its 64 bits in hex, where it is a double.
        published: The value as published, where it was.
        published_bits: The bits of that.
        note: What to know about it, such as the distance to the published value.
        differs: Published and recomputed are not the same, or it is forbidden.
        unproven: The evidence for it is not there.
    """

    step: str
    name: str
    recomputed: str
    bits: str | None = None
    published: str | None = None
    published_bits: str | None = None
    note: str | None = None
    differs: bool = False
    unproven: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under one title."""

    title: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """
    The whole way to one published number.

    Args:
        subject: What is explained.
        facts: Pairs of a label and a text, such as the seal.
        sections: In the order of the procedure.
    """

    subject: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]

    @property
    def first_difference(self) -> Line | None:
        """The first line on which published and recomputed are not the same."""
        return next(
            (line for section in self.sections for line in section.lines if line.differs), None
        )

    @property
    def unproven(self) -> bool:
        """Whether the evidence for any line is not there."""
        return any(line.unproven for section in self.sections for line in section.lines)


def render_text(explanation: Explanation, *, color: bool = False) -> bytes:
    """
    Show an explanation in 80 columns, the first difference marked.

    A ``=`` behind a value says that the published one is the same.
    """
    lines = [visible(explanation.subject)]
    for label, text in explanation.facts:
        lines += _fact_lines(label, visible(text))
    first = explanation.first_difference
    for section in explanation.sections:
        lines += ["", section.title, "─" * len(section.title)]
        for line in section.lines:
            lines += _text_lines(line, first=line is first, color=color)
    lines += ["", _closing(explanation)]
    # Build servers take orders from lines that begin with two colons, indented or not.
    lines = [_ORDER.sub(r"\1<U+003A>", line) for line in lines]
    return ("\n".join(lines) + "\n").encode()


def _fact_lines(label: str, text: str) -> Iterator[str]:
    wrapped = wrap(text, WIDTH - LABEL_WIDTH, break_on_hyphens=False) or [""]
    for index, part in enumerate(wrapped):
        yield f"{'' if index else label:<{LABEL_WIDTH}}{part}"


def _closing(explanation: Explanation) -> str:
    first = explanation.first_difference
    if first is not None:
        return f"The first difference is {visible(first.name)}, step {first.step}."
    if explanation.unproven:
        return "Nothing differs, but something could not be proved: the evidence is not there."
    return "Nothing published differs from what the evidence gives."


def _text_lines(line: Line, *, first: bool, color: bool) -> Iterator[str]:
    mark = "▶" if first else "✗" if line.differs else " "
    bold, plain = ("\x1b[1;31m", "\x1b[0m") if color and line.differs else ("", "")
    head = f"{mark} {line.step:>4}  {visible(line.name):<{NAME_WIDTH}}"
    if not line.differs or line.published is None:
        text = visible(line.recomputed)
        if line.bits is not None:
            text = f"{text:<{VALUE_WIDTH}}{line.bits}"
        if line.published is not None:
            text = f"{text:<{VALUE_WIDTH}} ="
        room = WIDTH - len(head)
        # A value and its bits stand in columns, which wrapping would close up.
        wrapped = [text] if len(text) <= room else wrap(text, room, break_on_hyphens=False)
        yield f"{bold}{head}{wrapped[0]}".rstrip() + plain
        for more in wrapped[1:]:
            yield f"{bold}{' ' * len(head)}{more}".rstrip() + plain
        for more in wrap(visible(line.note or ""), WIDTH - 8, break_on_hyphens=False):
            yield f"{bold}{_INDENT}{more}{plain}"
        return
    yield f"{bold}{head}{visible(line.note or 'differs')}{plain}"
    for label, value, bits in (
        ("published", visible(line.published), line.published_bits),
        ("recomputed", visible(line.recomputed), line.bits),
    ):
        text = f"{_INDENT}{label:<{NAME_WIDTH}}{value:<{VALUE_WIDTH}}{bits or ''}"
        yield f"{bold}{text.rstrip()}{plain}"


def render_json(explanation: Explanation) -> bytes:
    """Write an explanation as canonical JSON and one newline."""
    first = explanation.first_difference
    value: JsonValue = {
        "format": "tallyproof-explanation/1",
        "subject": explanation.subject,
        "facts": dict(explanation.facts),
        "sections": [
            {
                "title": section.title,
                "lines": [
                    {
                        "step": line.step,
                        "name": line.name,
                        "recomputed": line.recomputed,
                        "bits": line.bits,
                        "published": line.published,
                        "published_bits": line.published_bits,
                        "note": line.note,
                        "differs": line.differs,
                        "unproven": line.unproven,
                    }
                    for line in section.lines
                ],
            }
            for section in explanation.sections
        ],
        "first_difference": None if first is None else first.name,
    }
    return canonical_bytes(value) + b"\n"
