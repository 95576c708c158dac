"""
What pages say besides tables: verdicts, hashes, numbers, times, downloads.

A verdict is a word with a shape before it: a filled square passes, a crossed
one fails, a hollow one is unproven, a dash is exempt. The colour only repeats
what both say.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from markupsafe import Markup, escape

from sitegen.components.inline import chip, mark, words
from sitegen.text import shown
from verifier.errors import FormatError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "Download",
    "Segment",
    "agent_words",
    "big_number",
    "coverage_bar",
    "downloads",
    "facts",
    "hash_chip",
    "json_block",
    "label",
    "math",
    "time",
    "verdict",
]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

Coverage: TypeAlias = Literal["anchored", "sealed", "recomputed", "exempt", "missing", "failed"]


@dataclass(frozen=True, slots=True)
class Download:
    """
    A file to take away.

    Args:
        label: What it holds.
        path: From the root of the site.
        sha256: Of its bytes, in hex.
        size: In bytes.
        note: A word about it.
    """

    label: str
    path: str
    sha256: str
    size: int
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """
    A part of a coverage bar.

    Args:
        kind: What these have in common, which is also how the part is drawn.
        label: The same in words, as the text under the bar says it.
        count: How many there are.
    """

    kind: Coverage
    label: str
    count: int


def verdict(word: str, text: str | None = None) -> Markup:
    """
    Say a verdict.

    Args:
        word: ``pass``, ``fail``, ``unproven`` or ``exempt``.
        text: What it is about, such as ``17 of 17 outputs equal``.

    Raises:
        ValueError: The word is none of the four.
    """
    about = f' <span class="about">· {words(text)}</span>' if text else ""
    return _safe(mark(word, f"<b>{word}</b>{about}"))


def label(text: str, note: str | None = None) -> Markup:
    """Show a word that stands by a name, such as ``provisional``, and say what it means."""
    title = f' title="{words(note)}"' if note else ""
    return _safe(f'<span class="label"{title}>{words(text)}</span>')


def hash_chip(digits: str, href: str | None = None, name: str | None = None) -> Markup:
    """
    Show a hash by its ends; the whole is in the page, and is what a reader copies.

    Args:
        digits: The hash in hex.
        href: Relative link to its record.
        name: What it is the hash of, before it.
    """
    before = f'<span class="of">{words(name)}</span> ' if name else ""
    return _safe(before + chip(digits, href))


def coverage_bar(segments: Sequence[Segment], what: str = "inputs") -> Markup:
    """
    Draw how much of something is covered, as one thin bar with its counts in words.

    Args:
        segments: From left to right; those of nothing are named and not drawn.
        what: What is counted.
    """
    total = sum(each.count for each in segments)
    texts = [f"{each.count:,} {each.label}" for each in segments]
    title = words(f"Of {total:,} {what}: {', '.join(texts)}.")
    bars, done = [], 0
    for each in segments:
        if each.count:
            bars.append(
                f'<rect class="{each.kind}" x="{_share(done, total)}" y="0"'
                f' width="{_share(each.count, total)}" height="10"/>'
            )
            done += each.count
    items = "".join(
        f'<li><span class="key {each.kind}"></span><b>{each.count:,}</b> {words(each.label)}</li>'
        for each in segments
    )
    return _safe(
        f'<div class="coverage"><svg role="img" aria-label="{title}" width="100%" height="10">'
        f'<title>{title}</title>{"".join(bars)}</svg><p class="of">of {total:,} {words(what)}</p>'
        f"<ul>{items}</ul></div>"
    )


def _share(count: int, total: int) -> str:
    """Write *count* of *total* in percent, rounded half up to 4 decimals by integers alone."""
    units = (count * 2_000_000 + total) // (2 * total)
    return f"{units // 10_000}.{units % 10_000:04}%"


def downloads(items: Iterable[Download], href: Callable[[str], str]) -> Markup:
    """List files to take away, each with its size and its hash."""
    lines = "".join(_download(each, href(each.path)) for each in items)
    return _safe(f'<ul class="downloads">{lines}</ul>')


def _download(item: Download, link: str) -> str:
    note = f'<p class="note">{words(item.note)}</p>' if item.note else ""
    return (
        f'<li><a href="{escape(link)}" download>{words(item.label)}</a>'
        f' <span class="size">{_size(item.size)}</span> {chip(item.sha256)}{note}</li>'
    )


def _size(count: int) -> str:
    return f"{count:,} byte" if count == 1 else f"{count:,} bytes"


def big_number(
    value: str, unit: str, beside: str | Markup | None = None, *, check: str | None = None
) -> Markup:
    """
    Show the number that matters.

    Args:
        value: As published.
        unit: What it counts or measures.
        beside: Its uncertainty or coverage; a sentence, or parts of a page.
        check: What ``verify.js`` calls the value, if it recomputes it.
    """
    more = f'<div class="beside">{_value(beside)}</div>' if beside else ""
    name = "" if check is None else f' data-verify="{words(check)}"'
    return _safe(
        f'<div class="big"><p><span class="value"{name}>{words(value)}</span>'
        f' <span class="unit">{words(unit)}</span></p>{more}</div>'
    )


def facts(pairs: Iterable[tuple[str, str | Markup]]) -> Markup:
    """List facts, each under what it is called; a text is taken for hostile."""
    lines = "".join(
        f"<div><dt>{words(name)}</dt><dd>{_value(value)}</dd></div>" for name, value in pairs
    )
    return _safe(f'<dl class="facts">{lines}</dl>')


def _value(value: str | Markup) -> str:
    return value if isinstance(value, Markup) else words(value)


def time(moment: int | str) -> Markup:
    """
    Show a moment in UTC; the script adds the reader's own time as a tooltip.

    Args:
        moment: Milliseconds since 1970, or RFC 3339.

    Raises:
        FormatError: It is no moment between the years 1 and 9999.
    """
    try:
        if isinstance(moment, int):
            when = _EPOCH + timedelta(milliseconds=moment)
        else:
            when = datetime.fromisoformat(moment)
            # A time without a zone would be read in the zone of the machine.
            when = when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)
    except (OverflowError, ValueError):
        raise FormatError(f"{moment!r} is no time") from None
    # Unlike strftime, isoformat writes early years with four digits on every platform.
    text = when.isoformat(" ")[:16]
    if when.microsecond:
        text += f":{when.second:02}.{when.microsecond // 1000:03}"
    elif when.second:
        text += f":{when.second:02}"
    return _safe(f'<time datetime="{text.replace(" ", "T")}Z">{text} UTC</time>')


def json_block(text: str, label: str = "JSON") -> Markup:
    """Show JSON as it was published, whole; what is hidden in it is made visible."""
    lines = "\n".join(escape(shown(line, limit=None)) if line else "" for line in text.split("\n"))
    return _safe(
        f'<pre class="json" role="group" tabindex="0" aria-label="{words(label)}">'
        f"<code>{lines}</code></pre>"
    )


def agent_words(text: str, who: str | None = None) -> Markup:
    """Quote what an agent wrote, and say that it is data."""
    # What shown() writes for a line's end stands for nothing else, so this brings back the lines.
    quoted = words(text).replace("&lt;U+000A&gt;", "\n")
    author = f" by {words(who)}" if who else " by the agent"
    return _safe(
        f'<figure class="agent-words"><blockquote dir="auto">{quoted or "(empty)"}'
        f"</blockquote><figcaption>Written{author}. Data, never an instruction.</figcaption>"
        f"</figure>"
    )


def math(mathml: str, *, block: bool = False) -> Markup:
    """Show a formula that is MathML already, and ours."""
    if block:
        return _safe(
            f'<div class="math" role="group" tabindex="0" aria-label="Formula">{mathml}</div>'
        )
    return _safe(mathml)


def _safe(html: str) -> Markup:
    return Markup(html)  # noqa: S704 - whoever calls has escaped every part
