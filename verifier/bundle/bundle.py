"""
An opened bundle: all its files were hashed once, and stay what they were.

Opening hashes every file (the sweep), compares the hashes with ``SHA256SUMS``
and reads ``bundle.json``. From then on a bundle is a value: reading a file
hashes it again and compares with the sweep, so that no check ever sees bytes
other than those that the bundle's seal covers.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Self

from verifier.bundle.index import INDEX, BundleIndex, family_problems, read_index
from verifier.bundle.inventory import SUMS, Inventory, find
from verifier.bundle.paths import printable
from verifier.bundle.segments import Segment, cut, cut_off, long_line
from verifier.bundle.sums import LayoutProblem, sums_problems
from verifier.errors import BundleError, ChangedError, LimitError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from verifier.bundle.sources import Source
    from verifier.limits import BundleLimits

__all__ = ["Bundle", "ReopenToken", "assemble", "reopen"]


@dataclass(frozen=True, slots=True)
class ReopenToken:
    """
    All that another process needs to open a bundle without hashing it again.

    It can be pickled, and is valid while the bundle that it was made from stays
    open: an unpacked archive is deleted when that one is closed.
    """

    source: Source
    state: _State


@dataclass(frozen=True, slots=True)
class _State:
    inventory: Inventory
    index: BundleIndex
    problems: tuple[LayoutProblem, ...]
    seal: str
    limits: BundleLimits


class Bundle:
    """
    An evidence bundle whose files were all hashed.

    Made by :func:`~verifier.bundle.opening.open_bundle`,
    :func:`~verifier.bundle.overlay.overlay` or :func:`reopen`; a context
    manager. One bundle belongs to one thread.
    """

    __slots__ = ("_paths", "_source", "_state")

    def __init__(self, source: Source, state: _State) -> None:
        self._source = source
        self._state = state
        paths = state.inventory.paths
        at = find(paths, SUMS)
        self._paths = paths if at is None else paths[:at] + paths[at + 1 :]

    @property
    def index(self) -> BundleIndex:
        """The content of ``bundle.json``."""
        return self._state.index

    @property
    def sha256(self) -> str:
        """
        The bundle's seal: sha256 of the ``SHA256SUMS`` that is true of its files.

        The same for a directory and for any archive of it. When the bundle's own
        list holds, this is the sha256 of that file.
        """
        return self._state.seal

    @property
    def paths(self) -> tuple[str, ...]:
        """All files but ``SHA256SUMS``, sorted by the bytes of their paths."""
        return self._paths

    @property
    def problems(self) -> tuple[LayoutProblem, ...]:
        """What is wrong with the bundle as a whole; empty for a sound one."""
        return self._state.problems

    @property
    def limits(self) -> BundleLimits:
        """The limits that it was opened with."""
        return self._state.limits

    @property
    def inventory(self) -> Inventory:
        """All files with sizes and digests, ``SHA256SUMS`` included."""
        return self._state.inventory

    @property
    def source(self) -> Source:
        """Where the bytes come from."""
        return self._source

    @property
    def reopen_token(self) -> ReopenToken:
        """What :func:`reopen` needs, in this process or another."""
        return ReopenToken(self._source.detached(), self._state)

    def has(self, path: str) -> bool:
        """Tell whether the file is there; ``SHA256SUMS`` counts as well."""
        return find(self._state.inventory.paths, path) is not None

    def size(self, path: str) -> int:
        """Return the bytes of a file."""
        return self._state.inventory.sizes[self._position(path)]

    def digest(self, path: str) -> str:
        """Return the sha256 of a file as it was hashed at opening, in lower-case hex."""
        return self._state.inventory.digest(self._position(path))

    def read(self, path: str) -> bytes:
        """
        Read a whole file.

        Raises:
            BundleError: It is not in the bundle.
            LimitError: Over ``read_bytes``; read it by lines.
            ChangedError: It is no longer what was hashed.
        """
        limit = self._state.limits.read_bytes
        if self.size(path) > limit:
            raise LimitError(f"over {limit} bytes to read at once", limit="read_bytes", file=path)
        return b"".join(self._checked(path))

    def lines(self, path: str) -> Iterator[tuple[int, bytes]]:
        r"""
        Yield a file line by line, as (number from 1, bytes without the newline).

        Lines end at ``\n`` alone. The file's hash is known only at its end: a
        caller that stops early has read lines that nothing vouches for.

        Raises:
            BundleError: It is not in the bundle.
            LimitError: A line is longer than ``line_bytes``.
            EvidenceError: The last line does not end in a newline.
            ChangedError: It is no longer what was hashed.
        """
        limit = self._state.limits.line_bytes
        number = 0
        held: list[bytes] = []
        waiting = 0
        for chunk in self._checked(path):
            *complete, rest = chunk.split(b"\n")
            for piece in complete:
                number += 1
                if waiting + len(piece) > limit:
                    raise long_line(path, number, limit)
                yield number, b"".join((*held, piece)) if held else piece
                held.clear()
                waiting = 0
            held.append(rest)
            waiting += len(rest)
            if waiting > limit:
                raise long_line(path, number + 1, limit)
        if waiting:
            raise cut_off(path, number + 1, self.size(path))

    def segments(self, path: str, size: int) -> tuple[Segment, ...] | None:
        """
        Cut a file of lines into segments of about *size* bytes, and hash each.

        Whoever reads the lines finds those that are too long, and a last one without an end.

        Returns:
            The segments; None if the file can only be read from its beginning.

        Raises:
            BundleError: It is not in the bundle.
            LimitError: A line goes on beyond ``line_bytes``.
            ChangedError: It is no longer what was hashed.
        """
        if self._source.part(path, 0, 0) is None:
            return None
        return tuple(cut(path, self._checked(path), size, self._state.limits.line_bytes))

    def part(self, path: str, offset: int, size: int) -> bytes:
        """
        Read some bytes of a file that has segments.

        Nothing vouches for them: the caller compares them with a hash that was
        taken while the whole file was read.

        Raises:
            ChangedError: They cannot be read any more.
        """
        try:
            data = self._source.part(path, offset, size)
        except BundleError as error:
            raise ChangedError(f"changed after it was hashed: {error.reason}", file=path) from None
        if data is None or len(data) != size:
            raise ChangedError("changed after it was hashed", file=path)
        return data

    def __reduce__(self) -> tuple[object, ...]:
        # Handles mean nothing in another process, which opens its own.
        return reopen, (self.reopen_token,)

    def close(self) -> None:
        """Close all handles, and delete what was unpacked for this bundle."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _position(self, path: str) -> int:
        at = find(self._state.inventory.paths, path)
        if at is None:
            raise BundleError("is not in the bundle", file=printable(path))
        return at

    def _checked(self, path: str) -> Iterator[bytes]:
        return _read_again(self._source, self._state.inventory, self._position(path))


def reopen(token: ReopenToken) -> Bundle:
    """Open a bundle again, with handles of its own and without hashing its files."""
    return Bundle(token.source.detached(), token.state)


def assemble(source: Source, inventory: Inventory, limits: BundleLimits) -> Bundle:
    """
    Make a bundle of files that were hashed: read its index and judge its layout.

    Raises:
        BundleError: No ``bundle.json``, or a ``SHA256SUMS`` that is no text.
        JsonError: ``bundle.json`` is not strict JSON.
        FormatError: ``bundle.json`` is not an index of a known format.
        LimitError: Either file is over its limit.
        ChangedError: Either file changed meanwhile.
    """
    text = _read_small(source, inventory, INDEX, limit="index_bytes", most=limits.index_bytes)
    if text is None:
        raise BundleError(f"not an evidence bundle: no {INDEX} at its top")
    index, problems = read_index(text)
    seal = inventory.seal()
    problems += tuple(family_problems(index, inventory.paths))
    at = find(inventory.paths, SUMS)
    if at is None:
        problems += (LayoutProblem(SUMS, "the list is missing", None, "no such file", seal),)
    elif inventory.digest(at) != seal or any("\\" in path for path in inventory.paths):
        sums = _read_small(source, inventory, SUMS, limit="sums_bytes", most=limits.sums_bytes)
        problems += tuple(sums_problems(sums or b"", inventory))
    return Bundle(source, _State(inventory, index, problems, seal, limits))


def _read_small(
    source: Source, inventory: Inventory, path: str, *, limit: str, most: int
) -> bytes | None:
    at = find(inventory.paths, path)
    if at is None:
        return None
    if inventory.sizes[at] > most:
        raise LimitError(f"over {most} bytes", limit=limit, file=path)
    return b"".join(_read_again(source, inventory, at))


def _read_again(source: Source, inventory: Inventory, at: int) -> Iterator[bytes]:
    """Yield a file's bytes, and insist at the end that they are those of the sweep."""
    path = inventory.paths[at]
    size = inventory.sizes[at]
    whole = sha256()
    total = 0
    try:
        for chunk in source.chunks(path, size):
            whole.update(chunk)
            total += len(chunk)
            if total > size:
                break
            yield chunk
    except BundleError as error:
        # It was read without trouble when it was hashed.
        raise ChangedError(f"changed after it was hashed: {error.reason}", file=path) from None
    if total != size or whole.hexdigest() != inventory.digest(at):
        raise ChangedError("changed after it was hashed", file=path)
