"""
The table of a SharpeArena release: all boards of the bundle, in the order of their paths.

::

    {"as_of":T,"boards":[{"board","env_id","file","kernel","protocol","rows":[...],"sha256",
     "tier"}...],"family":"sharpe","format":"tallyproof-season/1","season":"<id>"}

Canonical JSON, no newline. Rows are those of the board file, whole and in
their order; ``sha256`` is the hash of that file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.core.canon import canonical_bytes
from verifier.core.jsonread import read_json
from verifier.core.shape import Obj
from verifier.errors import EvidenceError, UsageError

if TYPE_CHECKING:
    from verifier.bundle import Bundle
    from verifier.core.jsonread import JsonValue

__all__ = ["boards_of", "sharpe_table"]

_BOARDS: Final = "sharpe/boards/"
_MEMBERS: Final = ("board", "env_id", "kernel", "protocol", "tier")


def boards_of(bundle: Bundle) -> tuple[str, ...]:
    """List the files of the boards."""
    return tuple(path for path in bundle.paths if path.startswith(_BOARDS))


def sharpe_table(bundle: Bundle, season: str) -> bytes:
    """
    Write the table of a release; see the module.

    Raises:
        UsageError: The bundle has no boards.
        EvidenceError: A board cannot be read.
    """
    files = boards_of(bundle)
    if not files:
        raise UsageError("the bundle has no boards of SharpeArena")
    return canonical_bytes(
        {
            "as_of": bundle.index.as_of,
            "boards": [_board(bundle, file) for file in files],
            "family": "sharpe",
            "format": "tallyproof-season/1",
            "season": season,
        }
    )


def _board(bundle: Bundle, file: str) -> JsonValue:
    try:
        board = Obj(read_json(bundle.read(file)), (*_MEMBERS, "rows"), open_ended=True)
        return {
            **{name: board.text(name) for name in _MEMBERS},
            "file": file,
            "rows": [row for _, row in board.items("rows")],
            "sha256": bundle.digest(file),
        }
    except EvidenceError as error:
        raise error.in_file(file) from None
