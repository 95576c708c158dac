r"""
Strict JSON, fast: the reader that everything of ours uses.

What is accepted is stated in ``jsonscan``, which also names the place of a
fault. Here a text is read by the C parser of the standard library, about as fast
as ``json.loads``, and what that parser lets through is found on the way:

1. the bytes must be UTF-8, decoded strictly before parsing;
2. depth is counted on the text's *skeleton*: its brackets, braces, colons and
   commas, with all strings taken out; a bound on the number of values too, since
   each but the first comes after a comma or an opening bracket or brace;
3. the skeleton has as many colons as there are members; fewer members in the
   objects that were built means that a name stood twice in one of them;
4. surrogate escapes must be paired, which a regular expression sees once ``\\``
   is out of the way;
5. floats must be finite and integers in range; NaN and Infinity are no numbers.

Any doubt, a false one included, hands the text to the scanner, whose answer is
final. So this file can only ever be too cautious, never too lenient.

JSON lines: one JSON text a line, each followed by ``\n``; nothing else divides
lines, and no line is empty.
"""

from __future__ import annotations

import re
from json import JSONDecoder
from math import isinf
from typing import TYPE_CHECKING, Final, NoReturn, cast

from verifier.core.canon import canonical_bytes
from verifier.core.diagnose import with_guess
from verifier.core.jsonscan import (
    BIG_DIGITS,
    SAFE_INTEGER,
    BigIntegers,
    JsonLimits,
    JsonValue,
    scan,
)
from verifier.errors import EvidenceError, JsonError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

__all__ = [
    "DEFAULT_LIMITS",
    "BigIntegers",
    "JsonLimits",
    "JsonValue",
    "iter_jsonl",
    "read_canonical",
    "read_json",
]

DEFAULT_LIMITS: Final = JsonLimits()

_NOT_OUTLINE: Final = bytes(set(range(256)) - set(b'[]{}:,"'))
_NOT_BRACKETS: Final = bytes(set(range(256)) - set(b"[]{}"))
_BRACES_AS_BRACKETS: Final = bytes.maketrans(b"{}", b"[]")
_DIGITS_AS_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
_LONE_SURROGATE: Final = re.compile(
    rb"\\u[dD](?:"
    rb"[89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|"
    rb"(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD])[c-fC-F])",
)
# Integers of so many digits are safe, whatever the digits are.
_SAFE_DIGITS: Final = 15
# One number in more bytes than this is few: checking each is faster than a search.
_FEW: Final = 64
# Below this, making a decoder costs more than checking each object by a function.
_SHORT: Final = 2048


class _DoubtError(ValueError):
    """The fast path saw something that the scanner has to judge."""


def read_json(
    data: bytes,
    *,
    limits: JsonLimits = DEFAULT_LIMITS,
    big_integers: BigIntegers = "refuse",
) -> JsonValue:
    """
    Read one strict JSON text.

    Args:
        data: The whole text.
        limits: Depth, size and number of values that are still acceptable.
        big_integers: ``refuse`` integers beyond 2^53 - 1, where numbers are
            doubles; ``keep`` them exactly, where they are integers.

    Raises:
        JsonError: With byte offset, line and pointer of the fault.
        LimitError: Over a limit; it carries the place too.

    Source: RFC 8259, RFC 7493; the rules are numbered in ``jsonscan``.

    >>> read_json(b'{"p": 0.6}')
    {'p': 0.6}
    """
    if len(data) <= limits.size:
        try:
            return _fast(data, limits, big_integers)
        except (ValueError, RecursionError):
            pass
    return scan(data, limits, big_integers)


def read_canonical(data: bytes, *, limits: JsonLimits = DEFAULT_LIMITS) -> JsonValue:
    """
    Read one JSON text that must be the canonical form of its value.

    Raises:
        JsonError: Not strict JSON, or not canonical. The place is then the first
            byte that differs, and the reason may name, as a guess, the form that
            the bytes are in.
        LimitError: Over a limit.

    Source: RFC 8785.
    """
    value = read_json(data, limits=limits)
    canonical = canonical_bytes(value)
    if canonical != data:
        _refuse_form(value, data, canonical)
    return value


def iter_jsonl(
    data: bytes,
    *,
    limits: JsonLimits = DEFAULT_LIMITS,
    big_integers: BigIntegers = "refuse",
    canonical: bool = False,
) -> Iterator[tuple[int, bytes, JsonValue]]:
    r"""
    Read JSON lines one by one.

    Args:
        data: The whole file; an empty one has no lines.
        limits: Depth, size and number of values that are still acceptable, for each line.
        big_integers: As for :func:`read_json`; with *canonical* none are kept.
        canonical: Demand of each line that it is canonical.

    Yields:
        Number of the line from 1, its bytes without ``\n``, its value.

    Raises:
        JsonError: With the place in the whole file.
        LimitError: The same.
    """
    start, number = 0, 0
    while start < len(data):
        number += 1
        end = data.find(b"\n", start)
        line = data[start:] if end < 0 else data[start:end]
        try:
            if end < 0:
                raise JsonError("last line does not end in a newline", offset=len(line))
            if not line:
                raise JsonError("empty line", offset=0)
            value = (
                read_canonical(line, limits=limits)
                if canonical
                else read_json(line, limits=limits, big_integers=big_integers)
            )
        except EvidenceError as error:
            # Lines are divided at every "\n", so a fault is always on this one.
            error.line = number
            error.offset = start + (error.offset or 0)
            raise
        yield number, line, value
        start = end + 1


def _refuse_form(value: JsonValue, data: bytes, canonical: bytes) -> NoReturn:
    same = next(
        (
            at
            for at, (ours, theirs) in enumerate(zip(canonical, data, strict=False))
            if ours != theirs
        ),
        min(len(canonical), len(data)),
    )
    raise JsonError(
        with_guess("not in canonical form from this byte on", value, data),
        offset=same,
        line=1 + data.count(b"\n", 0, same),
    )


def _fast(data: bytes, limits: JsonLimits, big_integers: BigIntegers) -> JsonValue:
    """
    Read a text in which the C parser and a few searches see nothing doubtful.

    Raises:
        ValueError: Not JSON, not UTF-8, or in doubt.
        RecursionError: The caller allows more depth than Python's stack has.
    """
    text = data.decode()
    unescaped = data
    if b"\\" in data:
        unescaped = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
        if b"\\u" in unescaped and _LONE_SURROGATE.search(unescaped):
            raise _DoubtError
    if (
        len(data) <= min(_SHORT, limits.values)
        and data.count(b"[") + data.count(b"{") <= limits.depth
    ):
        return cast("JsonValue", _SHORT_TEXT[big_integers].decode(text))
    outline = unescaped.translate(None, _NOT_OUTLINE)
    skeleton = _without_strings(outline)
    opened = skeleton.count(b"[") + skeleton.count(b"{")
    commas = skeleton.count(b",")
    if opened + commas >= limits.values or not _is_within(skeleton, opened, limits.depth):
        raise _DoubtError
    colons = skeleton.count(b":")
    string_values = outline.count(b'"') // 2 - colons
    # Numbers, true, false and null; empty containers make it an overestimate.
    others = commas + 1 - string_values
    members = _members()
    next(members)
    decoder = JSONDecoder(
        object_hook=members.send,
        parse_constant=_no_number,
        parse_float=_finite,
        parse_int=_checked_int(data, others, big_integers),
    )
    value = cast("JsonValue", decoder.decode(text))
    if next(members) != colons:
        raise _DoubtError
    return value


def _without_strings(outline: bytes) -> bytes:
    """Leave out strings, from an outline in which every quote begins or ends one."""
    # Two quotes side by side go: an empty string, or the end of one string and the
    # beginning of the next. What is inside and what is outside stays so.
    rest = outline.replace(b'""', b"")
    return b"".join(rest.split(b'"')[::2]) if b'"' in rest else rest


def _is_within(skeleton: bytes, opened: int, depth: int) -> bool:
    """Whether arrays and objects, *opened* in all, are nested at most *depth* deep."""
    if opened <= depth:
        return True
    layers = skeleton.translate(_BRACES_AS_BRACKETS, _NOT_BRACKETS)
    for _ in range(depth):
        layers = layers.replace(b"[]", b"")
        if not layers:
            return True
    return False


def _members() -> Generator[object, dict[str, JsonValue] | None, None]:
    """
    Count the members of all objects: a hook for the decoder.

    Each object sent comes back as it is; ``next`` gives the count. A generator,
    since sending to one costs a third of calling a function.
    """
    count = 0
    built = yield None
    while True:
        if built is None:
            built = yield count
        else:
            count += len(built)
            built = yield built


def _checked_int(
    data: bytes,
    count: int,
    big_integers: BigIntegers,
) -> Callable[[str], int] | None:
    """
    Choose how to read integers: the parser's own way if none can be too long.

    Args:
        data: The text, which is searched for long runs of digits.
        count: How many integers there are at most; few are checked one by one.
        big_integers: Whether those beyond 2^53 - 1 are kept.
    """
    longest = BIG_DIGITS if big_integers == "keep" else _SAFE_DIGITS
    if count * _FEW > len(data) and b"0" * (longest + 1) not in data.translate(_DIGITS_AS_ZERO):
        return None
    return _kept_int if big_integers == "keep" else _safe_int


def _no_number(_word: str) -> NoReturn:
    raise _DoubtError


def _safe_int(token: str) -> int:
    number = int(token)
    if not -SAFE_INTEGER <= number <= SAFE_INTEGER:
        raise _DoubtError
    return number


def _kept_int(token: str) -> int:
    if len(token) > BIG_DIGITS:
        raise _DoubtError
    return int(token)


def _finite(token: str) -> float:
    number = float(token)
    if isinf(number):
        raise _DoubtError
    return number


def _unlike_names(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _DoubtError
    return members


_SHORT_TEXT: Final = {
    big_integers: JSONDecoder(
        object_pairs_hook=_unlike_names,
        parse_constant=_no_number,
        parse_float=_finite,
        parse_int=parse_int,
    )
    for big_integers, parse_int in (("refuse", _safe_int), ("keep", _kept_int))
}
