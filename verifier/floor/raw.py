"""
Raw responses: which body a hash names, and what reading it gives.

One hash may have several lines in the index: one body fetched twice, or the
answer to two requests. Each line in time is one exchange. A body is read once
and kept, up to a number of rows, so that calls that share responses share the
work; every process of an audit keeps its own.

The same answer to the same request, fetched again, holds the candles that it
held before and covers what had ended by then. So of many such lines only those
are read whose covered times would otherwise leave a hole: a line costs its
publisher a few bytes, and must not cost an audit the reading of a whole body.

Source:
    floor.md section 8; floor-clarifications.md 7, 9, 10.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from verifier.core.canon import canonical_bytes
from verifier.errors import LimitError
from verifier.venues.evidence import evidence_page
from verifier.venues.exchange import BODY_BYTES, Ask, CandlePage, Exchange, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formulas.floor.paths import Span
    from verifier.bundle import Bundle
    from verifier.floor.rows import RawLine
    from verifier.venues.exchange import Page

__all__ = ["Gathered", "Responses", "body_path", "index_by_hash"]

MOST_ROWS: Final = 250_000
FEW: Final = 3
# Hyperliquid's answers reach back 5,000 intervals, and a minute is the shortest of them.
APART_MS: Final = 4_900 * 60_000


def body_path(sha256: str) -> str:
    """Name the file that holds the body of a hash."""
    return f"raw/{sha256[:2]}/{sha256}"


def index_by_hash(lines: Iterable[RawLine]) -> dict[str, tuple[RawLine, ...]]:
    """Group the lines of the index by hash."""
    found: dict[str, list[RawLine]] = {}
    for line in lines:
        found.setdefault(line.sha256, []).append(line)
    return {sha256: tuple(own) for sha256, own in found.items()}


class Gathered(NamedTuple):
    """
    The evidence that a list of hashes names.

    Attributes:
        pages: Of the responses in time that are well-formed answers.
        refused: Of the others in time, the hash and why they contribute nothing.
        lacking: First hash without a line, or without its body.
        untimely: First hash all of whose lines were fetched out of time.
    """

    pages: tuple[Page, ...]
    refused: tuple[tuple[str, Refused], ...]
    lacking: str | None
    untimely: str | None


def telling(lines: Sequence[RawLine]) -> Sequence[RawLine]:
    """
    Leave out lines of one body that add nothing to the others.

    Args:
        lines: Lines of one hash.

    Returns:
        Of every request the first fetch, the last, and so many between them that
        no two neighbours are further apart than what each of them covers.
    """
    if len(lines) <= FEW:
        return lines
    by_request: dict[tuple[object, ...], list[RawLine]] = {}
    for line in sorted(lines, key=lambda line: line.fetched_at):
        asked = None if line.body is None else canonical_bytes(dict(line.body))
        key = (line.venue, line.method, line.url, asked, line.status)
        by_request.setdefault(key, []).append(line)
    kept: list[RawLine] = []
    for own in by_request.values():
        chosen = [own[0]]
        for line, later in zip_longest(own[1:], own[2:]):
            if later is None or later.fetched_at - chosen[-1].fetched_at > APART_MS:
                chosen.append(line)
        kept += chosen
    return kept


class Responses:
    """
    The raw responses of a bundle.

    Args:
        bundle: Holds the bodies.
        lines: The index.
    """

    def __init__(self, bundle: Bundle, lines: Mapping[str, tuple[RawLine, ...]]) -> None:
        self._bundle = bundle
        self._lines = lines

    def has(self, sha256: str) -> bool:
        """Tell whether the bundle holds the body; one of another hash is not it."""
        path = body_path(sha256)
        return self._bundle.has(path) and self._bundle.digest(path) == sha256

    def gather(self, hashes: Iterable[str], times: Span) -> Gathered:
        """
        Read the responses that some hashes name.

        Args:
            hashes: As a call or an attempt lists them.
            times: When they must have been fetched, ends included.
        """
        pages: list[Page] = []
        refused: list[tuple[str, Refused]] = []
        lacking = untimely = None
        for sha256 in hashes:
            lines = self._lines.get(sha256, ())
            in_time = [line for line in lines if times.first <= line.fetched_at <= times.last]
            if lines and not in_time:
                untimely = untimely or sha256
            elif not lines or not self.has(sha256):
                lacking = lacking or sha256
                continue
            for line in telling(in_time):
                page = self.page(line)
                if isinstance(page, Refused):
                    refused.append((sha256, page))
                else:
                    pages.append(page)
        return Gathered(tuple(pages), tuple(refused), lacking, untimely)

    def page(self, line: RawLine) -> Page | Refused:
        """Read the body of one line of the index, or give what is kept of it."""
        known = _kept.get(line.key)
        if known is not None:
            _kept.move_to_end(line.key)
            return known[0]
        path = body_path(line.sha256)
        if self._bundle.size(path) > BODY_BYTES:
            raise LimitError(f"over {BODY_BYTES} bytes", limit="body_bytes", file=path)
        content = self._bundle.read(path)
        ask = Ask(line.method, line.url, line.body)
        page = evidence_page(
            Exchange(line.venue, ask, line.status, line.fetched_at, line.sha256, content)
        )
        _keep(line.key, page)
        return page


# By the hash of the line, which says everything about an exchange, its body's hash too:
# so one cache serves all bundles of a process.
_kept: OrderedDict[bytes, tuple[Page | Refused, int]] = OrderedDict()
_rows = 0


def _keep(key: bytes, page: Page | Refused) -> None:
    global _rows  # noqa: PLW0603 - the size of the cache above
    _kept[key] = page, _size(page)
    _rows += _size(page)
    while _rows > MOST_ROWS and len(_kept) > 1:
        _rows -= _kept.popitem(last=False)[1][1]


def _size(page: Page | Refused) -> int:
    if isinstance(page, Refused):
        return 1
    return len(page.path.candles if isinstance(page, CandlePage) else page.path.prints) + 1
