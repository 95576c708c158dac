"""One of two bundles that are compared; errors say in which of them they lie."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from verifier.core.jsonread import read_json
from verifier.errors import EvidenceError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

__all__ = ["Evidence"]


class Evidence:
    """
    An opened bundle under the name of A or B.

    Args:
        name: Which of the two it is.
        bundle: The bundle; it stays the caller's to close.
    """

    __slots__ = ("bundle", "name")

    def __init__(self, name: Literal["A", "B"], bundle: Bundle) -> None:
        self.name = name
        self.bundle = bundle

    def lines(self, path: str) -> Iterator[tuple[int, bytes]]:
        """Yield (number, line) of a file; a file that is not there has none."""
        with self._blamed(path):
            if self.bundle.has(path):
                yield from self.bundle.lines(path)

    def read(self, path: str) -> bytes:
        """Read a whole file; see :meth:`verifier.bundle.Bundle.read`."""
        with self._blamed(path):
            return self.bundle.read(path)

    def value(self, path: str, line: int, text: bytes) -> JsonValue:
        """Read one line of a file as JSON."""
        with self.blamed(path, line):
            return read_json(text)

    @contextmanager
    def blamed(self, path: str, line: int) -> Iterator[None]:
        """Name this bundle, the file and the line in every error about one line."""
        with self._blamed(path):
            try:
                yield
            except EvidenceError as error:
                error.line = line
                raise

    @contextmanager
    def _blamed(self, path: str) -> Iterator[None]:
        try:
            yield
        except EvidenceError as error:
            error.file = f"{self.name}: {error.file or path}"
            raise
