"""
Step 9: everything that the protocol says an entry must state is there.

A board has exactly the members of its format, and every file under ``sharpe`` is
canonical JSON. What is missing, unknown or mistyped was noticed on reading; here it
becomes the verdict on the board. No file of returns, traces or gaps is there that
belongs to no row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import COMPLETE
from verifier.sharpe.context import SEEDS_FILE, Files, gap_path, returns_path, trace_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.findings import Finding
    from verifier.sharpe.context import BoardFile, Context

__all__ = ["check_complete", "check_orphans"]

ROOT: Final = "sharpe/"
FOLDERS: Final = ("sharpe/returns/", "sharpe/traces/", "sharpe/gaps/")


def check_complete(file: BoardFile, read: Iterable[Finding] = ()) -> list[Finding]:
    """
    Judge the form of a board and of the files behind it.

    Args:
        file: The board as read.
        read: What was wrong with the form of the files behind it.
    """
    claim = Claim(COMPLETE, file.name, Where(file.path), [*file.findings, *read])
    return claim.close("the board states all that it must, and its files are canonical")


def check_orphans(context: Context) -> list[Finding]:
    """
    Judge that every file behind the boards belongs to a row, and others are canonical.

    Raises:
        EvidenceError: A file that no board asks for is no strict JSON.
    """
    expected: set[str] = set()
    unread: list[str] = []
    for file in context.boards:
        if file.board is None:
            unread += [f"{folder}{file.name}/" for folder in FOLDERS]
            continue
        for row in file.board.rows:
            expected |= {
                returns_path(file.name, row.policy),
                trace_path(file.name, row.policy),
                gap_path(file.name, row.policy, "generalization"),
                gap_path(file.name, row.policy, "transfer"),
            }
    read = {SEEDS_FILE, *(file.path for file in context.boards), *expected}
    files = Files(context.bundle)
    for path in context.bundle.paths:
        if not path.startswith(ROOT) or path in read or path.startswith(tuple(unread)):
            continue
        if path.startswith(FOLDERS):
            claim = Claim(COMPLETE, path, Where(path))
            claim.fail("the file belongs to no row of a board")
            files.found += claim.found
        else:
            files.value(path)
    return files.found
