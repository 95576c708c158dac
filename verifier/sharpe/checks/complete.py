"""
Step 9: everything that the protocol says an entry must state is there.

A board has exactly the members of its format, and every file under ``sharpe`` is
canonical JSON. What is missing, unknown or mistyped was noticed on reading; here it
becomes the verdict on the board.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.claim import Claim
from verifier.findings import Where
from verifier.sharpe.checks.catalogue import COMPLETE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from verifier.findings import Finding
    from verifier.sharpe.context import BoardFile

__all__ = ["check_complete"]


def check_complete(file: BoardFile, read: Iterable[Finding] = ()) -> list[Finding]:
    """
    Judge the form of a board and of the files behind it.

    Args:
        file: The board as read.
        read: What was wrong with the form of the files behind it.
    """
    claim = Claim(COMPLETE, file.name, Where(file.path), [*file.findings, *read])
    return claim.close("the board states all that it must, and its files are canonical")
