"""
Forging boards of SharpeArena, with all that depends on a lie tied up again.

The forger is the publisher: every file is his. Whatever returns he rewrites, the
rows state their new hash. What he does not redo is arithmetic: a board whose every
figure follows from other returns is an honest board on other returns, and only
regenerating the series from their seeds can tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.sharpe.board import SealedSeeds
from verifier.sharpe.context import load_context, returns_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from verifier.bundle import Bundle
    from verifier.policy import Policy
    from verifier.selftest.mutations import Changes
    from verifier.sharpe.board import Board, Row
    from verifier.sharpe.context import BoardFile, Context

__all__ = ["Evidence", "Forgery", "boards", "load_evidence", "nudged", "rows"]

Members = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evidence:
    """The honest bundle, as a forger knows it."""

    context: Context


def load_evidence(bundle: Bundle, policy: Policy) -> Evidence:
    """
    Read the boards of a bundle.

    Raises:
        EvidenceError: A board cannot be read.
    """
    return Evidence(load_context(bundle, policy))


def boards(evidence: Evidence, *, sealed: bool | None = None) -> Iterator[tuple[BoardFile, Board]]:
    """Boards of the bundle, only those with sealed or with public seeds if asked."""
    for file in evidence.context.boards:
        board = file.board
        if board is not None and sealed in {None, isinstance(board.seeds, SealedSeeds)}:
            yield file, board


def rows(
    evidence: Evidence, fits: Callable[[Board, Row], bool]
) -> Iterator[tuple[BoardFile, Board, Row]]:
    """Rows of the bundle that fit, board after board, as printed."""
    for file, board in boards(evidence):
        yield from ((file, board, row) for row in board.rows if fits(board, row))


def nudged(figure: float) -> float:
    """Move a figure by one unit in the last place, towards one half: it stays a probability."""
    return math.nextafter(figure, 0.5)


class Forgery:
    """
    Changes to one bundle, collected and at the end tied up by :meth:`changes`.

    Args:
        evidence: The honest bundle.
    """

    def __init__(self, evidence: Evidence) -> None:
        self._bundle = evidence.context.bundle
        self._files: dict[str, Members | None] = {}

    def has(self, path: str) -> bool:
        """Whether the honest bundle has a file."""
        return self._bundle.has(path)

    def file(self, path: str) -> Members:
        """Give a file's members, free to be changed."""
        if self._files.get(path) is None:
            value = read_json(self._bundle.read(path))
            assert isinstance(value, dict)
            self._files[path] = value
        found = self._files[path]
        assert found is not None
        return found

    def put(self, path: str, content: Members | None) -> None:
        """Write a whole file, or take it away."""
        self._files[path] = content

    def row(self, file: BoardFile, row: Row) -> Members:
        """Give the members of a row, free to be changed."""
        found: Members = self.file(file.path)["rows"][row.index]
        return found

    def returns(self, file: BoardFile, policy: str) -> Members:
        """Give the returns file of a row, free to be changed; the row will state its hash."""
        return self.file(returns_path(file.name, policy))

    def rehash(self, file: BoardFile) -> None:
        """Let the rows of a board state the hashes of the returns that were changed."""
        for row in self.file(file.path)["rows"]:
            content = self._files.get(returns_path(file.name, row["policy"]))
            if content is not None:
                row["returns"] = sha256(canonical_bytes(content)).hexdigest()

    def changes(self) -> Changes:
        """Give all changed files as bytes."""
        return {
            path: None if content is None else canonical_bytes(content)
            for path, content in self._files.items()
        }
