"""
``SHA256SUMS``: the list that makes a bundle one thing.

Text in UTF-8. One line for each file of the bundle but the list itself::

    <64 lower-case hex digits of sha256><space><space><path><newline>

Lines are sorted by the bytes of their paths, no path stands twice, and the last
line ends in a newline too. ``sha256sum -c SHA256SUMS`` accepts such a list.

A list that breaks this, or that does not hold, is a false claim of the
publisher: it comes out as problems, which a check turns into findings. Only a
list that is not text at all is an error.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from verifier.bundle.inventory import SUMS, Inventory, find
from verifier.bundle.paths import path_fault, printable
from verifier.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["LayoutProblem", "parse_line", "sums_problems"]

_LINE: Final = re.compile(r"([0-9a-f]{64})  (.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LayoutProblem:
    """
    One thing that is wrong with a bundle as a whole.

    Args:
        path: The file that it is about.
        reason: What is wrong, starting in lower case, without a full stop.
        line: Line of ``SHA256SUMS`` that makes the false claim, from 1.
        published: What the bundle says.
        recomputed: What is really there.
    """

    path: str
    reason: str
    line: int | None = None
    published: str = ""
    recomputed: str = ""


def parse_line(line: str) -> tuple[str, str] | None:
    """Split one line (without its newline) into digest and path; None if it is malformed."""
    match = _LINE.fullmatch(line)
    return (match[1], match[2]) if match else None


def sums_problems(text: bytes, inventory: Inventory) -> Iterator[LayoutProblem]:
    """
    Compare the list with the files.

    Args:
        text: The list as it was read.
        inventory: The files as they were hashed.

    Yields:
        The problems of the list in the order of its lines, then the files that
        it leaves out.

    Raises:
        BundleError: The list is not UTF-8.
    """
    listed = bytearray(len(inventory.paths))
    previous = ""
    for number, (line, ended) in enumerate(_lines(text), 1):
        pair = parse_line(line)
        if pair is None or not ended:
            reason = "malformed line" if ended else "the last line does not end in a newline"
            yield LayoutProblem(
                SUMS, reason, number, printable(line) or "an empty line", '"<sha256>  <path>\\n"'
            )
        if pair is None:
            continue
        digest, path = pair
        if path <= previous:
            reason = "listed twice" if path == previous else "not sorted by path"
            yield LayoutProblem(printable(path), reason, number, printable(path), "a later path")
        previous = path
        yield from _line_problems(path, digest, number, inventory, listed)
    for at, path in enumerate(inventory.paths):
        if not listed[at] and path != SUMS:
            yield LayoutProblem(
                path, f"not listed in {SUMS}", None, "not listed", inventory.digest(at)
            )


def _lines(text: bytes) -> Iterator[tuple[str, bool]]:
    try:
        whole = text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise BundleError("not UTF-8", file=SUMS, line=line, offset=error.start) from None
    start = 0
    while start < len(whole):
        end = whole.find("\n", start)
        yield whole[start : end if end >= 0 else None], end >= 0
        start = end + 1 if end >= 0 else len(whole)


def _line_problems(
    path: str, digest: str, number: int, inventory: Inventory, listed: bytearray
) -> Iterator[LayoutProblem]:
    fault = path_fault(path)
    if path == SUMS:
        fault = "the list names itself"
    if fault is not None:
        yield LayoutProblem(printable(path), fault, number, printable(path), "not allowed")
    at = find(inventory.paths, path)
    if at is None:
        if fault is None:
            yield LayoutProblem(path, "listed but missing", number, digest, "no such file")
        return
    listed[at] = 1
    if path != SUMS and inventory.digest(at) != digest:
        yield LayoutProblem(path, "its hash does not hold", number, digest, inventory.digest(at))
