r"""
The lines of a manifest, before it is known what they mean.

A manifest is UTF-8 without a byte-order mark. Its first line names the scheme;
every further line is a key, a colon, one space and one JSON value. The keys
and their order are the scheme's, there is no blank line, lines end in ``\n``
alone, and the last one ends so too. A JSON text never holds a raw newline, so
no value can forge a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, TypeVar, cast

from verifier.arcana.gojson import GoValue, as_doubles, check_depth, quote, read
from verifier.errors import FormatError, JsonError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = [
    "INTEGER",
    "NUMBER",
    "OPTIONAL_TEXT",
    "TEXT",
    "TIME",
    "Kind",
    "Line",
    "ManifestError",
    "Member",
    "optional_text",
    "pointer",
    "read_lines",
    "split_lines",
]

Kind = Literal["format", "not_canonical"]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Member:
    """
    What a member of a record has to be.

    Args:
        wanted: The same in words, for the error.
        types: Types of the values allowed.
        pattern: Expression that the whole text has to match.
    """

    wanted: str
    types: frozenset[type]
    pattern: re.Pattern[str] | None = None

    def holds(self, values: Iterable[GoValue]) -> bool:
        """Say whether every one of the values is allowed; a column at once is fast."""
        values = tuple(values)
        return self.types.issuperset(map(type, values)) and (
            self.pattern is None or all(map(self.pattern.fullmatch, cast("tuple[str]", values)))
        )


TEXT: Final = Member("a string", frozenset({str}))
OPTIONAL_TEXT: Final = Member("a string or null", frozenset({str, type(None)}))
INTEGER: Final = Member("an integer of 64 bits", frozenset({int}))
NUMBER: Final = Member("a number", frozenset({int, float}))
TIME: Final = Member(
    "a time such as 2026-09-14T23:30:00.000000Z",
    frozenset({str}),
    re.compile(
        "[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])"
        r"T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z"
    ),
)


class ManifestError(FormatError):
    """
    Not a manifest.

    Args:
        reason: What is wrong.
        kind: ``format`` if the bytes are not of a scheme's shape at all, or
            ``not_canonical`` if they can be read, but writing what was read
            gives other bytes.
        line: Line of the manifest, from 1.
        offset: Byte of the manifest, from 0.
        pointer: RFC 6901 pointer into the JSON value of that line.
    """

    def __init__(
        self,
        reason: str,
        *,
        kind: Kind = "format",
        line: int | None = None,
        offset: int | None = None,
        pointer: str | None = None,
    ) -> None:
        super().__init__(reason, line=line, offset=offset, pointer=pointer)
        self.kind: Kind = kind


@dataclass(frozen=True, slots=True)
class Line:
    """
    One line: its value is still of any type, and each method demands one.

    Args:
        number: Line of the manifest, from 1.
        offset: Byte of the manifest at which the value begins.
        key: What stands before the colon.
        value: What stands after it.
    """

    number: int
    offset: int
    key: str
    value: GoValue

    def wrong(self, reason: str, pointer: str | None = None) -> ManifestError:
        """Make the error that names this line."""
        return ManifestError(
            f"{self.key}: {reason}", line=self.number, offset=self.offset, pointer=pointer
        )

    def text(self) -> str:
        """Demand a string."""
        if not isinstance(self.value, str):
            raise self.wrong(f"must be {TEXT.wanted}")
        return self.value

    def optional_text(self) -> str | None:
        """Demand a string or null."""
        if not (self.value is None or isinstance(self.value, str)):
            raise self.wrong(f"must be {OPTIONAL_TEXT.wanted}")
        return self.value

    def time(self) -> str:
        """Demand a UTC time with six digits of the second."""
        text = self.text()
        if not TIME.holds([text]):
            raise self.wrong(f"must be {TIME.wanted}")
        return text

    def optional_time(self) -> str | None:
        """Demand such a time, or null."""
        return None if self.value is None else self.time()

    def object(self) -> dict[str, GoValue]:
        """Demand an object."""
        if not isinstance(self.value, dict):
            raise self.wrong("must be an object")
        try:
            check_depth(self.value)
        except JsonError as error:
            raise self.wrong(error.reason) from None
        return self.value

    def optional_object(self) -> dict[str, GoValue] | None:
        """Demand an object or null; its numbers are doubles."""
        if self.value is None:
            return None
        return {key: as_doubles(value) for key, value in self.object().items()}

    def doubles(self) -> dict[str, float]:
        """Demand an object of numbers, which are doubles."""
        members = self.object()
        for key, value in members.items():
            if not NUMBER.holds([value]):
                raise self.wrong(f"must be {NUMBER.wanted}", pointer(key))
        return {key: float(cast("float", value)) for key, value in members.items()}

    def records(self, make: Callable[..., _T], shape: Mapping[str, Member]) -> tuple[_T, ...]:
        """
        Demand a list of objects.

        Args:
            make: Called with the members that *shape* names, in its order.
            shape: What each member has to be. A member that it does not name is
                left out, so that writing the record again will tell.
        """
        if not isinstance(self.value, list):
            raise self.wrong("must be a list")
        if not self.value:
            return ()
        try:
            # By column rather than by record: a season has thousands of these.
            records = cast("list[dict[str, GoValue]]", self.value)
            columns = tuple(zip(*map(itemgetter(*shape), records), strict=True))
        except (KeyError, TypeError):
            raise self._culprit(self.value, shape) from None
        if not all(map(Member.holds, shape.values(), columns)):
            raise self._culprit(self.value, shape)
        return tuple(map(make, *columns))

    def _culprit(self, records: Sequence[GoValue], shape: Mapping[str, Member]) -> ManifestError:
        for index, record in enumerate(records):
            if not isinstance(record, dict):
                return self.wrong("must be an object", pointer(index))
            for key, member in shape.items():
                if key not in record:
                    return self.wrong(f"has no {key}", pointer(index))
                if not member.holds([record[key]]):
                    return self.wrong(f"must be {member.wanted}", pointer(index, key))
        raise AssertionError("records() found a fault that is in no record")


def pointer(*parts: str | int) -> str:
    """
    Write an RFC 6901 pointer.

    >>> pointer(3, "a/b")
    '/3/a~1b'
    """
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in parts)


def optional_text(text: str | None) -> str:
    """Write a text or null; an empty text is null too, as the platform writes it."""
    return quote(text) if text else "null"


def split_lines(data: bytes) -> list[str]:
    """
    Split a manifest into its lines, the first of which names the scheme.

    Raises:
        ManifestError: Not UTF-8, or not lines that each end in a newline alone.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ManifestError("not UTF-8", line=line, offset=error.start) from None
    if text.startswith("\ufeff"):
        raise ManifestError("begins with a byte-order mark", line=1, offset=0)
    if "\r" in text:
        offset = data.index(b"\r")
        line = data.count(b"\n", 0, offset) + 1
        raise ManifestError("holds a carriage return", line=line, offset=offset)
    if not text.endswith("\n"):
        raise ManifestError("does not end in a newline", offset=len(data))
    lines = text.split("\n")
    lines.pop()
    return lines


def read_lines(lines: Sequence[str], keys: Sequence[str]) -> tuple[Line, ...]:
    """
    Read the lines after the first.

    Args:
        lines: What :func:`split_lines` gives.
        keys: The keys of the scheme, in order.

    Raises:
        ManifestError: The lines are not those keys, each with one JSON value.
    """
    if len(lines) != len(keys) + 1:
        raise ManifestError(f"has {len(lines)} lines, and its scheme {len(keys) + 1}")
    read_so_far = []
    offset = len(lines[0].encode()) + 1
    for number, (key, line) in enumerate(zip(keys, lines[1:], strict=True), start=2):
        prefix = f"{key}: "
        if not line.startswith(prefix):
            raise ManifestError(f"the line must begin {prefix!r}", line=number, offset=offset)
        begin = offset + len(prefix)
        try:
            value = read(line[len(prefix) :])
        except JsonError as error:
            place = begin + (error.offset or 0)
            raise ManifestError(f"{key}: {error.reason}", line=number, offset=place) from None
        read_so_far.append(Line(number, begin, key, value))
        offset += len(line.encode()) + 1
    return tuple(read_so_far)
